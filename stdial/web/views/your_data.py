"""Your data: what is silent in a file, and how well that is known. The page's first regions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from stdial import by_size, elsewhere
from stdial.charts import your_data as charts
from stdial.charts.by_size import silent_by_size
from stdial.charts.difficulty import FRAMES
from stdial.comparison import Comparison
from stdial.digits import digits as carried
from stdial.pool import Pool
from stdial.reading import Reading
from stdial.web.apart import apart
from stdial.web.page import Page, Values
from stdial.web.pools import Chosen
from stdial.web.stage import Run, Slider, Stage, em, num
from stdial.web.views.pool_words import digits, how_known
from stdial.web.words import count, decimal, percent

__all__ = ["ANY_REWARDS_USES", "MAIN_USES", "Looked", "exercise", "sizes_text", "stage", "title", "why"]

MAIN_USES = ("G",)
ANY_REWARDS_USES = ("G", "near")
_MOST_SIZES = 6
_MOST_CELLS = 600  # above it a frame takes too long to make a hundred of them


@dataclass(frozen=True, eq=False)
class Looked:
    """What the page looks at.

    Attributes
    ----------
    reading : what came of the file.
    label : what to call it in a sentence; plain text.
    token : for a stage's `needs`.
    private : an upload, and not the sample.
    compared : before and after, where there are two.
    earlier : what the earlier side is called.
    """

    reading: Reading
    label: str
    token: Hashable
    private: bool
    compared: Comparison | None = None
    earlier: str = ""

    @property
    def chosen(self) -> Chosen:
        """Its pool as other pages know it."""
        assert self.reading.pool is not None
        origin = "Your upload." if self.private else "An invented log."
        return Chosen("upload", self.reading.pool, self.label, origin, self.token, private=True)

    @property
    def places(self) -> int:
        """Decimals of a percentage that the data carry."""
        return carried(self.reading.problems)


def title() -> Stage:
    """The page's question."""
    return Stage(title="What does my data teach?", layout="wide")


def stage(v: Values, looked: Looked) -> Stage:
    """The answer, the counts, and the two charts above the fold."""
    reading, pool = looked.reading, looked.reading.pool
    if pool is None:
        return _any_rewards(v, looked)
    if v.G > by_size.logged(pool) > 0 and not by_size.is_known(pool, v.G):  # bounds take a linear program
        by_size.learn(pool, [apart(elsewhere.silent, elsewhere.nameless(pool), v.G, keep=not looked.private)])
    frames = _frames(pool)
    live = pool.size - sum(float(pool.problems[pool.rate == end].sum()) for end in (0, 1))
    wrong, right = (float(pool.problems[pool.rate == end].sum()) for end in (0, 1))
    return Stage(
        answer=_answer(v.G, looked, live),
        text=[[em(how_known(looked.chosen, v.G), "muted")]],
        readouts=[
            *(
                (name, f"{count(some)} ({percent(some / pool.size, looked.places)})", "")
                for name, some in (("All wrong", wrong), ("Live", live), ("All right", right))
            ),
            ("Rollouts", "not known" if reading.rollouts is None else count(reading.rollouts), ""),
            ("Mean pass rate", decimal(pool.mean_rate, 3), ""),
            ("Mean sigma", decimal(reading.mean_sigma, 3), ""),
        ],
        controls=[Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log", primary=True)],
        charts=[silent_by_size(pool, v.G), charts.rates(pool, v.G, sizes_text(reading))],
        scrub="G" if frames else "",
        frames=frames,
    )


def _frames(pool: Pool) -> list[int]:
    """The group sizes whose frame is cheap: beyond the tries bounds take a linear program."""
    n = by_size.logged(pool)
    if len(pool.cells.rate) > _MOST_CELLS:
        return []
    return [size for size in FRAMES if not n or size <= n]


def _answer(G: int, looked: Looked, live: float) -> list[Run]:
    pool = looked.chosen.pool
    now, places = by_size.at(pool, G), digits(looked.chosen)
    silent = percent(now.best, places)
    if not now.known and pool.tries is not None:
        silent = f"between {percent(now.low, places)} and {percent(now.high, places)}"
    end: list[Run] = [" of the groups drawn from ", em(looked.label, "muted"), " teach nothing. "]
    if pool.tries is None:
        end = [" (plug-in, too high)", *end]
    return [
        "With ", num(str(G)), " rollouts a prompt, ", num(silent), *end,
        num(count(live)), f" of its {count(pool.size)} problems showed both right and wrong answers.",
    ]  # fmt: skip


def sizes_text(reading: Reading) -> str:
    """How large the logged groups are, and how many of each size where they differ."""
    n = reading.stats.n
    if np.isnan(n).any():
        return ""
    many = np.ones(len(n)) if reading.weights is None else np.asarray(reading.weights, dtype=np.float64)
    sizes, index = np.unique(n, return_inverse=True)
    if len(sizes) == 1:
        return f"{count(sizes[0])} {'try' if sizes[0] == 1 else 'tries'} each."
    per = np.bincount(index, weights=many)
    order = np.argsort(-per, kind="stable")[:_MOST_SIZES]
    listed = ", ".join(f"{count(per[i])} of {count(sizes[i])}" for i in order)
    more = ", and others" if len(sizes) > _MOST_SIZES else ""
    return (
        f"Group sizes differ, {count(sizes[0])} to {count(sizes[-1])} ({listed}{more}): groups of more than "
        f"{count(sizes[0])} are not counted in all problems."
    )


def _any_rewards(v: Values, looked: Looked) -> Stage:
    """Rewards of many values: silence is counted at the sizes that were logged."""
    reading = looked.reading
    silent, n = reading.silent_groups, reading.problems
    return Stage(
        answer=[
            num(count(silent)), " of the ", num(count(n)), f" groups ({percent(silent / n, looked.places)}) in ",
            em(looked.label, "muted"), " are silent: all their rewards are equal, so they teach nothing.",
        ],
        text=[
            [f"{count(n)} problems, {count(reading.rollouts or 0)} rollouts. {sizes_text(reading)}"],
            ["The rewards have more than two values. Their update is sigma times the slope of the score on the reward. Set a "
             "threshold under “How the file is read” to count right and wrong answers, and everything on this page that "
             "depends on the group size."],
        ],
        readouts=[("Silent groups", percent(silent / n, looked.places), ""), ("Mean sigma", decimal(reading.mean_sigma, 3), "")],
        controls=[near_slider(v, looked)],
        charts=[charts.sigma_histogram(reading.stats, v.near, v.G, reading.weights)],
    )  # fmt: skip


def near_slider(v: Values, looked: Looked, primary: bool = True) -> Slider:
    """The threshold below which a group counts as nearly silent."""
    most = max(float(looked.reading.stats.sigma.max()), 0.01)
    top = float(f"{most:.2g}") if looked.reading.pool is None else 0.5
    hint = "Sigma of a group's rewards. Or tap the chart."
    return Slider(
        "near",
        "Nearly silent below",
        min(v.near, top),
        low=0,
        high=top,
        step=top / 100,
        digits=3,
        hint=hint,
        primary=primary,
    )


def why(page: Page, looked: Looked) -> None:
    """The estimate of the silent share, with its numbers."""
    v, pool = page.values, looked.reading.pool
    if pool is None:
        page.why(
            "A group whose rewards are all equal has advantages of zero. Silence is decided by the largest and the smallest "
            f"reward, not by a small standard deviation. Here {looked.reading.silent_groups:,} of {looked.reading.problems:,} "
            "groups are silent.",
            r"A_i = \frac{r_i - \mu}{\sigma}, \qquad \max_i r_i = \min_i r_i \;\Rightarrow\; A_i = 0",
            "from stdial.reading import read\n\nread('your file').silent_groups",
        )
        return
    best, plug_in = pool.silent_rate(v.G), pool.silent_rate(v.G, "plug-in")
    if pool.tries is None:
        text = f"Without tries only the plug-in applies, and it is too high: {plug_in:.4f} at G = {v.G}."
        latex = rf"\bar S = \frac1N \sum_i \left(\hat p_i^{{{v.G}}} + (1-\hat p_i)^{{{v.G}}}\right) = {plug_in:.4f}"
    else:
        kind = pool.best_is(v.G)
        text = (
            f"Each problem counts by the chance that {v.G} answers, drawn from those that were logged, agree: {best:.4f} on "
            f"average ({kind}). Taking each observed rate for the truth would say {plug_in:.4f}, since a rate of 0 or 1 from few "
            "tries looks more certain than it is."
        )
        latex = (
            rf"\bar S = \frac1N \sum_i \frac{{\binom{{k_i}}{{{v.G}}} + \binom{{n_i-k_i}}{{{v.G}}}}}{{\binom{{n_i}}{{{v.G}}}}}"
            rf" = {best:.4f}"
            if kind == "unbiased"
            else rf"\bar S = \frac1N \sum_i E\left[p^{{{v.G}}} + (1-p)^{{{v.G}}} \mid k_i, n_i\right] = {best:.4f}"
        )
    what = "'your file'" if looked.private else "FILE, **OPTIONS, at_step=200"
    start = "from stdial.reading import read\n" + (
        "" if looked.private else "from stdial.sample import FILE, OPTIONS\n"
    )
    page.why(text, latex, f"{start}\nread({what}).pool.silent_rate({v.G})  # {best:.6f}")


def exercise(page: Page) -> None:
    """A question whose start is a link."""
    page.exercise(
        "Keep only problems with pass rates from .2 to .8. How many of the mixed groups are lost with the others, and how many "
        "rollouts are saved? Which band keeps nine tenths of the mixed groups with the fewest problems?",
        "Start with the band from .2 to .8 at G = 8",
        G=8, keep_from=0.2, keep_to=0.8,
    )  # fmt: skip
