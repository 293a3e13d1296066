r"""Any table of pass rates or rollouts, read right: a ``Pool``, a question, or a refusal.

>>> table = b"qid,correct\n" + b"a,yes\na,no\n" * 4 + b"b,no\n" * 8
>>> found = read(table)
>>> found.mapping, found.pool.right.tolist()
({'id': 'qid', 'reward': 'correct'}, [4, 0])
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any, Literal

from stdial.reading.errors import ReadingError, Refused, Unclear
from stdial.reading.limits import Limits
from stdial.reading.result import Groups, Reading

__all__ = ["Groups", "Limits", "Reading", "ReadingError", "Refused", "Unclear", "read"]


def read(
    file: str | os.PathLike[str] | bytes | IO[Any],
    *,
    id: str | None = None,
    rate: str | None = None,
    right: str | None = None,
    tries: str | int | None = None,
    reward: str | None = None,
    rewards: str | Sequence[str] | None = None,
    step: str | None = None,
    at_step: str | float | None = None,
    group: str | None = None,
    facets: str | Sequence[str] | None = None,
    problems: str | None = None,
    high_is: Literal["easy", "hard"] | None = None,
    threshold: float | None = None,
    each_step: bool = False,
    name: str | None = None,
    limits: Limits | None = None,
) -> Reading:
    r"""Read a table of pass rates or rollouts.

    CSV in any usual dialect and encoding, JSON, JSON Lines, Parquet, Feather and Arrow IPC, plain or compressed (gzip,
    zstd, bzip2, xz). Columns are recognised by name, type and values; nothing is dropped, clipped, inverted or merged
    without a warning.

    Parameters
    ----------
    file : a path, the bytes, or an open file.
    id, rate, right, tries, reward, rewards, step, group, facets : the column of that role, where the guess is to be
        overruled. ``id=""`` says that there is none, ``step=""`` that all rows belong together; ``tries`` may be a
        number; ``rewards`` is a column of lists, several columns, or "first .. last"; ``facets`` several columns.
    problems : the column that says how many problems share a row, in a table of counted rates.
    at_step : the step (or model) to read where a file holds several; ``each_step=True`` reads id x step as separate
        problems, with "step" as a facet.
    high_is : "easy" or "hard", what a high value of a difficulty column (or of ``rate``) means.
    threshold : rewards of at least this are right, others wrong.
    name : what the file is called in messages, for bytes and open files.
    limits : sizes at which to stop.

    Returns
    -------
    Reading
        with ``pool`` None where rewards have more than two values and no threshold is given.

    Raises
    ------
    Refused
        Where there is nothing to read, with the reason and its ``kind``.
    Unclear
        Where two readings are plausible, with the ``choices``, and ``answers`` to pass on as keyword arguments.
    ValueError
        For a column or step that is not there; it names those that are.

    Examples
    --------
    >>> read(b"id;pass_rate\n" + b"".join(b"q%d;0,%d\n" % (i, i % 4 * 25) for i in range(12))).warnings
    ('tries = 4 inferred: every rate is a multiple of 1/4',)
    >>> read(b"id,pass_rate\na,1.3\n")
    Traceback (most recent call last):
    stdial.reading.errors.Refused: row 1, pass_rate: 1.3 is above 1

    Source: DESIGN.md, "Uploads".
    """
    from stdial.reading.options import Options
    from stdial.reading.reader import read_source
    from stdial.reading.source import open_source

    bounds = limits or Limits()
    said = Options.of(
        {
            "id": id, "rate": rate, "right": right, "tries": tries, "reward": reward, "rewards": rewards, "step": step,
            "at_step": at_step, "group": group, "facets": facets, "problems": problems, "high_is": high_is,
            "threshold": threshold, "each_step": each_step,
        }
    )  # fmt: skip
    return read_source(open_source(file, bounds, name), bounds, said)
