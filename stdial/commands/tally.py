"""``python -m stdial tally``: a log of any size to a pool in one small Parquet file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stdial.pool_file import COLUMNS, write_pool
from stdial.tally import tally
from stdial.tally.engines import ENGINES, opened

__all__ = ["add"]

_REPORT = "A table with one row a problem, its rate or its counts, is read by: python -m stdial report FILE"


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "tally",
        help="count a log of any size, with DuckDB, Dask or Spark, into a pool file",
        description="Count a log of rollouts (--reward) or of problems (--right and --tries) into one small Parquet "
        "file that the Your data page, the other commands and reading.read open. A table of one row a problem that fits into "
        "memory needs no tally: report and plan read it as it is.",
    )
    parser.add_argument(
        "source", help="a file, a glob, a folder, or an address that the engine opens (s3://, hf:// ...)"
    )
    parser.add_argument("--engine", choices=list(ENGINES), default="duckdb", help="who counts (default: duckdb)")
    parser.add_argument("--id", metavar="C", help="the column that names the problem")
    parser.add_argument("--reward", metavar="C", help="the column of rewards, where a row is a rollout")
    parser.add_argument("--right", metavar="C", help="the column of right answers, where a row is a problem")
    parser.add_argument("--tries", metavar="C", help="the column of tries, or their number, with --right")
    parser.add_argument("--facet", metavar="C", action="append", default=[], help="a column to keep; may be repeated")
    parser.add_argument("--threshold", metavar="X", type=float, help="a reward of at least X is a right answer")
    parser.add_argument("--memory", metavar="SIZE", help="for duckdb: spill to disk beyond this, such as 2GB")
    parser.add_argument("--out", metavar="FILE", required=True, type=Path, help="the Parquet file to write")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Count, write, and say what was found; a refusal is a ValueError, Ctrl-C status 130."""
    try:
        return _run(options)
    except KeyboardInterrupt:
        print("stdial tally: stopped; nothing was written", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace) -> int:
    out: Path = options.out
    if out.suffix != ".parquet" or not out.parent.is_dir():
        raise ValueError(f"--out is {str(out)!r}; it must name a .parquet file in a folder that exists")
    taken = [facet for facet in options.facet if facet in COLUMNS]
    if taken:
        raise ValueError(f"--facet is {taken[0]!r}, which the file calls a column of counts; rename it first")
    columns = {name: getattr(options, name) for name in ("id", "reward", "right", "tries", "threshold")}
    if isinstance(columns["tries"], str) and columns["tries"].isdigit():
        columns["tries"] = int(columns["tries"])
    columns["facets"] = options.facet
    if options.reward is None and options.right is None:
        raise ValueError(
            "neither --reward nor --right is given; exactly one of them must name a column: the rewards of a log, or the right "
            f"answers of a table of counts. {_REPORT}"
        )
    with opened(options.source, options.engine, options.memory) as (frame, counting):
        pool = counting(lambda: tally(frame, **columns))
    named = {name: value for name, value in columns.items() if value not in (None, [])}
    write_pool(pool, out, {"source": options.source, "engine": options.engine, "columns": named})
    once = options.reward is not None and bool((pool.tries == 1).all())
    for note in [*pool.notes, *([f"every problem has a single row. {_REPORT}"] if once else [])]:
        print(f"note: {note}", file=sys.stderr)
    print(
        f"{out}: {pool.size:,} problems, {int((pool.tries * pool.problems).sum()):,} rollouts, {len(pool.rate):,} rows"
    )
    return 0
