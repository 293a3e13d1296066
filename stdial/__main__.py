"""The command line: ``python -m stdial report FILE`` and the other subcommands in ``stdial.commands``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from stdial.commands import MODULES

__all__ = ["main", "parser"]


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser with all subcommands, or with that one alone: the others' modules are then not loaded."""
    made = argparse.ArgumentParser(prog="python -m stdial", description="Silent groups, group sizes and who learns.")
    subparsers = made.add_subparsers(dest="command", metavar="command", required=True)
    for name in (only,) if only in MODULES else MODULES:
        if find_spec(f"stdial.commands.{name}") is not None:
            importlib.import_module(f"stdial.commands.{name}").add(subparsers)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; the exit status is 2 for a refusal, a question or a wrong argument."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = parser(given[0] if given else None).parse_args(given)
    try:
        return int(options.run(options))
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    except ValueError as error:
        what = str(error)
    print(f"stdial {options.command}: {_line(what)}", file=sys.stderr)
    return 2


def _line(text: str) -> str:
    """One line without control characters, whatever a file's names and cells hold."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


if __name__ == "__main__":
    sys.exit(main())
