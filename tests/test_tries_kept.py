"""What plans of a pool share: the same whatever was planned before, bounded, and never another pool's."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stdial import DAPO, DR_GRPO, GRPO, Method, Pool
from stdial.expectation import expected_update
from stdial.tries import bought, gains, plan
from stdial.tries.even import best_even
from stdial.tries.gains import Table, forget_beyond, gains_of
from stdial.tries.knapsack import greedy, hull_steps, queue
from stdial.tries.offers import Offer
from stdial.tries.worth import Worth

RIGHT = np.array([0, 1, 3, 8, 8, 2, 5, 0, 7])
PROBLEMS = np.array([50, 20, 10, 40, 5, 6, 7, 8, 9])


def made() -> Pool:
    return Pool(RIGHT, 8, problems=PROBLEMS)


def told(found):
    return (
        found.rollouts,
        found.mixed,
        found.update,
        found.gap,
        found.marginal,
        found.uniform,
        found.table.values.tolist(),
    )


ASKED = [
    {"budget": 900, "goal": goal, "method": method, **restriction}
    for goal in ("mixed", "update")
    for method in (GRPO, DR_GRPO)
    for restriction in ({}, {"smallest": 9}, {"multiple_of": 4}, {"powers_of_two": True}, {"largest": 12})
]


def test_a_plan_is_the_same_to_the_bit_whatever_was_planned_before() -> None:
    alone = [told(plan(made(), **asked)) for asked in ASKED]
    pool = made()
    assert [told(plan(pool, **asked)) for asked in ASKED] == alone
    assert [told(plan(pool, **asked)) for asked in reversed(ASKED)] == alone[::-1]


def test_methods_and_goals_do_not_get_each_others_figures() -> None:
    pool = made()
    updates = {method.name: plan(pool, 600, "mixed", method).update for method in (GRPO, DR_GRPO, DAPO)}
    assert updates["GRPO"] == updates["DAPO"] != updates["Dr. GRPO"]
    assert gains_of(pool, GRPO).update is not gains_of(pool, Method("eps", epsilon=0.1)).update
    assert gains_of(pool, GRPO).mixed is gains_of(pool, DR_GRPO).mixed


def test_another_pool_of_the_same_shape_has_its_own_figures() -> None:
    for right in (RIGHT, 8 - RIGHT, np.minimum(RIGHT, 4)):
        pool = Pool(right, 8, problems=PROBLEMS)  # each goes before the next comes, which may take its place in memory
        found = plan(pool, 900, "update")
        sizes = np.unique(found.table["size"][found.table["size"] > 0])
        gain = {s: pool.row_mean(lambda p, s=s: expected_update(p, s, GRPO)) for s in sizes}
        total = sum(n * gain[s][row] for row, s, n in found.table.itertuples(index=False) if s)
        assert found.update == pytest.approx(total, rel=1e-12)
        del pool, found
        gc.collect()


def test_what_is_kept_goes_with_its_pool() -> None:
    gc.collect()
    before = len(gains._kept)
    pool = made()
    plan(pool, 900)
    assert len(gains._kept) == before + 1
    del pool
    gc.collect()
    assert len(gains._kept) == before


def test_what_is_kept_is_bounded_and_the_pool_planned_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_beyond(0)
    pools = [made() for _ in range(3)]
    for pool in pools:
        plan(pool, 900)
    each = forget_beyond() // 3
    plan(pools[0], 900)
    assert forget_beyond(2 * each) <= 2 * each
    assert [pool in gains._kept for pool in pools] == [True, False, True]
    monkeypatch.setattr(gains, "_MOST_OFFERS", 20_000)
    table = Table(pools[0], None)
    for smallest in range(2, 200):
        table.offer(np.arange(smallest, smallest + 40))
    assert table._bytes_of_offers() <= 20_000
    assert forget_beyond(0) == 0


def test_an_offer_keeps_few_results() -> None:
    offer = Table(made(), None).offer(np.arange(2, 40))
    for budget in range(500):
        assert offer.result(budget, lambda budget=budget: budget) == budget
        assert offer.result(budget, lambda: -1) == budget
    assert len(offer._results) <= 64


def test_threads_that_plan_the_same_pool_agree() -> None:
    alone = [told(plan(made(), **asked)) for asked in ASKED]
    pool, start = made(), threading.Barrier(8)

    def visitor(turn: int) -> bool:
        start.wait()
        order = [*range(turn, len(ASKED)), *range(turn)]
        return all(told(plan(pool, **ASKED[i])) == alone[i] for i in order)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(visitor, range(8)))


def test_shared_arrays_cannot_be_changed() -> None:
    found = plan(made(), 900)
    with pytest.raises(ValueError, match="read-only"):
        found.choice.size[0] = 99


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=6),
    st.integers(0, 40_000),
    st.integers(2, 300),
    st.integers(1, 9),
    st.sampled_from(
        [
            None,
            GRPO,
            DR_GRPO,
            Method("steep", 1.5),
            Method("log-odds", 2.0),
            Method("ddof", 2.0, 1),
            Method("eps", 1.5, 1, 0.3),
        ]
    ),
)
@example([(5e-324, 1)], 3, 2, 1, GRPO)
@example([(1e-310, 3), (0.5, 2)], 40, 2, 1, GRPO)
@example([(2e-300, 3)], 300, 2, 1, DR_GRPO)
def test_a_part_of_the_sizes_gives_the_choice_of_all(rows, budget, smallest, step, method) -> None:
    """What `Offer.queue` leaves out is never reached, whatever the worth: compared with the hulls over all sizes."""
    problems = np.array([float(n) for _, n in rows])
    worth = Worth(np.array([p for p, _ in rows])[:, None], np.ones((len(rows), 1)), method)
    sizes = np.arange(smallest, smallest + 400 * step, step)
    check_part(Offer(sizes, worth.columns, problems, worth.rises), worth.columns(sizes), budget)
    bumpy = worth.columns(sizes) + np.random.default_rng(budget).normal(size=(len(rows), 400)) * 0.01
    check_part(Offer(sizes, lambda some: bumpy[:, np.searchsorted(sizes, some)], problems), bumpy, budget)


def check_part(offer: Offer, worth: np.ndarray, budget: int) -> None:
    full = Offer(offer.sizes, lambda some: worth[:, np.searchsorted(offer.sizes, some)], offer.problems)
    whole, part = queue(hull_steps(worth, full.sizes), full.problems), offer.queue(budget)
    all_of, some = greedy(full, whole, budget), greedy(offer, part, budget)
    for name, value in vars(all_of).items():
        np.testing.assert_array_equal(value, getattr(some, name), err_msg=name)
    for name, value in vars(whole.first).items():
        np.testing.assert_array_equal(value, getattr(part.first, name), err_msg=name)
    assert best_even(offer, budget) == best_even(full, budget)


def test_what_budgets_buy_is_what_their_plans_have() -> None:
    pool, budgets = made(), [0, 3, 300, 3000]
    for goal in ("mixed", "update"):
        for found, budget in zip(bought(pool, budgets, goal, DR_GRPO), budgets, strict=True):
            best = plan(pool, budget, goal, DR_GRPO)
            assert found == (budget, getattr(best, goal), getattr(best.uniform, goal))


def test_what_is_left_by_cell_adds_up_to_the_rows() -> None:
    found = plan(made(), 60)
    assert len(found.left.cell)
    assert found.left.problems.sum() == found.unserved["problems"].sum()
    assert set(found.left.worth) == set(found.unserved["worth"])
    assert set(found.left.size) == set(found.unserved["size"])


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=40),
    st.integers(0, 600),
    st.integers(1, 600),
)
def test_what_a_size_is_worth_in_all_depends_on_no_other_size_and_no_layout(rows, low, many) -> None:
    problems = np.array([float(n) for _, n in rows])
    worth = Worth(np.array([p for p, _ in rows])[:, None], np.ones((len(rows), 1)), None).columns(np.arange(2, 602))
    offers = [
        Offer(np.arange(2, 602), lambda some, w=w: w[:, some - 2], problems) for w in (worth, np.asfortranarray(worth))
    ]
    whole = offers[0].whole(0, 600)
    assert np.array_equal(whole, offers[1].whole(0, 600))
    part = slice(min(low, 599), low + many)
    rising = Offer(np.arange(2, 602), lambda some: worth[:, some - 2], problems, rises=True)
    assert np.array_equal(rising.whole(part.start, min(part.stop, 600)), whole[part])
