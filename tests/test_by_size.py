"""The silent share by size: what is taken, where it ends, and that it agrees with the pool."""

import math

import pytest

from stdial import Pool, bigmath, bigmath_paper, by_size, stored
from stdial.charts.by_size import silent_by_size
from stdial.charts.difficulty import FRAMES
from stdial.sample import SILENT, sample


def test_agrees_with_the_pool() -> None:
    pool = bigmath.load()
    for size in (2, 64, 65, 1000):
        now = by_size.at(pool, size)
        assert (now.low, now.high) == pool.silent_interval(size)
        assert now.best == pool.silent_rate(size)
        assert now.counted == (size <= 64)


def test_stops_where_bounds_are_far_apart() -> None:
    pool = Pool([0, 1, 2, 4], 4, [40, 20, 20, 40])
    found = by_size.series(pool, FRAMES)
    assert [one.size for one in found if one.counted] == [2, 3, 4]
    assert all(one.known for one in found)
    assert found[-1].size < 1024
    assert "ends where bounds are more than 10 points apart" in silent_by_size(pool, 4).caption


def test_every_size_of_a_stored_pool() -> None:
    assert [one.size for one in by_size.series(bigmath.load(), FRAMES, every=True)] == list(FRAMES)


def test_bare_rates_have_the_plug_in_alone() -> None:
    pool = Pool.from_rates([0.1, 0.5] * 30)
    now = by_size.at(pool, 8)
    assert math.isnan(now.low)
    assert by_size.series(pool, [2, 8]) == []
    chart = silent_by_size(pool, 8)
    assert chart.shows == {"G": 8, "plug_in": round((0.9**8 + 0.1**8 + 2 * 0.5**8) / 2, 4)}


def test_the_papers_numbers_come_out_as_printed() -> None:
    pool = bigmath.load()
    for one in [*bigmath_paper.of_silence(pool), *bigmath_paper.of_update(pool, 8)]:
        run = "in a run" in one.what  # measured on a simulated run: within its noise
        assert one.same == pytest.approx(one.paper, abs=0.15 if run else 0.5 * 10**-one.digits), one.what


def test_what_is_stored_of_the_sample_is_what_is_computed() -> None:
    shown = sample().pool
    anew = Pool(shown.right, shown.tries)
    assert all(by_size.is_known(shown, size) for size in range(17, 1025))
    for size in (17, 100, 1024):
        kept, found = by_size.at(shown, size), by_size.at(anew, size)
        assert tuple(kept) == pytest.approx(tuple(found), abs=1e-6)
        assert shown.silent_interval(size) == (kept.low, kept.high)
    with pytest.raises(ValueError, match="of a pool with 1,841 right answers; this one has 1"):
        stored.read_silent(SILENT, Pool([1], 2))
