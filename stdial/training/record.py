"""The recorded run of a tiny language model, as typed tables (no torch needed to read it).

The file is one Parquet table with a column ``kind``, one row group a kind; its settings, seeds, versions, commit,
tolerances and findings are in the file's metadata. `python -m stdial.training.language_model` makes it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from stdial.lazily import lazily
from stdial.training.tables import (
    KINDS,
    Averages,
    Columns,
    Evaluations,
    Groups,
    Ladder,
    Probes,
    Problems,
    Runs,
    Steps,
    Updates,
    WarmUps,
)

__all__ = ["SHIPPED", "Record", "load", "replace_about", "write"]

SHIPPED = Path(__file__).parent.parent / "data" / "language_model.parquet"

T = TypeVar("T", bound=Columns)

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

    @lazily
    def runs(self) -> Runs:
        """Settings of every training run."""
        return self._columns(Runs)

    @lazily
    def warm_ups(self) -> WarmUps:
        """Histograms of pass rates during the warm-ups."""
        return self._columns(WarmUps)

    @lazily
    def problems(self) -> Problems:
        """The problems and their pass rates at the start."""
        return self._columns(Problems)

    @lazily
    def steps(self) -> Steps:
        """Silence and rollouts at every step."""
        return self._columns(Steps)

    @lazily
    def updates(self) -> Updates:
        """Norms, ratios and clipping at every update."""
        return self._columns(Updates)

    @lazily
    def groups(self) -> Groups:
        """Every drawn group."""
        return self._columns(Groups)

    @lazily
    def probes(self) -> Probes:
        """The groups measured by autograd."""
        return self._columns(Probes)

    @lazily
    def evaluations(self) -> Evaluations:
        """Pass rates in the pool and held out."""
        return self._columns(Evaluations)

    @lazily
    def ladder(self) -> Ladder:
        """The error ladder."""
        return self._columns(Ladder)

    @lazily
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


def replace_about(path: Path, **changed: Any) -> None:
    """Write a record anew with some entries of its ``about`` replaced, such as its findings."""
    with pq.ParquetFile(path) as file:
        about = {**json.loads(file.schema_arrow.metadata[b"stdial"]), **changed}
        rows = {kind: [file.read_row_group(place)] for place, kind in enumerate(about.pop("kinds"))}
    write(path, rows, about)


def _complete(table: pa.Table, kind: str) -> pa.Table:
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in _SCHEMA
        if field.name != "kind"
    ]
    return pa.table([pa.array([kind] * len(table), pa.string()), *columns], schema=_SCHEMA)
