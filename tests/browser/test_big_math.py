"""Big-Math in a real browser: scrubbing without a round trip, and the facet control on views that are built here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import served

Visits = Callable[..., Any]


def test_scrub_and_numbers(visit: Visits) -> None:
    v = visit().open("/big_math?G=8&v=1")
    v.drawn("mass")
    assert v.shows("silent") == {"G": 8, "best": 0.4307, "plug_in": 0.4428}
    assert "43.1%" in v.text()
    v.page.wait_for_selector("[data-frames]")
    slider = v.page.get_by_role("slider", name="Group size")
    slider.press("End")
    v.until("silent", "G", 1024)
    assert v.shows("silent")["plug_in"] == pytest.approx(0.1118, abs=1e-4)
    v.until_address("G=1024")
    assert "between" in v.page.inner_text(".sd-answer")
    assert v.problems == []


def test_the_link_stays_on_other_pages(visit: Visits) -> None:
    v = visit().open("/big_math?G=24&pool=level-3&v=1")
    v.until("silent", "G", 24)
    v.page.get_by_role("link", name="Difficulty", exact=True).click()
    v.drawn("difficulty").until("difficulty", "G", 24)
    v.until_address("pool=level-3")
    v.page.go_back()
    v.until("silent", "G", 24)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Views of a small data set of the real schema, built by the package."""
    pytest.importorskip("datasets")
    import pyarrow as pa
    import pyarrow.parquet as pq

    from stdial import bigmath

    where = tmp_path_factory.mktemp("views")
    rng = np.random.default_rng(0)
    rate = rng.integers(0, 65, 3000) / 64
    table = {
        "problem": [f"p{i}" for i in range(3000)],
        "answer": ["1"] * 3000,
        "source": [("MATH", "GSM8k", "[x](javascript:alert(1))")[i % 3] for i in range(3000)],
        "domain": [["Algebra"] if i % 2 else ["Algebra", "Number Theory"] for i in range(3000)],
        "llama8b_solve_rate": [None if i < 7 else float(r) for i, r in enumerate(rate)],
    }
    pq.write_table(pa.table(table), where / "rows.parquet")
    bigmath.build(where / "rows.parquet", where)
    return where


def test_facet_control(visit: Visits, built: Path) -> None:
    from stdial import bigmath

    pool = bigmath.load(built)
    with served(env={"STDIAL_DATA": str(built)}) as fresh:
        v = visit(where=fresh).open("/big_math?G=16&v=1")
        assert v.shows("rates")["problems"] == 215608
        menu = v.page.get_by_label("Which problems")
        menu.select_option("source:MATH")
        v.until("rates", "problems", pool.where("source", "MATH").size)
        v.until_address("pool=source%3AMATH")
        assert f"{pool.where('source', 'MATH').silent_rate(16):.1%}" in v.page.inner_text(".sd-answer")
        menu.select_option("domain:Number Theory")
        v.until("rates", "problems", pool.where("domain", "Number Theory").size)
        menu.select_option("source:[x](javascript:alert(1))")
        v.until("rates", "problems", pool.where("source", "[x](javascript:alert(1))").size)
        text = v.text()
        assert "rows.parquet" in text
        assert "7 without a solve rate" in text
        assert "each of its domains" in text
        assert v.page.locator("a[href^=javascript]").count() == 0
        v.page.get_by_role("slider", name="Group size").press("End")  # beyond the tries: bounds, with a round trip
        v.until("silent", "G", 1024)
        assert not v.failed()
        assert v.problems == []
        v.page.reload()
        v.drawn("rates").until("rates", "problems", pool.where("source", "[x](javascript:alert(1))").size)
