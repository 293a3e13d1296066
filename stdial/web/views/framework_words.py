"""Words that the stages of the page Frameworks share: names, claims, and lists of numbers short enough to read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby

from stdial.frameworks import Framework, Setting
from stdial.web.words import MINUS

__all__ = ["adverb", "claim", "listed", "name_and_version", "value"]


def name_and_version(framework: Framework) -> str:
    """The full name with the version that the claims are about.

    >>> from stdial.frameworks import get
    >>> name_and_version(get("TRL"))
    'TRL 1.16.0'
    """
    return f"{framework.name} {framework.version}"


def claim(framework: Framework, setting: Setting) -> str:
    """How a setting's advantages are known: run, or read in the source only.

    >>> from stdial.frameworks import get
    >>> claim(get("verl"), get("verl").setting({}))
    'Run: pypi verl 0.9.1, imported and called.'
    """
    if setting.checked == "run":
        return f"Run: {framework.run}."
    return f"Read, not run: {framework.read}."


def adverb(factor: float) -> str:
    """Whether a factor makes smaller or larger."""
    return "smaller" if factor < 1 else "larger"


def listed(values: Iterable[float], form: str = "") -> str:
    """Numbers on one line; runs of three or more equal ones are counted. ``form`` is a format for them, else ``value``.

    >>> listed([1, 0, 0, 0]), listed([0.5, -59.6046]), listed([0.5, -1.0], "g")
    ('1, 3 × 0', '0.500, −59.6', '0.5, −1')
    """
    parts = []
    for text, run in groupby(format(x, form).replace("-", MINUS) if form else value(float(x)) for x in values):
        n = len(list(run))
        parts += [f"{n} × {text}"] if n > 2 else [text] * n
    return ", ".join(parts)


def value(x: float) -> str:
    """A reward or an advantage: whole numbers plain, three decimals, and what is tiny with its power of ten.

    >>> value(1.0), value(-0.57735), value(-5.96e-8), value(1e6)
    ('1', '−0.577', '−6e−8', '1,000,000')
    """
    if math.isnan(x):
        return "NaN"
    sign = MINUS if x < 0 else ""
    size = abs(x)
    if math.isinf(size):
        return sign + "∞"
    if size == round(size):
        return f"{sign}{size:,.0f}"
    if size < 5e-4:
        mantissa, exponent = f"{size:.1e}".split("e")
        return f"{sign}{mantissa.removesuffix('.0')}e{str(int(exponent)).replace('-', MINUS)}"
    if size < 0.05:
        return f"{sign}{size:.2g}"
    return f"{sign}{size:,.0f}" if size >= 1e4 else f"{sign}{size:.1f}" if size >= 10 else f"{sign}{size:.3f}"
