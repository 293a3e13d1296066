"""Big-Math views of one's own, counted from the data set: by source, by domain and by published level.

Building needs `datasets`; reading what was built needs pyarrow alone, so that a page never loads the former.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from stdial.pool import Pool
from stdial.pool_file import made_from, read_pool, write_pool

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HUB", "VIEWS", "build", "folder", "has_views", "load_views", "made_of"]

HUB: str = "open-r1/Big-Math-RL-Verified-Processed"
VIEWS: str = "bigmath.parquet"
TRIES: int = 64
RATE: str = "llama8b_solve_rate"
COLUMNS: tuple[str, ...] = ("source", "domain", RATE)
_SHIPPED = Path(__file__).parent / "data" / "bigmath.json"
_NO_RATE, _OFF_GRID = -1, -2
_BATCH = 10_000
# Names that the data set has not: streaming drops a column by its name, also a new one.
_COUNTED = ("right", "of", "under", "problems")


def folder() -> Path:
    """Where built views live: the folder that STDIAL_DATA names, else "stdial" in the user's cache folder.

    >>> from unittest.mock import patch
    >>> with patch.dict("os.environ", STDIAL_DATA="views"):
    ...     folder().as_posix()
    'views'
    """
    if named := os.environ.get("STDIAL_DATA"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "stdial"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "stdial"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stdial"


def has_views(at: str | Path | None = None) -> bool:
    """Whether views were built in a folder, by default the user's own.

    >>> has_views("a folder that is not there")
    False
    """
    return (Path(at or folder()) / VIEWS).is_file()


def load_views(at: str | Path | None = None) -> Pool:
    """The pool of built views: facets "source", "domain" (a tuple: a problem counts under each) and "level".

    Raises
    ------
    ValueError
        Where the folder holds no views.

    Examples
    --------
    See :func:`build`.
    """
    return read_pool(_views_in(at))


def made_of(at: str | Path | None = None) -> dict[str, Any]:
    """What built views were made from, and when: source, engine, made (UTC), notes."""
    return made_from(_views_in(at)) or {}


def _views_in(at: str | Path | None) -> Path:
    path = Path(at or folder()) / VIEWS
    if not path.is_file():
        raise ValueError(f"folder is {str(path.parent)!r}; it must hold {VIEWS}, which python -m stdial bigmath builds")
    return path


def build(
    source: str | Path = HUB,
    out: str | Path | None = None,
    *,
    streaming: bool = False,
    num_proc: int | None = None,
) -> Pool:
    """Count how many problems were solved how often, by source, domain and published level, and keep the counts.

    Parameters
    ----------
    source : the name of a data set on the hub, either published variant (columns problem and answer, or prompt and
        solution; only source, domain and llama8b_solve_rate are counted), or a local Parquet file, folder or glob.
    out : the folder to write to, made where it is not there; :func:`folder` if left out. The file is whole or not there.
    streaming : read the data set as it comes instead of downloading it first.
    num_proc : how many processes count, where it is not streamed.

    Returns
    -------
    Pool
        As :func:`load_views` returns it. Problems without a rate, and rates that are no multiple of 1/64, are counted
        in its notes and are in no view.

    Raises
    ------
    ValueError
        For a source that cannot be read, columns that are not there, or no rate to count.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> home = Path(tempfile.mkdtemp())
    >>> rates = {"source": ["MATH"] * 2, "domain": [["Algebra", "Geometry"], []], "llama8b_solve_rate": [0.5, None]}
    >>> pq.write_table(pa.table(rates), home / "problems.parquet")
    >>> pool = build(home / "problems.parquet", home)
    >>> pool.right.tolist(), pool.values("domain"), load_views(home).notes[1]
    ([32], {'Algebra': 1.0, 'Geometry': 1.0}, '1 without a solve rate: left out')
    """
    where = Path(out or folder())
    try:
        import datasets
    except ImportError:
        raise ValueError("building the Big-Math views needs datasets: pip install stdial[bigmath]") from None
    with _rows(datasets, str(source), streaming, num_proc) as rows:
        pool = _pool(_counts(rows, streaming, num_proc))
    where.mkdir(parents=True, exist_ok=True)
    made = {"source": str(source), "engine": f"datasets {datasets.__version__}", "columns": list(COLUMNS)}
    write_pool(pool, where / VIEWS, made)
    return pool


@contextmanager
def _rows(datasets: Any, source: str, streaming: bool, num_proc: int | None) -> Iterator[Any]:
    """The data set's three columns. A local file is read through a cache of its own, which is removed afterwards."""
    files = _local(source)
    options: dict[str, Any] = {"split": "train", "streaming": streaming}
    with TemporaryDirectory(prefix="stdial-", ignore_cleanup_errors=True) as scratch:
        try:
            if files:
                _need(source, _columns_of(files[0]))
                options |= {"data_files": files, "cache_dir": scratch, "columns": list(COLUMNS)}
                rows = datasets.load_dataset("parquet", **options)
            else:
                configs = datasets.get_dataset_config_names(source)
                options |= {} if streaming else {"num_proc": num_proc}
                rows = datasets.load_dataset(source, "all" if "all" in configs else configs[0], **options)
                _need(source, rows.column_names or COLUMNS)
                rows = rows.select_columns(list(COLUMNS))
        except (OSError, RuntimeError, datasets.exceptions.DatasetsError) as error:
            said = " ".join(str(error).split())[:300]
            raise ValueError(
                f"source is {source!r}; it must be a data set or Parquet that can be read: {said}"
            ) from error
        yield rows.with_format("arrow")


def _columns_of(file: str) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names: list[str] = pq.read_schema(file).names
    except pa.ArrowInvalid as error:
        raise ValueError(f"source {file!r} must be a Parquet file: {' '.join(str(error).split())}") from None
    return names


def _need(source: str, names: Sequence[str]) -> None:
    lacking = [name for name in COLUMNS if name not in names]
    if lacking:
        raise ValueError(f"source is {source!r}; it must have columns {', '.join(COLUMNS)}: no {', '.join(lacking)}")


def _local(source: str) -> list[str]:
    """The Parquet files that a path, folder or glob means; none for the name of a data set on the hub."""
    path = Path(source)
    if path.is_dir():
        found = sorted(str(file) for file in path.rglob("*.parquet"))
    elif path.is_file():
        return [source]
    elif any(sign in source for sign in "*?["):
        anchor = path.anchor or "."
        found = sorted(str(file) for file in Path(anchor).glob(str(path.relative_to(anchor) if path.anchor else path)))
    else:
        if source.endswith(".parquet") or source.count("/") > 1:
            raise ValueError(f"source is {source!r}; there is no such file, and a data set's name is owner/name")
        return []
    if not found:
        raise ValueError(f"source is {source!r}; there is no Parquet file in it")
    return found


def _counts(rows: Any, streaming: bool, num_proc: int | None) -> Counter[tuple[Any, ...]]:
    """(right, source, domains) -> problems: batches are counted by `datasets`, in processes where asked, and added up."""
    options: dict[str, Any] = {} if streaming else {"num_proc": num_proc, "desc": "counting"}
    partial = rows.map(_count_batch, batched=True, batch_size=_BATCH, remove_columns=list(COLUMNS), **options)
    found: Counter[tuple[Any, ...]] = Counter()
    for batch in partial.iter(batch_size=_BATCH):
        columns = [batch[name].to_pylist() for name in _COUNTED]
        for right, source, domains, problems in zip(*columns, strict=True):
            found[right, source, tuple(domains)] += problems
    return found


def _count_batch(batch: pa.Table) -> pa.Table:
    """One batch of problems as counts; problems without a rate, or with one off the grid, under a number of their own."""
    import pyarrow as pa

    rate = batch[RATE].to_numpy().astype(np.float64)
    times = np.nan_to_num(rate, nan=0.0) * TRIES
    right = np.where(
        (np.abs(times - np.rint(times)) < 1e-6) & (times >= 0) & (times <= TRIES), np.rint(times), _OFF_GRID
    )
    right = np.where(np.isnan(rate), _NO_RATE, right).astype(np.int64)
    domains = [_domains(entry) for entry in batch["domain"].to_pylist()]
    found = Counter(zip(right.tolist(), batch["source"].to_pylist(), domains, strict=True))
    return pa.table(
        {
            "right": pa.array([key[0] for key in found], pa.int64()),
            "of": pa.array([key[1] for key in found], pa.string()),
            "under": pa.array([list(key[2]) for key in found], pa.list_(pa.string())),
            "problems": pa.array(list(found.values()), pa.int64()),
        }
    )


def _domains(entry: list[str] | str | None) -> tuple[str, ...]:
    """A problem's domains, each once; none where the entry is missing."""
    listed = [entry] if isinstance(entry, str) else entry or []
    return tuple(sorted({domain for domain in listed if domain is not None}))


def levels() -> dict[int, int]:
    """Number right -> published difficulty level, 5 the hardest; 0 right is in none."""
    published = json.loads(_SHIPPED.read_text(encoding="utf-8"))["levels"]
    spans = {int(name): of_level["right"] for name, of_level in published.items()}
    return {right: name for name, (first, last) in spans.items() for right in range(first, last + 1)}


def _pool(found: Counter[tuple[Any, ...]]) -> Pool:
    """The counts as a pool: nothing left out in silence."""
    left_out = {number: sum(n for key, n in found.items() if key[0] == number) for number in (_NO_RATE, _OFF_GRID)}
    rows = sorted(
        ((key, n) for key, n in found.items() if key[0] >= 0), key=lambda row: (row[0][0], row[0][1] or "", row[0][2])
    )
    notes = ["a problem counts under each of its domains, and once in the total"]
    if left_out[_NO_RATE]:
        notes.append(f"{left_out[_NO_RATE]:,} without a solve rate: left out")
    if left_out[_OFF_GRID]:
        notes.append(f"{left_out[_OFF_GRID]:,} with a solve rate that is no multiple of 1/{TRIES}: left out")
    if not rows:
        raise ValueError(f"source must hold problems with a solve rate; {'; '.join(notes[1:]) or 'it holds none'}")
    level = levels()
    facets: dict[str, list[Any]] = {
        "source": [key[1] for key, _ in rows],
        "domain": [key[2] for key, _ in rows],
        "level": [level.get(key[0], ()) for key, _ in rows],
    }
    return Pool([key[0] for key, _ in rows], TRIES, [n for _, n in rows], facets, notes=notes)
