"""The lower regions of Silence: redraw against retry, how a batch fills, and DAPO's own log."""

from __future__ import annotations

import math
from typing import Any

from stdial import competence
from stdial.batches import Batch, fill_from, generation_batch_for, generations_for
from stdial.charts import dropping as charts
from stdial.dropping import Dropping, dropping, retry_bounds
from stdial.web.apart import apart
from stdial.web.page import Values
from stdial.web.pools import Chosen
from stdial.web.stage import Number, Run, Slider, Stage, Table, code, em, num
from stdial.web.views.pool_words import digits, exact, fewest_tries, many_cells
from stdial.web.words import count, decimal, percent, times

__all__ = ["BATCH_USES", "GROWTH_USES", "RESAMPLING_USES", "batch", "growth", "resampling"]

# The parameters that each region depends on beside the chosen problems, whose token says which they are.
RESAMPLING_USES = ("G", "m")
BATCH_USES = ("G", "train_batch", "generation_batch", "cap")
GROWTH_USES = ("grow",)
_GROWTHS = [round(-4 + 0.1 * i, 1) for i in range(121)]
_RISK = 0.01


def resampling(v: Values, chosen: Chosen) -> Stage:
    """Redraw from the pool against retry of the same prompt."""
    found = dropping(chosen.pool, v.G, v.m)
    retry = "no mixed group at any price" if math.isinf(found.retry_price) else f"{found.retry_price:.1f} rollouts"
    redraw = "no mixed group at any price" if math.isinf(found.redraw_price) else f"{found.redraw_price:.1f} rollouts"
    return Stage(
        heading="Redraw from the pool, or retry the same prompt?",
        answer=[
            "A redraw pays ", num(redraw, "dapo"), " for each mixed group; up to ", num(str(v.m)), " tries of the same prompt pay ",
            num(retry), ", and tilt the weights toward the extremes.",
        ],
        text=[[em(_retry_known(v, chosen), "muted")]],
        controls=[
            Slider("m", "Tries in all", v.m, low=1, high=charts.MOST_TRIES, step=1, hint="Of a prompt whose groups are silent.")
        ],
        charts=[charts.tilt(v.G, v.m), charts.prices(chosen.pool, v.G, v.m, chosen.name)],
        tables=[_comparison(v, found, digits(chosen))],
        scrub="m",
        frames=_frames(v.G, chosen),
    )  # fmt: skip


def _frames(G: int, chosen: Chosen) -> list[int]:
    """The tries whose frame is cheap: beyond the tries logged bounds take a linear program."""
    every = range(1, 1 if many_cells(chosen.pool) else charts.MOST_TRIES + 1)
    return [m for m in every if chosen.pool.tries is None or m * G <= fewest_tries(chosen.pool)]


def _comparison(v: Values, found: Dropping, places: int) -> Table:
    tilted = charts.told(v.G, v.m)
    scale = "none" if math.isnan(found.retry_scale) else times(found.retry_scale)
    rows = [
        ["Prompts that end mixed", percent(found.kept, places), "all of the batch", percent(found.retry_mixed, places)],
        ["Rollouts a prompt of the batch", count(v.G), _finite(found.redraw_price), decimal(v.G * found.retry_tries, 1)],
        ["Rollouts for each mixed group", _finite(found.redraw_price), _finite(found.redraw_price), _finite(found.retry_price)],
        ["Scale of the step", times(1.0), times(found.redraw_factor), scale],
        ["Weight at p = .05, relative to p = .5", times(tilted[0]), times(tilted[0]), times(tilted[1])],
        ["Tilts the weights", "no", "no", "yes" if v.m > 1 else "no"],
    ]  # fmt: skip
    return Table(
        ["", "Silent groups kept", "Redraw from the pool", f"Retry, up to {v.m} tries"], rows, numeric=[1, 2, 3], cards=True,
        caption=f"In expectation, groups of {v.G}. The step is the mean update over the prompts of the batch; weights are GRPO's.",
    )  # fmt: skip


def _retry_known(v: Values, chosen: Chosen) -> str:
    """What the retries' figures are made of; bounds where they ask for more answers than were logged."""
    pool, reach = chosen.pool, v.m * v.G
    if exact(chosen):
        return "Exact: the rates of this pool are made up."
    if pool.tries is None:
        return "Plug-in: each rate is taken for the truth, which overstates silence."
    n, places = fewest_tries(pool), digits(chosen)
    if reach <= n:
        return f"Retries by the distribution fitted to the pool: up to {reach} answers of a prompt, of the {n} logged."
    known = pool.remembered(f"retry {v.G} {v.m}")
    low, high = known or apart(retry_bounds, pool, v.G, v.m)  # linear programs: some hundredths of a second
    least, most = percent(low, places), percent(high, places)
    ends = most if least == most else f"anything from {least} to {most}"
    return (
        f"Retries ask for up to {reach} answers of a prompt and {n} were logged: the share that ends mixed is an estimate, and "
        f"{ends} is possible at two standard errors."
    )


def batch(v: Values, chosen: Chosen) -> Stage:
    """The batch calculator, with the words that trainers use."""
    found = fill_from(chosen.pool, v.G, v.train_batch, v.generation_batch, v.cap)
    return Stage(
        heading="How a batch fills",
        answer=_batch_answer(v, found),
        text=[*([[em("Beware: "), f"{found.warning}."]] if found.warning else []), _what_to_change(v, found)],
        readouts=_batch_readouts(v, found),
        controls=[
            Number("train_batch", "Train batch", v.train_batch, low=1, high=100_000, step=1, hint="Prompts with a mixed group."),
            Number("generation_batch", "Generation batch", v.generation_batch, low=1, high=100_000, step=1,
                   hint="Prompts drawn at a time."),
            Number("G", "Group size", v.G, low=2, high=1024, step=1, hint="Rollouts a prompt."),
            Number("cap", "Generation cap", v.cap, low=0, high=1000, step=1, hint="max_num_gen_batches; 0 means no cap."),
        ],
        charts=[charts.batch(chosen.pool, v.G, v.train_batch, v.generation_batch, v.cap, chosen.name, found)],
    )  # fmt: skip


def _batch_answer(v: Values, found: Batch) -> list[Run]:
    if math.isinf(found.generations):
        return ["Every group is silent: a batch of ", num(count(v.train_batch)), " never fills."]
    start: list[Run] = [
        "A batch of ", num(count(v.train_batch)), " takes ", num(decimal(found.generations, 2), "dapo"), " generations of ",
        num(count(v.generation_batch)), " prompts on average: ", num(count(found.rollouts), "dapo"), " rollouts. ",
    ]  # fmt: skip
    if not v.cap:
        return [*start, "Without a cap the trainer waits until it is full."]
    return [
        *start,
        "The chance that the cap of ",
        num(count(v.cap)),
        " is hit first is ",
        num(percent(found.capped, 2)),
        ".",
    ]


def _batch_readouts(v: Values, found: Batch) -> list[tuple[str, str, str]]:
    once, missed = found.one_pass_generations, found.one_pass_capped
    cells = [("Kept of the prompts drawn", percent(found.kept), "")]
    if found.pool_kept is not None:
        cells.append(("Kept in one pass", count(found.pool_kept), ""))
    if once is not None and missed is not None:
        cells += [
            ("Generations, one pass", decimal(once, 2), "muted"),
            ("Not full, one pass", percent(missed, 2), "muted"),
        ]
    return cells


def _what_to_change(v: Values, found: Batch) -> list[Run]:
    """Independent draws or one pass, and the setting that would do."""
    silent = 1.0 - found.kept
    if found.kept <= 0:
        return ["No setting fills it. Other problems do, or larger groups where p is neither 0 nor 1."]
    single = generation_batch_for(silent, v.train_batch, 1, _RISK)
    if not v.cap:
        return ["To fill it in one generation 99 times of 100, draw ", num(count(single)), " prompts at a time."]
    enough = generation_batch_for(silent, v.train_batch, v.cap, _RISK)
    if found.capped > _RISK:
        needed = generations_for(silent, v.train_batch, v.generation_batch, _RISK)
        return [
            "What to change: draw ", num(count(enough)), " prompts at a time, or set ", code("max_num_gen_batches"), " to ",
            num(count(needed)), "; then at most 1 batch of 100 is cut short.",
        ]  # fmt: skip
    return [
        "Generation batches of ", num(count(enough)), " would still fill it within the cap 99 times of 100, and ",
        num(count(single)), " in a single generation. What is kept beyond the train batch is thrown away.",
    ]  # fmt: skip


def growth(v: Values, chosen: Chosen) -> Stage:
    """DAPO's logged all-right share beside E[p^32] as the pool's competence grows."""
    log = competence.logged()
    mean = float(competence.mean_rate(chosen.pool, v.grow))
    share = float(competence.all_right_share(chosen.pool, log.samples, v.grow))
    step = log.first_step(share)
    beside: list[Any] = (
        ["; DAPO's log gets there by step ", num(count(step), "dapo"), "."]
        if math.isfinite(step)
        else ["; DAPO's log stays below it, at ", num(percent(float(log.share.max()), 0), "dapo"), " or less."]
    )
    return Stage(
        heading="Silence grows with the model",
        answer=[
            "With ", num(f"{decimal(v.grow, 1)}"), " added to every problem's logit the mean pass rate is ", num(percent(mean)),
            " and ", num(percent(share)), f" of groups of {log.samples} are all right", *beside,
        ],
        text=[
            [f"DAPO logged how many prompts had all {log.samples} samples right while it trained with groups of {log.size}. For "
             f"a pool that share is E[p^{log.samples}], and it climbs the same way as a model gets better. The two are consistent; "
             "it is not a fit: the pools differ, and nobody logged the competence."]
        ],
        controls=[Slider("grow", "Competence", v.grow, low=-4, high=8, step=0.1, digits=1, hint="Logits added to every problem.")],
        charts=[charts.dapo_log(chosen.pool, v.grow, chosen.name)],
        scrub="grow",
        frames=[] if many_cells(chosen.pool) else _GROWTHS,
    )  # fmt: skip


def _finite(x: float) -> str:
    return "never" if math.isinf(x) else decimal(x, 1)
