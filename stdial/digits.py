"""How many digits of a share are worth printing: the one rule that pages, cards and reports follow."""

from __future__ import annotations

__all__ = ["digits"]

_SOME = 100


def digits(problems: float) -> int:
    """Decimals of a percentage counted over so many problems: one from 100 on, where a single problem is at most a point.

    With fewer a tenth would claim more than there is; with 200 problems 73 of them are 36.5%, and not 36%.

    >>> f"{73 / 200:.{digits(200)}%}", f"{8 / 24:.{digits(24)}%}"
    ('36.5%', '33%')
    """
    return 1 if problems >= _SOME else 0
