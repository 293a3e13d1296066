"""Time of a plan for a million problems in (right, tries) cells, and how far it is from proved optimal.

Run with `python bench/plan.py`.
"""

from __future__ import annotations

import time

import numpy as np

from stdial import Pool
from stdial.tries import plan

PROBLEMS = 1_000_000


def pool_of_cells(seed: int = 0) -> Pool:
    """A million problems with 4 to 16 tries each, merged into cells."""
    draw = np.random.default_rng(seed)
    tries = draw.integers(4, 17, PROBLEMS)
    cells = Pool(draw.binomial(tries, draw.beta(0.4, 0.4, PROBLEMS)), tries).cells
    assert cells.right is not None
    assert cells.tries is not None
    return Pool(cells.right, cells.tries, problems=cells.problems.astype(int))


def main() -> None:
    for restriction in ({}, {"powers_of_two": True}, {"multiple_of": 4}):
        for goal in ("mixed", "update"):
            pool = pool_of_cells()
            started = time.perf_counter()
            pool.posterior()
            fitted = time.perf_counter()
            found = plan(pool, 8 * PROBLEMS + 3, goal, **restriction)
            done = time.perf_counter()
            print(
                f"{goal:7}{restriction!s:24} fit {fitted - started:.3f} s, plan {done - fitted:.3f} s, "
                f"gap {found.gap:.3g} of {getattr(found, goal):,.0f}"
            )


if __name__ == "__main__":
    main()
