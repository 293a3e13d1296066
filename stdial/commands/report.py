"""``python -m stdial report``: what a file says about silent groups."""

from __future__ import annotations

import argparse
import json
from typing import Any

from stdial.commands.reading_options import add_reading_options, read_as_said

__all__ = ["add"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "report",
        help="how many groups of a file are silent",
        description="Read a table of pass rates or rollouts and report which problems teach nothing.",
    )
    add_reading_options(parser)
    parser.add_argument("--size", metavar="G", type=int, default=8, help="group size (default: 8)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, and print the figures."""
    from stdial.summary import summary

    if options.size < 2:
        raise ValueError(f"--size is {options.size}; it must be a whole number of at least 2")
    reading = read_as_said(options)
    found = summary(reading, options.size)
    print(json.dumps(found, indent=2) if options.json else as_text(found, options.size))
    return 0


def as_text(found: dict[str, Any], size: int) -> str:
    """The figures as sentences and a short table."""
    columns = ", ".join(f"{role} = {column}" for role, column in found["mapping"].items())
    lines = [f"Read {columns}."]
    rollouts = "tries unknown" if found["rollouts"] is None else f"{found['rollouts']:,} rollouts"
    lines.append(f"{found['problems']:,} problems, {rollouts}.")
    if found["silent"] is not None:
        lines += _rates(found, size)
    else:
        share = found["silent_groups"] / found["problems"]
        lines.append(f"{found['silent_groups']:,} groups ({share:.1%}) are silent: all their rewards are equal.")
        lines.append(f"Mean sigma {found['mean_sigma']:.4f}.")
    lines += [f"Note: {warning}." for warning in found["warnings"]]
    return "\n".join(_plain(line) for line in lines)


def _rates(found: dict[str, Any], size: int) -> list[str]:
    live = found["problems"] - found["all_wrong"] - found["all_right"]
    lines = [
        f"{found['all_wrong']:,} all wrong, {live:,} live, {found['all_right']:,} all right.",
        f"Mean pass rate {found['mean_rate']:.4f}, mean sigma {found['mean_sigma']:.4f}.",
    ]
    silent = found["silent"][str(size)]
    known = "" if silent["low"] is None else f" (between {silent['low']:.1%} and {silent['high']:.1%})"
    lines.append(f"At group size {size}, {silent['best']:.1%} of sampled groups are silent{known}.")
    named = {"unbiased": "unbiased", "deconvolved": "deconvolved", "plug_in": "plug-in, which overstates silence"}
    others = [f"{silent[key]:.1%} {name}" for key, name in named.items() if silent[key] is not None]
    lines.append(f"By estimate: {', '.join(others)}.")
    return lines


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
