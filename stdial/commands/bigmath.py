"""``python -m stdial bigmath``: the Big-Math views, counted afresh from the data set."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from stdial import bigmath
from stdial.bigmath_views import HUB, VIEWS

__all__ = ["add"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "bigmath",
        help="count Big-Math by source, domain and level (needs datasets)",
        description="Count how many Big-Math problems were solved how often: in total, by source, by domain and by "
        "published level. The Big-Math page offers these as soon as they are there.",
    )
    parser.add_argument(
        "--source",
        metavar="NAME",
        default=HUB,
        help=f"a data set on the hub, or a local Parquet file, folder or glob (default: {HUB})",
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="where to (default: $STDIAL_DATA, else the user's cache folder)"
    )
    parser.add_argument(
        "--streaming", action="store_true", help="read the data set as it comes, without downloading it"
    )
    parser.add_argument("--num-proc", metavar="N", type=int, help="processes that count, where it is not streamed")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Build, and say what there is; a refusal is a ValueError, Ctrl-C status 130."""
    try:
        return _run(options)
    except KeyboardInterrupt:
        print("stdial bigmath: stopped; nothing was written", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace) -> int:
    if options.num_proc is not None and options.num_proc < 1:
        raise ValueError(f"--num-proc is {options.num_proc}; it must be a whole number of at least 1")
    if not sys.stderr.isatty():
        os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
    out = options.out or bigmath.folder()
    pool = bigmath.build(options.source, out, streaming=options.streaming, num_proc=options.num_proc)
    for note in pool.notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"{out / VIEWS}: {pool.size:,} problems, mean rate {pool.mean_rate:.4f}")
    for facet in ("source", "domain", "level"):
        found = pool.values(facet)
        most = sorted(found.items(), key=lambda entry: -entry[1])[:10]
        print(f"by {facet}: " + ", ".join(f"{name} {int(count):,}" for name, count in most) + _rest(len(found)))
    return 0


def _rest(values: int) -> str:
    return f" and {values - 10:,} more" if values > 10 else ""
