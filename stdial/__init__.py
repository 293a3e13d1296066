"""stdial: how GRPO, Dr. GRPO and DAPO use one number, the standard deviation of a group's rewards (arXiv 2607.00152).

>>> from stdial import group, GRPO
>>> float(group.update(1, 8, GRPO)).__round__(4)
0.3307
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stdial.method import DAPO, DR_GRPO, GRPO, RLOO, Method

if TYPE_CHECKING:
    from stdial.pool import Pool

__version__ = "1.0.0"
__all__ = ["DAPO", "DR_GRPO", "GRPO", "RLOO", "Method", "Pool"]

_MODULES = frozenset(
    (
        "batches",
        "bigmath",
        "charts",
        "competence",
        "dropping",
        "expectation",
        "frameworks",
        "group",
        "mixing",
        "pool",
        "presets",
        "reading",
        "resampling",
        "tally",
        "training",
        "tries",
    )
)


def __getattr__(name: str) -> Any:  # modules load on first use, so that importing stdial stays fast
    if name == "Pool":
        return importlib.import_module("stdial.pool").Pool
    if name in _MODULES:
        return importlib.import_module(f"stdial.{name}")
    raise AttributeError(f"module 'stdial' has no attribute {name!r}")
