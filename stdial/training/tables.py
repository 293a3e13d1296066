"""The tables of a recorded run as typed columns, one class a kind of row."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = [
    "KINDS",
    "Averages",
    "Columns",
    "Evaluations",
    "Groups",
    "Ladder",
    "Probes",
    "Problems",
    "Runs",
    "Steps",
    "Updates",
    "WarmUps",
]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Texts = NDArray[np.object_]


@dataclasses.dataclass(frozen=True)
class Columns:
    """Equally long arrays, one a field; in float fields NaN where a row has no value."""

    kind: ClassVar[str] = ""

    @classmethod
    def names(cls) -> list[str]:
        """The columns' names."""
        return [field.name for field in dataclasses.fields(cls)]

    @classmethod
    def from_table(cls: type[T], table: pa.Table) -> T:
        """Read the class's columns out of a table."""
        arrays: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            column = table.column(field.name)
            if field.type == "Floats":
                arrays[field.name] = column.cast(pa.float64()).fill_null(np.nan).to_numpy()
            elif field.type == "Integers":
                arrays[field.name] = column.cast(pa.int64()).fill_null(-1).to_numpy()
            else:
                arrays[field.name] = np.array(column.to_pylist(), dtype=object)
        return cls(**arrays)

    def take(self: T, chosen: NDArray[Any]) -> T:
        """Keep the rows at which ``chosen`` is true, or at these places."""
        return type(self)(**{name: getattr(self, name)[chosen] for name in self.names()})

    def __len__(self) -> int:
        return len(getattr(self, self.names()[0]))


T = TypeVar("T", bound=Columns)


@dataclasses.dataclass(frozen=True)
class Runs(Columns):
    """One row a training run: its number ``run`` and settings (language_model/settings.py says what each means)."""

    kind: ClassVar[str] = "run"
    run: Integers
    method: Texts
    verifier: Texts
    seed: Integers
    optimizer: Texts
    learning_rate: Floats
    steps: Integers
    updates: Integers
    prompts: Integers
    size: Integers
    clip: Floats


@dataclasses.dataclass(frozen=True)
class WarmUps(Columns):
    """One row a look at a warm-up: ``step``, and the share of the pool with a starting pass rate in each ``level``."""

    kind: ClassVar[str] = "warm-up"
    seed: Integers
    step: Integers
    level: Texts
    share: Floats
    rate: Floats


@dataclasses.dataclass(frozen=True)
class Problems(Columns):
    """One row a problem and warm-up seed: ``p`` at the start, exact, and ``p_near`` by 64 tries under ``near``."""

    kind: ClassVar[str] = "problem"
    seed: Integers
    split: Texts
    prompt: Integers
    text: Texts
    task: Texts
    p: Floats
    p_near: Floats


@dataclasses.dataclass(frozen=True)
class Steps(Columns):
    """One row a step: rollouts so far, groups drawn and trained on, and their silent share, measured and predicted.

    ``silent_predicted`` is the mean of p^G + (1-p)^G over the same prompts from exact pass rates, under ``near`` every
    fifth step from 64 fresh tries; ``silent_variance`` is that of the measured share around it.
    """

    kind: ClassVar[str] = "step"
    run: Integers
    step: Integers
    rollouts: Integers
    groups: Integers
    trained_groups: Integers
    mean_reward: Floats
    silent: Floats
    silent_predicted: Floats
    silent_variance: Floats


@dataclasses.dataclass(frozen=True)
class Updates(Columns):
    """One row an update: norms of the batch's gradient and of the step, and how far the ratios left 1 before it."""

    kind: ClassVar[str] = "update"
    run: Integers
    step: Integers
    update: Integers
    gradient_norm: Floats
    step_norm: Floats
    clip_fraction: Floats
    log_ratio_mean: Floats
    log_ratio_high: Floats


@dataclasses.dataclass(frozen=True)
class Groups(Columns):
    """One row a drawn group: ``k`` right answers; in one seed's main runs prompt and exact p (to .001), else -1, NaN."""

    kind: ClassVar[str] = "group"
    run: Integers
    step: Integers
    k: Integers
    prompt: Integers
    p: Floats


@dataclasses.dataclass(frozen=True)
class Probes(Columns):
    """One row a live group measured by autograd: see language_model/probe.py, `Identity`, for the norms and errors."""

    kind: ClassVar[str] = "probe"
    run: Integers
    step: Integers
    update: Integers
    prompt: Integers
    k: Integers
    p: Floats
    c: Floats
    norm: Floats
    contrast: Floats
    right_norm: Floats
    wrong_norm: Floats
    error: Floats
    unclipped_error: Floats
    clipped: Floats


@dataclasses.dataclass(frozen=True)
class Evaluations(Columns):
    """One row an evaluation and class of problems: mean pass rate in the pool or held out, ``by`` what, which level."""

    kind: ClassVar[str] = "evaluation"
    run: Integers
    step: Integers
    rollouts: Integers
    split: Texts
    by: Texts
    level: Texts
    problems: Integers
    rate: Floats


@dataclasses.dataclass(frozen=True)
class Ladder(Columns):
    """One row a group and rung of the error ladder: relative error against sigma (s+ - s-), as is and best scaled."""

    kind: ClassVar[str] = "ladder"
    seed: Integers
    verifier: Texts
    rung: Texts
    prompt: Integers
    k: Integers
    p: Floats
    norm: Floats
    error: Floats
    scaled_error: Floats


@dataclasses.dataclass(frozen=True)
class Averages(Columns):
    """One row a prompt and method: the mean gradient of many groups beside its expectation, weight times grad p."""

    kind: ClassVar[str] = "average"
    seed: Integers
    method: Texts
    prompt: Integers
    groups: Integers
    p: Floats
    norm: Floats
    expected_norm: Floats
    cosine: Floats


KINDS: tuple[type[Columns], ...] = (
    Runs,
    WarmUps,
    Problems,
    Steps,
    Updates,
    Groups,
    Probes,
    Evaluations,
    Ladder,
    Averages,
)
