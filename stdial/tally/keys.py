"""What a tally groups by: ids and facets, brought into a form that the engine at hand can group by, and back.

DuckDB, Polars and Spark group by lists as they are. PyArrow does not: its tables are lent to DuckDB, without a copy.
pandas and Dask cannot hash lists: there, columns of Python objects are written as JSON and read back from the counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

__all__ = ["Frame", "Key", "groupable", "label"]

Frame = nw.LazyFrame[Any]
_LISTS = (list, tuple, set, frozenset)
_NESTED = (nw.List, nw.Array)


@dataclass(frozen=True)
class Key:
    """One column to group by: its ``name`` in the frame, its ``column`` while counting, and the way back to values."""

    name: str
    column: str
    decode: Callable[[Any], Any]


def groupable(
    frame: nw.DataFrame[Any] | Frame, names: Sequence[str], numbers: Mapping[str, str]
) -> tuple[Frame, list[Key]]:
    """Keys in columns "key 0", "key 1", ..., and the columns of numbers (new name -> name); nothing is computed yet."""
    frame = frame.select(*dict.fromkeys([*names, *numbers.values()]))
    keys = [Key(name, f"key {i}", label) for i, name in enumerate(names)]
    engine = frame.implementation
    if engine.is_pyarrow() and any(frame.collect_schema()[name] in _NESTED for name in names):
        frame = _lent_to_duckdb(frame)
    elif engine.is_dask():
        frame, keys = _hashable(_as_given(frame, list(numbers.values())), keys)
    elif engine.is_pandas_like():
        frame, keys = _hashable(frame, keys)
    schema = frame.collect_schema()
    columns = {key.column: key.name for key in keys} | dict(numbers)
    return frame.lazy().select(*(_plain(name, schema[name]).alias(new) for new, name in columns.items())), keys


def label(value: Any) -> Any:
    """A facet value out of the counts as Python sees it: None where missing, a sorted tuple for a list.

    >>> label(["b", "a", None, "b"]), label(float("nan"))
    (('a', 'b'), None)
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, _LISTS):
        return tuple(sorted({label(entry) for entry in value} - {None}, key=_order))
    absent = value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
    return None if absent else value


def _order(value: Any) -> tuple[str, Any]:
    """Numbers among themselves, text among itself."""
    return ("", value) if isinstance(value, (int, float)) else (type(value).__name__, value)


def _plain(name: str, dtype: nw.dtypes.DType) -> nw.Expr:
    """Categories as text (their codes differ from file to file), lists in one order, NaN as null."""
    column = nw.col(name)
    if dtype in (nw.Categorical, nw.Enum):
        return column.cast(nw.String)
    entries = dtype.inner if isinstance(dtype, (nw.List, nw.Array)) else None
    if dtype == nw.Struct or entries in (*_NESTED, nw.Struct):
        raise ValueError(f"column {name!r} has type {dtype}; a facet must hold values or lists of values")
    if entries is not None:
        listed = column.cast(nw.List(entries)) if dtype == nw.Array else column
        return listed.list.unique().list.sort()
    return nw.when(~column.is_nan()).then(column) if dtype.is_float() else column


def _lent_to_duckdb(frame: nw.DataFrame[Any] | Frame) -> Frame:
    import duckdb

    lent: Frame = nw.from_native(duckdb.connect().from_arrow(frame.to_native()))
    return lent


def _hashable(frame: nw.DataFrame[Any] | Frame, keys: list[Key]) -> tuple[nw.DataFrame[Any] | Frame, list[Key]]:
    """Columns of Python objects as JSON, whatever they hold: Dask does not know before it computes."""
    native, schema = frame.to_native(), frame.collect_schema()
    if frame.implementation.is_dask():
        nested = {key.name for key in keys if native[key.name].dtype == object or schema[key.name] in _NESTED}
        known = {"meta": (None, "object")}
    else:
        objects = {key.name for key in keys if schema[key.name] == nw.Object}
        nested = {key.name for key in keys if schema[key.name] in _NESTED}
        nested |= {name for name in objects if not native[name].map(_is_scalar).all()}
        known = {}
    if not nested:
        return frame, keys
    written = native.assign(**{name: native[name].map(_to_json, **known) for name in nested})
    decoded = [Key(key.name, key.column, _from_json if key.name in nested else key.decode) for key in keys]
    return nw.from_native(written), decoded


def _as_given(frame: nw.DataFrame[Any] | Frame, numbers: Sequence[str]) -> Frame:
    """A Dask frame made from a pandas one, without Dask's turning of every Python object, lists too, into text.

    Objects among the columns of ``numbers`` (booleans with gaps) become floats.
    """
    from dask.dataframe.dask_expr import new_collection
    from dask.dataframe.dask_expr.io import FromPandas

    expression = frame.to_native().expr
    for given in list(expression.find_operations(FromPandas)):
        expression = expression.substitute(given, given.substitute_parameters({"pyarrow_strings_enabled": False}))
    native = new_collection(expression)
    objects = [name for name in numbers if native[name].dtype == object]
    native = native.assign(**{name: native[name].map(_number, meta=(None, "float64")) for name in objects})
    restored: Frame = nw.from_native(native)
    return restored


def _number(value: Any) -> float:
    """A boolean, a number or the word of a boolean as a float; NaN where missing."""
    plain = label(value)
    if isinstance(plain, str) and plain.lower() in ("true", "false"):
        plain = plain.lower() == "true"
    return float("nan") if plain is None else float(plain)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, _LISTS) and not hasattr(value, "tolist")


def _to_json(value: Any) -> str | None:
    """A missing entry of a list stays until the counts are decoded, as it does in the engines that group by lists."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    plain = label(value)
    if isinstance(listed, _LISTS) and any(label(entry) is None for entry in listed):
        plain = [*plain, None]
    return None if plain is None else json.dumps(plain, default=str)


def _from_json(value: Any) -> Any:
    written = label(value)
    return None if written is None else label(json.loads(written))
