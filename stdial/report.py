"""What a reading says, as a Markdown file to keep or to send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stdial.advice import advice
from stdial.band import Band, band
from stdial.safe import markdown
from stdial.summary import summary

if TYPE_CHECKING:
    from stdial.comparison import Comparison
    from stdial.reading import Reading

__all__ = ["report"]


def report(
    reading: Reading,
    size: int = 8,
    name: str = "the file",
    between: tuple[float, float] | None = None,
    compared: Comparison | None = None,
) -> str:
    r"""A report in Markdown; names and texts of the file are escaped, so that they show as they are.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G.
    name : what to call the file.
    between : a band of pass rates to keep, whose cost is reported.
    compared : before and after, where there are two.

    Examples
    --------
    >>> from stdial.reading import read
    >>> print(report(read(b"id,right,tries\na,0,8\nb,4,8\n"), 8, "my_*.csv").splitlines()[0])
    # Silent groups in my\_\*.csv
    """
    found = summary(reading, size)
    roles = ", ".join(f"{role} = {markdown(str(column))}" for role, column in found["mapping"].items())
    rollouts = "tries unknown" if found["rollouts"] is None else f"{found['rollouts']:,} rollouts"
    lines = [
        f"# Silent groups in {markdown(name)}", "",
        f"{found['problems']:,} problems, {rollouts}. Read as: {roles}.", "", *_counts(reading, size),
    ]  # fmt: skip
    if found["warnings"]:
        lines += ["", "## How the file was read", "", *(f"- {markdown(text)}" for text in found["warnings"])]
    lines += ["", "## What to change", ""]
    for card in advice(reading, size):
        lines += [f"### {markdown(card.title)}", "", markdown(card.number), ""]
        parts = (("How well it is known", card.interval), ("Price", card.price), ("Not known", card.unknown))
        lines += [*(f"- {head}: {markdown(text)}" for head, text in parts), ""]
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
