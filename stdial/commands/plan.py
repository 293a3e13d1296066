"""``python -m stdial plan``: which group size each problem of a file gets from a budget of rollouts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stdial.commands.reading_options import add_reading_options, read_as_said

if TYPE_CHECKING:
    from stdial.tries import Plan, Sizes

__all__ = ["add", "as_text"]

_MOST_SIZES = 12  # lines of sizes printed; the file has all
_MOST_REASONS = 3


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "plan",
        help="spread a budget of rollouts over the problems of a file",
        description="Choose a group size for each problem so that a budget of rollouts teaches most, and write the "
        "sizes as CSV: id or cell, right, tries, rate, size, problems, chance of a mixed group.",
    )
    add_reading_options(parser)
    group = parser.add_argument_group("the plan")
    group.add_argument("--budget", metavar="N", type=float, required=True, help="rollouts in all")
    group.add_argument("--per-problem", action="store_true", help="--budget counts the rollouts a problem on average")
    group.add_argument(
        "--goal",
        choices=("mixed", "update"),
        default="mixed",
        help="what to have most of: mixed groups (default), or summed expected update",
    )
    group.add_argument(
        "--method", choices=("grpo", "dr-grpo", "dapo", "rloo"), default="grpo", help="whose update (default: grpo)"
    )
    group.add_argument("--smallest", metavar="G", type=int, default=2, help="smallest group size (default: 2)")
    group.add_argument("--largest", metavar="G", type=int, help="largest group size (default: none)")
    group.add_argument("--multiple-of", metavar="M", type=int, default=1, help="only multiples of M")
    group.add_argument("--powers-of-two", action="store_true", help="only powers of two")
    group.add_argument("--out", metavar="FILE", type=Path, help="the CSV file to write")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, plan, write the sizes and print the figures; a refusal is a ValueError."""
    from stdial.tries import Sizes, plan

    out = _checked(options.out, options.file)
    reading = read_as_said(options)
    pool = reading.pool
    if pool is None:
        raise ValueError("the rewards have more than two values; say with --threshold which of them are right answers")
    budget = options.budget * pool.size if options.per_problem else options.budget
    if options.per_problem and budget == budget and abs(budget) < 2**53:  # whole rollouts, whatever the average
        budget = int(budget)
    best = plan(
        pool, budget, options.goal, _method(options.method), options.smallest, options.largest, options.multiple_of,
        options.powers_of_two,
    )  # fmt: skip
    sizes = Sizes(options.smallest, options.largest, options.multiple_of, options.powers_of_two)
    print(as_text(best, list(reading.warnings), sizes))
    if out is not None:
        best.to_csv(out)
        print(f"{out}: {len(best.sizes):,} lines")
    return 0


def as_text(best: Plan, warnings: list[str], sizes: Sizes | None = None) -> str:
    """The plan beside the best even split, in sentences; `sizes` are those that were allowed."""
    from stdial.tries import ending

    name = best.method.name
    even = best.uniform
    proof = "proved best" if best.gap == 0 else f"at most {best.gap:.3g} more could be had"
    mixed, update = f"{best.mixed:,.1f} mixed groups", f"{name} update {best.update:,.2f}"
    aimed, other = (mixed, update) if best.goal == "mixed" else (update, mixed)
    spent = f"{best.rollouts:,.0f} of {best.budget:,.0f} rollouts"
    lines = [
        f"{best.pool.size:,} problems, mean pass rate {best.pool.mean_rate:.4f}.",
        f"Plan: {spent}, {aimed} ({proof}), {other}.",
        f"One size for all: {even.size} for {even.problems:,.0f} problems, {even.rollouts:,.0f} rollouts, "
        f"{even.mixed:,.1f} mixed groups, {name} update {even.update:,.2f}.",
        *filter(None, [ending(best, sizes)]),
        *_sizes(best),
        *_without(best),
    ]
    lines += [f"Note: {warning}." for warning in warnings]
    return "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines)


def _sizes(best: Plan) -> list[str]:
    by_size = best.table.groupby("size")["problems"].sum()
    served = by_size[by_size.index > 0]
    shown = ", ".join(f"{size} for {count:,.0f}" for size, count in served.head(_MOST_SIZES).items())
    rest = len(served) - _MOST_SIZES
    more = f" and {rest} more sizes up to {served.index.max()}" if rest > 0 else ""
    return [f"Group sizes: {shown}{more} problems."] if len(served) else []


def _without(best: Plan) -> list[str]:
    left = best.unserved
    if left.empty:
        return ["Every problem gets a group."]
    by_reason: Any = left.groupby("reason", sort=False)["problems"].sum().sort_values(ascending=False)
    lines = [f"{by_reason.sum():,.0f} problems get no group:"]
    lines += [f"  {count:,.0f}: {reason}" for reason, count in by_reason.head(_MOST_REASONS).items()]
    if len(by_reason) > _MOST_REASONS:
        lines.append(f"  {by_reason.iloc[_MOST_REASONS:].sum():,.0f}: the same, with less still")
    return lines


def _method(name: str) -> Any:
    import stdial

    return {"grpo": stdial.GRPO, "dr-grpo": stdial.DR_GRPO, "dapo": stdial.DAPO, "rloo": stdial.RLOO}[name]


def _checked(out: Path | None, source: str) -> Path | None:
    """The file to write, refused before the work where it cannot be."""
    if out is None:
        return None
    if not out.parent.is_dir() or out.is_dir():
        raise ValueError(f"--out is {str(out)!r}; it must name a file in a folder that exists")
    if Path(source).exists() and out.exists() and out.samefile(source):
        raise ValueError(f"--out is {str(out)!r}, the file that is read; it must be another")
    return out
