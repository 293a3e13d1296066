"""Groups that are nearly silent: how many lie below a sigma, and what they carry; and intervals of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from stdial.reading import Groups

__all__ = ["nearly", "wilson"]

_Z95 = 1.959963984540054

Floats = NDArray[np.float64]


def nearly(groups: Groups, near: float, weights: ArrayLike | None = None) -> dict[str, float]:
    """How many groups are silent, how many more lie below a threshold, and their share of the summed sigma.

    >>> from stdial.reading import Groups
    >>> two = Groups(*(np.array(x, float) for x in ([8, 8], [0.1, 0.5], [0.1, 0.5], [0, 0], [1, 1])))
    >>> nearly(two, 0.2)["nearly"], round(nearly(two, 0.2)["update_below"], 3)
    (1.0, 0.167)
    """
    many = np.ones(len(groups.sigma)) if weights is None else np.asarray(weights, dtype=np.float64)
    silent = groups.silent
    close = ~silent & (groups.sigma < near)
    total = float(many[~silent] @ groups.sigma[~silent])
    return {
        "silent": float(many[silent].sum()),
        "nearly": float(many[close].sum()),
        "update_below": float(many[close] @ groups.sigma[close]) / total if total > 0 else 0.0,
    }


def wilson(count: Floats, total: float) -> tuple[Floats, Floats]:
    """95% intervals of counts of `total` problems (Wilson's), in problems.

    >>> low, high = wilson(np.array([0.0, 50.0]), 100.0)
    >>> low.round(1).tolist(), high.round(1).tolist()
    ([0.0, 40.4], [3.7, 59.6])
    """
    z2 = _Z95**2
    centre = (count + z2 / 2) / (total + z2)
    reach = _Z95 * np.sqrt(np.maximum(count * (total - count), 0) / total + z2 / 4) / (total + z2)
    return total * np.maximum(centre - reach, 0), total * np.minimum(centre + reach, 1)
