"""The mixing distribution, its duality gap, and bounds and intervals, against the paper and by other means."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import Pool, bounds, mixing


def at_eight_tries(histogram: list[int]) -> list[float]:
    """Expected counts when 8 of each problem's 64 tries are drawn without replacement."""
    return [
        sum(many * math.comb(k, j) * math.comb(64 - k, 8 - j) for k, many in enumerate(histogram)) / math.comb(64, 8)
        for j in range(9)
    ]


@pytest.fixture(scope="module")
def big_math(paper: dict[str, Any]) -> Pool:
    return Pool(range(65), 64, paper["bigmath"]["problems_by_right"])


@pytest.fixture(scope="module")
def few_tries(paper: dict[str, Any]) -> Pool:
    return Pool(range(9), 8, at_eight_tries(paper["bigmath"]["problems_by_right"]))


# Numbers measured on the Big-Math histogram.


def test_log_likelihood(big_math: Pool) -> None:
    found = big_math.mixing()
    assert found.gap < 1e-6
    assert found.log_likelihood == pytest.approx(-848714.945, abs=0.05)
    assert found.weight.sum() == pytest.approx(1, abs=1e-12)
    assert (found.weight > 0).all()
    assert (np.diff(found.p) > 0).all()


@pytest.mark.parametrize(("size", "within"), [(8, 5e-4), (16, 5e-4), (32, 5e-4), (64, 5e-4), (128, 1e-3)])
def test_fitted(big_math: Pool, paper: dict[str, Any], size: int, within: float) -> None:
    expected = paper["silent_bigmath"]["fitted"][str(size)]
    assert big_math.silent_rate(size, "deconvolved") == pytest.approx(expected, abs=within)


@pytest.mark.parametrize(("size", "within"), [(128, 2e-3), (256, 2e-3), (1024, 5e-3)])
def test_bounds_beyond_the_tries(big_math: Pool, paper: dict[str, Any], size: int, within: float) -> None:
    expected = paper["silent_bigmath"]["bounds_2se"][str(size)]
    assert big_math.silent_interval(size) == pytest.approx(expected, abs=within)


@pytest.mark.parametrize(
    ("row", "size"),
    [
        *(("plug_in", size) for size in (8, 16, 32)),
        ("counted", 8),
        *(("fitted", size) for size in (8, 16)),
        *(("bounds_2se", size) for size in (16, 32, 64)),
    ],
)
def test_from_eight_tries(few_tries: Pool, paper: dict[str, Any], row: str, size: int) -> None:
    expected = paper["silent_bigmath"]["from_8_tries"][row][str(size)]
    if row == "bounds_2se":
        assert few_tries.silent_interval(size) == pytest.approx(expected, abs=2e-3)
    else:
        estimate = {"plug_in": "plug-in", "counted": "unbiased", "fitted": "deconvolved"}[row]
        digits = len(str(expected).split(".")[1])
        assert few_tries.silent_rate(size, estimate) == pytest.approx(expected, abs=0.5 * 10**-digits + 1e-9)


def test_bounds_hold_the_truth(big_math: Pool, few_tries: Pool) -> None:
    for size in (9, 16, 32, 64):
        low, high = few_tries.silent_interval(size)
        assert low < big_math.silent_rate(size, "unbiased") < high


# The fit.


@pytest.mark.parametrize(
    ("right", "tries", "problems", "p", "weight"),
    [
        ([3], [8], [1], [0.375], [1]),
        ([8], [8], [5000], [1], [1]),
        ([0], [8], [60], [0], [1]),
        ([0, 8], [8, 8], [1, 3], [0, 1], [0.25, 0.75]),
        ([2, 500], [4, 1000], [7, 1], [0.5], [1]),
    ],
)
def test_known_maxima(right: Any, tries: Any, problems: Any, p: Any, weight: Any) -> None:
    found = Pool(right, tries, problems).mixing()
    assert found.p @ found.weight == pytest.approx(np.dot(p, weight), abs=2e-3)
    assert found.p[[0, -1]] == pytest.approx([p[0], p[-1]], abs=2e-3)  # within a step of the grid
    assert found.gap < 1e-6


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 1000)), min_size=1, max_size=40))
def test_gap_of_any_pool(rows: list[tuple[int, int, int]]) -> None:
    right, wrong, problems = np.array(rows).T + np.array([[0], [1], [0]])
    found = mixing.fit(right, right + wrong, problems.astype(float))
    assert found.gap < 1e-6
    assert found.weight.sum() == pytest.approx(1, abs=1e-12)
    # the gap by its definition, over all points of the grid
    f = np.exp(mixing.log_likelihood(right, right + wrong))
    fitted = f @ mixing.on_grid(found)
    assert ((problems / fitted) @ f).max() - problems.sum() == pytest.approx(found.gap, abs=1e-7)


@pytest.mark.parametrize(("problems", "tries"), [(30, 9), (3000, 40), (800, 2000), (200, 1_000_000)])
def test_mixed_tries(problems: int, tries: int) -> None:
    random = np.random.default_rng(problems)
    n = random.integers(1 + tries // 4, tries, problems)
    pool = Pool(random.binomial(n, random.beta(0.4, 0.7, problems)), n)
    found = pool.mixing()
    assert found.gap < 1e-6
    assert found.p @ found.weight == pytest.approx(pool.mean_rate, abs=0.02)


def test_the_most_level_of_many_maxima(few_tries: Pool) -> None:
    found = few_tries.mixing()
    assert found.gap < 1e-6
    assert len(found.p) == 801
    assert found.weight[1:-1].max() < 0.01  # no lumps: eight tries cannot tell where they would be
    one_try = Pool([0, 1], 1, [30, 70]).mixing()
    tilt = np.log(one_try.weight / mixing.jeffreys())
    assert np.polyfit(one_try.p, tilt, 1, full=True)[1] < 1e-12  # prior times exp(a + b p)
    assert one_try.p @ one_try.weight == pytest.approx(0.7)


def test_very_many_cells_are_merged() -> None:
    random = np.random.default_rng(5)
    n = random.integers(100, 1000, 9000)
    pool = Pool(random.binomial(n, random.beta(2, 3, 9000)), n)
    assert len(pool.cells.rate) > 8192
    found = pool.mixing()
    assert found.gap < 1e-6
    assert found.p @ found.weight == pytest.approx(0.4, abs=0.01)
    assert found.p**2 @ found.weight == pytest.approx(0.2, abs=0.01)


def test_jeffreys_on_the_grid() -> None:
    prior = mixing.jeffreys()
    assert prior.sum() == pytest.approx(1)
    for k, n in ((0, 1), (3, 10), (500, 1000)):
        mean = mixing.posterior_mean(np.array([k]), np.array([n]), prior, mixing.GRID)
        assert mean[0] == pytest.approx((k + 0.5) / (n + 1), rel=1e-12)


def test_on_grid_gives_back_the_fit(big_math: Pool) -> None:
    found = big_math.mixing()
    mass = mixing.on_grid(found)
    assert mass[mass > 0] == pytest.approx(found.weight)
    assert np.array_equal(mixing.GRID[mass > 0], found.p)


# Bounds and intervals.


def test_bounds_of_what_the_tries_fix(big_math: Pool) -> None:
    low, high = big_math.bounds(lambda p: p)
    assert low <= big_math.mean_rate <= high
    assert high - low < 0.03  # cells are bounded one by one, so that even a mean is not pinned down
    assert big_math.bounds(np.ones_like) == pytest.approx((1, 1))


def test_bounds_widen_with_the_size(few_tries: Pool) -> None:
    ends = [few_tries.silent_interval(size) for size in (9, 12, 16, 24, 32)]
    widths = [high - low for low, high in ends]
    assert all(a < b for a, b in pairwise(widths))
    assert all(a[0] > b[0] and a[1] > b[1] for a, b in pairwise(ends))


def test_all_right_proves_little() -> None:
    low, high = Pool(8, 8, problems=5000).silent_interval(1024)
    assert high == 1
    assert 0.85 < low < 0.95
    low, _ = Pool(8, 8, problems=60).silent_interval(1024)
    assert low < 0.05


def test_bounds_of_mixed_tries() -> None:
    random = np.random.default_rng(2)
    p = random.beta(0.4, 0.6, 6000)
    n = np.repeat([4, 8, 64], 2000)
    pool = Pool(random.binomial(n, p), n)
    for size in (16, 64, 128):
        low, high = pool.silent_interval(size)
        assert low < (p**size + (1 - p) ** size).mean() < high
    longest = pool.take(n == 64)
    apart = np.diff(longest.silent_interval(128))[0]
    assert np.diff(pool.silent_interval(128))[0] < 1.6 * apart  # shorter rows do not spoil what longer ones fix


def test_bounds_of_many_different_tries() -> None:
    random = np.random.default_rng(3)
    p = random.beta(0.4, 0.6, 3000)
    n = random.integers(20, 200, 3000)
    low, high = Pool(random.binomial(n, p), n).silent_interval(64)
    assert low < (p**64 + (1 - p) ** 64).mean() < high
    assert high - low < 0.1


def test_sampling_interval_is_the_standard_error() -> None:
    pool = Pool([0, 2, 4], 4, problems=[20, 50, 30])
    low, high = pool.silent_interval(4, level=0.9)
    error = 1.6448536269514722 * math.sqrt(0.5 * 0.5 / 99)
    assert (low, high) == pytest.approx((0.5 - error, 0.5 + error), rel=1e-12)


def test_sampling_interval_where_all_agree() -> None:
    low, high = bounds.sampling_interval(np.array([1.0]), np.array([5.0]), 0.95)
    assert high == pytest.approx(1)
    assert low == pytest.approx(0.05 ** (1 / 5))
    assert Pool(0, 8).silent_interval(8) == pytest.approx((0.05, 1))


def test_sampling_interval_covers() -> None:
    random = np.random.default_rng(4)
    p = random.beta(0.5, 0.5, 400)
    truth = (p**4 + (1 - p) ** 4).mean()
    ends = np.array([Pool(random.binomial(8, p), 8).silent_interval(4) for _ in range(100)])
    assert ((ends[:, 0] < truth) & (truth < ends[:, 1])).mean() >= 0.9
