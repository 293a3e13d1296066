"""The figures of a reading that ``report`` prints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stdial.pool import Pool
    from stdial.reading import Reading

__all__ = ["silence", "summary"]


def summary(reading: Reading, size: int = 8) -> dict[str, Any]:
    r"""Counts, means and silent shares of a reading, ready for JSON; None where a figure does not apply.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G, a whole number of at least 2.

    Returns
    -------
    dict
        problems, rollouts, all_wrong, all_right, silent_groups, mean_rate, mean_sigma (means over problems), silent
        (``{"8": {best, unbiased, deconvolved, plug_in, low, high}}``), warnings, mapping.

    Raises
    ------
    ValueError
        For a size below 2.

    Examples
    --------
    >>> from stdial.reading import read
    >>> found = summary(read(b"id,right,tries\na,0,8\nb,4,8\n"), 4)
    >>> found["all_wrong"], round(found["silent"]["4"]["unbiased"], 4)
    (1, 0.5143)
    """
    if size < 2:
        raise ValueError(f"size is {size}; it must be a whole number of at least 2")
    pool = reading.pool
    found: dict[str, Any] = {
        "problems": reading.problems,
        "rollouts": reading.rollouts,
        "all_wrong": None,
        "all_right": None,
        "silent_groups": reading.silent_groups,
        "mean_rate": None,
        "mean_sigma": reading.mean_sigma,
        "silent": None,
        "warnings": list(reading.warnings),
        "mapping": dict(reading.mapping),
    }
    if pool is not None:
        found["all_wrong"] = int(pool.problems[pool.rate == 0].sum())
        found["all_right"] = int(pool.problems[pool.rate == 1].sum())
        found["mean_rate"], found["mean_sigma"] = pool.mean_rate, pool.mean_sigma
        found["silent"] = {str(size): silence(pool, size)}
    return found


def silence(pool: Pool, size: int) -> dict[str, float | None]:
    """The silent rate at one group size by each estimate, and how far it is known.

    >>> from stdial import Pool
    >>> silence(Pool.from_rates([0.5]), 2)["plug_in"], silence(Pool.from_rates([0.5]), 2)["unbiased"]
    (0.5, None)
    """
    names = {"best": "best", "unbiased": "unbiased", "deconvolved": "deconvolved", "plug_in": "plug-in"}
    found: dict[str, float | None] = {
        key: _or_none(partial(pool.silent_rate, size, name)) for key, name in names.items()
    }
    interval = _or_none(partial(pool.silent_interval, size))
    found["low"], found["high"] = interval if interval is not None else (None, None)
    return found


def _or_none(figure: Callable[[], Any]) -> Any:
    try:
        return figure()
    except ValueError:
        return None
