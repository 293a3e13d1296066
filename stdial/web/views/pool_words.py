"""What several pages say of a chosen pool: how well its silent share is known, and the Python that loads it."""

from __future__ import annotations

from stdial.digits import digits as carried
from stdial.pool import Pool
from stdial.web.pools import Chosen
from stdial.web.words import count, percent

__all__ = ["digits", "exact", "fewest_tries", "how_known", "many_cells", "python_of"]

_MADE_UP = {"bell": "bell", "u": "U", "hard": "hard-heavy", "ends": "two ends"}
_MANY_CELLS = 3000  # kinds of problems


def exact(chosen: Chosen) -> bool:
    """Whether the pool's rates are made up and so no estimates."""
    return chosen.name in _MADE_UP or chosen.name == "one"


def digits(chosen: Chosen) -> int:
    """Decimals of a percentage that the pool carries."""
    return 1 if exact(chosen) else carried(chosen.pool.size)


def many_cells(pool: Pool) -> bool:
    """Whether a figure of the pool takes too long to compute it for every frame of a scrub, or for many budgets."""
    return len(pool.cells.rate) > _MANY_CELLS


def fewest_tries(pool: Pool) -> int:
    """The fewest tries of any problem: the largest group that can be counted; 0 for bare rates."""
    tries = pool.cells.tries
    return 0 if tries is None else int(tries[pool.cells.problems > 0].min())


def how_known(chosen: Chosen, G: int) -> str:
    """One sentence: what the silent share at G is made of, from how many, and how far it is known."""
    pool, places = chosen.pool, digits(chosen)
    if exact(chosen):
        return "Exact: the rates of this pool are made up, not estimated."
    if pool.tries is None:
        return (
            "Plug-in: each rate is taken for the truth, since the number of tries is not known. That overstates silence, "
            "and nothing here says by how much."
        )
    low, high = pool.silent_interval(G)
    fewest = fewest_tries(pool)
    if fewest >= G:
        what = f"Counted over every choice of {G} of a problem's tries"
        ends = f"{percent(low, places)} to {percent(high, places)}"
        return f"{what}, {count(pool.size)} problems; 95% interval {ends}."
    prior = "fitted to all problems" if "Jeffreys" not in pool.best_is(G) else "under Jeffreys' prior"
    least, most = percent(low, places), percent(high, places)
    ends = f"{most} possible" if least == most else f"anything from {least} to {most} possible"
    left = "1 try leaves" if fewest == 1 else f"{fewest} tries leave"
    return f"An estimate beyond the tries logged, {prior}: {left} {ends}, at two standard errors."


def python_of(chosen: Chosen) -> tuple[str, str]:
    """The import and the expression that make the pool in Python."""
    name = chosen.name
    kind, _, value = name.partition(":")
    if name in _MADE_UP:
        return "from stdial import presets", f"presets.pool({_MADE_UP[name]!r})"
    if name == "one":
        return "from stdial import presets", f"presets.pool('all at one p', {chosen.pool.mean_rate!r})"
    if chosen.private:
        return "from stdial import reading", "reading.read('your file').pool"
    if name.startswith("level-"):
        return "from stdial import bigmath", f"bigmath.load().where('level', {int(name[-1])})"
    if kind in ("source", "domain"):
        return "from stdial import bigmath", f"bigmath.load(bigmath.folder()).where({kind!r}, {value!r})"
    return "from stdial import bigmath", "bigmath.load(bigmath.folder())" if name == "built" else "bigmath.load()"
