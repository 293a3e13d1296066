"""The shipped Big-Math pool: its counts, levels and stored fit."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stdial import Pool, bigmath, dropping, stored


def test_the_shipped_histogram(paper: dict[str, Any]) -> None:
    told, pool = paper["bigmath"], bigmath.load()
    assert pool.size == told["problems"]
    assert pool.problems.tolist() == told["problems_by_right"]
    assert pool.right.tolist() == list(range(65))
    assert set(pool.tries.tolist()) == {told["rollouts"]}
    assert set(paper["bigmath_facts"]["caveats"]) <= set(pool.notes)


@pytest.mark.parametrize("level", ["1", "2", "3", "4", "5"])
def test_published_levels(paper: dict[str, Any], level: str) -> None:
    told = paper["levels_open_r1"][level]
    part = bigmath.load().where("level", int(level))
    assert part.size == told["problems"]
    assert [part.right.min(), part.right.max()] == told["right"]


def test_never_solved_is_in_no_level() -> None:
    pool = bigmath.load()
    assert sum(pool.values("level").values()) == pool.size - pool.problems[0]


def test_about_names_the_source() -> None:
    about = bigmath.about()
    assert "2607.00152" in about.source
    assert about.licence == "CC BY 4.0"
    assert len(about.caveats) == 3


def test_a_folder_without_views_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="folder is"):
        bigmath.load(tmp_path)


def test_stored_fit_is_what_a_fit_gives(paper: dict[str, Any]) -> None:
    shipped = bigmath.load()
    fresh = Pool(shipped.right, shipped.tries, shipped.problems)
    assert shipped.mixing().log_likelihood == pytest.approx(fresh.mixing().log_likelihood, abs=1e-5)
    assert shipped.mixing().gap < 1e-6
    for size in (65, 97, 256, 1024, math.inf):
        assert shipped.silent_interval(size) == pytest.approx(fresh.silent_interval(size), abs=2e-6)
        assert shipped.silent_rate(size) == pytest.approx(fresh.silent_rate(size), abs=1e-6)


def test_stored_bounds_cover_every_size_of_the_pages() -> None:
    content = json.loads((bigmath.DATA / bigmath.FIT).read_text(encoding="utf-8"))
    assert list(content["silence"]) == [*map(str, range(65, 1025)), "inf"]
    assert all(0 <= low <= high <= 1 for low, high in content["silence"].values())


def test_write_and_read_a_fit(tmp_path: Path) -> None:
    pool, path = Pool(range(5), 4, [20, 10, 10, 10, 20]), tmp_path / "fit.json"
    stored.write(path, pool, [8, math.inf])
    again = Pool(range(5), 4, [20, 10, 10, 10, 20])
    stored.read(path, again)
    assert again.mixing().weight.tolist() == pool.mixing().weight.tolist()
    assert again.silent_interval(8) == pytest.approx(pool.silent_interval(8), abs=1e-7)
    with pytest.raises(ValueError, match="a fit of 70 problems; the pool has 1"):
        stored.read(path, Pool(1, 4))


def test_the_shipped_pool_needs_no_solver() -> None:
    code = (
        "import sys; from stdial import bigmath, GRPO; pool = bigmath.load();"
        "pool.silent_rate(128), pool.silent_interval(128), pool.mixing(), pool.mass_share(0, .1, 8, GRPO);"
        "print([m for m in ('scipy.optimize', 'scipy.stats', 'pandas', 'datasets') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("which", bigmath.LEVELS)
def test_stored_levels_are_what_a_fit_gives(which: int) -> None:
    kept, anew = bigmath.level(which), bigmath.load().where("level", which)
    assert kept.mixing().gap < 1e-6
    assert kept.mixing().log_likelihood == pytest.approx(anew.mixing().log_likelihood, abs=1e-6)
    for size in (65, 700):
        assert kept.silent_interval(size) == pytest.approx(anew.silent_interval(size), abs=2e-6)
    assert kept.remembered("retry 64 4") == pytest.approx(dropping.retry_bounds(anew, 64, 4), abs=2e-6)


@pytest.mark.parametrize("which", [0, 6])
def test_a_level_that_is_not_there(which: int) -> None:
    with pytest.raises(ValueError, match="which is"):
        bigmath.level(which)
