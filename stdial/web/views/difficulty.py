"""Difficulty: who gets the gradient?"""

from __future__ import annotations

import functools
import math

from stdial import expectation
from stdial.charts import difficulty as charts
from stdial.method import DR_GRPO, GRPO
from stdial.web.page import Page, Values
from stdial.web.stage import Choice, Run, Slider, Stage, Toggle, em, num
from stdial.web.words import decimal, times

__all__ = ["exercise", "stage", "why"]


def stage(v: Values) -> Stage:
    """The page's question, answer, controls and chart."""
    controls = [
        Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log", primary=True),
        Choice("view", "What to draw", v.view, options=list(charts.VIEWS.items())),
        Slider("p", "Success probability", v.p, low=0, high=1, step=0.01, digits=2, hint="Or tap the chart."),
        Slider("alpha", "Exponent", v.alpha, low=0, high=2, step=0.05, digits=2, hint="0 is Dr. GRPO, 1 is GRPO."),
    ]
    if v.view == "update":
        hint = f"{charts.DRAWN_GROUPS} groups drawn at each of 13 p; bars are two standard errors."
        controls.append(Toggle("dots", "Simulated groups", v.dots, hint=hint))
    return Stage(
        title="Who gets the gradient?",
        answer=_answer(v),
        controls=controls,
        charts=[charts.chart(v.view, v.G, v.p, v.alpha, v.dots and v.view == "update", v.seed)],
        scrub="G",
        frames=charts.FRAMES,
    )


def _answer(v: Values) -> list[Run]:
    boost, limit = charts.boost(v.G), charts.boost(math.inf)
    start: list[Run] = ["With ", num(f"{v.G}"), " rollouts a prompt, "]
    if v.G <= 3:
        return [
            *start,
            em("GRPO", "grpo"),
            " is exactly proportional to ",
            em("Dr. GRPO", "dr-grpo"),
            ": the difficulty bias needs G of at least 4.",
        ]
    return [
        *start, em("GRPO", "grpo"), " favours a prompt at p = .05 over one at .5 ", num(times(boost), "grpo"), " as much as ",
        em("Dr. GRPO", "dr-grpo"), " does; the textbook limit says ", num(decimal(limit, 2), "muted"), ".",
    ]  # fmt: skip


def why(page: Page) -> None:
    """The formula at this G and p, and the cap of the bathtub."""
    v = page.values
    G, p = v.G, v.p
    grpo, plain = (charts.at("update", p, G, method) for method in (GRPO, DR_GRPO))
    cap, phi = _cap(G), _kept(p, G)
    page.why(
        f"A group's update is its standard deviation, and that is averaged over the number k of right answers. At G = {G} "
        f"and p = {p:g} GRPO's average is {grpo:.4f}, {100 * phi:.1f}% of its large-G limit; Dr. GRPO's is {plain:.4f}. "
        f"Divided by p(1 - p) it is the weight, which is largest at p = 0 and 1, and there it is {cap:.3f}: a finite group "
        "caps the famous bathtub, whose walls go on for ever in the limit.",
        rf"\begin{{aligned}} E[c] &= \sum_{{k=0}}^{{{G}}} \binom{{{G}}}{{k}} p^k (1-p)^{{{G}-k}}"
        rf" \frac{{\sqrt{{k({G}-k)}}}}{{{G}}} = {grpo:.4f} \\[4pt]"
        rf" w_{{{G}}}(p) &= \frac{{E[c]}}{{p(1-p)}} \le \sqrt{{{G}-1}} = {cap:.3f} \end{{aligned}}",
        f"from stdial import GRPO, expectation\n\nexpectation.expected_update({p!r}, {G}, GRPO)  # {grpo:.6f}",
    )


# Asked for at every move of the other controls, too.
@functools.lru_cache(maxsize=2048)
def _cap(G: int) -> float:
    return float(expectation.weight(0.0, G, GRPO))


@functools.lru_cache(maxsize=8192)
def _kept(p: float, G: int) -> float:
    return float(expectation.fidelity(p, G))


def exercise(page: Page) -> None:
    """A question whose start is a link."""
    page.exercise(
        "At which group size does GRPO first treat p = .05 differently from Dr. GRPO? And from which size on is the boost "
        "more than half of the way to its limit of 2.29?",
        "Start at G = 2 with the relative weight",
        G=2, view="weight", p=0.05,
    )  # fmt: skip
