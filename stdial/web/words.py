"""Sentences that several pages share, and numbers as text."""

from __future__ import annotations

import math

from stdial.safe import markdown

__all__ = ["LIMITS", "count", "decimal", "markdown", "percent", "times"]

LIMITS = r"""
Sigma is the size of the *coefficient* in front of the difference between the mean scores of right and wrong answers, for the
first on-policy step. The length of that difference is not fixed by it: in the small real model on the page Training run sigma
explains only a few percent of the spread of the gradient's length among live groups. And several things lie outside the identity:

- importance ratios and clipping (DAPO's higher clip too), from the second update on a batch,
- a KL term,
- rollouts that are stale (off-policy),
- averaging each answer over its own length; one constant, or one token mean over the group, is fine,
- Adam, which hides any common scale.

In expectation $p\,s_+ + (1-p)\,s_- = 0$, so the difference tends to the gradient of the logit of p.
"""

MINUS = "\u2212"  # takes the width of a digit's sign column, unlike a hyphen


def decimal(x: float, digits: int = 3) -> str:
    """A number with fixed decimals and a true minus sign.

    >>> decimal(-0.5), decimal(math.inf)
    ('−0.500', '∞')
    """
    if math.isinf(x):
        return "∞" if x > 0 else MINUS + "∞"
    text = f"{abs(x):.{digits}f}"
    return MINUS + text if x < 0 and float(text) else text


def percent(x: float, digits: int = 1) -> str:
    """A share as percent; a tiny or nearly full one is not rounded to 0 or 100.

    >>> percent(0.4307), percent(1e-6), percent(0.0), percent(0.999999)
    ('43.1%', '<0.1%', '0.0%', '>99.9%')
    """
    step = 10.0 ** (-digits)
    if 0 < x < step / 200:
        return f"<{step:.{digits}f}%"
    if 1 > x > 1 - step / 200:
        return f">{100 - step:.{digits}f}%"
    return f"{100 * x:.{digits}f}%"


def count(n: float) -> str:
    """A whole number with thousands apart; one beyond 2**53, which is no count any more, to three digits.

    >>> count(215608), count(1.25e300)
    ('215,608', '1.25e+300')
    """
    return "∞" if math.isinf(n) else f"{n:,.0f}" if abs(n) <= 2**53 else f"{n:.3g}"


def times(x: float, digits: int = 2) -> str:
    """A factor.

    >>> times(1.757)
    '1.76 times'
    """
    return f"{decimal(x, digits)} times"
