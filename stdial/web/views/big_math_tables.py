"""Big-Math, further down: the published levels, the built views, the paper's numbers beside ours, and what to beware of."""

from __future__ import annotations

from collections import Counter
from typing import Any
from weakref import WeakKeyDictionary

from stdial import bigmath, bigmath_paper, by_size, expectation, mass
from stdial.bigmath_paper import Comparison
from stdial.charts import big_math as charts
from stdial.charts.by_size import bounds
from stdial.pool import Pool
from stdial.web import pools
from stdial.web.page import Values
from stdial.web.stage import Run, Stage, Table, code
from stdial.web.words import count, decimal, percent

__all__ = ["about", "levels", "paper", "views"]

_MOST_ROWS = 25


def levels(v: Values, whole: Pool, marked: str = "") -> Stage:
    """The five published levels at this G; `marked` is the link's pool, such as "level-5"."""
    G, n = v.G, by_size.logged(whole)
    fresh = whole.row_mean(lambda p: expectation.silent_rate(p, G))
    rows = []
    for level in (5, 4, 3, 2, 1):
        mine = whole.facets["level"] == level
        part = _level(whole, level)
        new = float(fresh[mine] @ whole.problems[mine] / whole.problems[mine].sum())
        right = whole.right[mine] if whole.right is not None else []
        name = f"{level}, the hardest" if level == 5 else f"{level}, the easiest" if level == 1 else str(level)
        best = percent(part.silent_rate(G)) if n >= G else "not counted"
        row = [name, f"{min(right)} to {max(right)}", count(part.size), decimal(part.mean_rate)]
        rows.append([*row, percent(part.silent_rate(G, "plug-in")), best, percent(new)])
    text: list[Run] = [
        f"Silent share at G = {G}. The levels were cut by the same {n} tries that are counted here, so “best” is about groups "
        "drawn among those tries; what new groups would show is the posterior mean under the whole pool's "
        "distribution. Problems that were never solved are in no level."
    ]
    columns = ["Level", f"Right of {n}", "Problems", "Mean rate", "Plug-in", "Best, logged tries", "New groups"]
    at = 5 - int(marked[-1]) if marked.startswith("level-") else None
    table = Table(columns, rows, f"The published levels at G = {G}", numeric=(1, 2, 3, 4, 5, 6), cards=True, mark=at)
    return Stage(heading="The five published levels", text=[text], tables=[table], layout="wide")


def _level(whole: Pool, level: int) -> Pool:
    """The problems of a level; kept as long as the pool is."""
    kept = _levels.setdefault(whole, {})
    if level not in kept:
        kept[level] = whole.where("level", level)
    return kept[level]


def views(v: Values) -> Stage:
    """Source and domain where views are built, with when and from what; else how to build them."""
    if not pools.built():
        return _not_built()
    made = bigmath.about(bigmath.folder())
    whole = pools.chosen({"pool": "built"}).pool
    text: list[list[Run]] = [
        [f"These views were {made.source}: {count(whole.size)} problems. {_sentence(made.note)}"],
        [f"Silent share at G = {v.G}. Choose one under “Which problems” above to see its charts."],
    ]
    tables = [_facet(whole, facet, v.G) for facet in pools.FACETS if facet in whole.facets]
    return Stage(heading="By source and domain", text=text, tables=tables, layout="wide")


def _facet(whole: Pool, facet: str, G: int) -> Table:
    parts = _parts(whole, facet)
    largest = sorted(parts.items(), key=lambda item: -item[1].size)[:_MOST_ROWS]
    rows: list[list[Any]] = []
    for value, part in largest:
        best = percent(part.silent_rate(G)) if by_size.logged(part) >= G else "not counted"
        plug_in = percent(part.silent_rate(G, "plug-in"))
        rows.append([f"{value}", count(part.size), decimal(part.mean_rate), plug_in, best])
    caption = f"By {facet}"
    if len(parts) > _MOST_ROWS:
        caption += f", the {_MOST_ROWS} largest of {count(len(parts))}"
    if facet == "domain":
        caption += f"; a problem counts under each of its domains, so they may add up to more than {count(whole.size)}"
    return Table(
        [facet.capitalize(), "Problems", "Mean rate", "Plug-in", "Best"],
        rows,
        caption,
        numeric=(1, 2, 3, 4),
        cards=True,
    )


def _parts(whole: Pool, facet: str) -> dict[Any, Pool]:
    """Value -> its problems, from one pass over the rows; kept as long as the pool is."""
    kept = _split.setdefault(whole, {})
    if facet not in kept:
        found: dict[Any, Counter[tuple[int, int]]] = {}
        right, tries = whole.right, whole.tries
        if right is None or tries is None:
            return {}
        rows = zip(whole.facets[facet].tolist(), right.tolist(), tries.tolist(), whole.problems.tolist(), strict=True)
        for label, k, n, many in rows:
            for value in set(label) if isinstance(label, tuple) else (label,):
                found.setdefault(value, Counter())[k, n] += many
        kept[facet] = {
            value: Pool([k for k, _ in cells], [n for _, n in cells], list(cells.values()))
            for value, cells in found.items()
        }
    return kept[facet]


def _not_built() -> Stage:
    full = bigmath_paper.printed()["full_data_set"]
    text: list[list[Run]] = [
        [
            "Solve rates by source and domain are not shipped: the paper's histogram does not hold them, and only a build from the "
            "data set gives them. ",
            code("pip install 'stdial[bigmath]'"),
            " and then ",
            code("python -m stdial bigmath"),
            " count them into your own folder; this page then offers each source and domain.",
        ],
    ]
    sizes = ", ".join(f"{name} {count(many)}" for name, many in full["source_counts"].items())
    text.append(
        [
            f"Without a build only the size of each source is known, without rates: {sizes}; {count(full['problems'])} in all."
        ]
    )
    return Stage(heading="By source and domain", text=text, layout="wide")


def paper(v: Values, whole: Pool) -> Stage:
    """Every number that the paper gives for Big-Math, beside ours."""
    silence = [_row(one) for one in bigmath_paper.of_silence(whole)]
    update = [_row(one) for one in bigmath_paper.of_update(whole, v.G)]
    columns = ["Quantity", "The paper", "Same formula", "Best estimate", "Why"]
    text: list[Run] = [
        "The paper's numbers come out as printed. Where finite groups and finitely many tries change them, the best estimate "
        f"stands beside; the shares of the update are at your G = {v.G}."
    ]
    tables = [
        Table(columns, silence, "Silence: the paper (arXiv 2607.00152) and here", numeric=(1, 2, 3), cards=True),
        Table(
            columns, update, f"Shares of the update: the paper and here, at G = {v.G}", numeric=(1, 2, 3), cards=True
        ),
        _tenths(whole, v.G),
    ]
    return Stage(heading="The paper's numbers beside ours", text=[text], tables=tables, layout="wide")


def _row(one: Comparison) -> list[Any]:
    def shown(value: float, digits: int) -> str:
        return f"{value:.{digits}f}%" if one.percent else f"{value:.2f}"

    if one.best is None:
        best = shown(one.same, 1)
    elif isinstance(one.best, tuple):
        low, high = bounds(by_size.Silent(0, 0.0, one.best[0] / 100, one.best[1] / 100, 0.0, False))
        best = f"{low} to {high}"
    else:
        best = shown(one.best, 1)
    return [one.what, shown(one.paper, one.digits), shown(one.same, max(one.digits, 1)), best, one.why]


def _tenths(whole: Pool, G: int) -> Table:
    printed = bigmath_paper.printed()["tenths"]
    ours = charts.shares(whole, G)
    rows = [
        [
            name, percent(printed["Dr. GRPO"][i], 2), percent(float(ours["Dr. GRPO"][i]), 2), percent(printed["GRPO"][i], 2),
            percent(float(ours["GRPO, large G"][i]), 2), percent(float(ours["GRPO"][i]), 2),
        ]
        for i, name in enumerate(mass.tenths())
    ]  # fmt: skip
    columns = [
        "Solve rate", "Dr. GRPO, paper", "Dr. GRPO, ours", "GRPO, paper", "GRPO, ours, large G", f"GRPO at G = {G}",
    ]  # fmt: skip
    caption = (
        "Share of the update by tenth of the solve rate; the paper's are read off its figure and hold for large groups"
    )
    return Table(columns, rows, caption, numeric=(1, 2, 3, 4, 5))


def about() -> Stage:
    """Where the histogram comes from and what to beware of."""
    made = bigmath.about()
    text: list[list[Run]] = [
        [
            f"{made.model} tried each problem 64 times. The data set: {made.data_set}. How the counts were read: {made.note}"
        ],
        [f"Source: {made.source}; {made.licence}."],
    ]
    text += [[_sentence(caveat)] for caveat in made.caveats]
    return Stage(heading="Where the numbers come from, and what to beware of", text=text, layout="wide")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""


_levels: WeakKeyDictionary[Pool, dict[int, Pool]] = WeakKeyDictionary()
_split: WeakKeyDictionary[Pool, dict[str, dict[Any, Pool]]] = WeakKeyDictionary()
