"""Silence: how much is thrown away, and what does DAPO buy?"""

from __future__ import annotations

import functools
import math

from stdial import presets
from stdial.charts import silence as charts
from stdial.charts.difficulty import FRAMES
from stdial.pool import Pool
from stdial.resampling import redraw_factor
from stdial.web import pools
from stdial.web.page import Page, Values
from stdial.web.pools import Chosen
from stdial.web.stage import Run, Slider, Stage, em, num
from stdial.web.views.pool_words import digits, exact, fewest_tries, how_known, many_cells, python_of
from stdial.web.words import decimal, percent, times

__all__ = ["MEANS_USE", "USES", "exercise", "means", "stage", "why"]

USES = ("G", "p", "pool")  # the parameters that each region depends on
MEANS_USE = ("G", "mean")
_THREE = ("all at one p", "bell", "two ends")
_MEANS = [round(0.05 + 0.01 * i, 2) for i in range(91)]


def stage(v: Values, chosen: Chosen) -> Stage:
    """The page's question, answer and controls, the field of groups, and the silent rate over the pool."""
    return Stage(
        title="How much is thrown away, and what does DAPO buy?",
        answer=_answer(v.G, chosen),
        text=[[em(how_known(chosen, v.G), "muted")]],
        controls=[
            Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log", primary=True),
            pools.control({**v, "pool": chosen.name}, chosen.uploaded, hint=chosen.origin),
            Slider(
                "p",
                "Success probability",
                v.p,
                low=0,
                high=1,
                step=0.01,
                digits=2,
                hint="Or tap the chart of the rate.",
            ),
        ],
        charts=[
            charts.field(chosen.pool, v.G, chosen.name, digits(chosen)),
            charts.rate_and_pool(chosen.pool, v.G, v.p, chosen.name),
        ],
        scrub="G",
        frames=frames(chosen),
    )


def frames(chosen: Chosen) -> list[int]:
    """The group sizes whose frame is cheap: beyond the tries bounds take a linear program, unless they are stored."""
    if many_cells(chosen.pool):
        return []
    if exact(chosen) or chosen.pool.tries is None or chosen.name == pools.DEFAULT:
        return list(FRAMES)
    return [size for size in FRAMES if size <= fewest_tries(chosen.pool)]


def _answer(G: int, chosen: Chosen) -> list[Run]:
    silent, places = chosen.pool.silent_rate(G), digits(chosen)
    start: list[Run] = [
        "With ", num(str(G)), " rollouts a prompt, ", num(percent(silent, places)), f" of the groups drawn from {chosen.label} "
        "teach nothing. ",
    ]  # fmt: skip
    if silent >= 1:
        return [*start, "Every group is silent: a batch never fills, whatever is redrawn."]
    return [
        *start, em("DAPO", "dapo"), " drops them and draws others: ", num(times(float(redraw_factor(silent))), "dapo"),
        " the rollouts for a full batch.",
    ]  # fmt: skip


def means(v: Values) -> Stage:
    """Three pools of one mean and their silent shares."""
    found = [(name, _preset(name, v.mean)) for name in _THREE]
    silent = {name: pool.silent_rate(v.G) for name, pool in found}
    one, two = silent["all at one p"], silent["two ends"]
    return Stage(
        heading="A mean says nothing about silence",
        answer=[
            "The same mean pass rate of ", num(decimal(v.mean, 2)), " is ", num(percent(one)), " silent where all problems are "
            "alike and ", num(percent(two)), " where each is nearly always wrong or nearly always right.",
        ],
        text=[
            [f"Groups of {v.G}, three made-up pools of 1,000 problems. A silent rate taken at the mean would be the first of them, "
             "whatever the pool. Always use the distribution."]
        ],
        controls=[Slider("mean", "Mean pass rate", v.mean, low=0.05, high=0.95, step=0.01, digits=2)],
        charts=[charts.three_pools(found, v.G, v.mean)],
        scrub="mean",
        frames=_MEANS,
    )  # fmt: skip


@functools.lru_cache(maxsize=3 * 128)
def _preset(name: str, mean: float) -> Pool:
    """Kept, since a drag of G or of the mean comes back to the same pools."""
    return presets.pool(name, mean)


def why(page: Page, chosen: Chosen) -> None:
    """The silent rate, the pool's average of it, and the price of a redraw."""
    v = page.values
    silent = chosen.pool.silent_rate(v.G)
    factor = float(redraw_factor(silent))
    cost = "never ends" if math.isinf(factor) else f"costs 1/(1 - {silent:.4f}) = {factor:.4f} times the rollouts"
    load, pool = python_of(chosen)
    page.why(
        f"A group is silent when all its {v.G} answers are right or all are wrong. Averaged over the pool that is {silent:.4f}. "
        f"Drawing other prompts until the batch is full {cost}, and makes the step as many times longer. The "
        "relative weights of the problems stay as they were, since the dropped groups had no update to lose. Retrying the "
        "same prompt does change them: hard and easy problems are kept more often than before.",
        rf"S(p) = p^{{{v.G}}} + (1-p)^{{{v.G}}}, \qquad \frac1{{1-\bar S}} = "
        + (r"\infty" if math.isinf(factor) else f"{factor:.4f}"),
        f"{load}\n\npool = {pool}\npool.silent_rate({v.G})  # {silent:.6f}",
    )


def exercise(page: Page) -> None:
    """A question whose start is a link."""
    page.exercise(
        "Half of these problems are at p = .02 and half at .98. From which group size on is fewer than every second group "
        "silent? At that size, what is left to throw away of a pool of the same mean whose problems are all alike?",
        "Start with the two ends at G = 8",
        pool="ends", G=8, mean=0.5,
    )  # fmt: skip
