"""The columns of a pool: outcomes, how many problems share them, labels; checked, frozen, and cut by facet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stdial.cells import Cells, cells_of, column, counts, entries, frozen, rates
from stdial.lazily import lazily

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Records"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Records:
    """What `stdial.Pool` is made of, which describes the arguments and attributes."""

    right: NDArray[np.int64] | None
    tries: NDArray[np.int64] | None
    rate: NDArray[np.float64]
    problems: NDArray[Any]
    facets: Mapping[str, NDArray[Any]]
    ids: NDArray[Any] | None
    notes: tuple[str, ...]

    def __init__(
        self,
        right: ArrayLike,
        tries: ArrayLike,
        problems: ArrayLike | None = None,
        facets: Mapping[str, Iterable[Any]] | None = None,
        ids: Iterable[Any] | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        k, n = counts("right", right, 0), counts("tries", tries, 1)
        if len(n) not in (1, len(k)) and len(k) != 1:
            raise ValueError(f"tries has {len(n)} entries; it must have one, or one a row, {len(k)} in all")
        k, n = (np.array(a) for a in np.broadcast_arrays(k, n))
        if (k > n).any():
            at = int(np.argmax(k > n))
            raise ValueError(f"right[{at}] is {k[at]}; it must be a whole number from 0 to tries[{at}] = {n[at]}")
        self._fill(k, n, k / n, problems, facets, ids, notes)

    @classmethod
    def from_rates(
        cls,
        rate: ArrayLike,
        problems: ArrayLike | None = None,
        facets: Mapping[str, Iterable[Any]] | None = None,
        ids: Iterable[Any] | None = None,
        notes: Iterable[str] = (),
    ) -> Self:
        """A pool of bare pass rates in [0, 1] whose number of tries is not known: only the plug-in applies to it.

        >>> Records.from_rates([0.25, 0.75]).mean_rate
        0.5
        """
        pool = cls.__new__(cls)
        pool._fill(None, None, np.array(rates(rate)), problems, facets, ids, notes)
        return pool

    def _fill(
        self,
        right: NDArray[np.int64] | None,
        tries: NDArray[np.int64] | None,
        rate: NDArray[np.float64],
        problems: ArrayLike | None,
        facets: Mapping[str, Iterable[Any]] | None,
        ids: Iterable[Any] | None,
        notes: Iterable[str],
    ) -> None:
        rows = len(rate)
        share = _problems(problems, rows)
        if facets is not None and not isinstance(facets, Mapping):
            raise ValueError(f"facets is {facets!r}; it must be a mapping: name -> one entry a row")
        named = {name: entries(f"facets[{name!r}]", labels, rows) for name, labels in (facets or {}).items()}
        values = {
            "right": None if right is None else frozen(right),
            "tries": None if tries is None else frozen(tries),
            "rate": frozen(rate),
            "problems": frozen(share),
            "facets": MappingProxyType(named),
            "ids": None if ids is None else entries("ids", ids, rows),
            "notes": (notes,) if isinstance(notes, str) else tuple(notes),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        rest = (self.problems, dict(self.facets), self.ids, self.notes)
        if self.right is None or self.tries is None:
            return type(self).from_rates, (self.rate, *rest)
        return type(self), (self.right, self.tries, *rest)

    def __repr__(self) -> str:
        what = "bare rates" if self.tries is None else f"{_span(self.tries)} tries each"
        name = f"{type(self).__name__} of {self.size:,} problems in {len(self.rate):,} rows"
        return f"<{name}, {what}, mean rate {self.mean_rate:.4g}>"

    @lazily
    def cells(self) -> Cells:
        """The distinct outcomes with their problem counts: all that the estimates look at."""
        return cells_of(self.right, self.tries, self.rate, self.problems)

    @lazily
    def size(self) -> float:
        """Number of problems (an int unless ``problems`` holds expected counts)."""
        total = self.problems.sum()
        return int(total) if self.problems.dtype.kind in "iu" else float(total)

    @lazily
    def mean_rate(self) -> float:
        """Mean observed pass rate over problems."""
        return self._mean(self.cells.rate)

    @lazily
    def mean_sigma(self) -> float:
        """Mean over problems of sqrt(p (1 - p)) at the observed rate p."""
        return self._mean(np.sqrt(self.cells.rate * (1 - self.cells.rate)))

    def _mean(self, of_cell: NDArray[np.float64]) -> float:
        return float(of_cell @ self.cells.problems / self.cells.problems.sum())

    def rows(self) -> pd.DataFrame:
        """One table row a row of the pool: id, right, tries (both only where known), problems, rate, sigma, facets.

        A facet that is named like one of these columns is called "name (facet)".

        >>> Records([1, 4], 8, ids=["a", "b"]).rows()[["id", "rate"]].values.tolist()
        [['a', 0.125], ['b', 0.5]]
        """
        import pandas as pd

        known = {"id": self.ids, "right": self.right, "tries": self.tries, "problems": self.problems}
        table = {name: values for name, values in known.items() if values is not None}
        table |= {"rate": self.rate, "sigma": np.sqrt(self.rate * (1 - self.rate))}
        for name, labels in self.facets.items():
            table[f"{name} (facet)" if name in table else name] = labels
        return pd.DataFrame(table)

    def values(self, facet: str) -> dict[Any, float]:
        """Value -> number of problems under it, in the order of first appearance; a tuple counts under each entry.

        >>> Records([1, 2], 8, facets={"domain": [("algebra", "number"), "algebra"]}).values("domain")
        {'algebra': 2.0, 'number': 1.0}
        """
        found: dict[Any, float] = {}
        for label, share in zip(self._facet(facet).tolist(), self.problems.tolist(), strict=True):
            for value in dict.fromkeys(label) if isinstance(label, tuple) else (label,):
                found[value] = found.get(value, 0.0) + share
        return found

    def where(self, facet: str, value: Any) -> Self:
        """The rows with this value of a facet, or with it among their tuple's entries.

        Where no entry equals ``value``, entries are compared as text, so that a value out of a link finds its number.

        Raises
        ------
        ValueError
            For a facet that the pool has not, or a value that no row has.
        """
        labels = self._facet(facet).tolist()
        for wanted, plain in ((value, lambda v: v), (str(value), str)):
            kept = np.fromiter((_holds(label, wanted, plain) for label in labels), dtype=bool, count=len(labels))
            if kept.any():
                return self.take(kept)
        known = ", ".join(repr(v) for v in list(self.values(facet))[:12])
        raise ValueError(f"value is {value!r}; it must be a value of facet {facet!r}, such as {known}")

    def take(self, kept: ArrayLike) -> Self:
        """The rows of a mask or of positions, as a pool of their own.

        >>> Records([0, 3, 8], 8).take([True, False, True]).right.tolist()
        [0, 8]
        """
        at = np.asarray(kept)
        facets = {name: labels[at] for name, labels in self.facets.items()}
        rest = (self.problems[at], facets, None if self.ids is None else self.ids[at], self.notes)
        if self.right is None or self.tries is None:
            return type(self).from_rates(self.rate[at], *rest)
        return type(self)(self.right[at], self.tries[at], *rest)

    def _facet(self, name: str) -> NDArray[Any]:
        if name not in self.facets:
            known = ", ".join(repr(n) for n in self.facets) or "none: the pool has no facets"
            raise ValueError(f"facet is {name!r}; it must be one of {known}")
        return self.facets[name]


def _problems(problems: ArrayLike | None, rows: int) -> NDArray[Any]:
    if rows == 0:
        raise ValueError("right (or rate) has 0 entries; it must have at least one row")
    if problems is None:
        return np.ones(rows, dtype=np.int64)
    share = column("problems", problems)
    if len(share) not in (1, rows):
        raise ValueError(f"problems has {len(share)} entries; it must have one a row, {rows} in all")
    share = np.array(np.broadcast_to(share, rows))
    if (share < 0).any():
        at = int(np.argmax(share < 0))
        raise ValueError(f"problems[{at}] is {share[at]:g}; it must be a number of at least 0")
    if not share.sum() > 0:
        raise ValueError("problems sums to 0; it must have at least one entry above 0")
    return share.astype(np.int64) if (share == np.floor(share)).all() else share


def _span(values: NDArray[np.int64]) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def _holds(label: Any, wanted: Any, plain: Any) -> bool:
    if isinstance(label, tuple):
        return any(plain(part) == wanted for part in label)
    return bool(plain(label) == wanted)
