"""Fits that are kept in a file, for pools that everybody opens: the mixing distribution, and bounds by group size.

``python -m stdial.stored`` computes those of the shipped Big-Math histogram, its levels and the sample anew (some minutes).
A page that finds them stored needs no solver, and draws the bounds at any of the sizes at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from stdial import by_size
from stdial.dropping import retry_bounds
from stdial.mixing import Mixing
from stdial.pool import Pool

__all__ = ["read", "read_silent", "write", "write_silent"]


def write(path: str | Path, pool: Pool, sizes: Iterable[float], retries: Iterable[int] = (), tries: int = 4) -> None:
    """Store a pool's fitted `Pool.mixing`, and its `Pool.silent_interval` at these sizes, all beyond its tries.

    At the sizes `retries`, `dropping.retry_bounds` of up to `tries` groups are stored, too.
    """
    found = pool.mixing()
    bounds = {f"retry {size} {tries}": [round(end, 7) for end in retry_bounds(pool, size, tries)] for size in retries}
    ends = {_text(size): [round(end, 7) for end in pool.silent_interval(size)] for size in sizes}
    content = {
        "made_by": "python -m stdial.stored",
        "problems": pool.size,
        "log_likelihood": found.log_likelihood,
        "gap": found.gap,
        "p": found.p.tolist(),
        "weight": found.weight.tolist(),
    }
    head = json.dumps(content, indent=1).removesuffix("\n}")
    parts = [f' "{name}": {{\n{_lines(pairs)}\n }}' for name, pairs in (("bounds", bounds), ("silence", ends))]
    Path(path).write_text(",\n".join([head, *parts]) + "\n}\n", encoding="utf-8")


def read(path: str | Path, pool: Pool) -> None:
    """Let a pool remember what `write` stored of it.

    Raises
    ------
    ValueError
        Where the file belongs to a pool of another number of problems.
    """
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    if content["problems"] != pool.size:
        raise ValueError(
            f"path is {str(path)!r}, a fit of {content['problems']:,} problems; the pool has {pool.size:,}"
        )
    p, weight = np.array(content["p"]), np.array(content["weight"])
    silence = {float(size): (low, high) for size, (low, high) in content["silence"].items()}
    others = {name: (low, high) for name, (low, high) in content.get("bounds", {}).items()}
    pool.remember(Mixing(p, weight, content["log_likelihood"], content["gap"]), silence, others)


def write_silent(path: str | Path, pool: Pool, sizes: Iterable[int]) -> None:
    """Store a pool's fitted `Pool.mixing`, and `by_size.at` at these sizes, all beyond its tries; in full."""
    fitted = pool.mixing()
    content = {
        "made_by": "python -m stdial.stored",
        "right": int(pool.problems @ (pool.right if pool.right is not None else 0)),
    }
    content |= {"log_likelihood": fitted.log_likelihood, "gap": fitted.gap, "p": fitted.p.tolist()}
    head = json.dumps(content | {"weight": fitted.weight.tolist()}, indent=1).removesuffix("\n}")
    rows = [
        json.dumps([one.size, one.best, one.low, one.high, one.plug_in]) for one in (by_size.at(pool, n) for n in sizes)
    ]
    Path(path).write_text(f'{head},\n "silent": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n", encoding="utf-8")


def read_silent(path: str | Path, pool: Pool) -> None:
    """Let a pool know what `write_silent` stored of it.

    Raises
    ------
    ValueError
        Where the file belongs to a pool of another number of right answers.
    """
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    right = int(pool.problems @ (pool.right if pool.right is not None else 0))
    if content["right"] != right:
        raise ValueError(
            f"path is {str(path)!r}, of a pool with {content['right']:,} right answers; this one has {right:,}"
        )
    found = [
        by_size.Silent(size, best, low, high, plug_in, counted=False)
        for size, best, low, high, plug_in in content["silent"]
    ]
    fitted = Mixing(np.array(content["p"]), np.array(content["weight"]), content["log_likelihood"], content["gap"])
    pool.remember(fitted, {one.size: (one.low, one.high) for one in found})
    by_size.learn(pool, found)


def _lines(pairs: Mapping[str, Sequence[float]]) -> str:
    """One line for each."""
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(pair)}" for name, pair in pairs.items())


def _text(size: float) -> str:
    return "inf" if math.isinf(size) else str(int(size))


if __name__ == "__main__":
    from stdial import bigmath, sample
    from stdial.charts.difficulty import FRAMES

    sizes = [*range(65, 1025), math.inf]
    files: dict[str, Callable[[], Pool]] = {bigmath.FIT: bigmath.load}
    files |= {bigmath.FIT_OF_LEVEL.format(n): partial(bigmath.level, n) for n in bigmath.LEVELS}
    for name, pool in files.items():
        (bigmath.DATA / name).unlink(missing_ok=True)
        retries = range(17, 1025) if name == bigmath.FIT else [size for size in FRAMES if 4 * size > 64]
        write(bigmath.DATA / name, pool(), sizes, retries)
    shown = sample.sample().pool
    anew = Pool(shown.right, shown.tries)  # one that knows nothing of what was stored before
    write_silent(sample.SILENT, anew, range(by_size.logged(anew) + 1, 1025))
