"""The plan against brute force, its restrictions, its figures, and what it hands on."""

import csv
import io
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stdial import DAPO, DR_GRPO, GRPO, RLOO, Method, Pool
from stdial.expectation import expected_update, mixed_rate
from stdial.tries import TooMany, plan, plans
from stdial.tries.gains import Sizes
from stdial.tries.knapsack import exact, greedy, hull_steps, queue
from stdial.tries.offers import Offer

rates = st.one_of(st.sampled_from([0.0, 0.02, 0.3, 0.5, 0.97, 1.0]), st.floats(0, 1))
methods = st.sampled_from(
    [GRPO, DR_GRPO, DAPO, RLOO, Method("ddof 1", ddof=1), Method("log-odds", 2.0, 1), Method("eps", 1.5, 1, 0.3)]
)
restrictions = st.fixed_dictionaries(
    {
        "smallest": st.integers(2, 6),
        "largest": st.one_of(st.none(), st.integers(8, 20)),
        "multiple_of": st.sampled_from([1, 1, 2, 3, 4]),
        "powers_of_two": st.booleans(),
    }
).filter(lambda r: not (r["powers_of_two"] and r["multiple_of"] == 3))


def allowed_sizes(smallest, largest, multiple_of, powers_of_two, budget):
    sizes = range(smallest, min(largest or budget, budget) + 1)
    return [s for s in sizes if s % multiple_of == 0 and (not powers_of_two or s & (s - 1) == 0)]


def many(p, size, goal, method):
    return mixed_rate(p, size) if goal == "mixed" else expected_update(p, size, method)


def worth(p, size, goal, method):
    return float(many(p, size, goal, method)) if size else 0.0


def brute_force(value, problems, sizes, budget):
    """The most that any choice of one size (or none) a problem brings: all of them, one problem after the other."""
    best = {0: 0.0}  # rollouts spent -> value; nothing else is pruned
    for i in range(problems):
        grown = dict(best)
        for (spent, total), size in itertools.product(best.items(), sizes):
            if spent + size <= budget:
                grown[spent + size] = max(grown.get(spent + size, -1.0), total + value(i, size))
        best = grown
    return max(best.values())


@settings(max_examples=50)
@given(
    st.lists(rates, min_size=1, max_size=5),
    st.integers(0, 30),
    st.sampled_from(["mixed", "update"]),
    methods,
    restrictions,
)
def test_small_pools_reach_brute_force(p, budget, goal, method, restriction):
    found = plan(Pool.from_rates(p), budget, goal, method, **restriction)
    sizes = allowed_sizes(**restriction, budget=budget)
    table = {(i, s): worth(p[i], s, goal, method) for i in range(len(p)) for s in sizes}
    best = brute_force(lambda i, size: table[i, size], len(p), sizes, budget)
    assert getattr(found, goal) == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert found.gap == 0
    assert found.rollouts <= budget
    assert set(found.table["size"]) <= {0, *sizes}
    check_figures(found, p, method)


def check_figures(found, p, method):
    table = found.table
    assert (table["size"] * table["problems"]).sum() == pytest.approx(found.rollouts)
    for goal in ("mixed", "update"):
        lines = zip(table["row"], table["size"], table["problems"], strict=True)
        total = sum(n * worth(p[row], size, goal, method) for row, size, n in lines)
        assert getattr(found, goal) == pytest.approx(total, rel=1e-9, abs=1e-12)
    assert table["problems"].sum() == found.pool.size


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=3),
    st.integers(0, 30),
    st.sampled_from(["mixed", "update"]),
    methods,
)
def test_small_pools_of_tries_reach_brute_force(rows, budget, goal, method):
    """Rows of several problems, judged by their posterior under Jeffreys' prior."""
    pool = Pool([k for k, _ in rows], 4, problems=[n for _, n in rows])
    found = plan(pool, budget, goal, method)
    each = [i for i, (_, n) in enumerate(rows) for _ in range(n)]
    gain = {s: pool.row_mean(lambda p, s=s: many(p, s, goal, method)) for s in range(2, budget + 1)}
    best = brute_force(lambda i, size: gain[size][each[i]], len(each), list(gain), budget)
    assert getattr(found, goal) == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert found.gap == 0
    assert found.rollouts <= budget


@settings(max_examples=25)
@given(
    st.lists(st.tuples(rates, st.integers(1, 2000)), min_size=1, max_size=12),
    st.integers(0, 20_000),
    st.sampled_from(["mixed", "update"]),
    methods,
    restrictions,
)
def test_large_pools_stay_within_budget_and_gap(rows, budget, goal, method, restriction):
    pool = Pool.from_rates([p for p, _ in rows], problems=[n for _, n in rows])
    found = plan(pool, budget, goal, method, **restriction)
    assert found.rollouts <= budget
    assert found.gap >= 0
    value = getattr(found, goal)
    assert value >= getattr(found.uniform, goal) - found.gap - 1e-9 * value
    assert found.uniform.rollouts <= budget
    check_figures(found, pool.rate, method)


@given(
    st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(1, 4)), min_size=1, max_size=4),
    st.integers(0, 60),
    methods,
    restrictions,
)
def test_greedy_misses_at_most_its_gap(rows, budget, method, restriction):
    p, problems = np.array([p for p, _ in rows]), np.array([float(n) for _, n in rows])
    sizes = Sizes(**restriction).up_to(64)
    gain = expected_update(p[:, None], sizes, method)
    steps = hull_steps(gain, sizes)
    menu = Offer(sizes, lambda some: gain[:, np.searchsorted(sizes, some)], problems)
    quick, best = greedy(menu, queue(steps, problems), budget), exact(menu, budget, 0.0)
    assert quick.value <= best.value + 1e-12
    assert best.value <= quick.value + quick.gap + 1e-12
    # at most the gain of one step
    one = max((steps.slope * steps.length).tolist(), default=0.0)
    assert quick.gap <= one + 1e-12


def test_plain_greedy_is_wrong_where_the_first_step_is_a_block():
    found = plan(Pool.from_rates([0.5, 0.3]), 4)
    assert found.table["size"].tolist() == [2, 2]
    assert found.mixed == pytest.approx(0.5 + 0.42)


def test_with_ddof_one_the_first_step_can_be_three():
    p = 0.5
    gain = expected_update(np.array([[p]]), np.arange(2, 20), Method("log-odds", exponent=2, ddof=1))
    assert hull_steps(gain, np.arange(2, 20)).length[0] == 3
    steep = Method("flat", exponent=0, ddof=1)
    assert hull_steps(expected_update(np.array([[p]]), np.arange(2, 20), steep), np.arange(2, 20)).length[0] == 2
    crafted = np.array([[0.1, 0.3, 0.35]])
    assert hull_steps(crafted, np.array([2, 3, 4])).length.tolist() == [3, 1]


def test_nothing_is_bought_that_brings_nothing():
    found = plan(Pool.from_rates([0.0, 1.0, 0.5]), 1000, largest=8)
    assert found.rollouts == 8
    unserved = found.unserved
    assert unserved["row"].tolist() == [0, 1]
    assert unserved["reason"].str.contains("always agree").all()


def test_unserved_problems_say_why():
    found = plan(Pool.from_rates([0.5, 0.01]), 4)
    reason = found.unserved["reason"].tolist()
    assert found.unserved["row"].tolist() == [1]
    assert found.unserved["worth"][0] == pytest.approx(0.01 * 0.99)
    assert "a first group of 2 would bring 0.0099 mixed groups a rollout" in reason[0]
    lone = plan(Pool.from_rates([0.5]), 3, smallest=4)
    assert "more than the whole budget" in lone.unserved["reason"][0]
    assert lone.rollouts == 0


def test_zero_of_eight_is_not_given_up_but_a_bare_zero_is():
    assert plan(Pool([0, 0], 8), 100, largest=16).rollouts == 32
    assert plan(Pool.from_rates([0.0, 0.0]), 100, largest=16).rollouts == 0


def test_uniform_is_the_even_split():
    rate = np.array([0.1, 0.4, 0.9])
    found = plan(Pool.from_rates(rate, problems=[10, 20, 30]), 8 * 60)
    even = found.uniform
    assert (even.size, even.problems, even.rollouts) == (8, 60, 480)
    assert even.mixed == pytest.approx(float(mixed_rate(rate, 8) @ [10, 20, 30]))
    assert even.update == pytest.approx(float(expected_update(rate, 8, GRPO) @ [10, 20, 30]))
    assert found.mixed > even.mixed
    few = plan(Pool.from_rates(rate, problems=[10, 20, 30]), 60).uniform
    assert few.size * few.problems == 60
    assert plan(Pool.from_rates([0.5]), 1).uniform.size == 0


def test_a_row_is_split_over_sizes_and_rows_keep_their_order():
    found = plan(Pool.from_rates([0.5, 0.5, 0.2], problems=[3, 4, 1]), 17)
    table = found.table
    assert table.groupby("row")["problems"].sum().tolist() == [3, 4, 1]
    assert table["row"].is_monotonic_increasing
    assert found.gap == 0


def test_a_pool_of_rows_plans_like_its_cells():
    right = np.array([0, 3, 8, 3, 0, 5] * 20)
    rows = plan(Pool(right, 8, ids=[f"q{i}" for i in range(120)]), 700)
    cells = plan(Pool([0, 3, 5, 8], 8, problems=[40, 40, 20, 20]), 700)
    assert (rows.mixed, rows.gap, rows.rollouts) == (pytest.approx(cells.mixed), cells.gap, cells.rollouts)
    assert len(rows.table) == 120
    for size in np.unique(rows.table["size"]):
        per_rows = rows.table.loc[rows.table["size"] == size, "problems"].sum()
        assert per_rows == cells.table.loc[cells.table["size"] == size, "problems"].sum()


def test_csv_names_problems_and_defuses_formulas():
    found = plan(Pool([1, 0], 4, ids=["=cmd()", "b"]), 8)
    lines = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert list(lines[0]) == ["id", "right", "tries", "rate", "size", "problems", "mixed"]
    assert lines[0]["id"] == "'=cmd()"
    assert float(lines[0]["mixed"]) == pytest.approx(
        float(Pool([1, 0], 4).row_mean(lambda p: mixed_rate(p, int(lines[0]["size"])))[0])
    )
    assert plan(Pool([1, 0], 4), 8).sizes["cell"].tolist() == ["1 of 4", "0 of 4"]
    bare = plan(Pool.from_rates([0.25]), 8).sizes
    assert bare["cell"].tolist() == ["rate 0.25"]
    assert bare["right"].isna().all()


def test_a_million_problems_in_cells(paper):
    many = np.array(paper["bigmath"]["problems_by_right"]) * 5
    pool = Pool(np.arange(65), 64, problems=many)
    for goal in ("mixed", "update"):
        found = plan(pool, 8 * pool.size + 3, goal, powers_of_two=True)
        assert 0 <= found.gap < 0.5
        assert found.rollouts <= 8 * pool.size + 3
        assert getattr(found, goal) > getattr(found.uniform, goal)
        assert set(found.table["size"]) <= {0, 2, 4, 8, 16, 32, 64, 128, 256}


def test_expected_counts_are_planned_too():
    pool = Pool([0, 2, 4], 4, problems=[20.5, 30.25, 9.25])
    found = plan(pool, 100)
    assert found.rollouts <= 100
    assert found.table["problems"].sum() == pytest.approx(60)


def test_a_large_budget_for_one_problem_goes_beyond_the_first_sizes():
    found = plan(Pool.from_rates([0.001]), 3000)
    assert found.table["size"].tolist() == [3000]
    assert plan(Pool.from_rates([0.001]), 10_000).table["size"].tolist() == [4096]
    assert plan(Pool.from_rates([0.001]), 10_000, largest=9000).table["size"].tolist() == [9000]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goal": "win"}, "goal is 'win'; it must be 'mixed' or 'update'"),
        ({"budget": -1}, "budget is -1"),
        ({"budget": 2.5}, "budget is 2.5"),
        ({"budget": math.nan}, "budget is nan"),
        ({"budget": math.inf}, "budget is inf"),
        ({"smallest": 1}, "smallest is 1; it must be a whole number from 2"),
        ({"smallest": 8, "largest": 4}, "largest is 4; it must be a whole number from 8"),
        ({"multiple_of": 0}, "multiple_of is 0"),
        ({"smallest": 5, "largest": 7, "multiple_of": 4}, "it must leave a size to choose: multiples of 4 from 5 to 7"),
        ({"smallest": 5, "largest": 7, "powers_of_two": True}, "powers of two"),
    ],
)
def test_bad_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        plan(**{"pool": Pool.from_rates([0.5]), "budget": 10, **change})


@pytest.mark.parametrize("counted", [False, True])
def test_a_pool_of_very_many_outcomes_is_refused_before_it_fills_the_memory(counted: bool) -> None:
    many = 1 << 18
    right = np.arange(1, many + 1)
    pool = Pool(right, right + 1) if counted else Pool.from_rates(right / (many + 1))
    with pytest.raises(TooMany, match="262,144 different outcomes"):
        plan(pool, 1024 * many)


def test_plans_of_several_budgets_are_those_of_each() -> None:
    pool = Pool(np.arange(9), 8, problems=np.arange(1, 10))
    for found, budget in zip(plans(pool, [3, 300, 3000], "update"), [3, 300, 3000], strict=True):
        alone = plan(pool, budget, "update")
        assert (found.rollouts, found.update, found.gap) == (alone.rollouts, alone.update, alone.gap)
        assert found.table.equals(alone.table)


def test_few_sizes_are_solved_exactly_though_more_are_looked_at() -> None:
    pool = Pool.from_rates([0.01, 0.99], problems=[500, 500])
    found = plan(pool, 3701, "update", smallest=20, multiple_of=36)
    assert found.gap == 0
