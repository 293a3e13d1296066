"""Several checkpoints, models or runs in one file: which column tells them apart, and which one is meant."""

from __future__ import annotations

from stdial.reading.errors import Unclear
from stdial.reading.guess import Columns, Guess
from stdial.reading.options import Options
from stdial.reading.profiles import Profile
from stdial.reading.vocabulary import Role, score

__all__ = ["add_step", "distinct_values"]

_MOST_CHOICES = 40


def add_step(columns: Columns, guess: Guess, options: Options) -> None:
    """Settle the column that tells checkpoints (or models) apart, and ask where it would mix several."""
    if options.step == "":
        return
    chosen = options.at_step is not None or options.each_step
    name, why = (options.step, "as you said") if options.step else _named_step(columns, guess)
    if name is None and chosen:
        named = [p.name for role in (Role.STEP, Role.MODEL) for p in columns.fit(role)]
        if not named:
            what = "each_step" if options.each_step else "at_step"
            raise ValueError(f"{what} is given, but no column is named like a step; name it with step")
        name, why = named[0], "named like a step"
    if name is not None:
        guess.step = name
        guess.reasons["step"] = why
        if not chosen:
            _ask_which_step(columns, guess)
    elif not chosen:
        _ask_about_blocks(columns, guess)


def _named_step(columns: Columns, guess: Guess) -> tuple[str | None, str]:
    """A column that is named like a step or a model and has several values for some problem."""
    for found in [*columns.fit(Role.STEP), *columns.fit(Role.MODEL)]:
        if found.name in (guess.value, guess.id, guess.group, *guess.wide) or found.kind not in ("number", "text"):
            continue
        if (found.distinct < 2 and columns.table.whole) or columns.pairs([found.name]) < 2:
            continue
        if not _is_repetition(columns, guess, found) and _mixes(columns, guess, found):
            return found.name, "tells checkpoints apart"
    return None, ""


def _is_repetition(columns: Columns, guess: Guess, found: Profile) -> bool:
    """Whether an "epoch" only numbers the tries of a problem, one row each."""
    if score(found.name, Role.STEP) > 2 or guess.key is None or guess.shape != "rollouts":
        return False
    tallied = columns.table.tally([guess.key, found.name], []).column("rows").to_numpy()
    return score(found.name, Role.STEP) == 2 and found.name.lower() == "epoch" and bool((tallied == 1).all())


def _mixes(columns: Columns, guess: Guess, found: Profile) -> bool:
    """Whether some problem has rows under more than one value."""
    if guess.key is None:
        return True
    if guess.group and columns.pairs([guess.group, found.name]) == columns.pairs([guess.group]):
        return guess.id is not None and columns.pairs([guess.id, found.name]) > columns.pairs([guess.id])
    return columns.pairs([guess.key, found.name]) > columns.pairs([guess.key])


def _ask_about_blocks(columns: Columns, guess: Guess) -> None:
    """A column of any name that cuts every problem's rollouts into equal blocks of several: two runs in one file?"""
    if guess.shape != "rollouts" or guess.key is None:
        return
    used = (guess.value, guess.id, guess.group)
    roles = (Role.REWARD, Role.RATE, Role.RIGHT, Role.TRIES, Role.ID)
    for found in columns.all:
        if found.name in used or found.kind not in ("number", "text", "date") or found.is_prose:
            continue
        if any(score(found.name, role) > 0 for role in roles) or not _may_vary(columns, found):
            continue
        blocks = columns.table.tally([guess.key, found.name], []).column("rows").to_numpy()
        values = len(distinct_values(columns, found.name))
        full = 2 <= values <= _MOST_CHOICES and len(blocks) == values * columns.pairs([guess.key])
        if full and blocks.min() == blocks.max() >= 2:
            guess.step = found.name
            _ask_which_step(columns, guess, together=True)


def _may_vary(columns: Columns, found: Profile) -> bool:
    """Whether a column takes few values, and more than one within a problem, as far as that is cheap to see."""
    if found.distinct > _MOST_CHOICES:
        return False
    if columns.table.whole:
        return found.distinct > 1
    return columns.table.spreads(found.name)


def _ask_which_step(columns: Columns, guess: Guess, together: bool = False) -> None:
    name = guess.step or ""
    kind = "step" if score(name, Role.STEP) > 0 else name
    values = distinct_values(columns, name)
    if len(values) < 2:
        return
    shown = values if len(values) <= _MOST_CHOICES else [*values[: _MOST_CHOICES - 1], values[-1]]
    answers: list[tuple[str, dict[str, object]]] = [
        (f"{kind} {value}", {"step": name, "at_step": value}) for value in shown
    ]
    answers.append((f"each {kind} its own pool", {"step": name, "each_step": True}))
    if together:
        answers.append(("all rows together", {"step": ""}))
    raise Unclear(
        f"{name} has {len(values)} values, and problems occur under more than one: which are to be read?",
        [label for label, _ in answers],
        answers,
    )


def distinct_values(columns: Columns, name: str) -> list[str]:
    """The values of a column as text, numbers in their order."""
    column = columns.table.tally([name], []).column(name)
    texts = [_shown(value) for value in column.to_pylist() if value is not None and _shown(value) != ""]
    try:
        return sorted(set(texts), key=float)
    except ValueError:
        return sorted(set(texts))


def _shown(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
