"""All parts of the record on a few processes: warm-ups first, then every run, the error ladder and the averages."""

from __future__ import annotations

import hashlib
import multiprocessing
import platform
import resource
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch

import stdial
from stdial.training import findings, record
from stdial.training.language_model import warmup
from stdial.training.language_model.arithmetic import TASKS, VERIFIERS, held_out_and_pool
from stdial.training.language_model.ladder import averages, ladder
from stdial.training.language_model.learning import Start, train
from stdial.training.language_model.settings import METHODS, RunSettings
from stdial.training.language_model.transformer import Shape, numbers

__all__ = ["TOLERANCES", "make_record"]

Tables = dict[str, list[pa.Table]]
START_TRIES = 64
LEVELS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)


@dataclass(frozen=True)
class WarmedUp:
    """A seed's starting points, one a verifier, and the rows about them."""

    starts: dict[str, Start]
    tables: Tables


def _one_thread() -> None:
    torch.set_num_threads(1)


def _table(rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Rows as a table; a key that only some rows have becomes a column with nulls (from_pylist would drop it)."""
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return pa.table({name: [row.get(name) for row in listed] for name in names})


def warm_one(seed: int, shape: Shape) -> WarmedUp:
    """Warm up one seed, and measure its pass rates under both verifiers."""
    pool, held_out = held_out_and_pool()
    looks = list(warmup.warm_up(shape, seed, pool, held_out))
    weights = looks[-1].weights
    draws = torch.Generator().manual_seed(5000 + seed)
    rates = {
        "exact": [warmup.exact_rates(weights, shape.heads, problems) for problems in (pool, held_out)],
        "near": [
            warmup.sampled_rates(weights, shape.heads, problems, "near", START_TRIES, draws) / START_TRIES
            for problems in (pool, held_out)
        ],
    }
    starts = {name: Start(shape, weights, pool, held_out, *rates[name]) for name in VERIFIERS}
    histograms = [
        {
            "seed": seed,
            "step": look.step,
            "level": f"{low:g} to {high:g}",
            "share": float(share) / len(pool),
            "rate": float(look.rates.mean()),
        }
        for look in looks
        for low, high, share in zip(LEVELS, LEVELS[1:], np.histogram(look.rates, LEVELS)[0], strict=False)
    ]
    problems = [
        {
            "seed": seed,
            "split": split,
            "prompt": prompt,
            "text": text,
            "task": TASKS[task].name,
            "p": float(exact),
            "p_near": float(near),
        }
        for place, (split, part) in enumerate((("pool", pool), ("held out", held_out)))
        for prompt, (text, task, exact, near) in enumerate(
            zip(part.texts(), part.task, rates["exact"][place], rates["near"][place], strict=True)
        )
    ]
    return WarmedUp(starts, {"warm-up": [_table(histograms)], "problem": [_table(problems)]})


def run_one(number: int, settings: RunSettings, start: Start) -> Tables:
    """One training run as tables; single groups' prompts and rates only in one seed's main runs: the file is small."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for kind, more in train(settings, start):
        rows[kind].extend({"run": number, **row} for row in more)
    main = RunSettings(settings.method, "exact", 0)
    if settings != replace(main, steps=settings.steps):
        rows["group"] = [{name: row[name] for name in ("run", "step", "k")} for row in rows["group"]]
    else:
        rows["group"] = [{**row, "p": round(row["p"], 3)} for row in rows["group"]]
    return {kind: [_table(part)] for kind, part in rows.items()}


def _ladder_of(seed: int, starts: dict[str, Start]) -> Tables:
    return {"ladder": [_table(row for name, start in starts.items() for row in ladder(start, name, seed))]}


def _averages_of(seed: int, start: Start) -> Tables:
    return {"average": [_table(averages(start, seed))]}


def make_record(path: Path, runs: Sequence[RunSettings], *, processes: int = 2, extras: bool = True) -> None:
    """Compute the runs (and the ladder and averages, unless ``extras`` is false) and write the record."""
    began, made_by = time.time(), _sources()  # now: the files may change while it runs
    shape, seeds = Shape(), sorted({run.seed for run in runs})
    tables: Tables = defaultdict(list)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_one_thread) as workers:
        warmed = dict(zip(seeds, workers.map(warm_one, seeds, [shape] * len(seeds)), strict=True))
        for part in warmed.values():
            _add(tables, part.tables)
        _say(began, f"warmed up {len(seeds)} seeds, {numbers(warmed[seeds[0]].starts['exact'].weights)} weights")
        waiting: dict[Future[Tables], str] = {}
        # The longest first, so that no process is left alone with a long one at the end.
        for number, run in sorted(enumerate(runs), key=lambda pair: -_cost(pair[1])):
            start = warmed[run.seed].starts[run.verifier]
            waiting[workers.submit(run_one, number, run, start)] = run.name
        for seed in seeds if extras else []:
            waiting[workers.submit(_ladder_of, seed, warmed[seed].starts)] = f"error ladder, seed {seed}"
            waiting[workers.submit(_averages_of, seed, warmed[seed].starts["exact"])] = f"averages, seed {seed}"
        for done, future in enumerate(as_completed(waiting), 1):
            _add(tables, future.result())
            _say(began, f"{done} of {len(waiting)}: {waiting[future]}")
    tables["run"] = [_table({"run": number, **asdict(run)} for number, run in enumerate(runs))]
    about = {**_about(shape, seeds, began), **made_by}
    record.write(path, tables, {**about, "findings": []})
    computed = findings.compute(record.Record(path))
    record.write(path, tables, {**about, "findings": computed})
    _say(began, f"wrote {path}, {path.stat().st_size / 1e6:.2f} MB")


def _cost(run: RunSettings) -> float:
    return run.steps * run.updates * (3 if METHODS[run.method].drop_silent else 1)


def _add(tables: Tables, more: Tables) -> None:
    for kind, parts in more.items():
        tables[kind].extend(parts)


def _say(began: float, text: str) -> None:
    print(f"{time.time() - began:6.0f} s  {text}", flush=True)


# How far a repeated run may lie from the recorded one in its first TOLERANCE_STEPS steps. On the same kind of processor
# it is the same to the last bit; on another instruction set sums round differently, some answer comes out otherwise, and
# the curves drift: in eleven runs over 40 steps pass rates by .012 at most, the mean silent share by .03.
TOLERANCES: dict[str, float] = {"rate": 0.03, "mean_silent": 0.05}
TOLERANCE_STEPS = 50


def _about(shape: Shape, seeds: list[int], began: float) -> dict[str, Any]:
    return {
        "made_by": "python -m stdial.training.language_model",
        "seconds": round(time.time() - began, 1),
        "cpu_seconds": round(_cpu_seconds(), 1),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "versions": {
            "stdial": stdial.__version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "cpu": torch.backends.cpu.get_cpu_capability(),
        },
        "seeds": seeds,
        "model": asdict(shape),
        "warm_up": {
            "stopped_at_mean_rate": warmup.MEAN_RATE,
            "batch": warmup.BATCH,
            "learning_rate": warmup.LEARNING_RATE,
            "look_every": warmup.LOOK_EVERY,
        },
        "tolerances": TOLERANCES,
        "tolerances_hold_for_steps": TOLERANCE_STEPS,
    }


def _cpu_seconds() -> float:
    """Processor time of this process and its finished children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


def _commit() -> str | None:
    """The repository's commit, with ``+`` when these files differ from it; None outside a repository."""
    folder = Path(__file__).parent
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--", "."], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def _sources() -> dict[str, Any]:
    """Which code this is: the commit, and a digest of the folder's files."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return {"commit": _commit(), "source_sha256": digest.hexdigest()}
