"""Frameworks: what does my framework compute? The setting of the link, its updates beside the paper's, its metrics and traps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from stdial import frameworks, group
from stdial.charts import frameworks as charts
from stdial.frameworks import Beside, Framework, Setting, Trap
from stdial.method import GRPO, Method
from stdial.web.page import Page, Values
from stdial.web.stage import Choice, Control, Run, Slider, Stage, Table, TextBox, code, em, num
from stdial.web.views.framework_words import adverb, claim, listed, name_and_version
from stdial.web.words import decimal

__all__ = ["FRAMES", "USES", "Chosen", "chosen", "exercise", "framework_menu", "recipes", "resolve", "setting_menu"]
__all__ += ["stage", "trap", "traps", "watch", "ways", "why"]

USES = ("G", "framework", "setting", "number")
# Every size to 48, then fewer: what a drag across the slider passes through.
FRAMES = (*range(2, 49), 56, 64, 80, 96, 128, 192, 256, 384, 512, 1024)
_TITLES = {
    "grpo": ("GRPO", "grpo"),
    "dr-grpo": ("Dr. GRPO", "dr-grpo"),
    "dynamic-sampling": ("Dynamic sampling", "dapo"),
}


class Chosen(NamedTuple):
    """A framework, its options, and the setting that they select."""

    framework: Framework
    options: dict[str, Any]
    setting: Setting


def chosen(framework: str, setting: str, number: str = "") -> Chosen:
    """What the values of a link stand for.

    Raises
    ------
    ValueError
        Saying which of them is unknown.

    >>> chosen("verl", "adv_estimator=grpo,norm_adv_by_std_in_grpo=true", "0.5").setting.convention.eps
    0.5
    """
    found = frameworks.get(framework)
    options = frameworks.read_options(found.name, setting)
    if number:
        option = found.number
        if option is None:
            raise ValueError(f"number is {number!r}; {found.name} has no option that takes one")
        below = " and below 1" if option.sets == "eps" else ""
        try:
            options = found.with_option(options, option, float(number))
        except ValueError:
            raise ValueError(
                f"number is {number[:20]!r}; {option.spelling} must be a number of at least 0{below}"
            ) from None
    return Chosen(found, options, found.setting(options))


def resolve(page: Page) -> None:
    """Put the table's own spelling in place of what the link says; what it cannot mean falls back with a note."""
    for name, its, extra in (("framework", "setting", "number"), ("to", "to_setting", "")):
        values, note = page.values, ""
        number = values[extra] if extra else ""
        try:
            framework = frameworks.get(values[name]).name
        except ValueError:
            framework, number = frameworks.get("TRL").name, ""
            note = f"{name} in the link is no framework of the table; TRL is shown."
        try:
            found = chosen(framework, "" if note else values[its], number)
        except ValueError as error:
            note = f"{its} in the link cannot be used: {str(error)[:300]}. The default is shown."
            found, number = chosen(framework, ""), ""
        text = frameworks.options_text(frameworks.read_options(framework, "" if note else values[its]))
        wanted = {name: found.framework.name, its: text, **({extra: number} if extra else {})}
        if note or any(values[key] != value for key, value in wanted.items()):
            page.correct(note, **wanted)


def framework_menu(name: str, label: str, value: str, primary: bool = False) -> Control:
    """A menu of every framework with its version."""
    options = [(f.name, name_and_version(f)) for f in frameworks.FRAMEWORKS.values()]
    return Choice(name, label, value, options=options, menu=True, primary=primary)


def setting_menu(name: str, label: str, framework: str, value: str) -> Control:
    """A menu of the settings that the table knows, in the framework's own spelling."""
    found = frameworks.get(framework)
    pairs = zip(found.choices(), found.settings, strict=True)
    options = [(frameworks.options_text(o), f"{s.name}: {_spelled(framework, o)}") for o, s in pairs]
    return Choice(name, label, value, options=options, menu=True)


def _spelled(framework: str, options: Mapping[str, Any], whole: bool = False) -> str:
    """Options on one line as the framework spells them; only those that are not at their default, unless `whole`."""
    names = (frameworks.spelled if whole else frameworks.spelled_changed)(framework, options)
    return ", ".join(names) or "no options"


def stage(v: Values) -> Stage:
    """The page's question, answer, controls and charts."""
    mine = chosen(v.framework, v.setting, v.number)
    beside = frameworks.beside(mine.framework.name, mine.options, v.G)
    shows = {"G": v.G, "framework": v.framework, "setting": v.setting}
    controls: list[Control] = [
        framework_menu("framework", "Framework", v.framework, primary=True),
        setting_menu("setting", "Setting", v.framework, v.setting),
    ]
    option = mine.framework.number
    if option is not None:
        hint = f"{option.says[:1].upper()}{option.says[1:]}. Empty: the framework's own."
        controls.append(TextBox("number", option.spelling, v.number, hint=hint, most=20, placeholder="its own"))
    controls.append(Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log"))
    return Stage(
        title="What does my framework compute?",
        answer=_answer(mine.framework, beside),
        text=[_what(mine)],
        controls=controls,
        charts=[replace(charts.updates(beside, shows), caption=_scale(beside)), charts.advantages(beside, shows)],
        scrub="G",
        frames=FRAMES,
    )


def _answer(framework: Framework, b: Beside) -> list[Run]:
    """The update beside the paper's, and what that does to a learning rate."""
    start: list[Run] = ["At ", num(f"G = {b.size}"), f" {framework.name} "]
    color = "grpo" if b.partner == "GRPO" else "dr-grpo"
    paper = em(b.partner, color)
    if not b.constant:
        line: list[Run] = [
            *start, "is no fixed multiple of the paper's GRPO: the factor depends on k, from ", num(decimal(b.least), "grpo"),
            f" with {b.least_at} right to ", num(decimal(b.most), "grpo"), f" with {b.most_at} right.",
        ]  # fmt: skip
    elif b.exact and b.partner == "GRPO":
        line = [
            *start,
            "computes the paper's ",
            paper,
            ": your updates are ",
            num(decimal(b.factor), color),
            " of it, for every k.",
        ]
    elif b.partner == "GRPO":
        c = b.convention
        plain = c.ddof == 1 and c.centre == "mean" and c.std_scope == "group" and c.whiten is None
        source = "a framework that divides by G (ddof 0)" if plain else "the paper's GRPO"
        line = [
            "At ", num(f"G = {b.size}"), " your updates are ", num(decimal(b.factor), color), " of the paper's ", paper,
            f"; learning rates copied from {source} act ", num(_percent(b.factor)), f" {adverb(b.factor)}.",
        ]  # fmt: skip
    else:
        grpo = b.factors["GRPO"][np.isfinite(b.factors["GRPO"])]
        divided = "divides by no group's std" if b.convention.divide != "mean" else "divides by the mean"
        line = [
            *start, f"{divided}: your updates are ", num(decimal(b.factor), color), " of the paper's ", paper,
            ", for every k; learning rates copied from ", em("GRPO", "grpo"), " act between ",
            num(decimal(float(grpo.min())), "grpo"), " and ", num(decimal(float(grpo.max())), "grpo"), " times as strongly.",
        ]  # fmt: skip
    if not b.cancels:
        line += [
            " Its advantages do not cancel: with ", f"{b.rest_at} of {b.size} right they sum to ", num(decimal(b.rest, 2)), ".",
        ]  # fmt: skip
    return line


def _percent(factor: float) -> str:
    return f"{100 * abs(factor - 1):.1f}%"


def _what(mine: Chosen) -> list[Run]:
    """The convention in words, with its version, and whether it was run or read."""
    says = f" ({mine.setting.says})" if mine.setting.says else ""
    return [
        f"{name_and_version(mine.framework)}, ", code(_spelled(mine.framework.name, mine.options)),
        f": {frameworks.describe(mine.setting.convention)}{says}. ", "Run." if mine.setting.checked == "run" else "Read, not run.",
    ]  # fmt: skip


def _scale(b: Beside) -> str:
    """What a factor means, and what is left over."""
    if not b.cancels:
        return (
            "What does not cancel pushes every answer the same way: beside c times the difference of mean scores stands the "
            "summed advantages over G times the mean score of the wrong answers."
        )
    if b.convention.batch_scoped:
        return "It depends on the whole batch: here that is one group of each k from 0 to G. Another batch, another factor."
    if b.constant:
        return (
            "A factor common to all groups is a learning rate. Adam hides it; gradient clipping and a KL weight do not."
        )
    return (
        "A factor that depends on k is no learning rate: it moves weight between easy and hard prompts, under Adam too."
    )


def ways(v: Values) -> Stage:
    """How the advantages are known, and the heading over the texts to copy."""
    mine = chosen(v.framework, v.setting)
    framework = mine.framework
    known: list[Run] = ["The advantages above, with ", code(_spelled(framework.name, mine.options, whole=True)), ": "]
    known += [claim(framework, mine.setting), f" {framework.notes}" if framework.notes else ""]
    return Stage(
        heading=f"GRPO, Dr. GRPO and dynamic sampling in {framework.name}",
        text=[known, [f"Ready to copy below. These spellings were read in {name_and_version(framework)}, not run."]],
        layout="wide",
    )


def recipes(page: Page) -> None:
    """The three texts, each with its copy button; one element, which the frame's style sheet sets in three columns."""
    texts = [
        f"**{title}**\n\n````\n{frameworks.settings(page.values.framework, goal)}\n````"
        for goal, (title, _) in _TITLES.items()
    ]
    with st.container(key="recipes"):
        st.markdown("\n\n".join(texts))


def watch(v: Values) -> Stage:
    """Which metric shows silent groups, and the filter that drops them."""
    framework = frameworks.get(v.framework)
    known = framework.filter
    when = "On by default." if known.on else "Off by default." if known.kind != "none" else ""
    rows = [[[code(m.name)], m.measures, m.misleads or "No way was found."] for m in framework.metrics]
    tables = [Table(("Metric", "What it measures", "How it can mislead"), rows, cards=True)] if rows else []
    none: list[Run] = ["No logged metric was found that shows silent groups: count them in the logged rewards."]
    return Stage(
        heading="Which metric to watch",
        text=[
            *([] if rows else [none]),
            [em("Silent groups: "), known.rule, f" {when}" if when else ""],
            [f"Metrics and filter: read in {name_and_version(framework)}."],
        ],
        tables=tables,
        layout="wide",
    )


def traps(v: Values) -> int:
    """How many traps the framework of the link has."""
    return len(frameworks.get(v.framework).traps)


def trap(i: int) -> Callable[[Values], Stage]:
    """The i-th trap, on its live group."""

    def build(v: Values) -> Stage:
        framework = frameworks.get(v.framework)
        one = framework.traps[i]
        count = len(framework.traps)
        return Stage(
            heading=("Its trap, on a live group" if count == 1 else "Its traps, on live groups") if i == 0 else "",
            text=[[em(one.says)], *_two_stds(framework, one)],
            tables=[_live(framework, one)],
            layout="wide",
        )

    return build


def _live(framework: Framework, one: Trap) -> Table:
    """The trap's batch as the framework sees it, a row a group."""
    sources = [(framework.name, one.options), *one.beside]
    made = [_advantages(name, options, one) for name, options in sources]
    names = [f"{name}: {_spelled(name, options)}" for name, options in sources]
    known = framework.filter
    filtered = frameworks.kept(framework.name, one.options, one.groups, one.dtype)
    rows = []
    for i, rewards in enumerate(one.groups):
        silent = "yes" if group.is_silent(rewards) else "no"
        rows.append([listed(rewards, "g"), silent, *(column[i] for column in made), _kept(filtered[i], known.kind)])
    state = "none" if known.kind == "none" else "on by default" if known.on else "where turned on"
    columns = (f"Rewards ({one.dtype})", "Silent", *(f"Advantages, {name}" for name in names), f"Filter ({state})")
    return Table(columns, rows, caption=f"Computed here as {name_and_version(framework)} does.", cards=True)


def _advantages(name: str, options: Any, one: Trap) -> list[str]:
    try:
        return [listed(a) for a in frameworks.advantages(name, options, one.groups, one.dtype)]
    except ValueError as error:
        return [f"refused: {error}"] * len(one.groups)


def _kept(kept: Any, kind: str) -> str:
    if kind == "none":
        return "stays"
    if isinstance(kept, bool | np.bool_):
        return "stays" if kept else "dropped"
    stays = [str(j + 1) for j, keep in enumerate(kept) if keep]
    if len(stays) in (0, len(kept)):
        return "stays" if stays else "dropped"
    return f"only answer{'s' if len(stays) > 1 else ''} {', '.join(stays)}"


def _two_stds(framework: Framework, one: Trap) -> list[list[Run]]:
    """The two senses of reward_std, where the framework logs it and the batch has groups for both."""
    logged = any("reward_std" in metric.name for metric in framework.metrics)
    if not logged or len(one.groups) < 2 or min(map(len, one.groups)) < 2:
        return []
    of_groups, of_all = frameworks.reward_std(one.groups)
    return [
        ["On this batch the mean of the groups' stds is ", num(decimal(of_groups, 2)), " and the std of all rewards ",
         num(decimal(of_all, 2)), " (ddof 1): both go by the name of ", code("reward_std"), "."],
    ]  # fmt: skip


def why(page: Page) -> None:
    """The identity with the setting's numbers at one right answer."""
    v = page.values
    mine = chosen(v.framework, v.setting, v.number)
    got = frameworks.updates(mine.framework.name, mine.options, v.G)
    sigma = float(group.std(1, v.G))
    wider = float(group.update(1, v.G, GRPO)) / float(group.update(1, v.G, Method("ddof 1", ddof=1)))
    of_right, c = float(got.right_answer[1]), float(got.c[1])
    page.why(
        f"Whatever a framework does to the rewards: where the advantages of a group cancel, its update is those of the right "
        "answers summed, over G, times the difference between the mean scores of right and wrong answers. "
        f"With 1 of {v.G} right it gives {of_right:+.4f} to the right answer, so c is {c:.4f}; the paper's GRPO has {sigma:.4f}. "
        "With ddof 1 the std is larger by "
        rf"$\sqrt{{G/(G-1)}}$ = {wider:.4f}, and every update smaller by as much.",
        rf"\begin{{aligned}} c &= \frac1G\sum_{{i\ \mathrm{{right}}}} A_i = \frac{{{of_right:.4f}}}{{{v.G}}} = {c:.4f} \\"
        rf" \sigma &= \frac{{\sqrt{{1\cdot{v.G - 1}}}}}{{{v.G}}} = {sigma:.4f}, \qquad \frac{{c}}{{\sigma}} = {c / sigma:.4f}"
        r" \end{aligned}",
        "from stdial import frameworks\n\n"
        f"frameworks.updates({mine.framework.name!r}, {mine.options!r}, {v.G}).c[1]  # {c:.6f}",
    )


def exercise(page: Page) -> None:
    """Two frameworks that both say GRPO."""
    page.exercise(
        "At G = 2, find two frameworks whose GRPO updates differ by 41%. Which of them is the paper's? "
        "From which group size on is the difference below 1%?",
        "Start at G = 2 with rLLM, moving to verl",
        G=2, framework="rLLM", to="verl",
    )  # fmt: skip
