"""One group: what does this group teach?"""

from __future__ import annotations

import numpy as np

from stdial import group
from stdial.charts import one_group as charts
from stdial.method import DR_GRPO, GRPO, Method
from stdial.web.page import Page, Values
from stdial.web.params import PARAMS
from stdial.web.stage import Choice, Control, Marks, Run, Slider, Stage, TextBox, em, num
from stdial.web.words import decimal

__all__ = ["exercise", "stage", "why"]

_TITLE = "What does this group teach?"


def stage(v: Values) -> Stage:
    """The page's question, answer, controls and charts, for right-or-wrong answers or any rewards."""
    return _any_reward(v) if v.mode == "rewards" else _marked(v)


def _marked(v: Values) -> Stage:
    controls: list[Control] = [Slider("k", "Right answers", v.k, low=0, high=v.G, step=1, primary=True)]
    if v.marks:
        controls.append(Marks("marks", "Tap an answer right or wrong", v.marks))
    controls += [Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log"), *_dials(v)]
    return Stage(
        title=_TITLE,
        answer=_answer(v.k, v.G),
        text=_shifted(v),
        readouts=_readouts(v.k, v.G, v.alpha),
        controls=controls,
        charts=[charts.updates(v.G, v.k, v.alpha), charts.pushes(v.G, v.k, v.alpha, v.marks)],
        scrub="G",
        frames=charts.FRAMES,
    )


def _any_reward(v: Values) -> Stage:
    rewards = np.asarray(v.rewards) + v.shift
    sigma = group.std_of(rewards)
    c, plain = group.update_of(rewards, GRPO), group.update_of(rewards, DR_GRPO)
    hint = "2 to 64 numbers, separated by commas: partial credit, or any score."
    if group.is_silent(rewards):
        answer: list[Run] = [
            "All ",
            num(str(rewards.size)),
            " rewards are equal: the group is ",
            em("silent"),
            " and teaches nothing.",
        ]
    else:
        answer = [
            "Sigma is ", num(decimal(sigma)), ": ", em("GRPO", "grpo"), " moves by ", num(decimal(c), "grpo"), " and ",
            em("Dr. GRPO", "dr-grpo"), " by ", num(decimal(plain), "dr-grpo"), " times the slope of the score on the reward.",
        ]  # fmt: skip
    return Stage(
        title=_TITLE,
        answer=answer,
        text=[
            [
                "For right or wrong the slope is the mean score of right answers minus that of wrong ones; for any rewards it is "
                "the least-squares slope, Cov(reward, score) / Var(reward). Only it knows the model; sigma comes from the rewards."
            ],
            *_shifted(v),
        ],
        readouts=[
            ("sigma", decimal(sigma), ""),
            ("GRPO update, per slope", decimal(c), "grpo"),
            ("Dr. GRPO update, per slope", decimal(plain), "dr-grpo"),
        ],
        controls=[
            TextBox("rewards", "Rewards, typed", PARAMS["rewards"].write(v.rewards), hint=hint, most=600),
            *_dials(v),
        ],
        charts=[charts.any_reward(rewards.tolist(), v.alpha)],
    )


def _dials(v: Values) -> list[Control]:
    return [
        Slider(
            "alpha",
            "Exponent",
            v.alpha,
            low=0,
            high=2,
            step=0.05,
            digits=2,
            hint="0 is Dr. GRPO, 1 is GRPO; at 2 every mixed group moves the model equally.",
        ),
        Slider("shift", "Add to every reward", v.shift, low=-10, high=10, step=0.5, digits=1),
        Choice("mode", "Rewards", v.mode, options=[("marks", "Right or wrong"), ("rewards", "Any number")]),
    ]


def _answer(k: int, G: int) -> list[Run]:
    if k in (0, G):
        word = "right" if k else "wrong"
        return [
            "All ",
            num(str(G)),
            f" answers are {word}: the group is ",
            em("silent"),
            ". It teaches nothing, under any method.",
        ]
    c, plain = (float(group.update(k, G, m)) for m in (GRPO, DR_GRPO))
    return [
        num(f"{k} of {G}"), " right: sigma is ", num(decimal(c)), ", so ", em("GRPO", "grpo"), " moves by ",
        num(decimal(c), "grpo"), " and ", em("Dr. GRPO", "dr-grpo"), " by ", num(decimal(plain), "dr-grpo"), ".",
    ]  # fmt: skip


def _readouts(k: int, G: int, alpha: float) -> list[tuple[str, str, str]]:
    """Sigma, then each method's update and its push on a right and on a wrong answer."""
    rows = [("GRPO", GRPO, "grpo"), ("Dr. GRPO", DR_GRPO, "dr-grpo")]
    if alpha not in (0.0, 1.0):
        rows.append((f"α = {alpha:.3g}", Method("dial", exponent=alpha), ""))
    cells = [("sigma", decimal(float(group.std(k, G))), ""), ("DAPO", "dropped" if k in (0, G) else "as GRPO", "dapo")]
    for name, method, color in rows:
        of_right, of_wrong = (float(a) for a in group.advantages(k, G, method))
        cells.append((f"{name} update", decimal(float(group.update(k, G, method))), color))
        pair = f"+{decimal(of_right)} / {decimal(of_wrong)}" if 0 < k < G else "0 / 0"
        cells.append((f"{name} push, right / wrong", pair, color))
    return cells


def _shifted(v: Values) -> list[list[Run]]:
    if v.shift == 0:
        return []
    return [["Every reward has ", num(decimal(v.shift, 1)), " added. Nothing moves: a baseline does not matter."]]


def why(page: Page) -> None:
    """The identity with this group's numbers."""
    v = page.values
    sigma = float(group.std(v.k, v.G))
    of_right, of_wrong = (float(a) for a in group.advantages(v.k, v.G, GRPO))
    page.why(
        f"Each answer is pushed by its advantage. With {v.k} of {v.G} right, GRPO pushes a right answer by {of_right:+.4f} and a "
        f"wrong one by {of_wrong:+.4f}. Averaged over the group, all that is left is one number times the difference between the "
        "mean score of the right answers and that of the wrong ones. The number is the standard deviation.",
        rf"\begin{{aligned}} g &= \frac1G\sum_i A_i s_i = \sigma\,(\bar s_+ - \bar s_-) \\[4pt]"
        rf" \sigma &= \frac{{\sqrt{{k(G-k)}}}}{{G}} = \frac{{\sqrt{{{v.k}\cdot{v.G - v.k}}}}}{{{v.G}}} = {sigma:.4f}"
        r" \end{aligned}",
        f"from stdial import GRPO, group\n\ngroup.update({v.k}, {v.G}, GRPO)  # {sigma:.6f}",
    )


def exercise(page: Page) -> None:
    """Two different groups with the same push."""
    page.exercise(
        "Find two different groups of the same size whose update is equal. Then find two of different sizes. "
        "Which pair stays equal when you turn the exponent?",
        "Start with 2 of 8 right", G=8, k=2, mode="marks", alpha=1.0,
    )  # fmt: skip
