"""Tallies: a log of rollouts of any size, on one machine or a cluster, to the Pool of its counts.

Everything that stdial needs from a log is how many problems have how many right of how many tries, per facet: a few
thousand numbers, however many billion rows the log has. :func:`tally` asks the engine that holds the log for those
numbers. It is written once, against narwhals; a frame stays where it is and what is lazy stays lazy.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import narwhals as nw

from stdial.pool import Pool
from stdial.reading.vocabulary import Role, score
from stdial.tally.keys import Frame
from stdial.tally.logs import of_problems, of_rollouts

__all__ = ["tally"]


def tally(
    frame: Any,
    id: str | None = None,
    reward: str | None = None,
    right: str | None = None,
    tries: str | int | None = None,
    facets: str | Sequence[str] = (),
    threshold: float | None = None,
) -> Pool:
    """Count a frame of rollouts, or of problems, into a Pool; only the counts leave the engine.

    Parameters
    ----------
    frame : a pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask or PySpark (classic or Connect) table or query.
        A query is run twice, first for its reward column alone: persist one that is expensive.
    id : the column that names the problem. Needed with ``reward``.
    reward : the column of rewards, in a frame of one row a rollout: booleans, 0/1, -1/+1, or any numbers together with
        a ``threshold``. A null (or NaN) is no try: it is counted in the pool's notes.
    right, tries : the columns of right answers and of tries, in a frame of one row a problem; ``tries`` may be the
        number itself. Every row is a problem of its own; ids that repeat are counted in the notes.
    facets : columns to keep. A problem is one (id, facets): with the training step as a facet, each step counts anew.
        Under a facet of lists a problem counts under each entry, and once in the total.
    threshold : a reward of at least this is a right answer.

    Returns
    -------
    Pool
        One row per different (right, tries, facets), sorted, with ``problems`` counting; findings in ``notes``, a column that
        is named like a training step and was not kept as a facet among them.

    Raises
    ------
    ValueError
        For a column that is not there, partial credit without a threshold, counts out of range, or nothing to count.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({"id": ["a", "a", "b", "b"], "reward": [1, 0, 0, 0], "topic": ["x", "x", "y", "y"]})
    >>> pool = tally(log, id="id", reward="reward", facets="topic")
    >>> pool.right.tolist(), pool.tries.tolist(), pool.facets["topic"].tolist()
    ([1, 0], [2, 2], ['x', 'y'])

    Source: THEORY.md section 5, what a pool is.
    """
    names = [facets] if isinstance(facets, str) else list(facets)
    with warnings.catch_warnings():
        # Dask works here as it is; narwhals announces that its support will become a package of its own one day.
        warnings.filterwarnings("ignore", message="Dask support is moving", category=FutureWarning)
        table = _adopted(frame)
        _check(table, id, reward, right, tries, names)
        if right is not None and tries is not None:
            if threshold is not None:
                raise ValueError(f"threshold is {threshold}; it applies to rewards: with right, it must be None")
            pool = of_problems(table, id, right, tries, names)
        else:
            pool = of_rollouts(table, str(id), str(reward), names, threshold)
    pooled = _pooled_steps(list(table.collect_schema()), {id, reward, right, tries, *names})
    if not pooled or pool.right is None or pool.tries is None:
        return pool
    return Pool(pool.right, pool.tries, pool.problems, pool.facets, notes=[*pool.notes, *pooled])


def _pooled_steps(columns: Sequence[str], used: AbstractSet[Any]) -> list[str]:
    """A note on each column that is named like a training step and by which nothing was kept apart."""
    return [
        f"column {name} is named like a training step, and all its values are counted together; as a facet (--facet {name}) each "
        "is counted anew"
        for name in columns
        if name not in used and score(name, Role.STEP) > 0
    ]


def _adopted(frame: Any) -> nw.DataFrame[Any] | Frame:
    """The frame in narwhals' hands."""
    try:
        adopted: nw.DataFrame[Any] | Frame = nw.from_native(frame)
    except TypeError:
        raise ValueError(
            f"frame is a {type(frame).__name__}; it must be a pandas, Polars, PyArrow, DuckDB, Dask or PySpark frame"
        ) from None
    return adopted


def _check(
    frame: nw.DataFrame[Any] | Frame,
    id: str | None,
    reward: str | None,
    right: str | None,
    tries: str | int | None,
    facets: list[str],
) -> None:
    """The arguments belong together, and the columns are there."""
    if (reward is None) == (right is None):
        raise ValueError(f"reward is {reward!r} and right is {right!r}; exactly one of them must name a column")
    if reward is not None and (id is None or tries is not None):
        raise ValueError(f"id is {id!r} and tries is {tries!r}; with reward, id must name a column and tries be None")
    if right is not None and tries is None:
        raise ValueError("tries is None; with right, it must name a column or be the number of tries")
    if isinstance(tries, int) and tries < 1:
        raise ValueError(f"tries is {tries}; it must be a whole number of at least 1, or a column")
    for i, facet in enumerate(facets):
        if facet in facets[:i] or facet == id:
            raise ValueError(f"facets is {facets}; each must be named once, and none of them be the id, {id!r}")
    columns = list(frame.collect_schema())
    wanted = {"id": id, "reward": reward, "right": right, "tries": tries}
    named = [(argument, name) for argument, name in wanted.items() if isinstance(name, str)]
    for argument, name in [*named, *(("facets", facet) for facet in facets)]:
        if name not in columns:
            raise ValueError(f"{argument} is {name!r}; it must be one of the frame's columns: {', '.join(columns)}")
