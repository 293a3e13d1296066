"""Big-Math: how often Llama-3.1-8B solved each of 215,608 problems in 64 tries.

The shipped view is the histogram of arXiv 2607.00152 (CC BY 4.0); the file itself says how it was read and what it does
not show.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stdial import stored
from stdial.bigmath_views import VIEWS, build, folder, has_views, load_views, made_of
from stdial.pool import Pool

__all__ = ["About", "about", "build", "folder", "has_views", "level", "load"]

DATA: Path = Path(__file__).parent / "data"
HISTOGRAM: str = "bigmath.json"
FIT: str = "bigmath_fit.json"
FIT_OF_LEVEL: str = "bigmath_fit_level_{}.json"
LEVELS: range = range(1, 6)


@dataclass(frozen=True)
class About:
    """Where a view comes from: data set, model that was tried, source, licence, how it was read, what to beware of."""

    data_set: str
    model: str
    source: str
    licence: str
    note: str
    caveats: tuple[str, ...]


def load(folder: str | Path | None = None) -> Pool:
    """The Big-Math pool: the shipped histogram, or the views in a folder of one's own.

    Its rows are the numbers right, 0 to 64, each with its count of problems; the facet "level" holds the five published
    difficulty levels (5 is the hardest; problems that were never solved are in none).

    Parameters
    ----------
    folder : where to look for views that `build` wrote (their pool has the facets "source" and "domain" too), else for
        bigmath.json and beside it (optional) bigmath_fit.json; the shipped files if left out.

    Raises
    ------
    ValueError
        Where the folder holds neither.

    Examples
    --------
    >>> pool = load()
    >>> pool.size, pool.where("level", 5).size
    (215608, 37496)
    >>> round(pool.silent_rate(8, "plug-in"), 3), round(pool.silent_rate(8), 3)
    (0.443, 0.431)
    """
    at = DATA if folder is None else Path(folder)
    if has_views(at):
        return load_views(at)
    pool = _histogram(_read(at))
    if (at / FIT).is_file():
        stored.read(at / FIT, pool)
    return pool


def level(which: int) -> Pool:
    """One of the five published difficulty levels of the shipped histogram; its fit and bounds are stored beside it.

    Parameters
    ----------
    which : 1, the easiest, to 5, the hardest.

    Raises
    ------
    ValueError
        For another level.

    Examples
    --------
    >>> hardest = level(5)
    >>> hardest.size, round(hardest.silent_rate(8), 3)
    (37496, 0.759)
    """
    if which not in LEVELS:
        raise ValueError(f"which is {which!r}; it must be a level from 1 to 5")
    pool = load().where("level", which)
    if (path := DATA / FIT_OF_LEVEL.format(which)).is_file():
        stored.read(path, pool)
    return pool


def about(folder: str | Path | None = None) -> About:
    """What the view that `load` returns is made of.

    >>> about().model
    'Llama-3.1-8B'
    """
    at = DATA if folder is None else Path(folder)
    if has_views(at):
        return _about_views(at)
    content = _read(at)
    words = {name: str(content[name]) for name in ("data_set", "model", "source", "licence", "note")}
    return About(**words, caveats=tuple(content["caveats"]))


def _about_views(at: Path) -> About:
    made, shipped = made_of(at), about()
    when = made["made"].replace("T", " ").replace("+00:00", " UTC")
    return About(
        data_set=made["source"],
        model=shipped.model,
        source=f"built {when} from {made['source']} with {made['engine']}",
        licence="as the data set's own",
        note="; ".join(made["notes"]),
        caveats=shipped.caveats[:2],
    )


def _read(folder: Path) -> dict[str, Any]:
    path = folder / HISTOGRAM
    if not path.is_file():
        raise ValueError(f"folder is {str(folder)!r}; it must hold {VIEWS} or {HISTOGRAM}")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _histogram(content: dict[str, Any]) -> Pool:
    right = range(len(content["problems"]))
    level: list[Any] = [() for _ in right]
    for name, of_level in content["levels"].items():
        first, last = of_level["right"]
        level[first : last + 1] = [int(name)] * (last + 1 - first)
    notes = (content["source"], *content["caveats"])
    return Pool(right, content["tries"], content["problems"], facets={"level": level}, notes=notes)
