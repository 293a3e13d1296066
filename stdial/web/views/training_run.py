"""Training run: what happens over time, in the controlled run and in a recorded run of a real language model."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass, field

from stdial.charts import language_model as model
from stdial.charts import training as charts
from stdial.pool import Pool
from stdial.remembered import remembered
from stdial.training.record import Record, load
from stdial.training.story import FOLLOWED, PROMPTS, Settings, Story, Thread, tell
from stdial.web import pools
from stdial.web.apart import long_apart
from stdial.web.page import Page, Values
from stdial.web.stage import Button, Choice, Control, Number, Run, Slider, Stage, Table, Toggle, em, num
from stdial.web.words import count, decimal, percent, times

__all__ = ["MODEL_USES", "USES", "exercise", "meanwhile", "plots", "settings", "stage", "story", "why"]

USES = ("G", "pool", "p", "alpha", "lr", "steps", "m", "redraw", "seed", "band", "t", "against")
MODEL_USES = ("recorded", "against")
_COLORS = {"Dr. GRPO": "dr-grpo", "GRPO": "grpo", "DAPO": "dapo"}
_FRAMES = 151
_SIZE = 200_000  # bytes of a story, about


def settings(v: Values) -> Settings:
    """The run that a link asks for."""
    return Settings(v.G, v.alpha, v.lr, v.steps, v.m, v.redraw, v.seed, v.band)


@dataclass(frozen=True)
class _Named:
    """A pool that is known by its token alone."""

    token: Hashable
    pool: Pool = field(compare=False)


@functools.lru_cache(maxsize=96)
def _told(named: _Named, asked: Settings) -> Story:
    return long_apart(tell, named.pool, asked)


def story(v: Values, which: pools.Chosen) -> Story:
    """The run's story; those on pools that everybody has are kept for everybody."""
    if which.private:
        asked = settings(v)
        return remembered(which.pool, ("story", asked), lambda: long_apart(tell, which.pool, asked), size=_SIZE)
    return _told(_Named(which.token, which.pool), settings(v))


def _moves(pool: Pool) -> bool:
    """Whether some problem's observed rate lies strictly between 0 and 1; others never move."""
    cells = pool.cells
    return bool(((cells.rate > 0) & (cells.rate < 1) & (cells.problems > 0)).any())


def stage(v: Values, which: pools.Chosen) -> Stage:
    """The controlled run: answer, player, and its two main charts; the others follow."""
    t = min(v.t, v.steps)
    if not _moves(which.pool):
        return Stage(
            title="What happens over time?",
            answer=[
                "Nothing: all answers to each of these problems agree, so every group is silent and no rate moves."
            ],
            text=[["Choose problems of which some were answered right and wrong."]],
            controls=_controls(v, which, t),
        )
    told = story(v, which)
    every = max(1, -(-v.steps // (_FRAMES - 1)))
    return Stage(
        title="What happens over time?",
        answer=_answer(told, t),
        readouts=_readouts(told, t),
        controls=_controls(v, which, t),
        charts=[
            charts.hardest(told, t, v.against),
            charts.silence(told, t),
            charts.mass(told, t),
            charts.prompts(told, t),
        ],
        scrub="t",
        frames=sorted({*range(0, v.steps + 1, every), v.steps}),
    )


def meanwhile(v: Values, which: pools.Chosen) -> Stage:
    """What stands there until the run is done."""
    return Stage(
        title="What happens over time?",
        answer=["The run is being computed."],
        controls=_controls(v, which, min(v.t, v.steps)),
    )


def _controls(v: Values, which: pools.Chosen, t: int) -> list[Control]:
    return [
        Slider("t", "Step", t, low=0, high=v.steps, step=1, primary=True, play=True),
        Choice("against", "Compare at equal", v.against, options=[("steps", "Steps"), ("rollouts", "Rollouts")]),
        Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log"),
        pools.control(
            v,
            which.uploaded,
            hint=f"{count(PROMPTS)} starting rates strictly between 0 and 1 are drawn from it, clipped to .02 and .98.",
        ),
        Slider("lr", "Learning rate", v.lr, low=0.05, high=5, step=0.05, scale="log", digits=2),
        Slider("m", "Tries in all", v.m, low=1, high=16, step=1, hint="DAPO's groups of a step until one is live."),
        Toggle("redraw", "DAPO draws other prompts instead of trying the same again", v.redraw),
        Slider(
            "alpha", "Exponent", v.alpha, low=0, high=2, step=0.05, digits=2, hint="Turned, it takes the place of GRPO."
        ),
        Choice("band", "Seeds", str(v.band), options=[("1", "1"), ("3", "3"), ("5", "5")]),
        Number("seed", "Seed", v.seed, low=0, high=2**31 - 1, step=1),
        Slider("steps", "Steps in all", v.steps, low=20, high=400, step=10),
        Button("again", "Another seed", sets={"seed": (v.seed + 1) % 2**31}),
    ]


def _name(thread: Thread) -> Run:
    name = thread.method.name
    return em(name, _COLORS.get(name, "dapo" if thread.method.drop_silent else ""))


def _answer(told: Story, t: int) -> list[Run]:
    plain, middle, dropping = told.threads
    spent = dropping.rollouts[t] / plain.rollouts[t] if t else 1.0
    runs: list[Run] = ["After ", num(f"{t}"), f" step{'' if t == 1 else 's'} the hardest quarter passes "]
    for thread, rest in ((middle, " under "), (plain, ", "), (dropping, " and ")):
        color = _COLORS.get(thread.method.name, "dapo" if thread.method.drop_silent else "")
        if thread is not middle:
            runs.append(rest)
        runs += [num(decimal(float(thread.hardest_quarter[t]), 3), color), " under ", _name(thread)]
    return [*runs, ", which has spent ", num(times(spent, 2), "dapo"), " the rollouts."]


def _readouts(told: Story, t: int) -> list[tuple[str, str, str]]:
    cells = []
    for thread in told.threads:
        name = thread.method.name
        color = _COLORS.get(name, "dapo" if thread.method.drop_silent else "")
        cells.append((f"{name}, rollouts", f"{thread.rollouts[t] / 1e6:.2f} M", color))
        cells.append((f"{name}, all prompts", decimal(float(thread.mean_rate[t]), 3), color))
    return cells


def plots(v: Values) -> Stage:
    """The recorded run of the language model: what it shows, and what held."""
    record = load()
    options = model.settings(record)
    chosen = options[min(int(v.recorded), len(options) - 1)] if v.recorded.isdigit() else options[0]
    return Stage(
        heading="In a real language model",
        text=[_about(record), ["What held and what did not, computed from the record:"]],
        controls=[
            Choice(
                "recorded", "Recorded run", str(options.index(chosen)), menu=True,
                options=[(str(i), option.words) for i, option in enumerate(options)],
            )
        ],
        charts=[model.rates(record, chosen, v.against), model.silence(record, chosen), model.norms(record), model.ladder(record)],
        tables=[_findings(record)],
        layout="wide",
    )  # fmt: skip


def _about(record: Record) -> list[Run]:
    shape, made = record.about["model"], record.about
    seeds = ", ".join(str(seed) for seed in made["seeds"])
    return [
        "A transformer of ", num(str(shape["layers"])), " layers and width ", num(str(shape["width"])),
        " does sums and products of digits, and was trained for real by GRPO, Dr. GRPO and DAPO, with ",
        num(count(len(record.probes))), " groups measured by "
        f"autograd (seeds {seeds}; torch {made['versions']['torch']}; recorded {made['date']}; commit {made['commit'][:8]}). "
        f"A repetition of the first {made.get('tolerances_hold_for_steps', 50)} steps agrees within "
        f"{made['tolerances']['rate']:g} in pass rate. It is real, but tiny: neither it nor the run "
        "above shows what a model of 7 billion parameters does.",
    ]  # fmt: skip


def _findings(record: Record) -> Table:
    words = {True: "held", False: "did not hold", None: "nothing to judge"}
    rows = [[finding["claim"], words[finding["held"]], finding["sentence"]] for finding in record.findings]
    return Table(
        ["Claim", "", "What was measured"], rows, caption="Theory and common belief, against the record", cards=True
    )


def why(page: Page, which: pools.Chosen) -> None:
    """One step of the controlled run, with the R squared of its silence."""
    v = page.values
    if page.pending:
        page.why_as_before()
        return
    if not _moves(which.pool):
        return
    told = story(v, which)
    plain, middle, dropping = told.threads
    masses = {th.method.name: charts.extreme(th.mass_predicted[0]) for th in (plain, middle)}
    said = ", ".join(f"{percent(share)} under {name}" for name, share in masses.items())
    page.why(
        f"This is a simulation: {count(told.prompts)} prompts, each a coin with its own pass rate, no text and nothing shared. "
        f"A step draws k of G = {v.G} right answers and moves the prompt's logit by the learning rate times its update. "
        "The silent share "
        f"follows the prediction with R² = {middle.r2:.4f} ({middle.method.name}) and {dropping.r2:.4f} ({dropping.method.name}). "
        f"At the first step the outer tenths are expected to get {said}.",
        rf"k \sim \mathrm{{Binomial}}({v.G}, p), \qquad \theta \leftarrow \theta + {v.lr:g}\, c(k),"
        r" \qquad p = \frac{1}{1+e^{-\theta}}",
        f"from stdial import GRPO, bigmath, training\n\nrun = training.run(bigmath.load(), GRPO, size={v.G}, steps={v.steps}, "
        f"learning_rate={v.lr!r}, seed={v.seed})\nrun.hardest_quarter[-1]",
    )


def exercise(page: Page) -> None:
    """Equal steps against equal rollouts."""
    page.exercise(
        "At equal steps DAPO is ahead. Who is ahead at equal rollouts? And what happens to that when you try the same prompt "
        f"only twice? Watch the {FOLLOWED} prompts too: which of them moves last?",
        "Compare at equal rollouts", against="rollouts", t=150,
    )  # fmt: skip
