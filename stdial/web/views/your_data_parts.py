"""The lower regions of Your data: advice, who gets the update, nearly silent groups, filters, the batch, before and after."""

from __future__ import annotations

from stdial import by_size, elsewhere, mass
from stdial.advice import Card, about_rewards, advice, extremes
from stdial.band import band, crossed
from stdial.by_facet import by_facet
from stdial.charts import big_math, comparing, filtering
from stdial.charts import your_data as charts
from stdial.comparison import STATES, Comparison
from stdial.left import batch_left
from stdial.method import DR_GRPO, GRPO
from stdial.nearly import nearly
from stdial.reading import Groups
from stdial.web.apart import apart
from stdial.web.page import Values
from stdial.web.stage import Choice, Number, Range, Run, Stage, Table, em, num
from stdial.web.views.your_data import Looked, near_slider
from stdial.web.words import count, decimal, percent

__all__ = [
    "ADVICE_USES", "BAND_USES", "BATCH_USES", "COMPARE_USES", "CROSS_USES", "SHARE_USES", "SIGMA_USES", "changes", "chosen_column",
    "compare", "cost", "cross", "filtered", "share", "sigma", "what_to_change",
]  # fmt: skip

ADVICE_USES = ("G",)
SHARE_USES = ("G", "facet")
SIGMA_USES = ("G", "near")
BAND_USES = ("G", "keep_from", "keep_to")
CROSS_USES = ("G", "filter_by", "train_on")
BATCH_USES = ("G", "train_batch")
COMPARE_USES = ("G",)
_MOST_CHANGES = 6


def what_to_change(v: Values, looked: Looked) -> Stage:
    """Cards: each with number, interval, price, and what is not known."""
    cards = _cards(looked, v.G)
    rows = [[[num(card.title)], card.number, card.interval, card.price, card.unknown] for card in cards]
    return Stage(
        heading="What to change",
        tables=[Table(["What to do", "The data say", "How well it is known", "Price", "Not known"], rows, cards=True)],
        layout="wide",
    )


def _cards(looked: Looked, G: int) -> list[Card]:
    """The cards, computed apart: only the counts of problems go there, and no text of its rows."""
    reading, pool = looked.reading, looked.reading.pool
    if pool is None:
        return advice(reading, G)
    made, found = apart(
        elsewhere.cards,
        elsewhere.nameless(pool),
        by_size.known(pool),
        G,
        about_rewards(reading),
        keep=not looked.private,
    )
    by_size.learn(pool, found)
    return made


def share(v: Values, looked: Looked) -> Stage:
    """Share of the update by difficulty, and by a facet column where there is one."""
    pool = looked.chosen.pool
    names = list(pool.facets)
    live = bool(((pool.cells.rate > 0) & (pool.cells.rate < 1) & (pool.cells.problems > 0)).any())
    plots = [big_math.gradient_mass(pool, v.G, mass.parts(pool))] if live else []
    ours, plain = (extremes(pool, v.G, method)[0] for method in (GRPO, DR_GRPO))
    answer: list[Run] = ["Every problem is silent: there is no update to share."]
    if ours == ours:
        answer = [
            "Problems below .1 or from .9 get ", num(percent(ours, looked.places), "grpo"), " of ", em("GRPO", "grpo"),
            "'s update and ", num(percent(plain, looked.places), "dr-grpo"), " of ", em("Dr. GRPO", "dr-grpo"), "'s.",
        ]  # fmt: skip
    controls, tables = [], []
    if names:
        name = chosen_column(v.facet, names)
        parts = by_facet(pool, name, v.G)
        if ours == ours:
            plots.append(charts.by_facet(parts, name, v.G))
        rows = [
            ["none" if p.value is None else str(p.value), count(p.problems), decimal(p.rate, 3), percent(p.silent, looked.places),
             percent(p.share), percent(p.dr_grpo), percent(p.grpo)]
            for p in parts[:100]
        ]  # fmt: skip
        heads = [
            name,
            "Problems",
            "Pass rate",
            f"Silent at G = {v.G}",
            "Of the problems",
            "Of Dr. GRPO's update",
            "Of GRPO's",
        ]
        tables = [Table(heads, rows, numeric=[1, 2, 3, 4, 5, 6], sortable=True, cards=True)]
        if len(names) > 1:
            options = [(str(i + 1), other) for i, other in enumerate(names)]
            controls = [Choice("facet", "Cut by", str(names.index(name) + 1), options=options, menu=True)]
    return Stage(heading="Who gets the update?", answer=answer, controls=controls, charts=plots, tables=tables)


def chosen_column(place: str, names: list[str]) -> str:
    """The name at a link's place, counted from 1; the first where there is none.

    >>> chosen_column("2", ["a", "b"]), chosen_column("9", ["a", "b"])
    ('b', 'a')
    """
    i = int(place) if place.isdecimal() else 1
    return names[i - 1] if 1 <= i <= len(names) else names[0]


def sigma(v: Values, looked: Looked) -> Stage:
    """Histogram of sigma with a threshold, and sigma by reward column."""
    reading = looked.reading
    found = nearly(reading.stats, v.near, reading.weights)
    total = reading.problems
    answer: list[Run] = [
        num(count(found["silent"])), " logged groups are silent, and ", num(count(found["nearly"])), " more have a sigma below ",
        num(f"{v.near:.3g}"), f": together {percent((found['silent'] + found['nearly']) / total, looked.places)} of the groups, "
        "with ",
        num(percent(found["update_below"], looked.places)), " of the update.",
    ]  # fmt: skip
    tables = [_rewards(looked)] if len(reading.rewards) > 1 else []
    if reading.pool is None:  # the histogram stands above the fold already
        return Stage(heading="Nearly silent", answer=answer, tables=tables, layout="wide")
    return Stage(
        heading="Nearly silent",
        answer=answer,
        controls=[near_slider(v, looked, primary=False)],
        charts=[charts.sigma_histogram(reading.stats, v.near, v.G, reading.weights)],
        tables=tables,
    )


def _rewards(looked: Looked) -> Table:
    rows = []
    for name, groups in looked.reading.rewards.items():
        silent = int(groups.silent.sum())
        words = "constant: every group is silent" if _constant(groups) else ""
        rows.append(
            [name, decimal(float(groups.mean.mean()), 3), decimal(float(groups.sigma.mean()), 4),
             f"{count(silent)} ({percent(silent / len(groups.mean), looked.places)})", words]
        )  # fmt: skip
    heads = ["Reward column", "Mean", "Mean sigma", "Silent groups", ""]
    return Table(heads, rows, caption="Sigma by reward column; the first is read.", numeric=[1, 2, 3], cards=True)


def _constant(groups: Groups) -> bool:
    return bool(groups.low.min() == groups.high.max())


def filtered(v: Values, looked: Looked) -> Stage:
    """A band of pass rates to keep, and what is lost with the others."""
    low, high = min(v.keep_from, v.keep_to), max(v.keep_from, v.keep_to)
    found = band(looked.chosen.pool, low, high, v.G)
    known = "by each problem's posterior" if looked.chosen.pool.tries is not None else "plug-in"
    gone, all_silent = found.problems - found.kept, 1 - found.mixed / found.problems
    return Stage(
        heading="What does a filter lose?",
        answer=[
            "Keeping rates from ", num(f"{low:g}"), " to ", num(f"{high:g}"), " drops ",
            num(percent(1 - found.share, looked.places)),
            " of the problems, ", num(_lost(found.mixed_share, looked)), " of the mixed groups and ",
            num(_lost(found.update_share, looked), "grpo"), " of the update.",
        ],
        text=[
            [f"Saved: {count(gone * v.G)} of {count(found.problems * v.G)} rollouts a pass at G = {v.G}. Silent are "
             f"{_lost(1 - found.silent, looked)} of the groups that are left, and {percent(all_silent, looked.places)} of all "
             f"({known}). "
             f"As many problems at random would lose {percent(1 - found.share, looked.places)} of everything."],
        ],
        controls=[
            Range("keep_from", "Keep rates from", low, upper="keep_to", value2=high, low=0, high=1, step=0.01, digits=2,
                  hint="Both ends are kept. Two of the lists below follow this band.")
        ],
        charts=[filtering.kept_rates(looked.chosen.pool, found, v.G), filtering.lost(found, v.G)],
    )  # fmt: skip


def _lost(kept: float, looked: Looked) -> str:
    return "none" if kept != kept else percent(1 - kept, looked.places)


def cross(v: Values, looked: Looked) -> Stage:
    """Filter on one reward column, train on another."""
    names = list(looked.reading.rewards)
    first, second = chosen_column(v.filter_by, names), chosen_column(v.train_on, names)
    found = crossed(looked.reading.rewards[first], looked.reading.rewards[second])
    options = [(str(i + 1), name) for i, name in enumerate(names)]
    answer: list[Run] = [
        "A filter on ", em(first), " keeps ", num(count(found.kept)), f" of {count(found.problems)} groups; ",
        num(count(found.silent)), " of them are silent in ", em(second), ": they pass the filter and teach nothing.",
    ]  # fmt: skip
    if first == second:
        answer = [
            "A filter on the reward that is trained on lets no silent group through: ",
            num(count(found.kept)),
            " are kept.",
        ]
    return Stage(
        heading="Filter on one reward, train on another",
        answer=answer,
        text=[[f"It also drops {count(found.missed)} groups in which the trained reward does tell answers apart. Counted in the "
               "logged groups."]],
        controls=[
            Choice("filter_by", "Filter on", str(names.index(first) + 1), options=options, menu=True),
            Choice("train_on", "Train on", str(names.index(second) + 1), options=options, menu=True),
        ],
        layout="wide",
    )  # fmt: skip


def cost(v: Values, looked: Looked) -> Stage:
    """The batch that is left once silent groups are dropped."""
    now = by_size.at(looked.chosen.pool, v.G)
    left = batch_left(now.best, v.train_batch)
    ends = ""
    if now.low == now.low:
        low, high = (v.train_batch * (1 - s) for s in (now.high, now.low))
        ends = f" The silent share itself is not known exactly: the mean lies between {count(low)} and {count(high)}."
    return Stage(
        heading="The batch that is left",
        answer=[
            "Of ", num(count(v.train_batch)), " prompts ", num(count(left.mean)), " are left once silent groups are dropped; "
            "9 batches of 10 keep ", num(f"{count(left.low)} to {count(left.high)}"), ".",
        ],
        text=[[f"{count((v.train_batch - left.mean) * v.G)} of {count(v.train_batch * v.G)} rollouts teach nothing. The step "
               f"averages over what is left, so its noise is that of a batch of {count(left.mean)}.{ends}"]],
        controls=[
            Number("train_batch", "Train batch", v.train_batch, low=1, high=100_000, step=1, hint="Prompts drawn for a step.")
        ],
        layout="wide",
    )  # fmt: skip


def compare(v: Values, looked: Looked) -> Stage:
    """Before and after: what moved, and what became of silence."""
    found = looked.compared
    assert found is not None
    rate, silent = found.rate, found.silent(v.G)
    text: list[list[Run]] = [[_joined(found, looked)]]
    if silent is not None:
        text.append(
            [f"Silent at G = {v.G}: {percent(silent.before)} before, {percent(silent.after)} after, a change of "
             f"{decimal(100 * silent.change, 1)} points (95% interval {decimal(100 * silent.low, 1)} to "
             f"{decimal(100 * silent.high, 1)}, problems paired)."]
        )  # fmt: skip
    else:
        text.append(
            [f"Silence at G = {v.G} is not counted on both sides: a problem has fewer tries, or they are not known."]
        )
    return Stage(
        heading="Before and after",
        answer=[
            "From ", em(looked.earlier, "muted"), " to ", em(looked.label, "muted"), " the mean pass rate went from ",
            num(decimal(rate.before, 3)), " to ", num(decimal(rate.after, 3)), f" ({_signed(rate.change)}, 95% interval "
            f"{_signed(rate.low)} to {_signed(rate.high)}).",
        ],
        text=text,
        charts=[comparing.moved(found, v.G), comparing.silent_twice(found, v.G)],
        tables=[_moved(found), changes(found)],
    )  # fmt: skip


def _signed(x: float) -> str:
    return ("+" if x > 0 else "") + decimal(x, 3)


def _joined(found: Comparison, looked: Looked) -> str:
    text = f"{count(len(found.ids))} problems are in both, joined on the id"
    if found.gone or found.new:
        text += f"; {count(found.gone)} only before and {count(found.new)} only after are left out"
    if found.before.tries is None or found.after.tries is None:
        return f"{text}. Without tries nothing says which changes are more than chance."
    by_chance = 0.0228 * len(found.ids)
    return (
        f"{text}. {count(found.risen)} rose and {count(found.fallen)} fell by more than two standard errors; chance alone "
        f"would give about {count(by_chance)} of each."
    )


def _moved(found: Comparison) -> Table:
    rows = [[f"{STATES[i]} before", *(count(float(n)) for n in found.moved[i])] for i in range(3)]
    heads = ["Problems", *(f"{state} after" for state in STATES)]
    return Table(heads, rows, caption="What became of them.", numeric=[1, 2, 3])


def changes(found: Comparison) -> Table:
    """The problems that changed most."""
    rows = [
        [str(label)[:80], decimal(before, 3), decimal(after, 3), _signed(change), decimal(errors, 1) if errors == errors else ""]
        for label, before, after, change, errors in found.largest(_MOST_CHANGES)
    ]  # fmt: skip
    heads = ["Problem", "Before", "After", "Change", "Standard errors"]
    return Table(heads, rows, caption="The largest changes.", numeric=[1, 2, 3, 4])
