"""Pools: columns, facets, and the four estimates, against the paper, rational arithmetic and properties."""

import itertools
import math
import pickle
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stdial import DR_GRPO, GRPO, Method, Pool, estimates, group

BY_NAME = {"grpo": GRPO, "dr_grpo": DR_GRPO}


@pytest.fixture(scope="module")
def big_math(paper: dict[str, Any]) -> Pool:
    return Pool(range(65), 64, paper["bigmath"]["problems_by_right"])


def outcomes(most: int = 16, least: int = 1) -> st.SearchStrategy[list[tuple[int, int]]]:
    one = st.integers(least, most).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
    return st.lists(one, min_size=1, max_size=30)


def pool_of(rows: list[tuple[int, int]], **more: Any) -> Pool:
    return Pool([k for k, _ in rows], [n for _, n in rows], **more)


# The paper's numbers.


@pytest.mark.parametrize("at", range(5))
def test_silent_rates_of_the_paper(big_math: Pool, paper: dict[str, Any], at: int) -> None:
    told = paper["silent_bigmath"]
    size = told["G"][at]
    assert big_math.silent_rate(size, "plug-in") == pytest.approx(told["plug_in_exact"][at], rel=1e-12)
    assert big_math.silent_rate(size, "unbiased") == pytest.approx(told["unbiased_exact"][at], rel=1e-12)
    assert big_math.silent_rate(size) == big_math.silent_rate(size, "unbiased")
    assert round(100 * big_math.silent_rate(size, "plug-in")) == told["closed_form_percent"][at]
    if told["subsampled_percent"][at] is not None:
        assert round(100 * big_math.silent_rate(size)) == told["subsampled_percent"][at]


@pytest.mark.parametrize("name", ["dr_grpo", "grpo"])
def test_mass_in_the_limit(big_math: Pool, paper: dict[str, Any], name: str) -> None:
    def share(low: float, high: float) -> float:
        return big_math.mass_share(low, high, math.inf, BY_NAME[name], "plug-in")

    told = paper["mass_bigmath"]
    limit = told["limit"][name]
    assert share(0, 0.1) + share(0.9, 1) == pytest.approx(limit["extreme"], abs=5e-9)
    assert share(0.4, 0.6) == pytest.approx(limit["middle"], abs=5e-9)
    deciles = [share(i / 10, (i + 1) / 10) for i in range(10)]
    assert deciles == pytest.approx(told["deciles_limit"][name], abs=5e-5)
    assert sum(deciles) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("row", "size", "estimate"),
    [
        *(("finite_grpo_extreme", size, "plug-in") for size in (2, 3, 4, 8, 16, 32, 64, 1024)),
        *(("finite_grpo_middle", size, "plug-in") for size in (8, 16, 64)),
        *(("finite_grpo_extreme_unbiased", size, "unbiased") for size in (8, 16, 64)),
    ],
)
def test_mass_at_finite_sizes(big_math: Pool, paper: dict[str, Any], row: str, size: int, estimate: str) -> None:
    bands = [(0.4, 0.6)] if "middle" in row else [(0, 0.1), (0.9, 1)]
    share = sum(big_math.mass_share(low, high, size, GRPO, estimate) for low, high in bands)
    assert share == pytest.approx(paper["mass_bigmath"][row][str(size)], abs=5e-5)


# Truth by other means.


@pytest.mark.parametrize("method", [GRPO, DR_GRPO, Method("odd", 1.5, ddof=1, epsilon=0.01)])
@pytest.mark.parametrize(("right", "tries", "size"), [(2, 5, 3), (0, 4, 2), (5, 6, 6), (3, 7, 4), (6, 6, 5)])
def test_unbiased_averages_over_all_groups_of_the_tries(right: int, tries: int, size: int, method: Method) -> None:
    rewards = [1] * right + [0] * (tries - right)
    groups = list(itertools.combinations(rewards, size))
    pool = Pool(right, tries)
    silent = sum(group.is_silent(drawn) for drawn in groups) / len(groups)
    update = sum(float(group.update(sum(drawn), size, method)) for drawn in groups) / len(groups)
    assert pool.silent_rate(size, "unbiased") == pytest.approx(silent, rel=1e-12)
    assert pool.expected_update(size, method, "unbiased") == pytest.approx(update, rel=1e-12)


@pytest.mark.parametrize(
    ("right", "tries", "size"), [(3, 5000, 4096), (2500, 5000, 4096), (4999, 5000, 8), (1, 300, 64)]
)
def test_unbiased_is_exact_at_large_sizes(right: int, tries: int, size: int) -> None:
    total = math.comb(tries, size)
    wrong, all_right = math.comb(tries - right, size), math.comb(right, size)
    pool = Pool(right, tries)
    assert pool.silent_rate(size) == pytest.approx(float(Fraction(wrong + all_right, total)), rel=1e-12, abs=1e-300)
    # Dr. GRPO's mean has a closed form: k (n - k) / (n (n - 1)) times (G - 1) / G
    update = Fraction(right * (tries - right), tries * (tries - 1)) * Fraction(size - 1, size)
    assert pool.expected_update(size, DR_GRPO) == pytest.approx(float(update), rel=1e-12)


def test_sides_add_up() -> None:
    pool = Pool([0, 1, 5, 8, 8], [8, 8, 8, 8, 16])
    for size, estimate in itertools.product((2, 8, 32, math.inf), ("best", "plug-in", "deconvolved")):
        both = sum(pool.silent_rate(size, estimate, side=side) for side in ("right", "wrong"))
        assert both == pytest.approx(pool.silent_rate(size, estimate), rel=1e-12)


def test_jeffreys_for_few_problems() -> None:
    # mean of p^8 + (1 - p)^8 under Beta(1/2, 8 + 1/2), as a ratio of rising factorials
    below, above, total = (math.prod(a + i for i in range(8)) for a in (0.5, 8.5, 9))
    expected = (below + above) / total
    pool = Pool(0, 8)
    assert pool.row_mean(lambda p: p**8 + (1 - p) ** 8)[0] == pytest.approx(expected, rel=1e-12)
    assert pool.silent_rate(8, "deconvolved") == pytest.approx(expected, rel=1e-12)
    assert round(expected, 2) == 0.71
    assert pool.silent_rate(8) == 1  # an average over problems, not a statement on this one
    assert pool.silent_rate(math.inf) == 0  # Jeffreys' distribution has no mass at p = 0


def test_best_takes_each_row_by_its_tries() -> None:
    pool = Pool([0, 1, 30], [8, 8, 64])
    posterior = pool.row_mean(lambda p: p**16 + (1 - p) ** 16)
    expected = (posterior[0] + posterior[1] + Pool(30, 64).silent_rate(16, "unbiased")) / 3
    assert pool.silent_rate(16) == pytest.approx(expected, rel=1e-12)
    assert [pool.best_is(size) for size in (8, 16, 65, math.inf)] == [
        "unbiased",
        "unbiased and Jeffreys",
        "Jeffreys",
        "Jeffreys",
    ]
    assert Pool(range(9), 8, 10 * np.arange(1, 10)).best_is(9) == "deconvolved"
    assert Pool.from_rates([0.5]).best_is(8) == "plug-in"


def test_posterior_of_rows_and_cells() -> None:
    pool = Pool([3, 0, 3, 8], 8, problems=[20, 20, 20, 20])
    p, weights = pool.posterior()
    assert weights.sum(axis=1) == pytest.approx(np.ones(3))
    means = (weights * p).sum(axis=-1)
    assert means[pool.cells.index] == pytest.approx(pool.row_mean(lambda q: q))
    # a maximum-likelihood mixing distribution is the mean of its posteriors
    mixing = pool.mixing()
    assert means @ pool.cells.problems / pool.size == pytest.approx(mixing.p @ mixing.weight, abs=1e-6)


def test_bare_rates() -> None:
    pool = Pool.from_rates([0.0, 0.5, 1.0, 0.5], problems=[1, 2, 3, 4])
    assert pool.right is None
    assert pool.tries is None
    assert pool.silent_rate(8) == pool.silent_rate(8, "plug-in") == pytest.approx((4 + 6 * 2 / 2**8) / 10)
    assert pool.row_mean(lambda p: p).tolist() == [0.0, 0.5, 1.0, 0.5]
    p, weights = pool.posterior()
    assert (weights * p).sum(axis=-1)[pool.cells.index].tolist() == [0.0, 0.5, 1.0, 0.5]
    for ask in (
        lambda: pool.silent_rate(8, "unbiased"),
        lambda: pool.expected_update(8, GRPO, "deconvolved"),
        lambda: pool.silent_interval(8),
        lambda: pool.bounds(lambda p: p),
        pool.mixing,
    ):
        with pytest.raises(ValueError, match="tries is unknown"):
            ask()


# Properties.


@given(outcomes(least=2))
def test_unbiased_at_the_tries_is_the_counted_share(rows: list[tuple[int, int]]) -> None:
    for n in {n for _, n in rows}:
        right = [k for k, m in rows if m == n]
        counted = sum(k in (0, n) for k in right) / len(right)
        assert Pool(right, n).silent_rate(n, "unbiased") == pytest.approx(counted, abs=1e-12)


@given(outcomes(), st.randoms(use_true_random=False), st.sampled_from([2, 5, 40, math.inf]))
def test_blind_to_row_order_and_to_merging(rows: list[tuple[int, int]], random: Any, size: float) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    merged = Counter(rows)
    ways = [pool_of(rows), pool_of(shuffled), pool_of(list(merged), problems=list(merged.values()))]
    rates = {(p.silent_rate(size), p.silent_rate(size, "plug-in"), p.mean_rate, p.mean_sigma) for p in ways}
    shares = {repr(p.mass_share(0, 0.3, size, GRPO)) for p in ways}
    assert len(rates) == len(shares) == 1


@given(outcomes(least=4), st.data())
def test_a_pool_is_the_sum_of_its_parts(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    label = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    pool = pool_of(rows, facets={"source": label})
    parts = [pool.where("source", value) for value in pool.values("source")]
    assert sum(part.size for part in parts) == pool.size
    for estimate in ("plug-in", "unbiased"):
        silent = sum(part.size * part.silent_rate(4, estimate) for part in parts)
        update = sum(part.size * part.expected_update(3, GRPO, estimate) for part in parts)
        assert silent / pool.size == pytest.approx(pool.silent_rate(4, estimate), rel=1e-12)
        assert update / pool.size == pytest.approx(pool.expected_update(3, GRPO, estimate), rel=1e-12)


@given(outcomes(most=6), st.sampled_from([2, 8, 32]))
def test_best_tends_to_the_plug_in(rows: list[tuple[int, int]], size: int) -> None:
    gaps = []
    for times in (10, 100, 1000):
        pool = pool_of([(k * times, n * times) for k, n in rows])
        gaps.append(abs(pool.silent_rate(size) - pool.silent_rate(size, "plug-in")))
    assert gaps[2] <= max(gaps[0], 1e-12)
    assert gaps[2] < 0.005


@settings(max_examples=15)
@given(outcomes(most=8), st.sampled_from([2, 5, 17, 300]))
def test_the_plug_in_overstates_silence_and_intervals_hold_the_best(rows: list[tuple[int, int]], size: int) -> None:
    pool = pool_of(rows)
    low, high = pool.silent_interval(size)
    assert 0 <= low <= pool.silent_rate(size) <= high <= 1
    if size <= pool.cells.tries.min():
        assert pool.silent_rate(size, "plug-in") >= pool.silent_rate(size) - 1e-12


def test_pool_does_not_depend_on_which_answers_are_called_right() -> None:
    pool, mirrored = Pool([0, 1, 5], [4, 8, 9]), Pool([4, 7, 4], [4, 8, 9])
    for size in (2, 6, 20):
        assert pool.silent_rate(size) == pytest.approx(mirrored.silent_rate(size), rel=1e-12)


# Columns.


def test_facets_ids_and_rows() -> None:
    pool = Pool(
        [1, 2, 3],
        4,
        facets={"domain": [("algebra", "number"), ["algebra"], ()], "step": np.array([1, 1, 2])},
        ids=["a", "b", "c"],
        notes=["two rows without reward"],
    )
    assert pool.values("domain") == {"algebra": 2, "number": 1}
    assert pool.where("domain", "algebra").ids.tolist() == ["a", "b"]
    assert pool.where("step", "2").right.tolist() == [3]
    assert pool.where("step", 1).notes == ("two rows without reward",)
    assert pool.facets["domain"][2] == ()
    table = pool.rows()
    assert list(table.columns) == ["id", "right", "tries", "problems", "rate", "sigma", "domain", "step"]
    assert table["sigma"].tolist() == pytest.approx([math.sqrt(3) / 4, 0.5, math.sqrt(3) / 4])
    assert "rate (facet)" in Pool(1, 2, facets={"rate": ["x"]}).rows().columns


def test_frozen_and_copied() -> None:
    given_right = np.array([1, 2])
    pool = Pool(given_right, 4, facets={"f": np.array(["a", "b"])})
    given_right[0] = 4
    assert pool.right.tolist() == [1, 2]
    with pytest.raises(AttributeError):
        pool.right = given_right  # type: ignore[misc]
    for column in (pool.right, pool.tries, pool.rate, pool.problems, pool.facets["f"], pool.cells.problems):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = column[1]
    with pytest.raises(TypeError):
        pool.facets["g"] = []  # type: ignore[index]
    for original in (pool, Pool.from_rates([0.25], ids=["x"])):
        copy = pickle.loads(pickle.dumps(original))
        assert copy.rows().equals(original.rows())
        assert not copy.rate.flags.writeable


def test_expected_counts_and_empty_bins() -> None:
    pool = Pool([0, 1, 2], [2, 2, 1 + 1], problems=[0.5, 0.25, 0])
    assert pool.size == 0.75
    assert Pool([1, 2], 8, problems=3).size == 6  # one number serves all rows
    assert pool.mean_rate == pytest.approx(0.125 / 0.75)
    assert Pool([0, 3, 8], [4, 8, 8], problems=[0, 2, 5]).silent_rate(8, "unbiased") == pytest.approx(5 / 7)


def test_large_pools_are_merged() -> None:
    random = np.random.default_rng(0)
    tries = random.integers(2, 9, 200_000)
    pool = Pool(random.binomial(tries, 0.3), tries)
    assert len(pool.cells.rate) == sum(range(3, 10))
    assert pool.cells.problems.sum() == pool.size == 200_000
    assert np.array_equal(pool.cells.right[pool.cells.index], pool.right)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pool([1, 9], 8), r"right\[1\] is 9; it must be a whole number from 0 to tries\[1\] = 8"),
        (lambda: Pool([1.5], 8), r"right\[0\] is 1\.5; it must be a whole number"),
        (lambda: Pool([math.nan], 8), r"right\[0\] is nan; it must be a finite number"),
        (lambda: Pool(["x"], 8), r"right\[0\] is 'x'; it must be a number"),
        (lambda: Pool([0], 0), r"tries\[0\] is 0; it must be a whole number of at least 1"),
        (lambda: Pool([], 8), "must have at least one row"),
        (lambda: Pool([1, 2, 3], [8, 8]), "tries has 2 entries; it must have one, or one a row, 3 in all"),
        (lambda: Pool([1, 2], 8, problems=[1, -1]), r"problems\[1\] is -1; it must be a number of at least 0"),
        (lambda: Pool([1, 2], 8, problems=[0, 0]), "problems sums to 0"),
        (lambda: Pool([1, 2], 8, ids=["a"]), "ids has 1 entries; it must have one a row, 2 in all"),
        (lambda: Pool([1, 2], 8, facets={"f": [1]}), r"facets\['f'\] has 1 entries"),
        (lambda: Pool.from_rates([0.5, 1.5]), r"rate\[1\] is 1\.5; it must be a number from 0 to 1"),
        (lambda: Pool(1, 8).silent_rate(1), "size is 1; it must be a whole number of at least 2"),
        (lambda: Pool(1, 8).silent_rate(2.5), r"size is 2\.5; it must be"),
        (lambda: Pool(1, 8).silent_rate(8, "exact"), "estimate is 'exact'; it must be one of 'best'"),
        (lambda: Pool(1, 8).silent_rate(8, side="left"), "side is 'left'; it must be None, 'right' or 'wrong'"),
        (lambda: Pool(1, 8).silent_rate(9, "unbiased"), "size is 9; for estimate 'unbiased' it must be at most 8"),
        (lambda: Pool(1, 8).silent_rate(math.inf, "unbiased"), "size is inf; for estimate 'unbiased'"),
        (lambda: Pool(1, 8).silent_interval(8, level=1), "level is 1; it must be a number between 0 and 1"),
        (lambda: Pool(1, 8).mass_share(0.5, 0.2, 8, GRPO), r"high is 0\.2; it must be a number from low = 0\.5 to 1"),
        (lambda: Pool(1, 8).expected_update(8, "GRPO"), "method is 'GRPO'; it must be a Method"),
        (lambda: Pool(1, 8).where("source", "web"), "facet is 'source'; it must be one of none"),
        (
            lambda: Pool(1, 8, facets={"f": ["a"]}).where("f", "b"),
            "value is 'b'; it must be a value of facet 'f', such as",
        ),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_hypergeometric_rows_add_up() -> None:
    right = np.array([0, 3, 1000, 40_000])
    constant = estimates.Average(8.0, lambda p: p, lambda k: k)
    expected = 8 * right / 40_000
    assert estimates.unbiased(right, np.full(4, 40_000), constant) == pytest.approx(expected, rel=1e-12)


def test_what_a_pool_has_computed_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, asked = Pool([0, 1, 4, 8], 8), []
    computed = Pool._computed
    monkeypatch.setattr(Pool, "_computed", lambda self, *which: asked.append(which) or computed(self, *which))
    first = [pool.silent_rate(8), pool.silent_rate(8, "plug-in"), pool.expected_update(8, GRPO)]
    again = [pool.silent_rate(8), pool.silent_rate(8.0, "plug-in"), pool.expected_update(8, GRPO)]
    assert first == again
    assert len(asked) == 3
    for size in range(2, 200):
        pool.silent_rate(size)
    assert len(pool._kept_values) <= 32
