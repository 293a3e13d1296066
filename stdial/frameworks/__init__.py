"""What each RL framework makes of a group's rewards: the table, its advantages and filters, and which made a log.

>>> from stdial import frameworks
>>> len(frameworks.FRAMEWORKS), frameworks.get("verl").filter.kind
(24, 'std')
"""

from __future__ import annotations

from stdial.frameworks.behaviour import Change, changes, reward_std, setting_for
from stdial.frameworks.beside import Beside, beside
from stdial.frameworks.compare import Move, Updates, against_paper, move, updates
from stdial.frameworks.convention import Convention, Whitening, describe
from stdial.frameworks.filters import Filter
from stdial.frameworks.identify import Match, Tie, identify
from stdial.frameworks.lookup import FRAMEWORKS, advantages, get, kept, method, settings
from stdial.frameworks.spelling import options_text, read_options, spelled, spelled_changed
from stdial.frameworks.table import Framework, Metric, Option, Setting, Trap, load, shown

__all__ = [
    "FRAMEWORKS",
    "Beside",
    "Change",
    "Convention",
    "Filter",
    "Framework",
    "Match",
    "Metric",
    "Move",
    "Option",
    "Setting",
    "Tie",
    "Trap",
    "Updates",
    "Whitening",
    "advantages",
    "against_paper",
    "beside",
    "changes",
    "describe",
    "get",
    "identify",
    "kept",
    "load",
    "method",
    "move",
    "options_text",
    "read_options",
    "reward_std",
    "setting_for",
    "settings",
    "shown",
    "spelled",
    "spelled_changed",
    "updates",
]
