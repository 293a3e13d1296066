"""From columns to a settled reading: what is said, else what is plausible, else a question or a refusal."""

from __future__ import annotations

from stdial.reading.checkpoints import add_step
from stdial.reading.errors import Refused, Unclear
from stdial.reading.guess import Columns, Guess
from stdial.reading.keys import add_facets, add_key, add_weight, id_candidates, likely_facets, repeated_keys
from stdial.reading.options import Options, rewards_columns
from stdial.reading.outcomes import (
    choose_reward,
    find_counts,
    find_fractions,
    find_lists,
    find_rates,
    find_wide,
    pick_tries,
    reward_candidates,
    single_rate,
)
from stdial.reading.profiles import Profile
from stdial.reading.steps import refuse_step_log
from stdial.reading.vocabulary import Role, at_k, known, score, score_of_reward

__all__ = ["settle"]

_LONG = 1.5  # rows a problem from which on rows are rollouts and not repeats


def settle(columns: Columns, options: Options) -> Guess:
    """The reading of a table.

    Raises
    ------
    Refused, Unclear
        Where there is nothing to read, or more than one plausible reading.
    """
    if options.says_value:
        guess = _as_said(columns, options)
    else:
        refuse_step_log(columns)
        guess = _found(columns, options)
    tries = options.tries_given(columns.table.names)
    if tries is not None:
        guess.tries = tries
    add_key(columns, guess, options)
    add_weight(columns, guess, options)
    add_step(columns, guess, options)
    add_facets(columns, guess, options)
    return guess


def _as_said(columns: Columns, options: Options) -> Guess:
    said = "as you said"
    if options.rewards is not None:
        wide = rewards_columns(options.rewards, columns.table.names)
        if len(wide) > 1:
            return Guess("wide", wide[0], wide=wide, reasons={"rewards": said})
        return Guess("lists", wide[0], reasons={"rewards": said})
    if options.rate is not None:
        shape = "fractions" if columns[options.rate].kind == "fraction" else "rates"
        return Guess("fractions" if shape == "fractions" else "rates", options.rate, reasons={"rate": said})
    if options.right is not None:
        return _right_as_said(columns, options, options.right)
    name = options.reward or ""
    if columns[name].kind == "list":
        return Guess("lists", name, reasons={"rewards": said})
    return Guess("rollouts", name, reasons={"reward": said})


def _right_as_said(columns: Columns, options: Options, name: str) -> Guess:
    said = "as you said"
    found = columns[name]
    if found.kind == "fraction":
        return Guess("fractions", name, reasons={"right": said})
    tries = options.tries_given(columns.table.names)
    if tries is not None:
        return Guess("counts", name, tries=tries, reasons={"right": said, "tries": said})
    if found.kind == "mark":
        return Guess("rollouts", name, reasons={"reward": said})
    beside = pick_tries(columns, (name,))
    if beside is None:
        if found.kind == "number" and set(found.levels.tolist()) <= {0.0, 1.0}:
            return Guess("rollouts", name, reasons={"reward": said})
        raise _no_tries(name)
    return Guess("counts", name, tries=beside.name, reasons={"right": said, "tries": "named like a number of tries"})


def _no_tries(name: str) -> Refused:
    return Refused(
        f"{name} counts right answers, but no column says of how many tries; name it, or give tries as a number",
        "no rates",
    )


def _found(columns: Columns, options: Options) -> Guess:
    for look in (find_lists, find_wide, find_fractions, find_counts):
        guess = look(columns)
        if guess is not None:
            return guess
    rates = find_rates(columns)
    guess = _rollouts(columns, options, rates)
    if guess is not None:
        return guess
    if rates:
        return _rates(columns, rates)
    _refuse_dates(columns)
    _refuse_counts(columns)
    _ask_about_scores(columns)
    return _unnamed(columns) or _ask_or_refuse(columns, options)


def _rates(columns: Columns, rates: list[Profile]) -> Guess:
    found = single_rate(columns, rates)
    guess = Guess("rates", found.name, reasons={"rate": "named like a pass rate"})
    beside = pick_tries(columns, (found.name,))
    if beside is not None and not score(beside.name, Role.PROBLEMS):
        guess.tries = beside.name
        guess.reasons["tries"] = f"named like a number of tries, {beside.levels[0]:g} to {beside.levels[-1]:g}"
    return guess


def _rollouts(columns: Columns, options: Options, rates: list[Profile]) -> Guess | None:
    """One row a rollout: a reward or mark, and an id that repeats; or one marked try a problem."""
    rewards = reward_candidates(columns)
    rewards = [p for p in rewards if not score(p.name, Role.RATE) or not _is_collapsed(columns, p, options)]
    if not rewards:
        return None
    _announce(columns, options, rewards)
    repeated = _repeated_key(columns, options, [p.name for p in rewards], ask=not rates)
    marks = [p for p in rewards if p.kind == "mark" or set(p.levels.tolist()) <= {0.0, 1.0}]
    if not repeated and (not marks or rates):
        return None
    chosen, warnings = choose_reward(columns, rewards if repeated else marks)
    beside = None if repeated else pick_tries(columns, (chosen.name,))
    if beside is not None and beside.levels[0] > 1:
        one = "one try a problem"
        asked = f"{chosen.name} is one mark a problem, beside {beside.name} = {beside.levels[0]:g} or more: what is it?"
        raise Unclear(asked, [one], [(one, {"reward": chosen.name})])
    if repeated and score(chosen.name, Role.REWARD) < max((score(p.name, Role.RATE) for p in rates), default=0):
        return None
    return Guess(
        "rollouts", chosen.name, warnings=warnings, reasons={"reward": "named like a reward, one row a rollout"}
    )


def _announce(columns: Columns, options: Options, rewards: list[Profile]) -> None:
    """Have a large text scanned once, by all that a log of rollouts will be asked for."""
    if columns.table.whole:
        return
    names = [p.name for p in rewards]
    keys = [name for name in (options.group, options.id) if name] or [p.name for p in id_candidates(columns, names)[:1]]
    steps = [p.name for role in (Role.STEP, Role.MODEL) for p in columns.fit(role) if p.kind in ("number", "text")]
    best = max(rewards, key=lambda p: score_of_reward(p.name)).name
    wanted = list(dict.fromkeys([*keys, *steps[:2], best]))
    facets = options.facets if options.facets is not None else likely_facets(columns, keys, (*wanted, *names))
    unknown = [p.name for p in columns.all if p.distinct <= 2 and not known(p.name) and p.kind in ("number", "text")]
    columns.table.expect(wanted, list(dict.fromkeys([*facets, *unknown])))


def _repeated_key(columns: Columns, options: Options, besides: list[str], ask: bool = True) -> str | None:
    for name in (options.group, options.id):
        if name:
            return name if columns.repeats(name) else None
    if options.id == "":
        return None
    for candidate in repeated_keys(columns, besides, ask):
        if _rows_each(columns, candidate) >= _LONG:
            return candidate.name
    return None


def _rows_each(columns: Columns, found: Profile) -> float:
    in_head = columns.rows / max(1, found.distinct)
    if columns.table.whole or in_head >= _LONG:
        return in_head
    counted = columns.table.tally([found.name], []).column("rows").to_numpy()
    return float(counted.mean())


def _is_collapsed(columns: Columns, found: Profile, options: Options) -> bool:
    """Whether a fractional rate is the same on every row of its problem: a problem's rate, copied to its rollouts."""
    if found.kind == "mark" or set(found.levels.tolist()) <= {0.0, 1.0}:
        return False
    key = _repeated_key(columns, options, [found.name], ask=False)
    return key is not None and columns.pairs([key, found.name]) == columns.pairs([key])


def _refuse_dates(columns: Columns) -> None:
    roles = (Role.RATE, Role.RIGHT, Role.REWARD)
    for found in columns.all:
        if found.kind == "date" and max(score(found.name, role) for role in roles) >= 1.5:
            example = next((str(t) for t in found.values.slice(0, 50).to_pylist() if t is not None), "")
            raise Refused(
                f"the cells of {found.name} are dates ({example[:20]}): a spreadsheet probably turned counts such as"
                " 7/8 into a date; export right and tries as two columns",
                "dates",
            )


def _refuse_counts(columns: Columns) -> None:
    """Right answers without tries."""
    counts = columns.fit(Role.RIGHT, lambda p: p.kind == "number" and p.is_whole and bool(p.levels[-1] > 1))
    if counts and not score(counts[0].name, Role.TRIES):
        raise _no_tries(counts[0].name)


def _ask_about_scores(columns: Columns) -> None:
    """One score or mean a problem that is no mark: a rate only if somebody says so."""
    scores = [
        p
        for p in columns.all
        if p.kind in ("number", "percent")
        and not at_k(p.name)
        and max(score(p.name, Role.REWARD), score(p.name, Role.RATE)) > 0
    ]
    scores.sort(key=lambda p: -max(score(p.name, Role.REWARD), score(p.name, Role.RATE)))
    for found in scores[:1]:
        low, high = found.levels[0], found.levels[-1]
        row = int((found.numbers.values == (low if low < 0 else high)).argmax()) + 1
        if low < 0 or high > 100:
            side = f"below 0 (row {row}: {low:g})" if low < 0 else f"above 100 (row {row}: {high:g})"
            raise Refused(f"{found.name} goes {side}, so it is no rate, and there is one row a problem", "out of range")
        names = [p.name for p in scores]
        asked = f"{' or '.join(names)} holds one number a problem: is it the pass rate?"
        raise Unclear(asked, names, [(name, {"rate": name}) for name in names])


def _unnamed(columns: Columns) -> Guess | None:
    """The only column beside ids, where it has no name."""
    rest = [p for p in columns.all if score(p.name, Role.ID) == 0]
    if len(rest) != 1 or rest[0].name not in columns.table.unnamed:
        return None
    found = rest[0]
    why = "the only column there is"
    if found.kind == "list":
        return Guess("lists", found.name, reasons={"rewards": why})
    if found.kind == "fraction":
        return Guess("fractions", found.name, reasons={"right": why})
    if found.kind in ("number", "percent") and len(found.levels) > 0:
        if set(found.levels.tolist()) <= {0.0, 1.0}:
            asked = f"{found.name} holds only 0 and 1: one rate a problem, or one try a problem?"
            answers = [("one rate a problem", {"rate": found.name}), ("one try a problem", {"reward": found.name})]
            raise Unclear(asked, [label for label, _ in answers], answers)
        return Guess("rates", found.name, reasons={"rate": why})
    return None


def _ask_or_refuse(columns: Columns, options: Options) -> Guess:
    difficulties = columns.fit(Role.DIFFICULTY, lambda p: p.kind in ("number", "percent"))
    if difficulties:
        return _difficulty(difficulties, options)
    plausible = [p for p in columns.all if _is_plausible(p)]
    plausible += [p for p in _unnamed_counts(columns) if p not in plausible]
    ids = {p.name for p in columns.fit(Role.ID)}
    plausible = [p for p in plausible if p.name not in ids or p.kind in ("percent", "fraction", "list")]
    if plausible:
        could = [p.name for p in plausible]
        asked = f"no column has a name that says what it is; {' or '.join(could)} could be the pass rate or reward:"
        raise Unclear(f"{asked} which one?", could, [_answer(columns, p, options) for p in plausible])
    of_k = [p.name for p in columns.all if at_k(p.name)]
    if of_k:
        raise Refused(
            f"{', '.join(of_k)} is the chance that one of several tries is right, not the rate of one try; a pass rate,"
            " or right and tries, is missing",
            "no rates",
        )
    names = ", ".join(p.name for p in columns.all[:12]) or "empty"
    raise Refused(f"a reward, a pass rate, or right and tries is missing; the columns are {names}", "no rates")


def _unnamed_counts(columns: Columns) -> list[Profile]:
    """Whole numbers that are never more than the tries beside them, whatever they are called."""
    tries = pick_tries(columns)
    if tries is None:
        return []
    whole = [p for p in columns.all if p.kind == "number" and p.is_whole and p.name != tries.name]
    fits = [p for p in whole if p.levels[0] >= 0 and (p.numbers.present <= tries.levels[-1]).all()]
    return [p for p in fits if not p.counts_rows and not known(p.name) and p.levels[-1] > 1]


def _difficulty(found: list[Profile], options: Options) -> Guess:
    name = found[0].name
    if options.high_is is not None:
        return Guess("rates", name, reasons={"rate": f"high is {options.high_is}, as you said"})
    asked = f"{name} could mean either way: is a high value a hard problem or an easy one?"
    answers = [
        (f"high {name} is hard", {"rate": name, "high_is": "hard"}),
        (f"high {name} is easy", {"rate": name, "high_is": "easy"}),
    ]
    raise Unclear(asked, [name], answers)


def _is_plausible(found: Profile) -> bool:
    if any(score(found.name, role) > 0 for role in (Role.OTHER, Role.ROLLOUT, Role.STEP, Role.TRIES)):
        return False
    if (of_k := at_k(found.name)) and of_k[0] not in ("acc", "accuracy"):
        return False
    return found.like_rates or (found.kind == "list" and score_of_reward(found.name) >= 0)


def _answer(columns: Columns, found: Profile, options: Options) -> tuple[str, dict[str, object]]:
    if found.kind == "list":
        return found.name, {"rewards": found.name}
    if found.kind == "fraction":
        return found.name, {"right": found.name}
    if found.kind == "number" and found.levels[-1] > 1 and (tries := pick_tries(columns)) is not None:
        return found.name, {"right": found.name, "tries": tries.name}
    marks = found.kind == "mark" or set(found.levels.tolist()) <= {0.0, 1.0}
    return found.name, {"reward": found.name} if marks else {"rate": found.name}
