"""Every number that the paper gives for Big-Math, beside the same formula here and the best estimate, with why they differ.

The paper's numbers are kept in data/bigmath_paper.json; those here are computed when asked for.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from stdial import by_size
from stdial.method import DR_GRPO, GRPO, Method
from stdial.pool import Pool

__all__ = ["Comparison", "of_silence", "of_update", "printed"]

_DATA = Path(__file__).parent / "data" / "bigmath_paper.json"
_Bands = tuple[tuple[float, float], ...]
_Which = tuple[str, _Bands]  # method and bands
_EXTREME: _Bands = ((0.0, 0.1), (0.9, 1.0))
_CLIP = (0.02, 0.98)
_MEDIUM: _Bands = ((0.4, 0.6 + 1e-9),)  # the paper closes it at .6, which no 64th meets
_kept: WeakKeyDictionary[Pool, tuple[dict[_Which, float], dict[_Which, float]]] = WeakKeyDictionary()


class Comparison(NamedTuple):
    """One number of the paper.

    Attributes
    ----------
    what : the quantity.
    paper : the paper's number as printed: percent, or a factor.
    digits : decimals that it was printed with.
    percent : whether it is percent (else a factor).
    same : the paper's formula computed here, in the same unit.
    best : the best estimate, or (low, high) where the data only bound it; None where it is the same.
    why : why the best estimate differs, or why it does not.
    """

    what: str
    paper: float
    digits: int
    percent: bool
    same: float
    best: float | tuple[float, float] | None
    why: str


@cache
def printed() -> dict[str, Any]:
    """The paper's numbers as printed, and the size of the whole data set by source.

    >>> printed()["irreducible_percent"], printed()["full_data_set"]["problems"]
    (11.2, 251122)
    """
    content: dict[str, Any] = json.loads(_DATA.read_text(encoding="utf-8"))
    return content


def of_silence(pool: Pool) -> list[Comparison]:
    """The paper's numbers on silent groups beside ours; `pool` is the shipped Big-Math histogram.

    >>> from stdial import bigmath
    >>> one = of_silence(bigmath.load())[5]
    >>> one.what, one.paper, round(one.same, 2), round(one.best, 2)
    ('Silent at G = 8, closed form', 44, 44.28, 43.07)
    """
    return [*_ends(pool), *_silent(pool)]


def of_update(pool: Pool, G: int) -> list[Comparison]:
    """The paper's numbers on shares of the update, which hold for large groups, beside ours at group size G.

    >>> from stdial import bigmath
    >>> one = of_update(bigmath.load(), 8)[1]
    >>> one.paper, round(one.same, 1), round(one.best, 1)
    (24.7, 24.7, 16.7)
    """
    return [*_shares(pool, G), *_run(pool)]


def _ends(pool: Pool) -> list[Comparison]:
    shown, rate, problems = printed(), pool.cells.rate, pool.cells.problems
    never, always = (100 * float(problems[rate == end].sum() / problems.sum()) for end in (0, 1))
    seen = "A count of what 64 tries showed; it says nothing yet of the 65th."
    low, high = (100 * end for end in pool.silent_interval(math.inf))
    luck = "Most of it is luck: 64 tries cannot show that a problem is always wrong or always right."
    return [
        Comparison("Never solved in 64 tries", shown["never_percent"], 1, True, never, None, seen),
        Comparison("Always solved in 64 tries", shown["always_percent"], 1, True, always, None, seen),
        Comparison(
            "Silent at every G (“irreducible”)", shown["irreducible_percent"], 1, True, never + always, (low, high), luck
        ),
    ]  # fmt: skip


def _silent(pool: Pool) -> list[Comparison]:
    shown = printed()
    found = []
    closed, drawn = shown["silent_closed_form_percent"], shown["silent_subsampled_percent"]
    for size, of_formula, of_draws in zip(shown["silent_size"], closed, drawn, strict=True):
        now = by_size.at(pool, size)
        best = 100 * now.best
        why = "The closed form takes each k/64 for the truth and counts luck as silence."
        found.append(
            Comparison(f"Silent at G = {size}, closed form", of_formula, 0, True, 100 * now.plug_in, best, why)
        )
        if of_draws is not None:
            same = "Drawing without replacement is the unbiased estimate: no difference."
            found.append(Comparison(f"Silent at G = {size}, subsampled", of_draws, 0, True, best, best, same))
    return found


def _shares(pool: Pool, G: int) -> list[Comparison]:
    shown = printed()
    flat = "p(1 − p) needs two tries: Dr. GRPO's shares are the same at every G."
    milder = f"The limit against G = {G}: a finite group is silent most often at the extremes."
    if by_size.logged(pool) < G:
        milder += " Beyond the tries ours is a plug-in too."
    at_inf, of_two = _at_every_size(pool)
    at_G = of_two | {("GRPO", band): 100 * share(pool, band, G, GRPO) for band in (_EXTREME, _MEDIUM)}
    plain, ours = ("Dr. GRPO", _EXTREME), ("GRPO", _EXTREME)
    factors = at_inf[ours] / at_inf[plain], at_G[ours] / at_G[plain]
    rows = []
    for band, words in ((_EXTREME, "below .1 or above .9"), (_MEDIUM, "from .4 to .6")):
        given = shown["extreme_percent" if band is _EXTREME else "medium_percent"]
        for name in ("Dr. GRPO", "GRPO"):
            key = (name, band)
            why = flat if name == "Dr. GRPO" else milder
            what = f"{name}'s update on rates {words}"
            rows.append(Comparison(what, given[name], 1, True, at_inf[key], at_G[key], why))
    rows.insert(2, Comparison("GRPO's extremes over Dr. GRPO's", shown["extreme_factor"], 2, False, *factors, milder))
    return rows


def _at_every_size(pool: Pool) -> tuple[dict[_Which, float], dict[_Which, float]]:
    """Percent of the update of each method on each band in the limit, and Dr. GRPO's at any group size; kept with the pool."""
    if pool not in _kept:
        both, bands = (("Dr. GRPO", DR_GRPO), ("GRPO", GRPO)), (_EXTREME, _MEDIUM)
        at_inf = {(name, band): 100 * share(pool, band, math.inf, method) for name, method in both for band in bands}
        _kept[pool] = at_inf, {("Dr. GRPO", band): 100 * share(pool, band, 2, DR_GRPO) for band in bands}
    return _kept[pool]


def share(pool: Pool, bands: _Bands, size: float, method: Method) -> float:
    """Share of the update on bands of observed rate: counted where the tries reach, else plug-in, as the paper's limit is."""
    estimate = "unbiased" if size <= by_size.logged(pool) else "plug-in"
    return sum(pool.mass_share(low, high, size, method, estimate) for low, high in bands)


def _run(pool: Pool) -> list[Comparison]:
    """The paper's own run, at its own G; kept with the pool."""
    if pool not in _runs:
        _runs[pool] = _of_run(pool)
    return _runs[pool]


def _of_run(pool: Pool) -> list[Comparison]:
    why = "The paper's run at G = 8 starts from rates inside (0, 1), clipped to .02 to .98; ours is all problems as they are."
    rate, inside = pool.cells.rate, (pool.cells.rate > 0) & (pool.cells.rate < 1)
    start = Pool.from_rates(np.clip(rate[inside], *_CLIP), pool.cells.problems[inside])
    found = []
    for name, method in (("Dr. GRPO", DR_GRPO), ("GRPO", GRPO)):
        paper = printed()["run_extreme_percent"][name]
        expected, best = (100 * share(which, _EXTREME, 8, method) for which in (start, pool))
        found.append(Comparison(f"{name}'s update on the extremes, in a run", paper, 1, True, expected, best, why))
    return found


_runs: WeakKeyDictionary[Pool, list[Comparison]] = WeakKeyDictionary()
