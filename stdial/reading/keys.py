"""Which rows belong together: the id, the group key, the training step; and the facets."""

from __future__ import annotations

from collections.abc import Sequence

from stdial.reading.errors import Unclear
from stdial.reading.guess import Columns, Guess
from stdial.reading.options import Options
from stdial.reading.profiles import Profile
from stdial.reading.tables import Table
from stdial.reading.vocabulary import Role, known, score

__all__ = ["add_facets", "add_key", "add_weight", "id_candidates", "likely_facets", "repeated_keys"]

_MOST_VALUES = 60  # distinct values up to which a column of words is offered as a facet


def id_candidates(columns: Columns, besides: Sequence[str] = ()) -> list[Profile]:
    """Columns that are named like an id or a group key, best first; text that is the prompt itself comes last."""
    found = [
        p
        for p in columns.all
        if p.name not in besides and max(score(p.name, Role.ID), score(p.name, Role.GROUP)) > 0 and p.kind != "list"
    ]
    return sorted(found, key=lambda p: -max(score(p.name, Role.ID), score(p.name, Role.GROUP)))


def repeated_keys(columns: Columns, besides: Sequence[str] = (), ask: bool = True) -> list[Profile]:
    """Id candidates whose values repeat, best first: rows are rollouts of one problem.

    Where a better-named id is new in each row, a weaker name that repeats may only be a category: then it is asked
    about (or, without ``ask``, nothing is returned). Row numbers are no better id, and a problem's text is no category.
    """
    candidates = [p for p in id_candidates(columns, besides) if p.distinct > 1 or columns.rows == 1]
    repeated = [p for p in candidates if columns.repeats(p.name)]
    if not repeated:
        single = [p for p in id_candidates(columns, besides) if p.distinct == 1 and columns.rows > 1]
        return [] if candidates else single
    best = repeated[0]
    worth = max(score(best.name, Role.ID), score(best.name, Role.GROUP))
    better = [p for p in candidates if not columns.repeats(p.name) and score(p.name, Role.ID) > worth]
    better = [p for p in better if not p.counts_rows]
    if not better or best.is_prose:
        return repeated
    if not ask:
        return []
    names = [better[0].name, best.name]
    asked = f"{names[0]} is new in each row and {names[1]} repeats: which of them names the problem?"
    raise Unclear(asked, names, [(name, {"id": name}) for name in names])


def add_key(columns: Columns, guess: Guess, options: Options) -> None:
    """Settle id and group key."""
    used = {guess.value, *guess.wide, str(guess.tries)}
    if options.group:
        guess.group = options.group
        guess.reasons["group"] = "as you said"
    if options.id is not None:
        guess.id = options.id or None
        if guess.id:
            guess.reasons["id"] = "as you said"
        return
    candidates = [p for p in id_candidates(columns) if p.name not in used and p.name != guess.group]
    if guess.shape == "rollouts":
        _key_of_rollouts(columns, guess, candidates)
    else:
        _id_of_rows(columns, guess, candidates)


def _key_of_rollouts(columns: Columns, guess: Guess, candidates: list[Profile]) -> None:
    named = [p.name for p in candidates]
    repeated = repeated_keys(columns, [p.name for p in columns.all if p.name not in named])
    if repeated:
        best = repeated[0]
        guess.id = best.name
        guess.reasons["id"] = "named like an id, and its values repeat: one row a rollout"
        _prefer_group(columns, guess, repeated)
        return
    if guess.group:
        return
    if candidates:
        guess.id = candidates[0].name
        guess.reasons["id"] = "named like an id, a new value in each row: one try a problem"
        return
    others = [p for p in columns.all if p.name != guess.value and _could_group(columns, p)]
    names = [*(p.name for p in others), "each row is a problem of its own"]
    answers = [*((p.name, {guess.role: guess.value, "id": p.name}) for p in others)]
    answers.append((names[-1], {guess.role: guess.value, "id": ""}))
    raise Unclear(f"no column is named like a problem's id: which one says what rows of {guess.value} are tries of one problem?",
                  names, answers)  # fmt: skip


def _could_group(columns: Columns, found: Profile) -> bool:
    other = any(score(found.name, role) > 0 for role in (Role.OTHER, Role.ROLLOUT, Role.STEP, Role.FACET, Role.REWARD))
    return not other and found.kind in ("text", "number") and found.distinct > 1 and columns.repeats(found.name)


def _prefer_group(columns: Columns, guess: Guess, repeated: list[Profile]) -> None:
    """Where a group key cuts finer than the id, groups follow it; where both cut alike, it is the id."""
    groups = [p for p in repeated if score(p.name, Role.GROUP) > 0 and p.name != guess.id]
    if not groups or guess.group or guess.id is None:
        return
    key = groups[0].name
    together = columns.pairs([guess.id, key])
    if together == columns.pairs([key]) > columns.pairs([guess.id]):
        guess.group = key
        guess.reasons["group"] = f"named like a group key; one {guess.id} has several groups"


def _id_of_rows(columns: Columns, guess: Guess, candidates: list[Profile]) -> None:
    """The id of a table with one row a problem: a key rather than the problem's text."""
    keys = [p for p in candidates if not p.is_prose]
    if keys:
        single = [p for p in keys if not columns.repeats(p.name)]
        best = max(score(p.name, Role.ID) for p in keys)
        chosen = next((p for p in single if score(p.name, Role.ID) >= min(best, 2)), keys[0])
        guess.id = chosen.name
        guess.reasons["id"] = "named like an id"
        return
    for found in columns.all[:1]:
        free = not known(found.name) and found.name not in (guess.value, *guess.wide)
        if free and found.kind == "text" and not found.is_prose and not columns.repeats(found.name):
            guess.id = found.name
            guess.reasons["id"] = "the first column, a different short text in each row"


def add_weight(columns: Columns, guess: Guess, options: Options) -> None:
    """Settle the column that says how many problems share a row; only rows without an id can have one."""
    if options.problems:
        guess.weight = options.problems
        guess.reasons["problems"] = "as you said"
        return
    if guess.id is not None or guess.shape not in ("rates", "counts", "fractions"):
        return
    used = (guess.value, guess.tries, options.right, options.rate)
    named = columns.fit(Role.PROBLEMS, lambda p: p.kind == "number" and p.is_whole and p.name not in used)
    if not named:
        return
    best = named[0]
    if score(best.name, Role.PROBLEMS) == 3:
        guess.weight = best.name
        guess.reasons["problems"] = "named like a number of problems that share a row"
    elif not columns.repeats(guess.value) and bool(best.levels[-1] > 1) and options.id is None:
        said = {guess.role: guess.value}
        choices = [
            f"{best.name} problems share a row",
            f"{best.name} is the number of tries",
            "each row is one problem",
        ]
        answers = [{"problems": best.name}, {"tries": best.name, "id": ""}, {"id": ""}]
        raise Unclear(
            f"each value of {guess.value} stands once, beside {best.name}: what does {best.name} count?",
            choices,
            [(label, {**said, **more}) for label, more in zip(choices, answers, strict=True)],
        )


def add_facets(columns: Columns, guess: Guess, options: Options) -> None:
    """Columns of few values by which the pool can be cut."""
    if options.facets is not None:
        guess.facets = options.facets
        return
    used = (guess.value, guess.id, guess.group, guess.step, guess.tries, guess.weight, *guess.wide)
    keys = [key for key in (guess.key, guess.step) if key] if guess.shape == "rollouts" else []
    guess.facets = likely_facets(columns, keys, used)
    if guess.facets:
        guess.reasons["facets"] = "few values, the same for all rows of a problem"


def likely_facets(columns: Columns, keys: Sequence[str], used: Sequence[object]) -> tuple[str, ...]:
    """Columns of few values that, in the rows at hand, are the same for all rows with one value of the keys."""
    found = [p.name for p in columns.all if p.name not in used and _is_facet(columns, p)]
    if not keys:
        return tuple(found)
    plain = Table(columns.table.names, columns.table.head)
    problems = plain.tally(keys, []).num_rows
    return tuple(name for name in found if plain.tally([*keys, name], []).num_rows == problems)


def _is_facet(columns: Columns, found: Profile) -> bool:
    if found.distinct < 2 or found.is_prose:
        return False
    named = score(found.name, Role.FACET) > 0 or score(found.name, Role.DIFFICULTY) > 0
    words_only = found.kind == "text" and not known(found.name) and found.distinct <= max(2, columns.rows // 4)
    return (named or words_only) and found.distinct <= _MOST_VALUES and found.kind in ("text", "number", "mark", "list")
