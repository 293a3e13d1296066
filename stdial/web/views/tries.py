"""How many tries: how big must a group be?"""

from __future__ import annotations

import math

from stdial.charts import tries as charts
from stdial.charts.difficulty import FRAMES
from stdial.tries import Sides
from stdial.web.page import Page, Values
from stdial.web.stage import Number, Run, Slider, Stage, em, num
from stdial.web.words import count, decimal, percent

__all__ = ["COST_USES", "USES", "cost", "exercise", "stage", "why"]

_COUNTED = 2.0**53  # beyond it no size is a whole number any more, and nobody draws that many

USES = ("p", "loss", "miss")  # the parameters that each region depends on
COST_USES = ("G", "p", "spend")


def stage(v: Values) -> Stage:
    """The page's question, answer, controls and the sizes against p."""
    return Stage(
        title="How big must a group be?",
        answer=_answer(v),
        readouts=_readouts(v),
        controls=[
            Slider(
                "p",
                "Success probability",
                v.p,
                low=0,
                high=1,
                step=0.01,
                digits=2,
                primary=True,
                hint="Or tap a chart.",
            ),
            Slider(
                "loss",
                "Update that may be lost",
                v.loss,
                low=0.005,
                high=0.5,
                step=0.005,
                digits=1,
                percent=True,
                scale="log",
            ),
            Slider(
                "miss",
                "Chance of a silent group",
                v.miss,
                low=0.001,
                high=0.5,
                step=0.001,
                digits=1,
                percent=True,
                scale="log",
            ),
        ],
        charts=[charts.fidelity_sizes(v.p, v.loss), charts.mixed_sizes(v.p, v.miss)],
        scrub="p",
        frames=charts.GRID,
    )


def _answer(v: Values) -> list[Run]:
    exact, law = charts.exact_and_law(v.p, v.loss)
    start: list[Run] = ["A prompt at p = ", num(f"{v.p:.3g}")]
    if exact > _COUNTED and 0 < v.p < 1:
        return [*start, " needs more rollouts than can be counted: in practice all of its answers agree."]
    if math.isinf(exact):
        return [*start, " never has a mixed group: all of its answers agree, and no size helps."]
    kept = f"{100 * (1 - v.loss):.4g}%"
    return [
        *start, " needs ", num(count(exact), "grpo"), " rollouts to keep ", num(kept), " of ", em("GRPO", "grpo"),
        "'s large-group update; the paper's law says ", num(count(law), "muted"), " and ", *_law_error(v, exact, law),
    ]  # fmt: skip


def _law_error(v: Values, exact: float, law: float) -> list[Run]:
    kept = charts.kept_at(v.p, law)
    if law >= exact:
        return ["is right here."] if law == exact else ["asks for ", num(count(law - exact), "muted"), " too many."]
    return ["keeps ", num(percent(kept), "muted"), "."]


def _readouts(v: Values) -> list[tuple[str, str, str]]:
    exact, law = charts.exact_and_law(v.p, v.loss)
    mixed = charts.mixed_size(v.p, v.miss)
    short = percent(1 - law / exact, 0) if math.isfinite(exact) and law <= exact else "0%"
    return [
        (f"Size for a mixed group {100 * (1 - v.miss):.4g}% of the time", _size(mixed), ""),
        ("The paper's law falls short by", short, "muted"),
    ]


def cost(v: Values) -> Stage:
    """The price of a mixed group, and the two sides of a larger G at equal rollouts."""
    now, each = charts.sides_at(v.p, v.G, v.spend), charts.price_at(v.p, v.G)
    return Stage(
        heading="What a larger group costs, and what it buys",
        answer=[
            "At p = ", num(f"{v.p:.3g}"), " and G = ", num(str(v.G)), " a mixed group costs ",
            num((count(each) if each > 1e6 else f"{each:,.1f}") if math.isfinite(each) else "no finite number of"), " rollouts.",
        ],
        text=[_sides(v, now)],
        controls=[
            Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log"),
            Number("p", "Success probability", v.p, low=0, high=1),
            Number("spend", "Rollouts to spend", v.spend, low=2, high=1_000_000, step=1),
        ],
        charts=[charts.price(v.p, v.G), charts.sides(v.p, v.G, v.spend)],
        scrub="G",
        frames=FRAMES,
    )  # fmt: skip


def _sides(v: Values, now: Sides) -> list[Run]:
    total, average, noise = (float(part) for part in (now.total, now.average, now.noise))
    return [
        "From ", num(count(v.spend)), " rollouts come ", num(f"{float(now.groups):,.1f}"), " groups. The sum of their updates is ",
        num(f"{total:,.1f}"), " and falls with G; their average is ", num(decimal(average, 4), "grpo"), " and rises. A trainer "
        "averages over its batch, so it steps along the average. The noise of a mixed group's direction, ",
        num(decimal(noise, 3), "muted"), " of the spread of one answer's score, falls as one over the root of G.",
    ]  # fmt: skip


def why(page: Page) -> None:
    """The condition that the exact size meets, the law beside it, and the Python of both."""
    v = page.values
    exact, law = charts.exact_and_law(v.p, v.loss)
    if exact > _COUNTED and 0 < v.p < 1:
        text = (
            f"At p = {v.p:.3g} the exact size and the paper's law both lie beyond what can be counted, and nearly every group is "
            "silent."
        )
    elif math.isinf(exact):
        text = "At p = 0 and 1 every group is silent, at any size: there is no update to keep, and the paper's law divides by zero."
    else:
        kept, before = (charts.kept_at(v.p, size) for size in (exact, max(exact - 1, 2)))
        text = (
            f"The exact size is the smallest G whose expected update is at least {1 - v.loss:.3g} of its large-group limit: at p = "
            f"{v.p:.3g} that is {exact:,.0f}, with a fidelity of {kept:.4f} ({before:.4f} at one less). The paper's law keeps "
            f"the first term of an expansion for large groups and says {law:,.0f}, whose fidelity is "
            f"{charts.kept_at(v.p, law):.4f}. It is an approximation and errs most near p = 0 and 1."
        )
    page.why(
        text,
        rf"\begin{{aligned}} \phi_G(p) &= \frac{{E[c]}}{{\sqrt{{p(1-p)}}}} \ge 1 - {v.loss:g} \\ "
        rf"\text{{law: }} G &\approx \frac{{1}}{{8 \cdot {v.loss:g}\; p(1-p)}} \\ "
        r"\text{price} &= \frac{G}{1 - p^G - (1-p)^G} \end{aligned}",
        f"from stdial import tries\n\ntries.size_for_fidelity({v.p!r}, {v.loss!r})  # {exact:g}\n"
        f"tries.size_by_law({v.p!r}, {v.loss!r})  # {law:g}\ntries.size_for_mixed({v.p!r}, {v.miss!r})",
    )


def exercise(page: Page) -> None:
    """A question whose start is a link."""
    page.exercise(
        "You have 1,024 rollouts for prompts at p = .05. Which group size gives the largest sum of updates, and which the "
        "largest average? What does a mixed group cost at each? Then say which of the two your trainer steps along.",
        "Start at p = .05 and G = 2",
        p=0.05, G=2, spend=1024,
    )  # fmt: skip


def _size(size: float) -> str:
    return count(size) if math.isfinite(size) else "none"
