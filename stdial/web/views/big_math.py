"""Big-Math: what happens on 215,608 real problems?"""

from __future__ import annotations

from stdial import by_size, expectation
from stdial.charts import big_math as charts
from stdial.charts.by_size import bounds, silent_by_size
from stdial.charts.difficulty import FRAMES
from stdial.pool import Pool
from stdial.web import pools
from stdial.web.page import Page, Values
from stdial.web.pools import Chosen
from stdial.web.stage import Control, Run, Slider, Stage, num
from stdial.web.words import count, percent

__all__ = ["chosen", "exercise", "stage", "why"]

KINDS = ("bigmath", "built", "source", "domain")


def chosen(page: Page) -> Chosen:
    """Which of Big-Math's problems the page draws: all of them, or a source or domain of the built views.

    A level, a made-up pool or an upload is kept in the link for the other pages; here it does not narrow the charts.
    """
    found = pools.of_page(page)
    if found.name.partition(":")[0] in KINDS:
        return found
    if not found.name.startswith("level-"):
        page.notes = [
            *page.notes,
            "This page is about Big-Math; the problems chosen elsewhere are kept for the other pages.",
        ]
    return pools.chosen({**page.values, "pool": "bigmath"})


def stage(v: Values, which: Chosen) -> Stage:
    """The page's question, answer, controls and its three charts."""
    pool, shipped = which.pool, which.name == "bigmath"
    controls: list[Control] = [Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log", primary=True)]
    if pools.built():
        note = "The menu lists the largest; a problem counts under each of its domains."
        controls.append(pools.control({**v, "pool": which.name}, only=KINDS, hint=note))
    return Stage(
        title="What happens on 215,608 real problems?",
        answer=_answer(v.G, which),
        text=[_reason(pool)],
        controls=controls,
        charts=[
            silent_by_size(pool, v.G, every=shipped),
            charts.solve_rates(pool, v.G),
            charts.gradient_mass(pool, v.G),
        ],
        scrub="G",
        frames=FRAMES if shipped else [size for size in FRAMES if size <= by_size.logged(pool)],
    )


def _answer(G: int, which: Chosen) -> list[Run]:
    now = by_size.at(which.pool, G)
    on: list[Run] = ["With ", num(str(G)), " rollouts a problem, "]
    if which.name != "bigmath":
        on = ["On ", num(count(which.pool.size)), f" problems ({which.label}), with ", num(str(G)), " rollouts each, "]
    rough: list[Run] = ["; taking each observed rate for the truth says ", num(percent(now.plug_in), "muted"), "."]
    if now.counted:
        return [*on, num(percent(now.best)), " of groups are silent", *rough]
    low, high = bounds(now)
    return [*on, "between ", num(low), " and ", num(high), " of groups are silent", *rough]


def _reason(pool: Pool) -> list[Run]:
    """Why the plug-in and the best estimate differ, in a sentence."""
    return [
        f"They differ because rates carry luck: a problem that was right 0 of {by_size.logged(pool)} times is not impossible, its "
        "next answer may be right. Taking the rate for the truth (the plug-in) counts such luck as silence."
    ]


def why(page: Page, which: Chosen) -> None:
    """The formulas of the two estimates with the numbers of now, and the line of Python."""
    G, pool = page.values.G, which.pool
    now, n = by_size.at(pool, G), by_size.logged(pool)
    plug_in = f"pool.silent_rate({G}, 'plug-in')  # {now.plug_in:.4f}"
    one = float(expectation.silent_rate(1 / n, G))
    if now.counted:
        text = (
            f"A group is silent when all {G} answers are right or all are wrong. The plug-in puts each observed rate k/{n} into "
            f"the silent rate: {now.plug_in:.4f} on average. The unbiased estimate asks how often {G} of the {n} logged answers, "
            f"drawn without replacement, agree: {now.best:.4f}. A problem that was right once in {n} is silent "
            f"{100 * one:.1f}% of the time by the plug-in and {100 * (1 - G / n):.1f}% by counting."
        )
        latex = (
            rf"\begin{{aligned}} \text{{best}} &= \frac{{1}}{{N}} \sum_i "
            rf"\frac{{\binom{{k_i}}{{{G}}} + \binom{{{n}-k_i}}{{{G}}}}}{{\binom{{{n}}}{{{G}}}}}"
            rf" = {now.best:.4f} \\ \text{{plug-in}} &= \frac{{1}}{{N}} \sum_i \Big(\tfrac{{k_i}}{{{n}}}\Big)^{{{G}}} + "
            rf"\Big(1-\tfrac{{k_i}}{{{n}}}\Big)^{{{G}}} = {now.plug_in:.4f} \end{{aligned}}"
        )
        code = f"pool.silent_rate({G})  # {now.best:.4f}"
    else:
        text = (
            f"{n} tries fix {n} moments of the distribution of p, and the silent rate at G = {G} needs {G}. So the smallest "
            "and the largest silent share are taken over all distributions whose share of problems with each number right lies "
            f"within two standard errors of the fitted one: {now.low:.4f} to {now.high:.4f}. The plug-in, {now.plug_in:.4f}, lies "
            f"{'outside' if now.plug_in > now.high else 'between them'}."
        )
        latex = (
            rf"\begin{{gathered}} \min_F,\ \max_F \int p^{{{G}}} + (1-p)^{{{G}}}\, dF(p) \\ "
            rf"\text{{with}} \quad \Big|\int \binom{{{n}}}{{k}} p^k "
            rf"(1-p)^{{{n}-k}} dF - \hat f_k\Big| \le 2\, \mathrm{{se}}_k,\ k = 0, \dots, {n} \end{{gathered}}"
        )
        code = f"pool.silent_interval({G})  # {now.low:.4f}, {now.high:.4f}"
    page.why(text, latex, f"from stdial import bigmath\n\npool = {_python(which)}\n{code}\n{plug_in}")


def _python(which: Chosen) -> str:
    """How to get this pool in Python; names from a file stand there as Python texts."""
    if which.name == "bigmath":
        return "bigmath.load()"
    kind, _, value = which.name.partition(":")
    return "bigmath.load(bigmath.folder())" + (f".where({kind!r}, {value!r})" if value else "")


def exercise(page: Page) -> None:
    """A question whose start is a link."""
    page.exercise(
        "The paper calls 11.2% of these problems silent at every group size. Move G from 64 to 1024: where does the plug-in "
        "settle, and what do the data allow? Which of the two would you budget rollouts by?",
        "Start at G = 64",
        G=64, pool="bigmath",
    )  # fmt: skip
