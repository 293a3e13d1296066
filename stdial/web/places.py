"""The pages of the app: file, name in the navigation, and the parameters that each shows."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PLACES", "Place", "existing"]

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Place:
    """One page: its file, its name, the names of its parameters in the order of the address."""

    file: str
    label: str
    params: tuple[str, ...]


PLACES = {
    "": Place("app.py", "One group", ("G", "k", "marks", "alpha", "mode", "rewards", "shift")),
    "difficulty": Place("pages/difficulty.py", "Difficulty", ("G", "p", "alpha", "view", "dots", "seed")),
    "silence": Place(
        "pages/silence.py",
        "Silence",
        ("G", "p", "pool", "mean", "m", "train_batch", "generation_batch", "cap", "grow"),
    ),
    "tries": Place(
        "pages/tries.py",
        "How many tries",
        (
            "G",
            "p",
            "pool",
            "loss",
            "miss",
            "spend",
            "budget_in",
            "per_problem",
            "budget",
            "goal",
            "method",
            "smallest",
            "largest",
            "multiple",
            "powers",
        ),
    ),
    "big_math": Place("pages/big_math.py", "Big-Math", ("G", "pool")),
    "your_data": Place(
        "pages/your_data.py",
        "Your data",
        (
            "G",
            "near",
            "keep_from",
            "keep_to",
            "facet",
            "filter_by",
            "train_on",
            "train_batch",
            "order",
            "problem",
            "framework",
            "want",
        ),
    ),
    "training_run": Place(
        "pages/training_run.py",
        "Training run",
        ("G", "pool", "p", "t", "against", "lr", "m", "redraw", "alpha", "band", "seed", "steps", "recorded"),
    ),
    "frameworks": Place(
        "pages/frameworks.py", "Frameworks", ("G", "framework", "setting", "number", "to", "to_setting")
    ),
    "for_a_class": Place("pages/for_a_class.py", "For a class", ("part", "lesson", "G", "k", "line")),
}


@functools.cache
def existing() -> tuple[str, ...]:
    """The paths of the pages whose file is there."""
    return tuple(path for path, place in PLACES.items() if (_ROOT / place.file).exists())
