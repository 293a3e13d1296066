"""Figures of the page Training run: the controlled run over time, by method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.training.story import Story, Thread

__all__ = ["hardest", "look", "mass", "prompts", "silence"]

_TENTHS = [f"{i / 10:.1f}".lstrip("0") if i else "0" for i in range(10)]


def look(thread: Thread) -> tuple[str, str, str]:
    """Name, colour and dash of a method's lines."""
    name = thread.method.name
    if name == "Dr. GRPO":
        return name, style.DR_GRPO, "dash"
    if thread.method.drop_silent:
        return name, style.DAPO, "dot"
    return name, style.GRPO if name == "GRPO" else style.ACCENT, "solid"


def hardest(story: Story, t: int, against: str) -> Chart:
    """Pass rate of the hardest quarter (thick) and of all prompts (thin), against steps or rollouts spent."""
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"step": np.arange(story.settings.steps + 1)}
    marks = []
    for thread in story.threads:
        name, color, dash = look(thread)
        x = _x(thread, against)
        if story.settings.seeds > 1:
            traces += style.area(packed(x), packed(thread.hardest_low), packed(thread.hardest_high), name, color)
        traces.append(
            style.line(packed(x), packed(thread.mean_rate), f"{name}, all", color, dash=dash, width=1, opacity=0.8)
        )
        traces.append(style.line(packed(x), packed(thread.twin), f"{name}, mean field", style.GREY, width=1))
        traces.append(style.line(packed(x), packed(thread.hardest_quarter), name, color, dash=dash))
        marks.append(
            style.points([float(x[t])], [float(thread.hardest_quarter[t])], f"{name}, now", color, hoverinfo="skip")
        )
        table |= {
            f"{name} rollouts": thread.rollouts, f"{name} hardest quarter": thread.hardest_quarter,
            f"{name} mean": thread.mean_rate, f"{name} hardest quarter, mean field": thread.twin,
        }  # fmt: skip
        if story.settings.seeds > 1:
            table |= {f"{name} lowest": thread.hardest_low, f"{name} highest": thread.hardest_high}
    title = "step" if against == "steps" else "rollouts spent, millions"
    widest = max(float(_x(thread, against)[-1]) for thread in story.threads)
    layout = style.layout(title, "pass rate", height=360, uirevision=against)
    ends = [(float(th.hardest_quarter[-1]), float(_x(th, against)[-1]), th) for th in story.threads]
    layout["annotations"] = _names(ends, widest, 0.075)
    layout["xaxis"] |= {"range": [-0.01 * widest, 1.13 * widest]}
    layout["yaxis"] |= {"range": [0, 1.03]}
    return Chart(
        "hardest", traces + marks, layout, _hardest_alt(story, t), shows=_shows(story, t), table=table,
        caption="Thick: the hardest quarter. Thin: all prompts. Grey: the mean-field run, without chance."
        + (f" Bands: lowest to highest of {story.settings.seeds} seeds." if story.settings.seeds > 1 else ""),
        narrow={"height": 280, "margin.l": 46, "xaxis.range": [-0.01 * widest, 1.33 * widest], "xaxis.nticks": 5}, given=(),
    )  # fmt: skip


def silence(story: Story, t: int) -> Chart:
    """Silent share of first tries: measured as dots, predicted from the prompts' rates as lines."""
    traces: list[dict[str, Any]] = []
    steps = story.settings.steps
    table: dict[str, Any] = {"step": np.arange(steps)}
    every = max(1, steps // 40)
    x = np.arange(steps)
    for thread in story.threads:
        name, color, dash = look(thread)
        traces.append(
            style.line(packed(x), packed(thread.silent_predicted), f"{name}, predicted", color, dash=dash, width=1.5)
        )
        traces.append(
            style.points(
                packed(x[::every]), packed(thread.silent[::every]), f"{name}, measured", color, hollow=True, size=6
            )
        )
        table |= {f"{name} measured": thread.silent, f"{name} predicted": thread.silent_predicted}
    now = min(t, steps - 1)
    layout = style.layout("step", "silent share", height=250, shapes=[style.rule(now)])
    ends = [(float(thread.silent_predicted[-1]), steps - 1.0, thread) for thread in story.threads]
    layout["annotations"] = _names(ends, steps, 0.11)
    layout["xaxis"] |= {"range": [-0.01 * steps, 1.13 * steps]}
    layout["yaxis"] |= {"range": [0, 1.03], "tickformat": ".0%"}
    parts = [
        f"{look(th)[0]} {th.silent[now]:.1%} measured, {th.silent_predicted[now]:.1%} predicted" for th in story.threads
    ]
    return Chart(
        "silence", traces, layout, f"Silent share of first tries at step {now}: {'; '.join(parts)}.",
        shows={**_shows(story, t), "r2": [round(thread.r2, 4) for thread in story.threads]}, table=table,
        caption="Dots: measured. Lines: the mean of p^G + (1 - p)^G over the prompts. R²: "
        + ", ".join(f"{look(th)[0]} {th.r2:.4f}" for th in story.threads) + ".",
        narrow={"height": 220, "xaxis.range": [-0.01 * steps, 1.33 * steps], "xaxis.nticks": 5},
    )  # fmt: skip


def mass(story: Story, t: int) -> Chart:
    """Share of a step's update by tenth of the starting rate: measured, expected at this G, and in the limit."""
    traces: list[dict[str, Any]] = []
    x = np.arange(10.0)
    table: dict[str, Any] = {"starting rate from": x / 10}
    at = int(np.abs(story.threads[0].mass_steps - t).argmin())
    step = int(story.threads[0].mass_steps[at])
    for i, thread in enumerate(story.threads[:2]):
        name, color, dash = look(thread)
        shift = -0.12 + 0.24 * i
        traces.append(
            style.line(packed(x), packed(thread.mass_limit[at]), f"{name}, large G", style.GREY, width=1, dash=dash)
        )
        traces.append(
            style.line(packed(x), packed(thread.mass_predicted[at]), f"{name}, expected", color, width=1.5, dash=dash)
        )
        traces.append(style.points(packed(x + shift), packed(thread.mass[at]), f"{name}, measured", color, size=7))
        table |= {
            f"{name} measured": thread.mass[at], f"{name} expected": thread.mass_predicted[at],
            f"{name} large G": thread.mass_limit[at],
        }  # fmt: skip
    layout = style.layout("starting pass rate, in tenths", "share of the update", height=300)
    layout["xaxis"] |= {"range": [-0.5, 9.5], "tickvals": x.tolist(), "ticktext": _TENTHS}
    largest = max(float(np.nanmax([th.mass[at], th.mass_predicted[at], th.mass_limit[at]])) for th in story.threads[:2])
    layout["yaxis"] |= {"range": [0, next(top for top in (0.25, 0.5, 1.02) if top >= largest)], "tickformat": ".0%"}
    parts = [f"{look(th)[0]} {extreme(th.mass[at]):.1%}" for th in story.threads[:2]]
    return Chart(
        "mass", traces, layout, f"Share of the update at step {step} that the outer tenths get: {', '.join(parts)}.",
        shows={**_shows(story, t), "step": step}, table=table,
        caption=f"Step {step}. Dots: measured. Lines: expected at this G. Grey: if groups were infinitely large.",
        narrow={"height": 250},
    )  # fmt: skip


def prompts(story: Story, t: int) -> Chart:
    """A dozen prompts from their start to now, under each method."""
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"prompt": np.arange(1, story.threads[0].followed.shape[1] + 1)}
    for i, thread in enumerate(story.threads):
        name, color, dash = look(thread)
        start, now = thread.followed[0], thread.followed[t]
        x = np.tile([i, i + 0.8, np.nan], start.size)
        y = np.stack([start, now, np.full(start.size, np.nan)], 1).ravel()
        traces.append(style.line(packed(x), packed(y), name, color, width=1.5, dash=dash, hoverinfo="skip"))
        traces.append(style.points(packed(np.full(start.size, i + 0.8)), packed(now), f"{name}, now", color, size=6))
        table |= {f"{name} start": start, f"{name} step {t}": now}
    layout = style.layout("", "pass rate", height=300)
    ticks = [i + 0.4 for i in range(len(story.threads))]
    layout["xaxis"] |= {
        "range": [-0.1, 2.95], "tickvals": ticks, "ticktext": [look(th)[0] for th in story.threads], "ticks": "", "showline": False,
    }  # fmt: skip
    layout["yaxis"] |= {"range": [0, 1.03]}
    last = [f"{look(th)[0]} {float(th.followed[t].min()):.2f}" for th in story.threads]
    return Chart(
        "prompts", traces, layout, f"Twelve prompts from start to step {t}; the lowest is now at {', '.join(last)}.",
        shows=_shows(story, t), table=table, caption=f"Twelve prompts from hard to easy: start at the left, step {t} at the right.",
        narrow={"height": 250},
    )  # fmt: skip


def extreme(shares: Any) -> float:
    """Share of the first and the last tenth together."""
    return float(shares[0] + shares[9])


def _x(thread: Thread, against: str) -> Any:
    return np.arange(thread.mean_rate.size) if against == "steps" else thread.rollouts / 1e6


def _names(ends: list[tuple[float, float, Thread]], widest: float, apart: float) -> list[dict[str, Any]]:
    """Names at the right ends (y, x, thread), moved apart where ends are close, none above the plot."""
    places: list[float] = []
    ordered = sorted(ends, key=lambda end: -end[0])
    for y, _, _ in ordered:
        places.append(min(y, 1.0, *(place - apart for place in places[-1:])))
    return [
        style.label(min(x + 0.012 * widest, 1.012 * widest), place, look(thread)[0], look(thread)[1])
        for place, (_, x, thread) in zip(places, ordered, strict=True)
    ]


def _shows(story: Story, t: int) -> dict[str, Any]:
    s = story.settings
    return {
        "G": s.size,
        "t": t,
        "alpha": s.alpha,
        "lr": s.learning_rate,
        "m": s.tries,
        "redraw": s.redraw,
        "seed": s.seed,
    }


def _hardest_alt(story: Story, t: int) -> str:
    parts: Sequence[str] = [f"{look(th)[0]} {th.hardest_quarter[t]:.3f}" for th in story.threads]
    return f"Mean pass rate of the hardest quarter at step {t}: {', '.join(parts)}."
