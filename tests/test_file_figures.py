"""What is said of a file: filters, facets, before and after, advice, tables and the report."""

import csv
import io
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import DR_GRPO, GRPO, Pool, frameworks, tries
from stdial.advice import advice, extremes, if_tries_were
from stdial.band import band, crossed, inside
from stdial.by_facet import by_facet
from stdial.comparison import compare
from stdial.left import batch_left
from stdial.nearly import nearly
from stdial.per_problem import (
    as_csv,
    coarser,
    planned_sizes,
    problem_list,
    problem_table,
    silent_cells,
    silent_chance,
    update,
)
from stdial.reading import read
from stdial.report import report
from stdial.sample import FILE, make, sample

pools = st.lists(st.integers(0, 8), min_size=2, max_size=12).map(lambda right: Pool(right, 8))


def test_sample_is_what_its_script_makes() -> None:
    assert FILE.read_text() == make()
    assert set(sample().rewards) == {"correct", "format_reward"}
    assert sample().facets == ("topic",)


@given(pools, st.integers(2, 8))
def test_band(pool: Pool, size: int) -> None:
    whole = band(pool, 0, 1, size)
    assert (whole.share, whole.mixed_share, whole.update_share) == pytest.approx((1, 1, 1))
    assert whole.mixed_spread == whole.update_spread == 0
    parts = [band(pool, low, high, size) for low, high in ((0, 0.4), (0.41, 1))]
    assert sum(part.kept for part in parts) == pool.size
    assert sum(part.mixed_kept for part in parts) == pytest.approx(whole.mixed)
    assert whole.mixed == pytest.approx(float((1 - silent_chance(pool, size)).sum()))


def test_random_subset_has_the_spread_that_is_stated() -> None:
    pool = Pool(np.arange(40) % 9, 8)
    found = band(pool, 0.2, 0.8, 8)
    values, rng = update(pool, 8), np.random.default_rng(1)
    shares = [values[rng.permutation(40)[: int(found.kept)]].sum() / values.sum() for _ in range(4000)]
    assert np.mean(shares) == pytest.approx(found.share, abs=4 * found.update_spread / 60)
    assert np.std(shares) == pytest.approx(found.update_spread, rel=0.05)


@pytest.mark.parametrize(("low", "high", "name"), [(-0.1, 0.5, "low"), (0.6, 0.5, "high"), (0.2, math.nan, "high")])
def test_band_refuses(low: float, high: float, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        band(Pool([1, 2], 8), low, high, 8)


def test_ends_of_a_band_belong_to_it() -> None:
    assert inside(Pool([1, 2, 3, 4], 10), 0.1, 0.3).tolist() == [True, True, True, False]


@pytest.mark.parametrize("size", [2, 8, 30])
def test_facets_add_up(size: int) -> None:
    rng = np.random.default_rng(0)
    pool = Pool(rng.binomial(8, rng.random(90)), 8, facets={"kind": [("a", "b", None)[i % 3] for i in range(90)]})
    parts = by_facet(pool, "kind", size)
    assert {part.value for part in parts} == {"a", "b", None}
    for name in ("share", "dr_grpo", "grpo"):
        assert sum(getattr(part, name) for part in parts) == pytest.approx(1)
    mean = sum(part.share * part.silent for part in parts)
    assert mean == pytest.approx(pool.silent_rate(size))


@pytest.mark.parametrize("size", [4, 20])
@pytest.mark.parametrize("method", [GRPO, DR_GRPO])
def test_extremes_are_the_pools_mass(size: int, method: object) -> None:
    pool = sample().pool
    share, low, high = extremes(pool, size, method)
    assert share == pytest.approx(sum(pool.mass_share(*ends, size, method) for ends in ((0, 0.1), (0.9, 1))))
    assert 0 < low < share < high < 1


def test_before_and_after() -> None:
    before = Pool([0, 8, 4, 4], 8, ids=["a", "b", "c", "d"])
    after = Pool([8, 8, 4, 0], [8, 8, 8, 4], ids=["a", 2, "c", "d"])
    found = compare(before, after)
    assert found.ids.tolist() == ["a", "c", "d"]
    assert (found.gone, found.new) == (1, 1)
    assert found.moved.sum() == 3
    assert found.moved[0, 2] == found.moved[1, 0] == 1
    assert (found.risen, found.fallen) == (1, 0)  # 4 of 8, then 0 of 4: less than two standard errors
    assert found.silent(8) is None
    assert found.silent(4).after == pytest.approx(after.take([0, 2, 3]).silent_rate(4))
    assert found.table()["id"].tolist()[0] == "a"
    same = compare(before, before)
    assert (same.rate.change, same.rate.low, same.rate.high) == (0, 0, 0)


def test_numbers_and_texts_are_the_same_ids() -> None:
    assert compare(Pool([1], 8, ids=[7]), Pool([2], 8, ids=["7"])).ids.tolist() == [7]


@pytest.mark.parametrize(
    ("ids", "message"), [(None, "no ids"), (["a", "a"], "more than once"), (["x", "y"], "nothing to compare")]
)
def test_what_cannot_be_joined(ids: list[str] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(Pool([1, 2], 8, ids=ids), Pool([1, 2], 8, ids=["a", "b"]))


def test_crossed_on_the_sample() -> None:
    rewards = sample().rewards
    found = crossed(rewards["format_reward"], rewards["correct"])
    kept = ~rewards["format_reward"].silent
    assert (found.kept, found.silent) == (kept.sum(), (kept & rewards["correct"].silent).sum())
    assert crossed(rewards["correct"], rewards["correct"]).silent == 0


def test_nearly_silent_counts_what_lies_below() -> None:
    stats = sample().stats
    found = nearly(stats, 0.25)
    assert found["silent"] + found["nearly"] == (stats.sigma < 0.25).sum()
    assert found["update_below"] == pytest.approx(stats.sigma[stats.sigma < 0.25].sum() / stats.sigma.sum())


@given(st.floats(0, 1), st.integers(1, 600))
def test_batch_that_is_left(silent: float, batch: int) -> None:
    left = batch_left(silent, batch)
    assert 0 <= left.low <= left.high <= batch
    assert left.mean == pytest.approx(batch * (1 - silent))


def test_cards() -> None:
    names = [card.name for card in advice(sample(), 8)]
    assert names == ["redraw", "larger", "plan", "reward format_reward", "extremes"]
    assert [card.name for card in advice(sample(), 64)][:2] == ["redraw", "log"]
    for G in (2, 8, 1024):
        for card in advice(sample(), G):
            assert all((card.title, card.number, card.interval, card.price, card.unknown))
            assert "nan" not in " ".join(vars(card).values()).lower()
    bare = read(b"id,pass_rate\n" + b"".join(b"q%d,0.%03d\n" % (i, i * 37 % 1000) for i in range(60)))
    assert advice(bare, 8)[0].name == "tries"
    assert if_tries_were(bare.pool, 8)[8] < bare.pool.silent_rate(8, "plug-in")


@pytest.mark.parametrize("right", [[0] * 30, [8] * 30, [0] * 15 + [8] * 15])
def test_cards_where_everything_is_silent(right: list[int]) -> None:
    rows = b"".join(b"q%d,%d,8\n" % (i, k) for i, k in enumerate(right))
    found = read(b"id,right,tries\n" + rows)
    for card in advice(found, 8):
        assert "nan" not in card.number
    assert "Silent groups" in report(found, 8, between=(0, 1))


def test_table_and_lists() -> None:
    found = read(b"id,right,tries\n=1+1,0,8\n@b,4,8\n-c,8,8\n")
    table = problem_table(found, 8)
    assert table["silent_chance"].tolist() == silent_chance(found.pool, 8).tolist()
    assert table["size"].sum() <= 3 * 8
    rows = list(csv.reader(io.StringIO(as_csv(table))))
    assert [row[0] for row in rows] == ["id", "'=1+1", "'@b", "'-c"]
    assert all(row[-1].isdecimal() for row in rows[1:])  # sizes are whole numbers, and so they are written
    silent = problem_list(found, 8, found.stats.silent)
    assert silent["id"].tolist() == ["=1+1", "-c"]
    assert silent.columns.tolist() == ["id", "right", "tries", "rate", "sigma", "silent_chance"]


def test_sizes_of_rows_that_stand_for_several_problems() -> None:
    pool = Pool([0, 3, 8], 8, problems=[1, 7, 1])
    sizes = planned_sizes(pool, 8).tolist()
    assert [str(size) for size in sizes] == [f"{size:g}" for size in sizes]
    assert sum(size * n for size, n in zip(sizes, pool.problems.tolist(), strict=True)) <= 8 * 9


def test_list_of_the_silent_where_rewards_have_many_values() -> None:
    found = read(b"id,reward\na,0.5\na,0.5\nb,0.1\nb,0.7\nc,0.25\nc,1\n")
    assert found.pool is None
    assert problem_list(found, 8, found.stats.silent)["id"].tolist() == ["a"]


def test_many_bare_rates_are_planned_on_a_grid() -> None:
    rate = np.random.default_rng(0).random(9000)
    pool = Pool.from_rates(rate)
    assert len(coarser(pool).rate) <= 2001
    sizes = planned_sizes(pool, 4)
    assert len(sizes) == 9000
    assert sizes.dtype.kind == "i"
    assert sizes.sum() == pytest.approx(4 * 9000, abs=2)


def test_cells_and_rows_agree() -> None:
    pool = sample().pool
    assert silent_cells(pool, 8)[pool.cells.index] == pytest.approx(silent_chance(pool, 8))


def test_report_shows_names_as_they_are() -> None:
    hostile = "[x](http://evil.example) <b>$y$ `c` |"
    text = report(
        read(f'id,"{hostile}",tries\na,0,8\nb,4,8\n'.encode(), right=hostile), 8, hostile, settings=("oat", "grpo")
    )
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert not re.search(r"(?<!\\)\]\(", text)
    assert "known between" in text


def test_report_has_what_it_refers_to() -> None:
    found = sample()
    text = report(found, 8, "sample_rollouts.csv", (0.1, 0.9), settings=("verl", "dynamic-sampling"))
    assert not re.search("above|below\\)", text)
    assert frameworks.settings("verl", "dynamic-sampling") in text
    plan = tries.plan(found.pool, 8 * 200)
    assert "## The plan: 1,600 rollouts, 8 a problem" in text
    assert f"{plan.mixed:,.1f} mixed groups expected" in text
    table = text.split("observed pass rates |\n| --- | --- | --- |\n")[1].split("\n\n")[0].splitlines()
    rows = [[float(cell.replace(",", "")) for cell in line.split("|")[1:3]] for line in table]
    assert sum(size * problems for size, problems in rows) == plan.rollouts
    assert "\\" not in text  # nothing of the sample would act
    assert "format_reward" in text
    assert "## Settings" not in report(found, 8)


def test_report_of_one_try_each_has_no_plan() -> None:
    rows = b"".join(b"q%d,%d,1\n" % (i, i % 2) for i in range(60))
    text = report(read(b"id,right,tries\n" + rows), 8)
    assert "plan" not in text.lower()
