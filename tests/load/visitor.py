"""What a visitor does next: a control of the page at random, moved to a value that it offers."""

from __future__ import annotations

import math
import random
import string
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar


class Shown(Protocol):
    """A region of a page, as far as it matters here."""

    def stage(self) -> dict[str, Any]:
        """What it says and shows."""
        ...


POINTED = 0.8  # share of a slider's moves that a pointer makes; keys and typing make the others
Region = TypeVar("Region", bound=Shown)


def moves(regions: Sequence[Region]) -> list[tuple[Region, dict[str, Any]]]:
    """Every control on screen that can be moved, with its region."""
    return [
        (region, control) for region in regions for control in region.stage()["controls"] if not control.get("locked")
    ]


def values(control: Mapping[str, Any], draw: random.Random) -> dict[str, Any]:
    """New values as the browser would report them after a move of this control."""
    name, low, high = control.get("name", ""), control.get("low", 0), control.get("high", 1)
    match control["kind"]:
        case "slider":
            return {name: _on_grid(control, draw)}
        case "range":
            ends = sorted(_on_grid(control, draw) for _ in range(2))
            return {name: ends[0], control["upper"]: ends[1]}
        case "choice":
            return {name: draw.choice(control["options"])[0]}
        case "toggle":
            return {name: draw.random() < 0.5}
        case "number":
            return {name: round(draw.uniform(low, min(high, 1000 + low)))}
        case "marks":
            return {name: "".join(draw.choice("01") for _ in range(draw.randint(2, 16)))}
        case "button":
            return dict(control["sets"])
        case _:  # a text
            return {name: "".join(draw.choices(string.ascii_letters + "0123456789,. ", k=12))}


def _on_grid(control: Mapping[str, Any], draw: random.Random) -> float:
    low, high = control.get("low", 0), control.get("high", 1)
    step = control.get("step") or 0.01
    spread = control.get("scale") == "log" and low > 0
    value = low * (high / low) ** draw.random() if spread else draw.uniform(low, high)
    if control.get("stops") and draw.random() < POINTED:
        return min(control["stops"], key=lambda stop: float(abs(math.log(stop / value))))
    value = low + round((value - low) / step) * step
    return min(high, int(value) if float(step).is_integer() and float(low).is_integer() else round(value, 6))
