"""Which column holds the outcome: counts, rates, rewards, lists, or one column a rollout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdial.reading.errors import Refused, Unclear
from stdial.reading.guess import Columns, Guess
from stdial.reading.profiles import Profile
from stdial.reading.vocabulary import Role, at_k, family, score, score_of_reward, words

__all__ = [
    "choose_reward",
    "find_counts",
    "find_fractions",
    "find_lists",
    "find_rates",
    "find_wide",
    "is_form",
    "pick_tries",
    "reward_candidates",
    "single_rate",
]

_INDEX_STEMS = ("q", "problem", "question", "task", "item", "prompt", "example")
_TRY_WORDS = "r rep gen generation out output answer response completion rollout try attempt"
_TRY_STEMS = frozenset(_TRY_WORDS.split())


def find_lists(columns: Columns) -> Guess | None:
    """A column of lists that is named like rewards."""
    lists = [p for p in columns.all if p.kind == "list" and score_of_reward(p.name) > 0]
    if not lists:
        return None
    chosen, warnings = choose_reward(columns, lists, "rewards")
    return Guess("lists", chosen.name, warnings=warnings, reasons={"rewards": "a list of rewards in each row"})


def find_wide(columns: Columns) -> Guess | None:
    """Columns that are numbered, one a rollout."""
    families: dict[str, list[tuple[int, Profile]]] = {}
    for found in columns.all:
        named = family(found.name)
        if named and found.kind in ("number", "mark") and score(found.name, Role.ID) < 3:
            families.setdefault(named[0], []).append((named[1], found))
    runs = {stem: _members(columns, members) for stem, members in families.items()}
    fits = {stem: members for stem, members in runs.items() if members and _is_outcome(stem, members)}
    _refuse_transposed(runs)
    if not fits:
        return None
    best = max(fits, key=lambda stem: (score_of_reward(stem), _is_marks(fits[stem])))
    rivals = [s for s in fits if score_of_reward(s) == score_of_reward(best) and _is_marks(fits[s])]
    sets = {_span(fits[s]): [p.name for p in fits[s]] for s in (rivals or [best])}
    if len(sets) > 1 or not _says_rollout(columns, best):
        answers = [(label, {"rewards": tuple(names)}) for label, names in sets.items()]
        asked = "numbered columns hold marks or rewards: is each row a problem, and each of these columns one try?"
        raise Unclear(asked if len(sets) == 1 else "which set of numbered columns is the rollouts?", sets, answers)
    names = tuple(p.name for p in fits[best])
    why = f"{len(names)} columns that are numbered: one a rollout"
    return Guess("wide", names[0], wide=names, reasons={"rewards": why})


def _span(members: Sequence[Profile]) -> str:
    return f"{members[0].name} .. {members[-1].name}"


def _says_rollout(columns: Columns, stem: str) -> bool:
    """Whether the name of numbered columns says that they are tries, or an id beside bare numbers does."""
    if not stem:
        return any(score(p.name, Role.ID) > 0 for p in columns.all if family(p.name) is None)
    said = set(words(stem))
    if said == {"pass"}:  # pass_1, pass_2: tries, or pass@1, pass@2
        return False
    return bool(said & _TRY_STEMS) or score(stem, Role.ROLLOUT) > 0 or score_of_reward(stem) > 0


def _refuse_transposed(runs: dict[str, list[Profile]]) -> None:
    for stem, members in runs.items():
        if len(members) > 2 and stem in _INDEX_STEMS and _is_marks(members):
            raise Refused(
                f"the columns {_span(members)} look like problems with one row a try: a table with one row a problem,"
                " or one row a rollout, is needed",
                "no rates",
            )


def _members(columns: Columns, members: list[tuple[int, Profile]]) -> list[Profile]:
    """The columns in order, where their numbers run from 0 or 1 without a gap and there are at least two."""
    members = sorted(members, key=lambda member: member[0])
    numbers = [number for number, _ in members]
    if len(numbers) < 2 or numbers[0] not in (0, 1) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return []
    return [found for _, found in members]


def _is_outcome(stem: str, members: Sequence[Profile]) -> bool:
    said = words(stem) or ("",)
    if score(stem, Role.STEP) or score(stem, Role.OTHER) or said[-1] in (*_INDEX_STEMS, "level", "epoch"):
        return False
    levels = np.unique(np.concatenate([p.levels for p in members]))
    return _is_marks(members) or (score_of_reward(stem) > 0 and len(levels) > 1)


def _is_marks(members: Sequence[Profile]) -> bool:
    levels = {float(v) for p in members for v in p.levels}
    return levels <= {0.0, 1.0} or levels == {-1.0, 1.0}


def find_fractions(columns: Columns) -> Guess | None:
    """A column of cells such as 7/8."""
    named = [
        p
        for p in columns.all
        if p.kind == "fraction" and max(score(p.name, r) for r in (Role.RATE, Role.RIGHT, Role.REWARD)) > 0
    ]
    if not named:
        return None
    chosen = _single(columns, named, Role.RIGHT, "right", "several columns hold right of tries: which one?")
    return Guess("fractions", chosen.name, reasons={"right": "right and tries in one cell, as in 7/8"})


def _whole(found: Profile) -> bool:
    return found.kind == "number" and found.is_whole


def pick_tries(columns: Columns, besides: Sequence[str] = (), right: Profile | None = None) -> Profile | None:
    """The column that says how many tries there were; two that differ and both could be it are asked about."""
    found = columns.fit(Role.TRIES, lambda p: _whole(p) and p.name not in besides and bool(p.levels[-1] >= 1))
    if right is not None and found:
        enough = [p for p in found if _at_most(right, p) and score(p.name, Role.TRIES) >= 2]
        rivals = [p for p in enough if not _equal(p, enough[0])]
        if rivals:
            names = [enough[0].name, *(p.name for p in rivals)]
            answers = [(name, {"right": right.name, "tries": name}) for name in names]
            raise Unclear(f"several columns could be the tries of {right.name}: which one?", names, answers)
        return enough[0] if enough else found[0]
    return found[0] if found else None


def _at_most(one: Profile, other: Profile) -> bool:
    less = one.numbers.values <= other.numbers.values
    return bool((less | np.isnan(one.numbers.values) | np.isnan(other.numbers.values)).all())


def find_counts(columns: Columns) -> Guess | None:
    """A column of right answers beside one of tries."""
    rights = columns.fit(Role.RIGHT, _whole)
    tries = pick_tries(columns)
    if tries is None:
        return None
    if [p.name for p in rights] == [tries.name]:
        return None
    rights = [p for p in rights if p.name != tries.name]
    sure = [p for p in rights if not score(p.name, Role.TRIES)]
    rights = sure or rights
    if not rights:
        return None
    chosen = _single(
        columns, rights, Role.RIGHT, "right", f"several columns could count right answers of {tries.name}:"
    )
    tries = pick_tries(columns, (chosen.name,), chosen) or tries
    if chosen.levels[-1] <= 1 and _has_repeats(columns, (chosen.name, tries.name)):
        return None  # one row a rollout, with the group's size beside it
    reasons = {
        "right": "named like a count of right answers",
        "tries": f"named like a number of tries, {tries.levels[0]:g} to {tries.levels[-1]:g}",
    }
    return Guess("counts", chosen.name, tries=tries.name, reasons=reasons)


def _has_repeats(columns: Columns, besides: Sequence[str]) -> bool:
    return any(
        columns.repeats(p.name) for p in columns.all if p.name not in besides and score(p.name, Role.ID) > 0
    ) and not any(
        p.distinct == columns.rows and score(p.name, Role.ID) >= 2 for p in columns.all if p.name not in besides
    )


def find_rates(columns: Columns) -> list[Profile]:
    """Columns of rates by name and type, best first; marks are none."""
    named = columns.fit(Role.RATE, lambda p: p.kind in ("number", "percent"))
    sure = [p for p in named if score(p.name, Role.RATE) > 1]
    return [p for p in sure if not (_only_marks(p) and score(p.name, Role.REWARD) >= score(p.name, Role.RATE))]


def _only_marks(found: Profile) -> bool:
    return found.kind == "mark" or set(found.levels.tolist()) <= {0.0, 1.0}


def single_rate(columns: Columns, rates: Sequence[Profile]) -> Profile:
    """The one rate column; several that differ are asked about."""
    rivals = [p for p in rates if not _equal(p, rates[0])]
    if rivals:
        names = [rates[0].name, *(p.name for p in rivals)]
        answers = [(name, {"rate": name}) for name in names]
        raise Unclear("several columns could be the pass rate: which one?", names, answers)
    return rates[0]


def _single(columns: Columns, found: Sequence[Profile], role: Role, option: str, question: str) -> Profile:
    top = max(score(p.name, role) for p in found)
    best = [p for p in found if score(p.name, role) == top]
    rivals = [p for p in best if not _equal(p, best[0])]
    if rivals:
        names = [p.name for p in best]
        asked = f"{question} which one?" if question.endswith(":") else question
        raise Unclear(asked, names, [(name, {option: name}) for name in names])
    return best[0]


def _equal(one: Profile, other: Profile) -> bool:
    return bool(np.array_equal(one.numbers.values, other.numbers.values, equal_nan=True)) and one.kind != "list"


def choose_reward(columns: Columns, found: Sequence[Profile], option: str = "reward") -> tuple[Profile, list[str]]:
    """The reward among several columns, and what to say about the others.

    Constant ones are set aside and named, those that only rename another's values are the same; a total goes before its
    parts; what then remains is asked about.
    """
    varied = [p for p in found if p.distinct > 1] or list(found)
    constant = [p for p in found if p not in varied and score_of_reward(p.name) > 0.8]
    constant = [p for p in constant if score(p.name, Role.REWARD) >= 1.4 and len(p.numbers.present) * 2 > columns.rows]
    warnings = [f"{p.name} is constant ({_shown(p)}): by itself it would make every group silent" for p in constant]
    ranked = sorted(varied, key=lambda p: -score_of_reward(p.name))
    apart: list[Profile] = []
    for candidate in ranked:
        if not any(columns.same(candidate.name, kept.name) for kept in apart):
            apart.append(candidate)
    best = apart[0]
    level = score_of_reward(best.name)
    rivals = [p for p in apart[1:] if score_of_reward(p.name) > 0.8 and score_of_reward(p.name) >= level - 1.4]
    if (rivals and level < 3) or any(score_of_reward(p.name) == level for p in rivals):
        names = [best.name, *(p.name for p in rivals)]
        asked = "several columns could be the reward, and they differ: which one was trained on?"
        raise Unclear(asked, names, [(name, {option: name}) for name in names])
    return best, warnings


def _shown(found: Profile) -> str:
    return f"{found.levels[0]:g}" if len(found.levels) else str(found.values[0].as_py())


def is_form(found: Profile) -> bool:
    """Whether a column marks the form of an answer, as a second reward function does."""
    return found.kind in ("number", "mark") and bool({"format", "formatted", "parsed"} & set(words(found.name)))


def reward_candidates(columns: Columns) -> list[Profile]:
    """Columns of numbers or marks that are named like a reward."""
    return [
        p
        for p in columns.all
        if p.kind in ("number", "mark", "percent") and score_of_reward(p.name) > 0 and not at_k(p.name)
    ]
