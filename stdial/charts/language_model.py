"""Figures of the recorded run of a tiny real language model: theory as lines, what was measured as dots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stdial import GRPO, group
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.training.outcomes import curve, matching_runs
from stdial.training.record import Record

__all__ = ["Setting", "ladder", "norms", "rates", "settings", "silence"]

_LOOKS = {"GRPO": (style.GRPO, "solid"), "Dr. GRPO": (style.DR_GRPO, "dash"), "DAPO": (style.DAPO, "dot")}
_VERIFIERS = {"exact": "one right string", "near": "many right strings"}


class Setting(NamedTuple):
    """One combination that several methods were trained under."""

    verifier: str
    optimizer: str
    learning_rate: float
    size: int

    @property
    def words(self) -> str:
        """The setting for a menu."""
        rate = f"{self.learning_rate:.0e}".replace("e-0", "e-")
        optimizer = {"adam": "Adam", "sgd": "SGD"}.get(self.optimizer, self.optimizer)
        return f"{optimizer} {rate}, G = {self.size}, {_VERIFIERS[self.verifier]}"


def settings(record: Record) -> list[Setting]:
    """All combinations of the record with one update a batch, the main one first, by how many runs each has."""
    runs, counts = record.runs, dict[Setting, int]()
    for i in range(len(runs)):
        if runs.updates[i] == 1:
            key = Setting(runs.verifier[i], runs.optimizer[i], float(f"{runs.learning_rate[i]:.6g}"), int(runs.size[i]))
            counts[key] = counts.get(key, 0) + 1
    main = Setting("exact", "adam", 3e-4, 8)
    return sorted(counts, key=lambda key: (key != main, -counts[key], key))


def rates(record: Record, setting: Setting, against: str) -> Chart:
    """Pass rate of the pool (thick) and of held-out problems (thin), at equal steps or at equal rollouts."""
    traces: list[dict[str, Any]] = []
    table: dict[str, list[Any]] = {"method": [], "seed": [], "split": [], "step": [], "rollouts": [], "pass rate": []}
    ends: dict[str, tuple[float, float]] = {}
    for name, (color, dash) in _LOOKS.items():
        for number in matching_runs(record, name, **setting._asdict()):
            for split, width in (("pool", 2.2), ("held out", 1.0)):
                rows = curve(record, number, split=split)
                if not len(rows):
                    continue
                x = rows.step if against == "steps" else rows.rollouts / 1e3
                traces.append(
                    style.line(packed(x), packed(rows.rate), f"{name}, {split}", color, dash=dash, width=width)
                )
                seed = int(record.runs.seed[record.runs.run == number][0])
                for column, values in (("step", rows.step), ("rollouts", rows.rollouts), ("pass rate", rows.rate)):
                    table[column] += values.tolist()
                table["method"] += [name] * len(rows)
                table["seed"] += [seed] * len(rows)
                table["split"] += [split] * len(rows)
                if split == "pool":
                    ends[name] = (float(x[-1]), float(rows.rate[-1]))
    title = "step" if against == "steps" else "rollouts, thousands"
    widest = max((x for x, _ in ends.values()), default=1.0)
    layout = style.layout(title, "pass rate", height=340, annotations=_end_names(ends, widest), uirevision=against)
    layout["xaxis"] |= {"range": [-0.01 * widest, 1.16 * widest]}
    layout["yaxis"] |= {"rangemode": "tozero"}
    said = ", ".join(f"{name} {y:.3f}" for name, (_, y) in ends.items())
    return Chart(
        "model_rates", traces, layout, f"Pass rate of the pool at the end of the recorded runs, {setting.words}: {said}.",
        shows={"setting": setting.words, "against": against}, table=table,
        caption="Thick: the pool. Thin: held-out problems. One line a seed.",
        narrow={"height": 260, "xaxis.range": [-0.01 * widest, 1.34 * widest], "xaxis.nticks": 5},
    )  # fmt: skip


def silence(record: Record, setting: Setting) -> Chart:
    """Silent share at each step of the recorded runs, measured against predicted from exact pass rates."""
    traces: list[dict[str, Any]] = []
    table: dict[str, list[Any]] = {"method": [], "run": [], "predicted": [], "measured": []}
    differences = []
    for name, (color, _) in _LOOKS.items():
        for number in matching_runs(record, name, **setting._asdict()):
            rows = record.steps.take((record.steps.run == number) & np.isfinite(record.steps.silent_predicted))
            hover = f"{name}: predicted %{{x:.3f}}, measured %{{y:.3f}}<extra></extra>"
            traces.append(
                style.points(
                    packed(rows.silent_predicted),
                    packed(rows.silent),
                    name,
                    color,
                    size=5,
                    opacity=0.55,
                    hovertemplate=hover,
                )
            )
            differences += (rows.silent - rows.silent_predicted).tolist()
            table["predicted"] += rows.silent_predicted.tolist()
            table["measured"] += rows.silent.tolist()
            table["method"] += [name] * len(rows)
            table["run"] += [number] * len(rows)
    traces.append(style.line([0, 1], [0, 1], "equal", style.GREY, width=1, hoverinfo="skip"))
    layout = style.layout("predicted from exact pass rates", "silent share, measured", height=340)
    layout["xaxis"] |= {"range": [0.1, 0.8], "tickformat": ".0%"}
    layout["yaxis"] |= {"range": [0.0, 0.95], "tickformat": ".0%"}
    mean = float(np.mean(differences)) if differences else float("nan")
    return Chart(
        "model_silence", traces, layout,
        f"Silent share of {len(differences)} recorded steps, measured against predicted; the mean difference is {mean:+.4f}.",
        shows={"setting": setting.words, "mean_difference": round(mean, 5)}, table=table,
        caption=f"One dot a step. Measured minus predicted is {mean:+.4f} on average.", narrow={"height": 260},
    )  # fmt: skip


def norms(record: Record) -> Chart:
    """Length of a group's gradient by k beside sigma alone, each against its value at k = 4."""
    ks = np.arange(1, 8)
    sigma = group.update(ks, 8, GRPO) / group.update(4, 8, GRPO)
    traces = [style.line(packed(ks), packed(sigma), "sigma alone", style.GREY, width=1.5)]
    table: dict[str, Any] = {"k": ks, "sigma": sigma}
    corner = {"xref": "paper", "yref": "paper", "yanchor": "top"}
    labels = [style.label(0.98, 0.99, "— sigma alone", style.GREY, **{**corner, "xanchor": "right"})]
    parts, top = [], 1.0
    runs = record.runs
    for verifier, color, symbol in (("exact", style.INK, "circle"), ("near", style.GRPO, "square")):
        chosen = runs.run[(runs.verifier == verifier) & (runs.size == 8) & np.isin(runs.method, ["GRPO", "DAPO"])]
        rows = record.probes.take((record.probes.update == 1) & np.isin(record.probes.run, chosen))
        if not len(rows):
            continue
        quarters = np.array([np.quantile(rows.norm[rows.k == k], [0.25, 0.5, 0.75]) for k in ks])
        quarters /= quarters[3, 1]
        top = max(top, float(quarters.max()))
        bars = {
            "type": "data", "symmetric": False, "array": packed(quarters[:, 2] - quarters[:, 1]),
            "arrayminus": packed(quarters[:, 1] - quarters[:, 0]), "color": color, "thickness": 1, "width": 3,
        }  # fmt: skip
        x = ks + (0.1 if verifier == "near" else -0.1)
        dots = style.points(packed(x), packed(quarters[:, 1]), _VERIFIERS[verifier], color, size=8, error_y=bars)
        dots["marker"] = {**dots["marker"], "symbol": symbol}
        traces.append(dots)
        table |= {
            f"{verifier} lower quartile": quarters[:, 0],
            f"{verifier} median": quarters[:, 1],
            f"{verifier} upper": quarters[:, 2],
        }
        parts.append(f"{_VERIFIERS[verifier]}: {quarters[6, 1] / quarters[0, 1]:.2f} times from k = 1 to 7")
        labels.append(
            style.label(
                0.02, 0.99 if verifier == "exact" else 0.9, ("● " if verifier == "exact" else "■ ") + _VERIFIERS[verifier], color,
                **corner,
            )
        )  # fmt: skip
    layout = style.layout("right answers k of 8", "gradient length, k = 4 is 1", height=340, annotations=labels)
    layout["xaxis"] |= {"range": [0.5, 7.5], "dtick": 1}
    layout["yaxis"] |= {"range": [0, 1.3 * top]}  # room for the names above the bars
    return Chart(
        "model_norms", traces, layout, f"Median length of the gradient by k, beside sigma: {'; '.join(parts)}.",
        shows={"G": 8}, table=table,
        caption="Medians with quartiles over measured groups. Sigma is the coefficient, not the length.",
        narrow={"height": 260},
    )  # fmt: skip


def ladder(record: Record) -> Chart:
    """The error ladder: how far a group's gradient is from sigma (s+ - s-) under each convention, on a log scale."""
    rows: list[tuple[str, float, float, int]] = []
    live = record.ladder.k % 8 > 0
    for rung in dict.fromkeys(record.ladder.rung):
        # averaging over lengths changes the scale, too: what counts there is how far the direction bends
        errors = record.ladder.scaled_error if str(rung).startswith("length") else record.ladder.error
        part = errors[live & (record.ladder.rung == rung)]
        rows.append((str(rung), float(np.median(part)), float(part.max()), part.size))
    for update in sorted(set(record.probes.update.tolist()) - {1}):
        part = record.probes.error[record.probes.update == update]
        rows.append((f"update {update} of a batch", float(np.median(part)), float(part.max()), part.size))
    rows.sort(key=lambda row: row[1], reverse=True)
    names = [f"{name}" for name, *_ in rows]
    middle, largest = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    y = np.arange(len(rows))
    x = np.stack([middle, largest, np.full(len(rows), np.nan)], 1).ravel()
    traces = [
        style.line(
            packed(np.maximum(x, 1e-17)),
            packed(np.repeat(y, 3)),
            "to the largest",
            style.GREY,
            width=1,
            hoverinfo="skip",
        ),
        style.points(packed(np.maximum(middle, 1e-17)), packed(y), "median", style.INK, size=9),
        style.points(packed(np.maximum(largest, 1e-17)), packed(y), "largest", style.INK, size=7, hollow=True),
    ]
    layout = style.layout("relative error of sigma (s+ − s−)", "", height=60 + 27 * len(rows))
    layout["xaxis"] |= {
        "type": "log",
        "range": [-16.6, float(np.log10(largest.max())) + 0.5],
        "dtick": 4,
        "exponentformat": "power",
        "showgrid": True,
        "gridcolor": style.GRID,
    }
    layout["yaxis"] |= {
        "tickvals": y.tolist(),
        "ticktext": names,
        "range": [-0.6, len(rows) - 0.4],
        "ticks": "",
        "title": {"text": ""},
    }
    layout["margin"] = {"l": 150, "r": 16, "t": 8, "b": 44}
    best = rows[-1]
    return Chart(
        "model_errors", traces, layout,
        f"Relative error of the identity under {len(rows)} conventions, from {best[0]} (median {best[1]:.1e}) to {rows[0][0]} "
        f"(median {rows[0][1]:.2g}).",
        shows={"rungs": len(rows)},
        table={"convention": names, "median": middle, "largest": largest, "groups": [row[3] for row in rows]},
        caption="Filled: median. Hollow: largest. Averages over length: after the best common factor.",
        narrow={"margin.l": 128, "xaxis.dtick": 8},
    )  # fmt: skip


def _end_names(ends: dict[str, tuple[float, float]], widest: float) -> list[dict[str, Any]]:
    labels, last = [], -1.0
    top = max((y for _, y in ends.values()), default=1.0)
    for name, (x, y) in sorted(ends.items(), key=lambda item: item[1][1]):
        last = max(y, last + 0.06 * top)
        labels.append(style.label(x + 0.012 * widest, last, name, _LOOKS[name][0]))
    return labels
