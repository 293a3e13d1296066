"""Numbers of a column as rates, counts or marks: what is converted is said, what cannot be is refused by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from stdial.reading.errors import Refused
from stdial.reading.inference import infer_tries, rounded_to
from stdial.reading.profiles import Numbers
from stdial.reading.vocabulary import at_k

__all__ = ["VAST", "as_counts", "as_marks", "as_rates", "refuse_bad", "right_of_rates"]

Floats = NDArray[np.float64]
_SHOWN = 5
_MOST = 1e9  # tries of one problem
VAST = 1e100  # a reward whose square float64 holds with room to spare


def refuse_bad(name: str, bad: Sequence[tuple[int, str]], wanted: str) -> None:
    """Refuse cells that are no numbers, by row."""
    if bad:
        listed = "; ".join(f"row {row}, {name}: {text!r} is no {wanted}" for row, text in bad[:_SHOWN])
        raise Refused(listed, "out of range")


def _rows(name: str, found: Iterable[tuple[int, str]]) -> Refused:
    listed = [f"row {row + 1}, {name}: {what}" for row, what in found]
    more = f"; and {len(listed) - _SHOWN} more rows" if len(listed) > _SHOWN else ""
    return Refused("; ".join(listed[:_SHOWN]) + more, "out of range")


def as_rates(numbers: Numbers, name: str, warnings: list[str]) -> Floats:
    """Rates in [0, 1], nan where missing; percentages are divided by 100, and that is said."""
    refuse_bad(name, numbers.bad, "rate")
    values = numbers.values
    present = numbers.present
    percent = numbers.kind == "percent"
    if not percent and len(present) and _is_percent(present):
        values, percent = values / 100, True
    if percent:
        warnings.append(f"{name} read as percent")
    wrong = np.flatnonzero((values < 0) | (values > 1))
    if len(wrong):
        scale = 100 if percent else 1
        sides = {True: "below 0", False: f"above {scale}"}
        raise _rows(name, ((int(i), f"{values[i] * scale:g} is {sides[bool(values[i] < 0)]}") for i in wrong))
    return values


def _is_percent(present: Floats) -> bool:
    """Numbers from 0 to 100 of which few are in (0, 1], and which are no small counts or grades."""
    if present.min() < 0 or present.max() > 100 or present.max() <= 1:
        return False
    small = int(((present > 0) & (present <= 1)).sum())
    large = int((present > 1).sum())
    if small * 3 > large:
        return False
    return bool(present.max() >= 50 or ((present != np.floor(present)).any() and present.max() > 10))


def as_counts(right: Numbers, tries: Floats, names: tuple[str, str]) -> tuple[Floats, Floats]:
    """Right and tries as whole numbers, nan where either is missing.

    Raises
    ------
    Refused
        naming every row with more right than tries, no tries, or no whole number.
    """
    refuse_bad(names[0], right.bad, "number of right answers")
    k, n = right.values, tries
    found: list[tuple[int, str]] = []
    both = ~np.isnan(k) & ~np.isnan(n)
    odd = both & ((k < 0) | (n > _MOST) | (n < 1) | (k > n) | (k != np.floor(k)) | (n != np.floor(n)))
    for i in np.flatnonzero(odd):
        if n[i] > _MOST:
            what = f"{n[i]:g} is no number of tries"
        elif n[i] < 1:
            what = f"{k[i]:g} of {n[i]:g} tries, which is no rate"
        elif k[i] > n[i]:
            what = f"{k[i]:g} is more than {names[1]} = {n[i]:g}"
        else:
            what = f"{k[i]:g} of {n[i]:g}; both must be whole numbers of at least 0"
        found.append((int(i), what))
    if found:
        raise _rows(names[0], found)
    return np.where(both, k, np.nan), np.where(both, n, np.nan)


def as_marks(values: Floats, threshold: float | None, name: str, warnings: list[str]) -> tuple[Floats | None, Floats]:
    """Rewards as 0/1 (None where they are not right/wrong), and as they are looked at for their spread.

    >>> as_marks(np.array([-1.0, 1.0]), None, "reward", [])[0].tolist()
    [0.0, 1.0]
    """
    if np.abs(values).max(initial=0.0) > VAST:
        vast = values[np.argmax(np.abs(values))]
        raise Refused(f"{name} holds {vast:g}; rewards from {-VAST:g} to {VAST:g} are read", "out of range")
    if threshold is not None:
        return (values >= threshold).astype(np.float64), values
    levels = np.unique(values)
    if set(levels.tolist()) <= {0.0, 1.0}:
        return values, values
    if set(levels.tolist()) <= {-1.0, 1.0}:
        warnings.append("rewards -1/+1 read as wrong/right")
        marks = (values > 0).astype(np.float64)
        return marks, marks
    if len(levels) == 2:
        warnings.append(f"rewards {levels[0]:g}/{levels[1]:g} read as wrong/right")
        marks = (values == levels[1]).astype(np.float64)
        return marks, marks
    warnings.append(
        f"rewards are not right/wrong: {name} has {len(levels)} values from {levels[0]:g} to {levels[-1]:g}; groups are"
        " silent where all rewards are equal; a threshold would turn rewards into right and wrong"
        if len(levels) > 1
        else f"rewards are not right/wrong: {name} is {levels[0]:g} everywhere, so every group is silent"
    )
    return None, values


def right_of_rates(
    rate: Floats, tries: Floats | int | None, name: str, tries_name: str | None, warnings: list[str]
) -> tuple[Floats, Floats] | None:
    """Right and tries behind rates: from what is given, from a name such as ``mean@8``, or inferred; None if unknown."""
    if tries is not None:
        return _with_tries(rate, tries, name, tries_name, warnings)
    of_k = at_k(name)
    if of_k and of_k[1] > 1 and not _fits(rate, float(of_k[1])).all():
        warnings.append(f"tries unknown: {name} says {of_k[1]}, but not all of its rates are multiples of 1/{of_k[1]}")
        return None
    if of_k and of_k[1] > 1:
        warnings.append(f"tries = {of_k[1]} taken from the name {name}")
        return np.round(rate * of_k[1]), np.full(len(rate), float(of_k[1]))
    n = infer_tries(rate)
    if n is None:
        warnings.append("tries unknown: only the plug-in estimate applies, and it overstates silence")
        return None
    warnings.append(f"tries = {n} inferred: every rate is a multiple of 1/{n}")
    return np.round(rate * n), np.full(len(rate), float(n))


def _with_tries(
    rate: Floats, tries: Floats | int, name: str, tries_name: str | None, warnings: list[str]
) -> tuple[Floats, Floats] | None:
    n = np.full(len(rate), float(tries)) if isinstance(tries, int) else tries
    bad = np.isnan(n) | (n > _MOST) | (n < 1) | (n != np.floor(n))
    if bad.any():
        raise _rows(tries_name or "tries", ((int(i), f"{n[i]:g} is no number of tries") for i in np.flatnonzero(bad)))
    fits = _fits(rate, n)
    if fits.all():
        return np.round(rate * n), n
    row = int(np.argmin(fits))
    shown = f"{name} = {rate[row]:g} is no whole number of {n[row]:g} tries (row {row + 1})"
    if isinstance(tries, int):
        raise Refused(f"{shown}, so tries = {tries} cannot be", "out of range")
    warnings.append(f"tries unknown: {shown}, so {tries_name} was not used")
    return None


def _fits(rate: Floats, tries: Floats | float) -> NDArray[np.bool_]:
    """Whether rate times tries is whole, to the decimals that the rates were rounded to."""
    decimals = rounded_to(np.unique(rate), 8)
    slack = 1e-6 + (0.5 * 10.0**-decimals if 2 <= decimals <= 8 else 0.0)
    right = rate * tries
    near: NDArray[np.bool_] = np.abs(right - np.round(right)) <= np.maximum(slack * tries, 1e-6)
    return near & (slack * np.asarray(tries) < 0.45)
