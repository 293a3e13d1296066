"""`python -m tests.load`: many sessions at once, a storm of hostile files, many uploads, two replicas behind nginx, and a soak.

    python -m tests.load                                     all of them; about half an hour
    python -m tests.load table --sessions 20 200 --seconds 20
    python -m tests.load storm failover
    python -m tests.load soak --minutes 1

Everything stays on loopback and ends by itself. The exit code is 1 where a promise does not hold; times are judged only as
ratios to the smallest Streamlit app, measured in turn on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable

import psutil

from stdial.web.places import existing
from tests.browser.conftest import started
from tests.load import crowd, soak, storm, uploads
from tests.load.crowd import Tally, quantile

Rows = list[tuple[str, str, str]]
SESSIONS = (20, 50, 100, 200, 400)
APPS = {"smallest": "bench/apps/smallest.py", "stdial": "app.py"}
CLASSES = ("", "difficulty", "silence", "big_math", "frameworks")
PARTS = ("table", "storm", "uploads", "failover", "soak")


def table(sessions: tuple[int, ...] = SESSIONS, seconds: float = 30.0) -> list[tuple[Tally, Tally]]:
    """For each number of sessions, a crowd on the smallest app and one on ours, each on a fresh server."""
    found = []
    for many in sessions:
        pair = []
        for name, app in APPS.items():
            with started(app=app) as (address, process):
                seen = asyncio.run(crowd.crowd(address, psutil.Process(process.pid), many, seconds))
            print(crowd.told(name, seen), flush=True)
            pair.append(seen)
        found.append((pair[0], pair[1]))
    return found


def classes(sessions: int = 200, seconds: float = 30.0) -> list[tuple[str, Tally, Tally]]:
    """A class on one link: the smallest app's crowd, and for each of the main pages a class of ours."""
    with started(app=APPS["smallest"]) as (address, process):
        least = asyncio.run(crowd.crowd(address, psutil.Process(process.pid), sessions, seconds))
    found = []
    for path in CLASSES:
        with started() as (address, process):
            seen = asyncio.run(crowd.crowd(address, psutil.Process(process.pid), sessions, seconds, link=path))
        print(crowd.told(f"class on {path or 'one_group'}", seen), flush=True)
        found.append((path or "one_group", least, seen))
    return found


def markdown(found: list[tuple[Tally, Tally]]) -> str:
    """The load table."""
    head = ["sessions", "p50", "p95", "p99", "p95 until all is there", "smallest app's p95", "ratio of p95", "CPU a request",
            "smallest app's", "MB a session", "smallest app's", "errors"]  # fmt: skip
    rows = [
        [
            f"{ours.sessions}", *(f"{ours.quantile(q):.0f} ms" for q in (0.5, 0.95, 0.99)),
            f"{quantile(ours.whole, 0.95):.0f} ms", f"{least.quantile(0.95):.0f} ms",
            f"{ours.quantile(0.95) / least.quantile(0.95):.1f}", f"{ours.cpu_a_move:.1f} ms", f"{least.cpu_a_move:.1f} ms",
            f"{ours.megabytes_a_session:.2f}", f"{least.megabytes_a_session:.2f}", f"{len(ours.errors)}",
        ]
        for least, ours in found
    ]  # fmt: skip
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---:"] * len(head), *rows))


def load(options: argparse.Namespace) -> list[str]:
    """The crowd; promises that do not hold."""
    found = table(tuple(options.sessions), options.seconds)
    print(markdown(found), flush=True)
    return [f"{ours.sessions} sessions: {error}" for pair in found for ours in pair for error in ours.errors]


def stormy(options: argparse.Namespace) -> list[str]:
    if "your_data" not in existing():
        return []
    with started() as (address, process):
        seen = asyncio.run(storm.storm(address, psutil.Process(process.pid), options.seconds))
        print(storm.told(seen), flush=True)
        alive = process.poll() is None
    return [*seen.failures, *seen.rough.errors, *([] if alive else ["the server died"])]


def large_uploads(options: argparse.Namespace) -> list[str]:
    """Eight sessions that read 8 MB each at the same time, and what that takes of the server's memory."""
    if not uploads.MEASURABLE:
        return []
    found = uploads.in_a_process(8, 250_000)
    print(uploads.told(found), flush=True)
    return uploads.broken(found)


def two_replicas(options: argparse.Namespace) -> list[str]:
    from tests.load.failover import Problem, failover

    try:
        for what, shown in failover():
            print(f"failover: {what}: {shown}", flush=True)
    except (Problem, RuntimeError) as problem:
        return [str(problem)]
    return []


def soaked(options: argparse.Namespace) -> list[str]:
    with started() as (address, process):
        seen = asyncio.run(soak.soak(address, psutil.Process(process.pid), options.minutes))
    print(soak.told(seen), flush=True)
    wrong = list(seen.errors)
    if seen.alive != 0:
        wrong.append(f"{seen.alive} sessions were not let go")
    if options.minutes >= 5 and seen.growth > max(20.0, 0.05 * seen.memory[-1]):
        wrong.append(f"memory still grew by {seen.growth:.0f} MB in the last third")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all where none is named")
    parser.add_argument(
        "--sessions", type=int, nargs="+", default=list(SESSIONS), help="how many at once, for the table"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each crowd stays")
    parser.add_argument("--minutes", type=float, default=15.0, help="how long the soak lasts")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if not all(1 <= many <= 400 for many in options.sessions):
        parser.error("--sessions takes numbers from 1 to 400")
    todo: dict[str, Callable[[argparse.Namespace], list[str]]] = {
        "table": load, "storm": stormy, "uploads": large_uploads, "failover": two_replicas, "soak": soaked,
    }  # fmt: skip
    wrong = [problem for part in PARTS if part in (options.parts or PARTS) for problem in todo[part](options)]
    for problem in sorted(set(wrong)):
        print(f"does not hold: {problem}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
