r"""Rewards and advantages as people paste them from a log: text, CSV, JSON, JSON lines.

>>> from stdial.frameworks import pasted
>>> pasted.read("rewards: 1 0 0 0\nadvantages: 1.5 -0.5 -0.5 -0.5").groups
((1.0, 0.0, 0.0, 0.0),)
"""

from __future__ import annotations

from stdial.frameworks.pasted.log import LONGEST, MOST_ANSWERS, Log, read, written
from stdial.frameworks.pasted.values import PasteError

__all__ = ["LONGEST", "MOST_ANSWERS", "Log", "PasteError", "read", "written"]
