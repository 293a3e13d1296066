"""`python -m bench`: every benchmark, written to BENCHMARKS.md as one table each.

    python -m bench                      all of them: about half an hour on a quiet machine
    python -m bench interaction start    only these; the other tables of BENCHMARKS.md stay as they are
    python -m bench --short              a small form of each, printed and not written: does it still run?

Values are measured in one run on one machine; what counts are the ratios, each to something measured in the same run.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import parts

TARGET = Path(__file__).parents[1] / "BENCHMARKS.md"
PARTS: dict[str, tuple[str, Callable[[bool], Any]]] = {
    "interaction": ("Interaction", parts.interactive),
    "start": ("Start", parts.starting),
    "upload": ("Upload", parts.uploading),
    "tally": ("Tally", parts.tallying),
    "plan": ("Plan", parts.planning),
    "training": ("Training run", parts.training_runs),
    "load": ("Load", parts.loaded),
    "class": ("A class on one link", parts.classed),
    "storm": ("Hostile files", parts.stormy),
    "failover": ("Two replicas", parts.failing_over),
    "soak": ("Soak", parts.soaking),
}
HEAD = """# Benchmarks

Made by `make bench` (or `python -m bench NAME` for one table). What counts are the ratios: each is to something measured in
the same run on the same machine. Times depend on the machine. The short form, `python -m bench --short`, runs in CI and
judges no time.
"""


def section(name: str, rows: list[tuple[str, str, str]], more: str = "") -> str:
    """One table in Markdown, with where and when it was made."""
    title, function = PARTS[name]
    about = (function.__doc__ or "").strip()
    lines = [
        f"## {title}",
        "",
        f"{about} `python -m bench {name}`, {_where()}.",
        "",
        "| what | value | aim |",
        "| --- | ---: | ---: |",
    ]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([*lines, *(["", more] if more else [])]) + "\n"


def _where() -> str:
    date = datetime.date.today().isoformat()
    processor = next(iter(re.findall(r"model name\s*:\s*(.+)", _read("/proc/cpuinfo"))), platform.machine())
    return (
        f"{date}, {os.cpu_count()} cores ({processor}), Python {platform.python_version()}, "
        f"Streamlit {version('streamlit')}"
    )


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def sections(text: str) -> dict[str, str]:
    """The tables that a BENCHMARKS.md holds, by title."""
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in re.split(r"^## ", text, flags=re.M)[1:]}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all where none is named")
    parser.add_argument("--short", action="store_true", help="a small form of each, printed and not written")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    failed = False
    for name in options.parts or PARTS:
        began = time.perf_counter()
        try:
            found = PARTS[name][1](options.short)
        except Exception as error:  # the others' tables are still wanted
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            failed = True
            continue
        rows, more = found if isinstance(found, tuple) else (found, "")
        text = section(name, rows, more)
        print(text, f"({time.perf_counter() - began:.0f} s)", flush=True)
        if not options.short:
            known = sections(_read(str(TARGET))) | {PARTS[name][0]: text}
            TARGET.write_text("\n".join([HEAD, *(known[title] for title, _ in PARTS.values() if title in known)]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
