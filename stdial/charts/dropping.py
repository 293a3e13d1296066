"""Figures of dynamic sampling: the tilt of retries, the price of a mixed group, how a batch fills, and DAPO's own log."""

from __future__ import annotations

import functools
import math
from weakref import WeakKeyDictionary

import numpy as np

from stdial import competence
from stdial.arguments import FloatArray
from stdial.batches import LARGEST, Batch, fill_from, not_full_from
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.dropping import relative_weight, retry_prices
from stdial.pool import Pool
from stdial.resampling import redraw_factor

__all__ = ["MOST_TRIES", "batch", "dapo_log", "prices", "tilt", "told"]

MOST_TRIES = 16
_P = np.concatenate([[0.0], (1 - np.cos(np.linspace(0.06, math.pi - 0.06, 119))) / 2, [1.0]])
_MARK = 0.05  # where the tilt is told
_POINTS = 40
_GROWTH = np.linspace(-4, 8, 97)
_curves: WeakKeyDictionary[Pool, tuple[FloatArray, FloatArray]] = WeakKeyDictionary()


def tilt(G: int, m: int) -> Chart:
    """The weight of a problem relative to one at p = .5, once (a redraw leaves it so) and with up to m tries.

    >>> tilt(8, 4).shows
    {'G': 8, 'm': 4}
    """
    rows = _tilted(G, m)
    (once, retried), low, top = rows[:2, :-1], told(G, m), float(rows[2, 0])
    hover = "%{x:.3f}: %{y:.2f} times<extra></extra>"
    traces = [
        style.line(packed(_P), packed(once), "one try, and redraw", style.GRPO, hovertemplate=hover),
        style.line(packed(_P), packed(retried), "retry", style.ACCENT, dash="dashdot", hovertemplate=hover),
    ]
    layout = style.layout("success probability p", "weight relative to p = .5", height=340, uirevision=str(G))
    layout["xaxis"] |= {"range": [-0.01, 1.01], "dtick": 0.25}
    layout["yaxis"] |= {
        "type": "log", "range": [-0.2, math.log10(1.3 * top)], "tickvals": [1, 2, 5, 10, 20, 50, 100, 200, 500],
    }  # fmt: skip
    layout["annotations"] = [
        style.label(0.5, 0, f"retry, up to {m} tries", style.ACCENT, xanchor="center", yshift=22),
        style.label(0.5, 0, "one try; a redraw leaves it so", style.GRPO, xanchor="center", yshift=-16),
    ]
    alt = (
        f"Weight of a problem relative to one at p = .5 for groups of {G}. At p = .05: {low[0]:.2f} times with one try or a "
        f"redraw, {low[1]:.2f} times with up to {m} tries of the same prompt."
    )
    return Chart(
        "tilt", traces, layout, alt, shows={"G": G, "m": m}, narrow={"height": 290, "xaxis.dtick": 0.5},
        table={"p": _P, "one try, and redraw": once, f"retry, {m} tries": retried},
        caption="Relative to Dr. GRPO's weights, which are level.",
    )  # fmt: skip


def told(G: int, m: int) -> tuple[float, float]:
    """The weight at p = .05 relative to p = .5, with one try and with up to m.

    >>> [round(x, 2) for x in told(8, 4)]
    [1.33, 3.17]
    """
    once, retried = _tilted(G, m)[:2, -1].tolist()
    return once, retried


@functools.lru_cache(maxsize=32)  # the chart and the table beside it ask for the same
def _tilted(G: int, m: int) -> FloatArray:
    """Relative weights at the chart's points and at its mark: with one try, with m, with the most."""
    rows = np.asarray(relative_weight(np.append(_P, _MARK), G, [[1], [m], [MOST_TRIES]]))
    rows.flags.writeable = False
    return rows


def prices(pool: Pool, G: int, m: int, name: str) -> Chart:
    """Rollouts for each mixed group: a redraw's price is one number, a retry's rises with the tries allowed.

    >>> prices(Pool.from_rates([0.5]), 8, 4, "one").shows
    {'G': 8, 'm': 4, 'pool': 'one'}
    """
    ms = np.arange(1, MOST_TRIES + 1)
    retry, redraw = retry_prices(pool, G, ms), G * float(redraw_factor(pool.silent_rate(G)))
    traces = [
        style.line([1, MOST_TRIES], [redraw, redraw], "redraw", style.DAPO, dash="dot", hoverinfo="skip"),
        style.line(packed(ms), packed(retry), "retry", style.ACCENT, dash="dashdot", hoverinfo="skip"),
        style.points(packed(ms), packed(retry), "retry", style.ACCENT, size=6,
                     hovertemplate="%{x} tries: %{y:.1f} rollouts<extra></extra>"),
        style.points([m], [float(retry[m - 1])], "retry, now", style.ACCENT, size=12, hoverinfo="skip"),
    ]  # fmt: skip
    reach = [x for x in (*retry.tolist(), redraw) if math.isfinite(x)]
    layout = style.layout(
        "tries of a prompt in all", "rollouts for each mixed group", height=340, uirevision=f"{name} {G}"
    )
    layout["xaxis"] |= {"range": [0.4, MOST_TRIES + 0.6], "tickvals": [1, 4, 8, 12, 16]}
    layout["yaxis"] |= {"range": [0, 1.25 * max(reach, default=G)]}
    layout["annotations"] = [
        style.label(MOST_TRIES, y, text, color, xanchor="right", yshift=shift)
        for y, text, color, shift in (
            (float(retry[-1]), "retry the same prompt", style.ACCENT, 16), (redraw, "redraw from the pool", style.DAPO, -14),
        )
        if math.isfinite(y)
    ]  # fmt: skip
    alt = (
        f"Rollouts for each mixed group at group size {G}: {_rollouts(redraw)} when silent groups are redrawn from the pool, "
        f"{_rollouts(float(retry[m - 1]))} when a silent prompt is tried up to {m} times."
    )
    return Chart(
        "prices", traces, layout, alt, shows={"G": G, "m": m, "pool": name}, narrow={"height": 290},
        table={"tries": ms, "retry": retry, "redraw": np.full(len(ms), redraw)},
    )  # fmt: skip


def batch(pool: Pool, G: int, train: int, generation: int, cap: int, name: str, whole: Batch | None = None) -> Chart:
    """The chance that the training batch is not full, after each generation; `whole` is `fill_from` of these, where it is at hand.

    >>> batch(Pool.from_rates([0.5]), 8, 32, 16, 4, "one").shows["cap"]
    4
    """
    whole = whole or fill_from(pool, G, train, generation, cap)
    js = _generations(whole, train, generation, cap)
    exact, once = (np.append(1.0, chance) for chance in not_full_from(pool, G, train, generation, js))
    x = np.array([0, *js])
    ends = pool.size / generation  # in one pass nothing is left to draw from here on
    once[x > math.ceil(ends)] = np.nan
    hover = "not full after %{x}: %{y:.2%}<extra></extra>"
    traces = [
        style.line(packed(x), packed(exact), "independent draws", style.ACCENT, hovertemplate=hover, width=2),
        style.points(packed(x), packed(exact), "independent draws", style.ACCENT, size=7, hovertemplate=hover),
        style.points(packed(x), packed(once), "one pass", style.GREY, size=12, hollow=True, hovertemplate=hover),
    ]
    traces[0]["line"]["shape"] = "hv"  # nothing changes between generations
    traces[2]["marker"]["color"] = "rgba(0,0,0,0)"
    layout = style.layout(
        "generations", "batch not full yet", height=340, uirevision=f"{name} {G} {train} {generation} {cap}"
    )
    last = float(x[-1])
    layout["xaxis"] |= {"range": [-0.03 * last, 1.05 * last], "dtick": max(1, math.ceil(last / 8))}
    layout["yaxis"] |= {"range": [-0.03, 1.05], "tickformat": ".0%"}
    layout["annotations"] = []
    if cap and cap <= last:
        layout["shapes"] = [style.rule(cap)]
        layout["annotations"] = [style.label(cap, 0.5, "cap", style.GREY, xanchor="right", xshift=-4)]
    chance = f"{exact[-1]:.2%}" if cap else "0%"
    expected = f"{whole.generations:.2f}" if math.isfinite(whole.generations) else "no finite number of"
    alt = (
        f"Chance that a batch of {train:,} is not full, after each generation of {generation:,} prompts: expected "
        f"{expected} generations; the chance that the cap is hit first is {chance}."
    )
    shows = {"G": G, "pool": name, "train_batch": train, "generation_batch": generation, "cap": cap}
    return Chart(
        "batch", traces, layout, alt, shows=shows, narrow={"height": 290},
        table={"generations": x, "independent draws": exact, "one pass without replacement": once},
        caption="Points: independent draws, exact. Rings: one pass through the pool, an approximation.",
    )  # fmt: skip


def dapo_log(pool: Pool, grow: float, name: str) -> Chart:
    """DAPO's logged all-right share by step, beside E[p^32] of this pool as its model grows.

    >>> dapo_log(Pool.from_rates([0.25, 0.75]), 0.0, "mine").shows
    {'grow': 0.0, 'pool': 'mine'}
    """
    log = competence.logged()
    rates, share = _grown(pool, log.samples)
    here = float(competence.mean_rate(pool, grow)), float(competence.all_right_share(pool, log.samples, grow))
    traces = [
        style.line(log.step.tolist(), log.share.tolist(), "logged", style.DAPO, dash="dot", hoverinfo="skip"),
        style.points(log.step.tolist(), log.share.tolist(), "DAPO, logged", style.DAPO, hollow=True, size=8,
                     hovertemplate="step %{x}: %{y:.0%}<extra></extra>"),
        style.line(packed(rates), packed(share), "this pool", style.ACCENT, xaxis="x2",
                   hovertemplate="mean pass rate %{x:.1%}: %{y:.1%}<extra></extra>"),
        style.points([here[0]], [here[1]], "this pool, now", style.ACCENT, size=11, xaxis="x2", hoverinfo="skip"),
    ]  # fmt: skip
    layout = style.layout("training step", "all 32 right", height=360, uirevision=name)
    right = {**layout["xaxis"], "title": {"text": "mean pass rate", "standoff": 8}}
    layout["xaxis"] |= {"range": [-300, 9400], "domain": [0, 0.47], "tickvals": [0, 4000, 8000]}
    layout["xaxis2"] = {
        **right,
        "range": [-0.03, 1.03],
        "domain": [0.53, 1],
        "tickformat": ".0%",
        "tickvals": [0, 0.5, 1],
        "anchor": "y",
    }
    layout["yaxis"] |= {"range": [-0.03, 1.03], "tickformat": ".0%"}
    layout["annotations"] = [
        style.label(0, 1, "DAPO, logged", style.DAPO, xref="paper", yref="paper", yanchor="bottom", yshift=4),
        style.label(
            0.53,
            1,
            "this pool, E[p<sup>32</sup>]",
            style.ACCENT,
            xref="paper",
            yref="paper",
            yanchor="bottom",
            yshift=4,
        ),
    ]
    layout["shapes"] = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": here[1], "y1": here[1], "layer": "below",
         "line": {"color": style.GREY, "width": 1, "dash": "dot"}}
    ]  # fmt: skip
    layout["margin"] = {**layout["margin"], "t": 30}
    alt = (
        f"Left: DAPO's logged share of prompts with all {log.samples} samples right rises to {log.share.max():.0%}. Right: "
        f"E[p^{log.samples}] of this pool against its mean pass rate as every problem's logit grows; grown by {grow:+.1f} it is "
        f"{here[1]:.1%} at a mean of {here[0]:.1%}."
    )
    return Chart(
        "dapo", traces, layout, alt, shows={"grow": grow, "pool": name}, narrow={"height": 300},
        table={"logits added": _GROWTH, "mean pass rate": rates, "E[p^32]": share, **_log_columns(log)},
        caption=f"{log.source}; {log.note}. Consistent, not a fit.",
    )  # fmt: skip


def _grown(pool: Pool, samples: int) -> tuple[FloatArray, FloatArray]:
    """The pool's curve; it does not depend on the competence of now, so it is kept as long as the pool is."""
    if pool not in _curves:
        _curves[pool] = competence.course(pool, samples, _GROWTH)
    return _curves[pool]


def _log_columns(log: competence.Logged) -> dict[str, FloatArray]:
    columns = {}
    for name, values in (("DAPO step", log.step), ("DAPO logged share", log.share)):
        columns[name] = np.full(len(_GROWTH), np.nan)
        columns[name][: len(values)] = values
    return columns


def _generations(whole: Batch, train: int, generation: int, cap: int) -> list[int]:
    """Which generations to draw: all of them, or about 40 of very many."""
    expected = whole.generations if math.isfinite(whole.generations) else 10.0
    last = min(max(2, math.ceil(1.5 * expected) + 1), LARGEST)
    last = min(max(last, min(cap, 2 * last)), cap) if cap else last
    return sorted({round(j) for j in np.linspace(1, last, min(last, _POINTS))})


def _rollouts(price: float) -> str:
    return f"{price:.1f}" if math.isfinite(price) else "no finite number"
