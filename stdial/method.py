"""The advantage formulas, as points of one family (THEORY.md section 1, "the dial")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

__all__ = ["DAPO", "DR_GRPO", "GRPO", "RLOO", "Method", "a_method"]


def _is_number(value: object) -> bool:
    return isinstance(value, Real)


@dataclass(frozen=True)
class Method:
    """How a group's rewards become advantages: A_i = (r_i - mu) / (s + epsilon)^exponent.

    ``s = sigma sqrt(G / (G - ddof))`` is the standard deviation of the group's G rewards. A silent group (all rewards
    equal) has A = 0 under every method.

    Parameters
    ----------
    name : what the method is called on screen.
    exponent : the dial alpha, 0 to 2: 0 is Dr. GRPO, 1 is GRPO, 2 the log-odds end.
    ddof : 0 or 1, the "delta degrees of freedom" of the standard deviation.
    epsilon : a number >= 0 added to the standard deviation.
    leave_one_out : centre each reward on the mean of the *other* rewards (RLOO): A times G / (G - 1).
    drop_silent : leave silent groups out of the batch (DAPO's dynamic sampling); the advantages do not change.

    Raises
    ------
    ValueError
        For a value outside these ranges.

    Examples
    --------
    >>> Method("half way", exponent=0.5).exponent
    0.5

    Sources: arXiv 2607.00152, section 2; THEORY.md section 1.
    """

    name: str
    exponent: float = 1.0
    ddof: int = 0
    epsilon: float = 0.0
    leave_one_out: bool = False
    drop_silent: bool = False

    def __post_init__(self) -> None:
        if not (_is_number(self.exponent) and 0 <= self.exponent <= 2):
            raise ValueError(f"exponent is {self.exponent!r}; it must be a number from 0 to 2")
        if self.ddof not in (0, 1):
            raise ValueError(f"ddof is {self.ddof!r}; it must be 0 or 1")
        if not (_is_number(self.epsilon) and math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon is {self.epsilon!r}; it must be a finite number of at least 0")


GRPO = Method("GRPO")
DR_GRPO = Method("Dr. GRPO", exponent=0.0)
DAPO = Method("DAPO", drop_silent=True)
RLOO = Method("RLOO", exponent=0.0, leave_one_out=True)


def a_method(method: object) -> Method:
    """The method itself, or a ValueError for anything else: its name, for instance.

    >>> a_method("GRPO")
    Traceback (most recent call last):
    ValueError: method is 'GRPO'; it must be a Method, such as stdial.GRPO
    """
    if not isinstance(method, Method):
        raise ValueError(f"method is {method!r}; it must be a Method, such as stdial.GRPO")
    return method
