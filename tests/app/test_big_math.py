"""The page Big-Math says what the package computes, and what the paper printed."""

from pathlib import Path
from typing import Any

import pytest

from stdial import Pool, bigmath, bigmath_views, by_size
from stdial.pool_file import write_pool
from tests.app.reading_stages import run, said, stages


@pytest.fixture(autouse=True)
def nothing_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STDIAL_DATA", str(tmp_path))
    return tmp_path


def answer(app: Any) -> str:
    first = stages(app)[0]
    return "".join(piece if isinstance(piece, str) else piece["t"] for piece in first["answer"])


@pytest.mark.parametrize(
    ("G", "shown"),
    [
        ("8", ["43.1%", "44.3%"]),
        ("64", ["11.2%", "16.5%"]),
        ("256", ["2.1%", "4.7%", "11.4%"]),
        ("1024", ["0.0%", "4.5%", "11.2%"]),
    ],
)
def test_answer(G: str, shown: list[str]) -> None:
    text = answer(run("big_math", G=G))
    for number in shown:
        assert number in text
    assert ("between" in text) == (int(G) > 64)


@pytest.mark.parametrize("G", [2, 16, 100])
def test_numbers_are_the_packages(G: int) -> None:
    app = run("big_math", G=str(G))
    pool, text = bigmath.load(), said(app)
    now = by_size.at(pool, G)
    assert f"{now.plug_in:.1%}" in answer(app)
    assert f"{pool.silent_rate(G, 'plug-in'):.4f}" in text
    assert "They differ because" in text
    shows = {chart["name"]: chart["shows"] for chart in stages(app)[0]["charts"]}
    assert list(shows) == ["silent", "rates", "mass"]
    assert {chart["G"] for chart in shows.values()} == {G}
    assert shows["mass"]["dr_grpo_extreme"] == pytest.approx(0.1388, abs=5e-5)
    for level in range(1, 6):
        part = pool.where("level", level)
        assert f"{part.size:,}" in text
        assert f"{part.silent_rate(G, 'plug-in'):.1%}" in text
        if G <= 64:
            assert f"{part.silent_rate(G):.1%}" in text


def test_every_number_of_the_paper_is_beside_ours(paper: dict[str, Any]) -> None:
    table = {row[0]: row for stage in stages(run("big_math")) for t in stage["tables"] for row in t["rows"]}
    silent = paper["silent_bigmath"]
    for i, G in enumerate(silent["G"]):
        row = table[f"Silent at G = {G}, closed form"]
        assert row[1:4] == [
            f"{silent['closed_form_percent'][i]}%",
            f"{silent['plug_in_exact'][i]:.1%}",
            f"{silent['unbiased_exact'][i]:.1%}",
        ]
    rows = [row for row in table.values() if row[0].endswith("update on rates below .1 or above .9")]
    assert [row[1:4] for row in rows] == [["13.9%", "13.9%", "13.9%"], ["24.7%", "24.7%", "16.7%"]]
    assert all(row[1].rstrip("%") == row[2].rstrip("%") for row in rows)
    assert table["GRPO's extremes over Dr. GRPO's"][1:4] == ["1.78", "1.78", "1.20"]
    assert table["0 to .1"][1:5] == ["7.89%", "7.89%", "14.22%", "14.22%"]


def test_without_views_says_how_to_build_them() -> None:
    app = run("big_math")
    text = said(app)
    assert "python -m stdial bigmath" in text
    assert "not shipped" in text
    assert not any(control["name"] == "pool" for control in stages(app)[0]["controls"])
    for caveat in bigmath.about().caveats:
        assert caveat[1:] in text


def test_a_level_is_pointed_at_and_stays_in_the_link() -> None:
    app = run("big_math", pool="level-4")
    assert stages(app)[1]["tables"][0]["mark"] == 1
    assert "pool=level-4" in stages(app)[0]["header"]["address"]
    assert stages(app)[0]["charts"][1]["shows"]["problems"] == 215608


@pytest.mark.parametrize("name", ["source:MATH", "<img src=x>", "upload"])
def test_a_pool_that_is_not_there(name: str) -> None:
    app = run("big_math", pool=name)
    header = stages(app)[0]["header"]
    assert any("Big-Math is shown" in note for note in header["notes"])
    assert "pool=bigmath" in header["address"]


def test_views_are_offered(nothing_built: Path) -> None:
    facets: dict[str, list[Any]] = {
        "source": ["MATH", "MATH", "GSM8k"],
        "domain": [("Algebra",), ("Algebra", "Number"), ()],
    }
    pool = Pool([2, 30, 0], 64, [70, 20, 10], facets, notes=["5 without a solve rate: left out"])
    write_pool(pool, nothing_built / bigmath_views.VIEWS, {"source": "a test", "engine": "none"})
    app = run("big_math", pool="domain:Algebra", G="16")
    first = stages(app)[0]
    menu = next(control for control in first["controls"] if control["name"] == "pool")
    assert [value for value, _ in menu["options"]] == [
        "bigmath", "built", "source:MATH", "source:GSM8k", "domain:Algebra", "domain:Number",
    ]  # fmt: skip
    part = pool.where("domain", "Algebra")
    assert first["charts"][1]["shows"]["problems"] == 90
    assert f"{part.silent_rate(16):.1%}" in answer(app)
    text = said(app)
    assert "a test" in text
    assert "5 without a solve rate" in text
    captions = [table["caption"] for stage in stages(app) for table in stage["tables"]]
    assert any("each of its domains" in caption for caption in captions)
    assert f"Algebra 90 {part.mean_rate:.3f}" in text


def test_frames_say_what_a_fresh_page_says() -> None:
    from stdial.web import pools
    from stdial.web.link import defaults
    from stdial.web.page import Values
    from stdial.web.views import big_math as view

    which = pools.chosen({"pool": "bigmath"})
    start = Values(defaults())
    built = view.stage(start, which)
    assert {8, 64, 1024} <= set(built.frames)
    shapes = [[len(chart.data) for chart in view.stage(start.but(G=G), which).charts] for G in (2, 64, 65, 1024)]
    assert all(shape == shapes[0] for shape in shapes)
