"""What a reading says, as a Markdown file to keep or to send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stdial.advice import advice, recommended
from stdial.band import Band, band
from stdial.safe import prose
from stdial.summary import summary

if TYPE_CHECKING:
    from stdial.comparison import Comparison
    from stdial.reading import Reading
    from stdial.tries import Plan

__all__ = ["report"]

_MOST_SIZES = 24


def report(
    reading: Reading,
    size: int = 8,
    name: str = "the file",
    between: tuple[float, float] | None = None,
    compared: Comparison | None = None,
    settings: tuple[str, str] | None = None,
) -> str:
    r"""A report in Markdown; names and texts of the file are escaped, so that they show as they are.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G.
    name : what to call the file.
    between : a band of pass rates to keep, whose cost is reported.
    compared : before and after, where there are two.
    settings : a framework and what its settings are wanted for, as `frameworks.settings` takes them.

    Examples
    --------
    >>> from stdial.reading import read
    >>> text = report(read(b"id,right,tries\na,0,8\nb,4,8\n"), 8, "my_*.csv", settings=("oat", "grpo"))
    >>> [line for line in text.splitlines() if line.startswith(("# ", "## "))][:2]
    ['# Silent groups in my\\_\\*.csv', '## What to change']
    """
    found = summary(reading, size)
    roles = ", ".join(f"{role} = {prose(str(column))}" for role, column in found["mapping"].items())
    rollouts = "tries unknown" if found["rollouts"] is None else f"{found['rollouts']:,} rollouts"
    lines = [
        f"# Silent groups in {prose(name)}", "",
        f"{found['problems']:,} problems, {rollouts}. Read as: {roles}.", "", *_counts(reading, size),
    ]  # fmt: skip
    if found["warnings"]:
        lines += ["", "## How the file was read", "", *(f"- {prose(text)}" for text in found["warnings"])]
    lines += ["", "## What to change", ""]
    for card in advice(reading, size):
        lines += [f"### {prose(card.title)}", "", prose(card.number), ""]
        parts = (("How well it is known", card.interval), ("Price", card.price), ("Not known", card.unknown))
        lines += [*(f"- {head}: {prose(text)}" for head, text in parts), ""]
    plan = None if reading.pool is None else recommended(reading.pool, size)
    if plan is not None:
        lines += _planned(plan, size)
    if settings is not None:
        lines += _settings(*settings)
    if between is not None and reading.pool is not None:
        lines += _filtered(band(reading.pool, *between, size))
    if compared is not None:
        lines += _changed(compared, size)
    return "\n".join([*lines, "Made with stdial.", ""])


def _counts(reading: Reading, size: int) -> list[str]:
    found = summary(reading, size)
    if found["silent"] is None:
        share = found["silent_groups"] / found["problems"]
        return [
            f"{found['silent_groups']:,} groups ({share:.1%}) are silent: all their rewards are equal. "
            f"Mean sigma {found['mean_sigma']:.4f}."
        ]
    live = found["problems"] - found["all_wrong"] - found["all_right"]
    silent = found["silent"][str(size)]
    rows = [["estimate", f"silent at G = {size}"], ["---", "---"]]
    for key, words in (
        ("best", "best"),
        ("unbiased", "unbiased"),
        ("deconvolved", "deconvolved"),
        ("plug_in", "plug-in"),
    ):
        if silent[key] is not None:
            rows.append([words, f"{silent[key]:.2%}"])
    if silent["low"] is not None:
        rows.append(["known between", f"{silent['low']:.2%} and {silent['high']:.2%}"])
    return [
        f"All wrong {found['all_wrong']:,}, live {live:,}, all right {found['all_right']:,}; mean pass rate "
        f"{found['mean_rate']:.4f}, mean sigma {found['mean_sigma']:.4f}.", "", *_table(rows),
    ]  # fmt: skip


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in rows]


def _planned(plan: Plan, size: int) -> list[str]:
    """The plan of the card: which size for which observed rates, how many problems, and who gets nothing."""
    even, choice = plan.uniform, plan.choice
    rate = plan.pool.cells.rate[choice.cell]
    rows = [["rollouts", "problems", "observed pass rates"], ["---", "---", "---"]]
    sizes = sorted(set(choice.size[choice.problems > 0].tolist()))
    for group in sizes[:_MOST_SIZES]:
        its = (choice.size == group) & (choice.problems > 0)
        many = float(choice.problems[its].sum())
        rows.append([str(group), f"{many:,.0f}", _span(float(rate[its].min()), float(rate[its].max()))])
    more = len(sizes) - _MOST_SIZES
    best = "No plan is better" if plan.gap == 0 else f"The best plan has at most {plan.gap:.2g} more"
    none = float(choice.problems[choice.size == 0].sum())
    return [
        f"## The plan: {plan.budget:,.0f} rollouts, {size} a problem", "",
        f"{plan.mixed:,.1f} mixed groups expected from {plan.rollouts:,.0f} rollouts, in place of {even.mixed:,.1f} with groups of "
        f"{even.size} for {even.problems:,.0f} problems. {best}. {none:,.0f} problems get no group.", "",
        *_table(rows), *(["", f"And {more} larger sizes, up to {sizes[-1]}."] if more > 0 else []), "",
        "The size of each problem is in the full table.", "",
    ]  # fmt: skip


def _span(low: float, high: float) -> str:
    return f"{low:.3g}" if high - low < 5e-4 else f"{low:.3g} to {high:.3g}"


def _settings(framework: str, goal: str) -> list[str]:
    from stdial import frameworks

    return ["## Settings", "", "```", frameworks.settings(framework, goal), "```", ""]


def _filtered(found: Band) -> list[str]:
    return [
        f"## Keeping pass rates from {found.low:g} to {found.high:g}", "",
        *_table([
            ["kept", "by this filter", "by as many at random"], ["---", "---", "---"],
            ["problems", f"{found.share:.1%}", f"{found.share:.1%}"],
            ["mixed groups", f"{found.mixed_share:.1%}", f"{found.share:.1%} ± {2 * found.mixed_spread:.1%}"],
            ["update", f"{found.update_share:.1%}", f"{found.share:.1%} ± {2 * found.update_spread:.1%}"],
        ]), "",
    ]  # fmt: skip


def _changed(found: Comparison, size: int) -> list[str]:
    rate, silent = found.rate, found.silent(size)
    lines = [
        "## Before and after", "",
        f"{len(found.ids):,} problems are in both ({found.gone:,} only before, {found.new:,} only after). Mean pass rate "
        f"{rate.before:.4f} before, {rate.after:.4f} after: {rate.change:+.4f} (95% interval {rate.low:+.4f} to {rate.high:+.4f}).",
    ]  # fmt: skip
    if silent is not None:
        lines += [
            "",
            f"Silent at G = {size}: {silent.before:.2%} before, {silent.after:.2%} after: {100 * silent.change:+.2f} points "
            f"(95% interval {100 * silent.low:+.2f} to {100 * silent.high:+.2f}).",
        ]
    return [*lines, ""]
