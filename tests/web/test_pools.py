"""The shared choice of problems: names in, pools out, and nothing of an upload outside its session."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stdial import Pool, bigmath_views
from stdial.pool_file import write_pool
from stdial.web import pools


@pytest.fixture
def views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Built views in a folder of the test's own."""
    facets: dict[str, list[Any]] = {
        "source": ["MATH", "MATH", "GSM8k"],
        "domain": [("Algebra",), ("Algebra", "Number -> Theory"), ()],
        "level": [5, 3, ()],
    }
    pool = Pool([2, 30, 0], 64, [70, 20, 10], facets, notes=["a problem counts under each of its domains"])
    write_pool(pool, tmp_path / bigmath_views.VIEWS, {"source": "by hand", "engine": "none"})
    monkeypatch.setenv("STDIAL_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STDIAL_DATA", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "size"), [("bigmath", 215608), ("level-5", 37496), ("level-1", 40893), ("bell", 1000), ("one", 1000)]
)
def test_names(name: str, size: int) -> None:
    found = pools.chosen({"pool": name, "p": 0.3})
    assert (found.name, found.pool.size, found.note, found.private) == (name, size, "", False)
    assert found.label
    assert found.origin.endswith(".")


def test_one_takes_p_and_the_others_do_not() -> None:
    one, other = (pools.chosen({"pool": "one", "p": p}) for p in (0.2, 0.7))
    assert (one.pool.mean_rate, other.pool.mean_rate) == (0.2, 0.7)
    assert one.token != other.token
    bells = [pools.chosen({"pool": "bell", "p": p}) for p in (0.2, 0.7)]
    assert bells[0].pool is bells[1].pool


def test_pools_are_kept() -> None:
    assert pools.chosen({"pool": "level-4"}).pool is pools.chosen({"pool": "level-4"}).pool


@pytest.mark.parametrize(
    "name", ["", "level-6", "level-", "source:", "source:MATH", "domain:x", "built", "upload", "<b>", "BELL"]
)
def test_what_is_not_there_falls_back_with_a_note(name: str) -> None:
    found = pools.chosen({"pool": name, "p": 0.5}, {})
    assert found.name == "bigmath"
    assert found.note.endswith("Big-Math is shown.")
    assert name not in found.note or name in ("", "upload", "built")


@pytest.mark.usefixtures("views")
def test_built_views() -> None:
    whole = pools.chosen({"pool": "built"})
    assert whole.pool.size == 100
    assert "by hand" in whole.origin
    algebra = pools.chosen({"pool": "domain:Algebra"})
    theory = pools.chosen({"pool": "domain:Number -> Theory"})
    assert (algebra.pool.size, theory.pool.size) == (90, 20)
    assert pools.chosen({"pool": "source:nothing"}).note
    assert pools.facet_values("source") == [("MATH", 90), ("GSM8k", 10)]


def test_token_changes_with_the_views(views: Path) -> None:
    before = pools.chosen({"pool": "bigmath"}).token
    (views / bigmath_views.VIEWS).unlink()
    assert pools.chosen({"pool": "bigmath"}).token != before


def test_views_that_cannot_be_read_are_none(views: Path) -> None:
    (views / bigmath_views.VIEWS).write_bytes(b"no parquet")
    assert pools.chosen({"pool": "built"}).note
    assert not pools.built()


def test_upload_stays_in_its_session() -> None:
    mine: dict[str, Any] = {}
    held = pools.put_upload(mine, Pool([1, 5], 8), "secret name.csv")
    found = pools.chosen({"pool": "upload"}, mine)
    assert found.private
    assert held is not None
    assert found.label == "secret name.csv"
    assert pools.chosen({"pool": "upload"}, {}).note
    menu = pools.control({"pool": "bigmath"}, pools.chosen({"pool": "bigmath"}, mine).uploaded)
    assert "secret" not in json.dumps(menu.spec())
    assert "upload" in dict(menu.options)
    assert "upload" not in dict(
        pools.control({"pool": "bigmath"}, pools.chosen({"pool": "bigmath"}, {}).uploaded).options
    )
    assert pools.chosen({"pool": "bigmath"}, mine).token != pools.chosen({"pool": "bigmath"}, {}).token


def test_putting_the_same_upload_again_keeps_its_token() -> None:
    mine: dict[str, Any] = {}
    pool = Pool([1, 5], 8)
    first = pools.put_upload(mine, pool, "a")
    assert pools.put_upload(mine, SimpleNamespace(pool=pool), "a") == first
    assert pools.put_upload(mine, Pool([1, 5], 8), "a") != first
    assert pools.put_upload(mine, SimpleNamespace(pool=None), "a") is None
    assert pools.get_upload(mine) is None


@pytest.mark.usefixtures("views")
def test_menu_groups_and_marks() -> None:
    menu = pools.control({"pool": "domain:Algebra"})
    assert len(menu.heads) == len(menu.options)
    groups = list(dict.fromkeys(menu.heads))
    assert [head for i, head in enumerate(menu.heads) if i == 0 or menu.heads[i - 1] != head] == groups
    assert menu.value in dict(menu.options)
    some = pools.control({"pool": "bigmath"}, only=("bigmath", "source"))
    assert [value for value, _ in some.options] == ["bigmath", "source:MATH", "source:GSM8k"]
