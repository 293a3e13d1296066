"""Every number of the page How many tries is what the package computes, at three settings; the plan, ends and refusals."""

from typing import Any

import pytest

from stdial import DR_GRPO, GRPO, Pool, bigmath, expectation, presets, tries
from stdial.web.words import percent
from tests.app.reading_stages import run, said, stages

POOLS = {
    "bigmath": bigmath.load,
    "level-5": lambda: bigmath.load().where("level", 5),
    "hard": lambda: presets.pool("hard-heavy"),
}
DEFAULTS = {
    "G": 8, "p": 0.5, "pool": "bigmath", "loss": 0.1, "miss": 0.1, "spend": 1024, "budget_in": "problem", "per_problem": 8.0,
    "budget": 1_000_000, "goal": "mixed", "method": "grpo", "smallest": 2, "largest": 0, "multiple": 1, "powers": 0,
}  # fmt: skip
SETTINGS: list[dict[str, Any]] = [
    {},
    {"p": 0.05, "G": 64, "pool": "hard", "loss": 0.01, "miss": 0.005, "goal": "update", "method": "dr-grpo", "per_problem": 2.5},
    {"p": 0.9, "G": 2, "pool": "level-5", "loss": 0.5, "miss": 0.5, "spend": 7, "budget_in": "total", "budget": 123_457,
     "smallest": 4, "largest": 32, "powers": 1},
]  # fmt: skip
METHODS = {"grpo": ("GRPO", GRPO), "dr-grpo": ("Dr. GRPO", DR_GRPO)}


@pytest.fixture(scope="module", params=range(3), ids=["defaults", "hard-heavy", "level 5"])
def shown(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Pool, str, list[dict[str, Any]]]:
    setting = SETTINGS[request.param]
    app = run("tries", **{name: str(value) for name, value in setting.items()})
    values = {**DEFAULTS, **setting}
    return values, POOLS[values["pool"]](), said(app), stages(app)


def best_of(v: dict[str, Any], pool: Pool, budget: int | None = None) -> tries.Plan:
    if budget is None:
        budget = int(v["per_problem"] * pool.size) if v["budget_in"] == "problem" else v["budget"]
    return tries.plan(
        pool, budget, v["goal"], METHODS[v["method"]][1], v["smallest"], v["largest"] or None, v["multiple"], bool(v["powers"])
    )  # fmt: skip


def test_exact_sizes_and_the_law(shown: Any) -> None:
    v, _, text, (first, *_) = shown
    p, loss, miss = v["p"], v["loss"], v["miss"]
    exact, law = float(tries.size_for_fidelity(p, loss)), float(tries.size_by_law(p, loss))
    assert f"needs {exact:,.0f} rollouts to keep {100 * (1 - loss):.4g}%" in text
    assert f"the paper's law says {law:,.0f}" in text
    kept = float(expectation.fidelity(p, law))
    if law < exact:
        assert f"keeps {percent(kept)}" in text
    mixed = float(tries.size_for_mixed(p, miss))
    assert f"Size for a mixed group {100 * (1 - miss):.4g}% of the time {mixed:,.0f}" in text
    assert f"The paper's law falls short by {100 * max(0, 1 - law / exact):.0f}%" in text
    assert f"fidelity of {float(expectation.fidelity(p, exact)):.4f}" in text
    assert f"fidelity is {kept:.4f}" in text
    assert f"# {exact:g}" in text
    assert f"# {law:g}" in text
    marks = [trace["y"][0] for trace in first["charts"][0]["data"][-2:]]
    assert marks == [exact, law]


def test_price_and_two_sides(shown: Any) -> None:
    v, _, text, _ = shown
    p, G = v["p"], v["G"]
    price, now = float(tries.price(p, G)), tries.sides(p, G, v["spend"])
    assert f"At p = {p:.3g} and G = {G} a mixed group costs {price:,.1f} rollouts" in text
    assert f"G = {G}: {price:,.1f} rollouts" in text
    assert f"From {v['spend']:,} rollouts come {float(now.groups):,.1f} groups" in text
    assert (
        f"updates is {float(now.total):,.1f} and falls with G; their average is {float(now.average):.4f} and rises"
        in text
    )
    assert f"{float(now.noise):.3f} of the spread" in text


def test_plan_beside_one_size(shown: Any) -> None:
    v, pool, text, (_, _, third, *_) = shown
    best = best_of(v, pool)
    even, used = best.uniform, best.choice.size[best.choice.size > 0]
    nothing = float(best.choice.problems[best.choice.size == 0].sum())
    rows = {row[0]: row[1:] for row in third["tables"][0]["rows"]}
    assert rows["Rollouts spent"] == [f"{even.rollouts:,.0f}", f"{best.rollouts:,.0f}"]
    for label, goal in (("Mixed groups, expected", "mixed"), (f"Summed update, {METHODS[v['method']][0]}", "update")):
        for cell, source in zip(rows[label], (even, best), strict=True):
            value = getattr(source, goal)
            assert float(cell.replace(",", "")) == pytest.approx(value, abs=0.5 if value >= 1000 else 0.051)
    assert rows["Problems with a group"] == [f"{even.problems:,.0f}", f"{pool.size - nothing:,.0f}"]
    assert rows["Problems that get nothing"] == [f"{pool.size - even.problems:,.0f}", f"{nothing:,.0f}"]
    assert rows["Smallest size used"] == [str(even.size), str(used.min())]
    assert rows["Largest size used"] == [str(even.size), str(used.max())]
    assert f"{best.rollouts:,.0f} rollouts on" in text
    ours, theirs = (getattr(source, v["goal"]) for source in (best, even))
    assert ours >= theirs
    if ours / theirs - 1 > 5e-4:
        assert f"{percent(ours / theirs - 1)} more" in text
    assert ("Proved best" if best.gap == 0 else f"Within {best.gap:.2g}") in text


def test_who_gets_nothing_and_why(shown: Any) -> None:
    v, pool, _, (_, _, third, *_) = shown
    best = best_of(v, pool)
    left = best.unserved
    if left.empty:
        assert len(third["tables"]) == 1
        return
    rows = third["tables"][1]["rows"]
    assert sum(float(row[2].replace(",", "")) for row in rows) == pytest.approx(left["problems"].sum(), abs=len(rows))
    assert f"brings {best.marginal:.3g}" in third["tables"][1]["caption"]
    assert any(f"{left['worth'].max():.3g}" in row[4] for row in rows)
    assert f"{left['worth'].min():.3g}" in " ".join(row[4] for row in rows)


def test_charts_of_the_plan(shown: Any) -> None:
    v, pool, text, (_, _, third, *_) = shown
    best = best_of(v, pool)
    assert [chart["name"] for chart in third["charts"]] == ["plan", "bought"]
    used = best.choice.size[best.choice.size > 0]
    assert f"from {used.min()} to {used.max()}" in text
    here = best.budget / pool.size
    ours, theirs = (getattr(source, v["goal"]) / pool.size for source in (best, best.uniform))
    assert f"At {here:.3g} rollouts a problem: {ours:.4f} planned, {theirs:.4f} with one size for all" in text


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"largest": "3", "multiple": "4"}, "No plan: largest is 3"),
        ({"smallest": "9", "largest": "8"}, "No plan: largest is 8"),
        ({"budget_in": "total", "budget": "0"}, "buy no group that teaches anything"),
        ({"per_problem": "0"}, "buy no group that teaches anything"),
        ({"pool": "one", "p": "0"}, "never has a mixed group"),
        ({"pool": "one", "p": "1", "G": "1024"}, "their answers always agree"),
        ({"budget_in": "total", "budget": "1"}, "more than the budget"),
        ({"pool": "one", "per_problem": "300"}, "Proved best"),
    ],
)
def test_ends_of_the_plan(query: dict[str, str], message: str) -> None:
    text = said(run("tries", **query))
    assert message in text
    assert "nan" not in text.lower()


@pytest.mark.parametrize(
    ("pool", "per_problem"), [("bell", "0.5"), ("u", "16"), ("ends", "0.5"), ("level-1", "16"), ("level-3", "0.5")]
)
def test_every_pool(pool: str, per_problem: str) -> None:
    (_, _, third, *_) = stages(run("tries", pool=pool, per_problem=per_problem, G="1024", p="0.999"))
    assert third["charts"][0]["shows"] == {"pool": pool, "goal": "mixed"}


def test_bad_links_fall_back() -> None:
    (first, *_) = stages(run("tries", loss="0", goal="all", budget="1e3", powers="yes"))
    notes = " ".join(first["header"]["notes"])
    for name in (
        "loss in the link",
        "goal in the link must be one of mixed, update",
        "budget in the link",
        "powers in the link",
    ):
        assert name in notes


def test_the_file_of_sizes() -> None:
    import csv
    import io

    from stdial.web import pools
    from stdial.web.link import defaults
    from stdial.web.page import Values
    from stdial.web.views import plan

    v = Values({**defaults(), "pool": "level-5", "per_problem": 3.0})
    which = pools.chosen(v)
    rows = list(csv.DictReader(io.StringIO(plan.csv(v, which))))
    assert list(rows[0]) == ["cell", "right", "tries", "rate", "size", "problems", "mixed"]
    assert rows[0]["cell"] == "1 of 64"
    spent = sum(int(row["size"]) * int(row["problems"]) for row in rows)
    assert spent == plan.planned(v, which).rollouts <= 3 * which.pool.size
    assert len(run("tries").get("download_button")) == 1


@pytest.mark.parametrize("p", ["1e-15", "1e-17", "1e-300", "5e-324", "0.9999999999999999"])
@pytest.mark.parametrize("loss", ["0.005", "0.5"])
def test_a_p_next_to_an_end(p: str, loss: str) -> None:
    text = said(run("tries", p=p, loss=loss, miss="0.001"))
    assert "can be counted" in text or "rollouts to keep" in text
    assert "never has a mixed group" not in text
    assert max(len(word) for word in text.replace("\n", " ").split(" ")) < 120


def test_a_plan_that_ends_before_its_budget_says_why() -> None:
    text = said(run("tries", pool="bigmath", budget_in="total", budget=str(10**12)))
    whole = bigmath.load()
    assert "since more would add nothing" in text
    lost = tries.hopeless(whole)
    assert (f"holds {lost:,.1f} of the {whole.size:,.0f} problems to be hopeless" in text) == (lost >= 0.05)
    assert "since more would add nothing" not in said(run("tries", pool="bigmath"))
