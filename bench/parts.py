"""The benchmarks as rows of a table: what, its value, what is aimed at. Each has a full and a short form."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from bench import interaction, plan, reading, tally
from stdial import DAPO, DR_GRPO, GRPO, bigmath, training, tries
from stdial.web.places import existing
from tests.browser.conftest import started

Rows = list[tuple[str, str, str]]


def interactive(short: bool) -> Rows:
    """From a key press to what it changes on screen, server work a move, frames of a scrub."""
    return interaction.interaction(3 if short else 30)


def starting(short: bool) -> Rows:
    """A server's start, and a cold browser's first chart."""
    return interaction.start(1 if short else 5)


def uploading(short: bool) -> Rows:
    """A CSV of rollouts to a Pool, beside what pyarrow alone needs to read it."""
    rows: Rows = []
    millions = 0.05 if short else 10.0
    with tempfile.TemporaryDirectory() as folder:
        for named in (False, True):
            path = Path(folder) / "rollouts.csv"
            reading.write(path, millions, named)
            runs: dict[str, list[tuple[float, ...]]] = {"pyarrow": [], "stdial": []}
            for _ in range(1 if short else reading.REPEATS):
                for how, seen in runs.items():
                    seen.append(reading.run(how, path))
            ours, theirs = (np.array(runs[how]).min(axis=0) for how in ("stdial", "pyarrow"))
            what = f"{millions:g} million rows, {'named' if named else 'numbered'} problems"
            size = path.stat().st_size
            rows += [
                (
                    f"{what}: time / pyarrow reading the same file",
                    f"{ours[0] / theirs[0]:.2f} ({ours[0]:.2f} s)",
                    "at most 2",
                ),
                (f"{what}: processor time / pyarrow's", f"{ours[1] / theirs[1]:.2f}", ""),
                (f"{what}: peak memory / size of the file", f"{ours[2] / size:.2f}", "at most 3"),
            ]
    return rows


def tallying(short: bool) -> Rows:
    """A tally of rollouts in Parquet with DuckDB, beside a query by hand."""
    rows: Rows = []
    for many in (20_000,) if short else (1_000_000, 10_000_000, 100_000_000):
        with tempfile.TemporaryDirectory(prefix="stdial-bench-") as folder:
            hand, ours = tally.compared(tally.make(Path(folder), many), "4GB")
        clock, processor = (ours[name] / hand[name] for name in ("seconds", "processor"))
        rows += [
            (f"{many:,} rows: time / query by hand", f"{clock:.2f} ({ours['seconds']:.2f} s)", "at most 1.5"),
            (f"{many:,} rows: processor time / query by hand", f"{processor:.2f}", "at most 1.5"),
            (f"{many:,} rows: peak memory", f"{ours['gigabytes']:.2f} GB", "below 2 GB"),
        ]
    return rows


def planning(short: bool) -> Rows:
    """A plan for a million problems of 4 to 16 tries, the fit of the mixing distribution apart."""
    rows: Rows = []
    for goal in ("mixed",) if short else ("mixed", "update"):
        pool = plan.pool_of_cells()
        began = time.perf_counter()
        pool.posterior()
        fitted = time.perf_counter()
        found = tries.plan(pool, 8 * plan.PROBLEMS + 3, goal)
        done = time.perf_counter()
        rows += [
            (f"a million problems, goal {goal}: fit", f"{fitted - began:.2f} s", ""),
            (f"a million problems, goal {goal}: plan", f"{done - fitted:.3f} s", "at most 1 s"),
            (
                f"a million problems, goal {goal}: what the best could have more",
                f"{found.gap / getattr(found, goal):.1e}",
                "",
            ),
        ]
    return rows


def training_runs(short: bool) -> Rows:
    """The controlled run with all that its page draws."""
    pool, best = bigmath.load(), float("inf")
    for _ in range(1 if short else 5):
        began = time.perf_counter()
        for method in (GRPO, DR_GRPO, DAPO):
            trained = training.run(pool, method, steps=20 if short else 150)
            _ = trained.hardest_quarter, trained.mean_rate, trained.mass, trained.mass_limit, trained.r2_silent
        best = min(best, time.perf_counter() - began)
    return [("three methods x 150 steps x 6,000 prompts", f"{best:.2f} s", "at most 0.5 s")]


def loaded(short: bool) -> tuple[Rows, str]:
    """Many sessions at once: the aims, and the whole table."""
    from tests.load import __main__ as load

    found = load.table((3,) if short else load.SESSIONS, 3 if short else 30)
    rows: Rows = []
    for least, ours in found:
        if ours.sessions in (3, 200):
            ratio = ours.quantile(0.95) / least.quantile(0.95)
            rows += [
                (f"{ours.sessions} sessions: p95 of a rerun / smallest app's", f"{ratio:.1f}", "at most 3"),
                (f"{ours.sessions} sessions: p95 of a rerun", f"{ours.quantile(0.95):.0f} ms", "below 50 ms"),
                (f"{ours.sessions} sessions: errors", f"{len(ours.errors)}", "0"),
            ]
    return rows, load.markdown(found)


def classed(short: bool) -> Rows:
    """200 visitors who opened one link, each moving the page's main control every two seconds."""
    from tests.load import __main__ as load

    rows: Rows = []
    for path, least, ours in load.classes(3 if short else 200, 3 if short else 30):
        rows += [
            (
                f"{path}: p95 of a rerun; / smallest app's",
                f"{ours.quantile(0.95):.0f} ms; {ours.quantile(0.95) / least.quantile(0.95):.1f}",
                "below 50 ms; at most 3",
            ),
            (
                f"{path}: p50, p99; CPU a request; errors",
                f"{ours.quantile(0.5):.0f}, {ours.quantile(0.99):.0f} ms; {ours.cpu_a_move:.1f} ms; {len(ours.errors)}",
                "",
            ),
        ]
    return rows


def stormy(short: bool) -> Rows:
    """Hostile files beside ordinary visitors."""
    from tests.load import storm

    if short or "your_data" not in existing():
        return []
    with started() as (address, process):
        seen = asyncio.run(storm.storm(address, psutil.Process(process.pid), 30))
    return [
        ("hostile files taken while ten others go on", f"{seen.uploads}", ""),
        (
            "p95 of the others' reruns before and during it",
            f"{seen.calm.quantile(0.95):.0f} and {seen.rough.quantile(0.95):.0f} ms",
            "",
        ),
        ("errors shown to the others; to the attackers", f"{len(seen.rough.errors)}; {len(seen.failures)}", "0; 0"),
        ("most memory of the server and its readers", f"{seen.peak:.0f} MB", ""),
    ]


def soaking(short: bool, minutes: float = 15) -> Rows:
    """Visitors who come, upload and go."""
    from tests.load import soak

    with started() as (address, process):
        seen = asyncio.run(
            soak.soak(address, psutil.Process(process.pid), 0.05 if short else minutes, 2 if short else 20)
        )
    quarters = [seen.memory[round(i * (len(seen.memory) - 1) / 4)] for i in range(5)]
    return [
        ("visitors, moves, uploads", f"{seen.visitors:,}, {seen.moves:,}, {seen.uploads:,}", ""),
        ("memory at the start, after each quarter", ", ".join(f"{value:.0f}" for value in quarters) + " MB", ""),
        ("growth from the middle third to the last", f"{seen.growth:+.1f} MB", "none"),
        ("sessions left at the end; errors", f"{seen.alive}; {len(seen.errors)}", "0; 0"),
    ]


def failing_over(short: bool) -> Rows:
    """Two replicas behind nginx, one killed while browsers are open on both."""
    from tests.load import failover, proxy

    if short or proxy.nginx() is None:
        return []
    return [(what, shown, "") for what, shown in failover.failover()]
