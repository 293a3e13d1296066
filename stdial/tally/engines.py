"""Opening a source with an engine, and running a count on it with progress on a terminal and a working Ctrl-C."""

from __future__ import annotations

import importlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from stdial.tally.progress import Bar

__all__ = ["ENGINES", "opened"]

Result = TypeVar("Result")
Runner = Callable[[Callable[[], Result]], Result]

ENGINES = {"duckdb": "duckdb", "dask": "dask.dataframe", "spark": "pyspark.sql"}
_KINDS = {"parquet": "parquet", "pq": "parquet", "csv": "csv", "txt": "csv", "tsv": "tsv"}
_KINDS |= {"json": "json", "jsonl": "json", "ndjson": "json"}
_PACKED = ("gz", "zst", "bz2", "xz")
_FROM_ENGINES = ("duckdb", "dask", "distributed", "pyspark", "py4j", "pyarrow", "fsspec", "grpc", "narwhals")


@contextmanager
def opened(source: str, engine: str, memory: str | None = None) -> Iterator[tuple[Any, Runner[Any]]]:
    """A frame over ``source``, nothing read yet, and the way to run a count on it.

    Parameters
    ----------
    source : a file, a glob, a folder, or an address that the engine can open (s3://, gs://, hf:// ...). Parquet, CSV
        and JSON lines are told by the name's ending; anything else is taken for Parquet.
    engine : "duckdb", "dask" or "spark". Dask and Spark use the cluster that their own settings name (README, "When
        one machine is not enough"), and this machine otherwise.
    memory : for DuckDB, how much to use before it spills to disk, such as "2GB"; its own default is 80% of the machine.

    Raises
    ------
    ValueError
        For an engine that is unknown or not installed, a memory that is no size, and, in one line, for whatever the
        engine refuses.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine is {engine!r}; it must be one of {', '.join(ENGINES)}")
    if memory is not None and engine != "duckdb":
        raise ValueError(f"memory is {memory!r}; it applies to duckdb, and {engine} has settings of its own")
    if memory is not None and not re.fullmatch(r"\d+(\.\d+)? ?[KMGT]i?B", memory):
        raise ValueError(f"memory is {memory!r}; it must be a size such as 2GB or 512MB")
    try:
        importlib.import_module(ENGINES[engine])
    except ImportError:
        raise ValueError(f"engine {engine!r} is not installed: pip install stdial[{engine}]") from None
    ways = {"duckdb": lambda: _duckdb(source, memory), "dask": lambda: _dask(source), "spark": lambda: _spark(source)}
    try:
        with ways[engine]() as (frame, run):
            yield frame, run
    except Exception as error:
        if type(error).__module__.lstrip("_").split(".")[0] not in _FROM_ENGINES and not isinstance(
            error, (OSError, ImportError)
        ):
            raise
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        said = f"{type(cause).__name__}: {' '.join(str(cause).split())}"[:300]
        raise ValueError(f"{engine} cannot count {source!r}: {said}") from error


def kind_of(source: str) -> str:
    """Parquet, csv or json, by the ending of the name: "runs/*.jsonl.gz" is json."""
    endings = source.rstrip("/*").lower().rsplit("/", 1)[-1].split(".")[1:]
    while endings and endings[-1] in _PACKED:
        endings.pop()
    return _KINDS.get(endings[-1], "parquet") if endings else "parquet"


def files_in(folder: str) -> str:
    """A local folder as the glob of the tables under it; any other source as it is."""
    if not Path(folder).is_dir():
        return folder
    for ending in _KINDS:
        if next(Path(folder).rglob(f"*.{ending}"), None) is not None:
            return f"{folder.rstrip('/')}/**/*.{ending}"
    raise ValueError(f"source {folder!r} is a folder without any of {', '.join('*.' + e for e in _KINDS)}")


@contextmanager
def _duckdb(source: str, memory: str | None) -> Iterator[tuple[Any, Runner[Any]]]:
    import duckdb

    with TemporaryDirectory(prefix="stdial-", ignore_cleanup_errors=True) as spill, duckdb.connect() as connection:
        settings = {"temp_directory": spill, "preserve_insertion_order": "false"}
        # The progress that this program draws is polled; DuckDB itself prints nothing.
        settings |= {"enable_progress_bar": "true", "enable_progress_bar_print": "false", "progress_bar_time": "0"}
        for name, value in (settings | ({"memory_limit": memory} if memory else {})).items():
            connection.execute(f"SET {name} = '{value}'")
        where = files_in(source)
        read = {"parquet": connection.read_parquet, "json": connection.read_json}
        yield read.get(kind_of(where), connection.read_csv)(where), lambda count: _watched(connection, count)


def _watched(connection: Any, count: Callable[[], Result]) -> Result:
    """Run a query in a second thread, so that this one can draw its progress and pass Ctrl-C on."""
    outcome: Future[Result] = Future()
    stopped = threading.Event()

    def work() -> None:
        if stopped.is_set():
            return
        try:
            outcome.set_result(count())
        except BaseException as error:  # raised again by result(), in the thread that waits
            outcome.set_exception(error)

    worker = threading.Thread(target=work)
    try:
        worker.start()
        with Bar() as bar:
            while not outcome.done():
                wait([outcome], timeout=0.1)
                bar.show(connection.query_progress())
    except BaseException:
        stopped.set()
        # The future and not join(), which marks a thread as ended when interrupted; again, for a query that starts now.
        while worker.is_alive() and not outcome.done():
            connection.interrupt()
            wait([outcome], timeout=0.1)
        raise
    return outcome.result()


_READ_WITH_DASK: dict[str, Callable[[Any, str], Any]] = {
    "parquet": lambda dd, at: dd.read_parquet(at),
    "csv": lambda dd, at: dd.read_csv(at),
    "tsv": lambda dd, at: dd.read_csv(at, sep="\t"),
    "json": lambda dd, at: dd.read_json(at, lines=True),
}
_READ_WITH_SPARK: dict[str, Callable[[Any, str], Any]] = {
    "parquet": lambda read, at: read.parquet(at),
    "csv": lambda read, at: read.csv(at, header=True, inferSchema=True),
    "tsv": lambda read, at: read.csv(at, header=True, inferSchema=True, sep="\t"),
    "json": lambda read, at: read.json(at),
}


@contextmanager
def _dask(source: str) -> Iterator[tuple[Any, Runner[Any]]]:
    import dask
    import dask.dataframe as dd

    client = None
    if dask.config.get("scheduler-address", None):
        client = importlib.import_module("distributed").Client()
    try:
        where = files_in(source)
        yield _READ_WITH_DASK[kind_of(where)](dd, where), _with_dask_bar
    finally:
        if client is not None:
            client.close()


def _with_dask_bar(count: Callable[[], Result]) -> Result:
    from dask.diagnostics import ProgressBar

    if not sys.stderr.isatty():
        return count()
    with ProgressBar(out=sys.stderr):
        return count()


@contextmanager
def _spark(source: str) -> Iterator[tuple[Any, Runner[Any]]]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("stdial tally")
    if "SPARK_REMOTE" not in os.environ:  # a Connect server's settings are its own
        builder = builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    try:
        session = builder.getOrCreate()
    except Exception as error:
        if "JAVA_GATEWAY" not in str(error):
            raise
        raise ValueError(
            "engine 'spark' needs Java 17 or later, and none was found: install it, or set JAVA_HOME"
        ) from None
    try:
        yield _READ_WITH_SPARK[kind_of(files_in(source))](session.read, source), lambda count: count()
    finally:
        session.stop()
