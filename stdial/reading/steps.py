"""Training steps: logs whose rows are steps and not problems, and the rows of one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial.reading.errors import Refused
from stdial.reading.guess import Columns
from stdial.reading.labels import labelled
from stdial.reading.vocabulary import Role, score, words

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["refuse_step_log", "silent_share_columns", "step_column", "step_mask"]

_SILENT_WORDS = """
    frac_reward_zero_std zero_std zero_variance zero_advantage pct_0 pct_1 pct_mixed solve_none solve_all solved_none
    solved_all solved_some solve_partial frac_mixed frac_all_good frac_all_bad filtered_prompts_zero all_zero_rewards
    all_one_rewards filtered_prompts_solved silent dynamic_filtering
"""
_TRAINING = frozenset(("loss", "kl", "entropy", "lr", "grad", "gradient", "clipfrac", "perplexity"))
_SILENT = _SILENT_WORDS.split()


def silent_share_columns(names: list[str]) -> list[str]:
    """The columns of a log that show how many groups were silent, by the names that frameworks give them.

    >>> silent_share_columns(["step", "reward", "train/frac_reward_zero_std"])
    ['train/frac_reward_zero_std']
    """
    found = []
    for name in names:
        said = "_".join(word for part in name.split("/") for word in words(part))
        if any(mark in said for mark in _SILENT):
            found.append(name)
    return found


def step_column(names: list[str]) -> str | None:
    """The column of a log that counts the steps.

    >>> step_column(["loss", "train/global_step"])
    'train/global_step'
    """
    return max((n for n in names if score(n, Role.STEP) > 0), key=lambda n: score(n, Role.STEP), default=None)


def refuse_step_log(columns: Columns) -> None:
    """Raise ``Refused`` of kind "steps" where each row is a training step."""
    named = [p for p in columns.all if score(p.name, Role.STEP) > 0 and p.kind == "number"]
    unique = [p for p in named if p.distinct == columns.rows and columns.rows > 1]
    ids = [p for p in columns.fit(Role.ID) if p not in named and not p.counts_rows]
    silent = silent_share_columns([p.name for p in columns.all])
    others = [p for p in columns.all if p not in named and p.kind in ("number", "percent")]
    said = {word for p in others for word in words(p.name)}
    trained = bool(said & _TRAINING) or {"mean", "std"} <= said
    is_log = bool(unique and others) or (len(others) > 1 and (bool(silent) or trained))
    if not is_log or ids:
        return
    step = unique[0] if unique else None
    levels = step.levels if step else None
    span = f" ({step.name} {levels[0]:g} to {levels[-1]:g})" if step and levels is not None else ""
    share = (
        f"the log's own share of silent groups is in {', '.join(silent)}"
        if silent
        else "a file with one row a rollout or a problem is needed, with a reward or a pass rate"
    )
    raise Refused(f"the rows are training steps, not problems{span}; {share}", "steps", _plain(columns))


def _plain(columns: Columns) -> pa.Table:
    """The log's numbers as float64 columns, its texts as they are."""
    import pyarrow as pa

    table: dict[str, object] = {}
    for found in columns.all:
        numeric = found.kind in ("number", "percent", "mark")
        table[found.name] = pa.array(found.numbers.values) if numeric else found.values
    return pa.table(table)


def step_mask(column: pa.ChunkedArray, wanted: Any) -> NDArray[np.bool_]:
    """The rows of one step.

    Raises
    ------
    ValueError
        Where there is none; it names some that there are.
    """
    found = labelled(column)
    texts = [_step_text(value) for value in found.values.tolist()]
    if _step_text(wanted) not in texts:
        shown = ", ".join(texts[:20]) + (", ..." if len(texts) > 20 else "")
        raise ValueError(f"at_step is {wanted!r}; the steps are {shown}")
    return np.asarray(found.codes == texts.index(_step_text(wanted)))


def _step_text(value: Any) -> str:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value).strip()
    return f"{number:.12g}"
