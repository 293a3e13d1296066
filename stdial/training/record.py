"""The recorded run of a tiny language model, as typed tables (no torch needed to read it).

The file is one Parquet table with a column ``kind``, one row group a kind; its settings, seeds, versions, commit,
tolerances and findings are in the file's metadata. `python -m stdial.training.language_model` makes it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

__all__ = [
    "SHIPPED",
    "Averages",
    "Columns",
    "Evaluations",
    "Groups",
    "Ladder",
    "Probes",
    "Problems",
    "Record",
    "Runs",
    "Steps",
    "Updates",
    "load",
    "write",
]

SHIPPED = Path(__file__).parent.parent / "data" / "language_model.parquet"

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
    """One row a drawn group: ``k`` right answers; in the main runs also prompt and exact p (to .001), else -1, NaN."""

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
_NARROW = {"rollouts": pa.int32(), "k": pa.int8(), "update": pa.int8()}


def _stored(name: str, annotation: str) -> pa.DataType:
    if annotation == "Texts":
        return pa.string()
    return _NARROW.get(name, pa.int16()) if annotation == "Integers" else pa.float32()


_SCHEMA = pa.schema(
    {
        "kind": pa.string(),
        **{field.name: _stored(field.name, str(field.type)) for kind in KINDS for field in dataclasses.fields(kind)},
    }
)


class Record:
    """A recorded run: typed tables, each read when first asked for, and what the file says of itself.

    >>> record = load()
    >>> sorted(set(record.runs.method))
    ['DAPO', 'Dr. GRPO', 'GRPO']
    >>> bool(record.probes.take(record.probes.update == 1).error.max() < 1e-5)
    True
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with pq.ParquetFile(path) as file:
            stored = (file.schema_arrow.metadata or {}).get(b"stdial")
        if stored is None:
            raise ValueError(f"path is {str(path)!r}; it must be a record made by stdial.training.language_model")
        self.about: dict[str, Any] = json.loads(stored)

    def _columns(self, columns: type[T]) -> T:
        with pq.ParquetFile(self._path) as file:
            place: int = self.about["kinds"].index(columns.kind)
            return columns.from_table(file.read_row_group(place, columns=columns.names()))

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What held and what did not: name, claim, held, sentence and numbers, as findings.py computes them."""
        return list(self.about["findings"])

    @cached_property
    def runs(self) -> Runs:
        """Settings of every training run."""
        return self._columns(Runs)

    @cached_property
    def warm_ups(self) -> WarmUps:
        """Histograms of pass rates during the warm-ups."""
        return self._columns(WarmUps)

    @cached_property
    def problems(self) -> Problems:
        """The problems and their pass rates at the start."""
        return self._columns(Problems)

    @cached_property
    def steps(self) -> Steps:
        """Silence and rollouts at every step."""
        return self._columns(Steps)

    @cached_property
    def updates(self) -> Updates:
        """Norms, ratios and clipping at every update."""
        return self._columns(Updates)

    @cached_property
    def groups(self) -> Groups:
        """Every drawn group."""
        return self._columns(Groups)

    @cached_property
    def probes(self) -> Probes:
        """The groups measured by autograd."""
        return self._columns(Probes)

    @cached_property
    def evaluations(self) -> Evaluations:
        """Pass rates in the pool and held out."""
        return self._columns(Evaluations)

    @cached_property
    def ladder(self) -> Ladder:
        """The error ladder."""
        return self._columns(Ladder)

    @cached_property
    def averages(self) -> Averages:
        """Means over many groups of one prompt."""
        return self._columns(Averages)


@cache
def load(path: Path | str = SHIPPED) -> Record:
    """Open a recorded run: the one that ships with stdial, or another that the script has made.

    Raises
    ------
    ValueError
        When the file is some other table.
    FileNotFoundError
        When there is none.
    """
    return Record(Path(path))


def write(path: Path, rows: Mapping[str, Sequence[pa.Table]], about: Mapping[str, Any]) -> None:
    """Store tables by kind as one file; ``about`` goes to its metadata."""
    kinds = [columns.kind for columns in KINDS]
    metadata = {b"stdial": json.dumps({"kinds": kinds, **about}, allow_nan=False).encode()}
    schema = _SCHEMA.with_metadata(metadata)
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=19, use_dictionary=True) as writer:
        for kind in kinds:
            parts = [_complete(table, kind) for table in rows.get(kind, [])]
            whole = pa.concat_tables(parts) if parts else _SCHEMA.empty_table()
            writer.write_table(whole.cast(schema), row_group_size=max(1, len(whole)))


def _complete(table: pa.Table, kind: str) -> pa.Table:
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in _SCHEMA
        if field.name != "kind"
    ]
    return pa.table([pa.array([kind] * len(table), pa.string()), *columns], schema=_SCHEMA)
