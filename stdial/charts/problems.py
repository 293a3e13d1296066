"""Figure of all problems in one line, to pick one from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stdial import per_problem
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.pool import Pool
from stdial.remembered import remembered

if TYPE_CHECKING:
    from stdial.reading import Reading

__all__ = ["ORDERS", "in_order", "order_of", "orders"]

ORDERS = {
    "silent": "Most likely mixed first",
    "most-silent": "Most likely silent first",
    "update": "Largest update first",
    "file": "As in the file",
}
_BY_SIGMA = {"silent": "Largest sigma first", "most-silent": "Smallest sigma first", "file": "As in the file"}
_MOST_DRAWN = 4000


def orders(reading: Reading) -> dict[str, str]:
    """The orders that a reading has, with their words; rewards of many values have no chance of silence."""
    return _BY_SIGMA if reading.pool is None else ORDERS


def order_of(reading: Reading, by: str, G: int) -> NDArray[np.intp]:
    r"""Places of the problems in an order, one of `ORDERS`; problems that are alike stay in the order of the file.

    Rewards of many values have sigma, the largest first or last, in place of the chance of silence and of the update.

    >>> from stdial.reading import read
    >>> found = read(b"id,right,tries\na,0,8\nb,4,8\nc,8,8\n")
    >>> [order_of(found, by, 8).tolist() for by in ORDERS]
    [[1, 0, 2], [0, 2, 1], [1, 0, 2], [0, 1, 2]]
    """
    pool = reading.pool
    if by == "file":
        return np.arange(len(reading.stats.mean))
    if pool is None:
        return np.argsort(reading.stats.sigma if by == "most-silent" else -reading.stats.sigma, kind="stable")
    return remembered(pool, ("order", by, G), lambda: _ordered(pool, by, G))


def _ordered(pool: Pool, by: str, G: int) -> NDArray[np.intp]:
    value = -per_problem.update_cells(pool, G) if by == "update" else per_problem.silent_cells(pool, G)
    # to twelve digits: symmetric outcomes, 1 of 8 and 7 of 8, are equal but for the last ones
    value = np.round(-value if by == "most-silent" else value, 12)
    rank = np.unique(value, return_inverse=True)[1]
    return np.argsort(rank[pool.cells.index], kind="stable")


def in_order(reading: Reading, by: str, place: int, G: int) -> Chart:
    r"""All problems in an order, with the chance that the next group is silent; tap one to see its rollouts.

    Parameters
    ----------
    reading : the file.
    by : one of `ORDERS`.
    place : the picked problem's place in that order, from 1.
    G : group size.

    >>> from stdial.reading import read
    >>> in_order(read(b"id,right,tries\na,0,8\nb,4,8\n"), "silent", 2, 8).shows
    {'G': 8, 'problem': 2, 'of': 2}
    """
    order, words_for = order_of(reading, by, G), orders(reading)
    by_words = words_for.get(by, words_for["silent"])
    many = len(order)
    if reading.pool is None:
        height, words = reading.stats.sigma[order], "sigma of its rewards"
    else:
        height, words = per_problem.silent_chance(reading.pool, G)[order], "chance that its next group is silent"
    drawn = np.unique(np.rint(np.linspace(0, many - 1, min(many, _MOST_DRAWN))).astype(np.intp))
    x, here = drawn + 1.0, float(height[place - 1])
    hover = "problem %{x:,.0f}: %{y:.3f}<extra></extra>"
    traces = [
        style.points(packed(x), packed(height[drawn]), words, style.GREY, size=5, hovertemplate=hover),
        style.points([place], [here], "picked", style.INK, size=12, hovertemplate=hover),
    ]
    layout = style.layout(
        "problems, in this order",
        "chance" if reading.pool is not None else "sigma",
        height=240,
        shapes=[style.rule(place)],
    )
    layout["xaxis"] |= {"range": [0.5 - 0.01 * many, many + 0.5 + 0.01 * many], "tickformat": ",d"}
    top = 1.03 if reading.pool is not None else max(float(height.max()) * 1.08, 0.01)
    layout["yaxis"] |= {"range": [-0.03 * top, top]}
    return Chart(
        "problems", traces, layout,
        f"{many:,} problems, {by_words[0].lower()}{by_words[1:]}; number {place:,} is picked, with a {words} of {here:.3f}.",
        shows={"G": G, "problem": place, "of": many}, table={"place": np.arange(many) + 1, words: height},
        caption=f"Up: the {words}. Tap a problem to see its rollouts.", tap={"x": "problem", "step": 1, "low": 1, "high": many},
        narrow={"height": 220, "margin.l": 50},
    )  # fmt: skip
