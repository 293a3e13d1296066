"""Fits that are kept in a file, for pools that everybody opens: the mixing distribution, and bounds by group size.

``python -m stdial.stored`` computes those of the shipped Big-Math histogram and its levels anew (a few minutes). A page that
finds them stored needs no solver, and draws the bounds at any of the sizes at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

from stdial.dropping import retry_bounds
from stdial.mixing import Mixing
from stdial.pool import Pool

__all__ = ["read", "write"]


def write(path: str | Path, pool: Pool, sizes: Iterable[float], retries: Iterable[int] = (), tries: int = 4) -> None:
    """Store a pool's fitted `Pool.mixing`, and its `Pool.silent_interval` at these sizes, all beyond its tries.

    At the sizes `retries`, `dropping.retry_bounds` of up to `tries` groups are stored, too.
    """
    found = pool.mixing()
    bounds = {f"retry {size} {tries}": [round(end, 7) for end in retry_bounds(pool, size, tries)] for size in retries}
    ends = {_text(size): [round(end, 7) for end in pool.silent_interval(size)] for size in sizes}
    lines = [f"  {json.dumps(size)}: {json.dumps(pair)}" for size, pair in ends.items()]
    content = {
        "made_by": "python -m stdial.stored",
        "problems": pool.size,
        "log_likelihood": found.log_likelihood,
        "gap": found.gap,
        "p": found.p.tolist(),
        "weight": found.weight.tolist(),
        "bounds": bounds,
    }
    head = json.dumps(content, indent=1).removesuffix("\n}")
    Path(path).write_text(f'{head},\n "silence": {{\n' + ",\n".join(lines) + "\n }\n}\n", encoding="utf-8")


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


def _text(size: float) -> str:
    return "inf" if math.isinf(size) else str(int(size))


if __name__ == "__main__":
    from stdial import bigmath
    from stdial.charts.difficulty import FRAMES

    sizes = [*range(65, 1025), math.inf]
    files: dict[str, Callable[[], Pool]] = {bigmath.FIT: bigmath.load}
    files |= {bigmath.FIT_OF_LEVEL.format(n): partial(bigmath.level, n) for n in bigmath.LEVELS}
    for name, pool in files.items():
        (bigmath.DATA / name).unlink(missing_ok=True)
        write(bigmath.DATA / name, pool(), sizes, [size for size in FRAMES if 4 * size > 64])
