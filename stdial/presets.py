"""Made-up pools to think with: the same mean pass rate in different shapes (THEORY.md section 5, its last lines).

Each is a `stdial.Pool` of 1,000 problems with known rates (tries unknown, so that only the plug-in applies, and here it
is no estimate: the rates are the truth). A shape is a Beta distribution cut into 200 bins of equal probability, each
represented by its mean, so that the pool's mean is exact. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stdial.arguments import FloatArray
from stdial.pool import Pool

__all__ = ["PRESETS", "Preset", "pool"]

_PROBLEMS = 1000
_BINS = 200
_LOW, _HIGH = 0.02, 0.98  # where the two ends lie


@dataclass(frozen=True)
class Preset:
    """A shape of pool.

    Attributes
    ----------
    name : what it is called on screen and in links.
    what : one sentence for a caption.
    mean : the mean pass rate if none is given.
    low, high : the means it can have and keep its shape, both included.
    build : makes the pool for such a mean.
    """

    name: str
    what: str
    mean: float
    low: float
    high: float
    build: Callable[[float], Pool]


def pool(name: str, mean: float | None = None) -> Pool:
    """A preset pool of 1,000 problems by its name.

    Parameters
    ----------
    name
        "bell", "U", "hard-heavy", "two ends" or "all at one p".
    mean
        Mean pass rate, within the preset's own range; left out, its default.

    Raises
    ------
    ValueError
        For an unknown name, or a mean outside the preset's range.

    Examples
    --------
    The same mean of one half, and the share of groups of 8 that are silent:

    >>> for name in ("all at one p", "bell", "U", "two ends"):
    ...     print(name, round(pool(name, 0.5).silent_rate(8), 3))
    all at one p 0.008
    bell 0.051
    U 0.584
    two ends 0.851
    """
    if name not in PRESETS:
        raise ValueError(f"name is {name!r}; it must be one of {', '.join(repr(known) for known in PRESETS)}")
    preset = PRESETS[name]
    mean = preset.mean if mean is None else mean
    if not preset.low <= mean <= preset.high:
        raise ValueError(f"mean is {mean}; for {name!r} it must be a number from {preset.low} to {preset.high}")
    return preset.build(float(mean))


def _bell(mean: float) -> Pool:
    """Most problems near the mean: Beta with a + b = 8, or more where one side would lose its hump."""
    total = max(8.0, 2.0 / min(mean, 1 - mean))
    return _beta(mean, total, "bell")


def _u(mean: float) -> Pool:
    """Most problems nearly always wrong or nearly always right: Beta with a + b = 1/2."""
    return _beta(mean, 0.5, "U")


def _hard_heavy(mean: float) -> Pool:
    """Most problems hard and a thin tail of easy ones, as in a set that is ahead of its model: Beta with a + b = 2."""
    return _beta(mean, 2.0, "hard-heavy")


def _two_ends(mean: float) -> Pool:
    """Every problem either at .02 or at .98, in the proportion that gives the mean, to the nearest problem."""
    easy = round(_PROBLEMS * (mean - _LOW) / (_HIGH - _LOW))
    return Pool.from_rates([_LOW, _HIGH], problems=[_PROBLEMS - easy, easy], notes=_note("two ends"))


def _one(mean: float) -> Pool:
    """All problems equally hard: the pool that a mean pass rate alone suggests."""
    return Pool.from_rates([mean], problems=[_PROBLEMS], notes=_note("all at one p"))


def _beta(mean: float, total: float, name: str) -> Pool:
    rates = _bin_means(mean * total, (1 - mean) * total)
    return Pool.from_rates(rates, problems=np.full(_BINS, _PROBLEMS // _BINS), notes=_note(name))


def _bin_means(a: float, b: float) -> FloatArray:
    """Mean of Beta(a, b) within each of its bins of equal probability: p times its density is Beta(a + 1, b)'s."""
    from scipy import special

    up, down = np.arange(_BINS + 1) / _BINS, np.arange(_BINS, -1, -1) / _BINS
    below, above = special.betaincinv(a, b, up), special.betaincinv(b, a, down)  # edges, as p and as 1 - p
    low = np.diff(special.betainc(a + 1, b, below))
    high = -np.diff(special.betainc(b, a + 1, above))
    share = np.where(below[:-1] < 0.5, low, high)  # near 1 the digits of an edge lie in 1 - p
    means: FloatArray = np.clip(a / (a + b) * share * _BINS, 0.0, 1.0)
    return means


def _note(name: str) -> list[str]:
    return [f"preset: {name}; the rates are made up and exact"]


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("bell", "Most problems near the mean.", 0.5, 0.05, 0.95, _bell),
        Preset("U", "Most problems nearly always wrong or nearly always right.", 0.5, 0.05, 0.95, _u),
        Preset("hard-heavy", "Most problems hard, with a thin tail of easy ones.", 0.25, 0.05, 0.45, _hard_heavy),
        Preset("two ends", "Every problem at .02 or at .98.", 0.5, 0.02, 0.98, _two_ends),
        Preset("all at one p", "Every problem equally hard.", 0.5, 0.0, 1.0, _one),
    )
}
