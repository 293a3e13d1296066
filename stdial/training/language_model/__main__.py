"""Command line: ``python -m stdial.training.language_model --out record.parquet``."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from stdial.training.language_model.settings import recorded_runs


def main(arguments: list[str] | None = None) -> None:
    """Make the record, or a shortened part of it."""
    parser = argparse.ArgumentParser(
        prog="python -m stdial.training.language_model",
        description="Train a tiny transformer with GRPO, Dr. GRPO and DAPO and record every group.",
    )
    parser.add_argument("--out", type=Path, default=Path("language_model.parquet"), help="the Parquet file to write")
    parser.add_argument("--processes", type=int, default=2, help="processes of one thread each (default 2)")
    parser.add_argument("--only", action="append", metavar="WORDS", help="runs whose name holds WORDS (repeatable)")
    parser.add_argument("--steps", type=int, help="stop every run after this many steps")
    parser.add_argument("--without-extras", action="store_true", help="no error ladder and no averages")
    parser.add_argument("--list", action="store_true", help="print the runs' names and stop")
    given = parser.parse_args(arguments)
    runs = [run for run in recorded_runs() if not given.only or any(words in run.name for words in given.only)]
    if given.processes < 1 or (given.steps is not None and given.steps < 1):
        parser.error("--processes and --steps must be at least 1")
    if given.steps is not None:
        runs = [replace(run, steps=min(run.steps, given.steps)) for run in runs]
    if given.list:
        print("\n".join(run.name for run in runs))
        return
    if not runs:
        parser.error(f"--only {' '.join(given.only)}: no such run; --list prints all names")
    from stdial.training.language_model.recording import make_record  # torch takes seconds to import

    make_record(given.out, runs, processes=given.processes, extras=not given.without_extras)


if __name__ == "__main__":
    main()
