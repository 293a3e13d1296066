"""The three methods are told apart by people with each common colour blindness, and every text can be read."""

import itertools
import json
import re

import numpy as np
import pytest

from stdial.charts import style
from stdial.web import live
from tests.conftest import REFERENCE

VISION = json.loads((REFERENCE / "colour_vision.json").read_text())
KINDS = {"normal": np.eye(3), **{name: np.array(m) for name, m in VISION.items() if name != "source"}}
METHODS = (style.GRPO, style.DR_GRPO, style.DAPO)
CSS = (live.assets._HERE / "live.css").read_text()


def linear(color: str) -> np.ndarray:
    """Linear RGB of a #RRGGBB (IEC 61966-2-1)."""
    v = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB under D65 of linear RGB."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    t = to_xyz @ np.clip(rgb, 0, 1) / to_xyz.sum(axis=1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a: str, b: str) -> float:
    """WCAG contrast of two colours."""
    light = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(c))) + 0.05 for c in (a, b))
    return light[1] / light[0]


def test_the_matrices_keep_white() -> None:
    for matrix in KINDS.values():
        assert matrix.sum(axis=1) == pytest.approx(np.ones(3), abs=2e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_methods_are_told_apart(kind: str, theme: str) -> None:
    colors = [c if theme == "light" else style.DARK[c] for c in METHODS]
    seen = [lab(KINDS[kind] @ linear(color)) for color in colors]
    apart = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)]
    assert min(apart) > 15  # CIE 1976; 2.3 is just noticeable side by side
    assert len(set(style.DASHES.values())) == 3  # and the dash says it without any colour


def variables(selector: str) -> dict[str, str]:
    block = re.search(re.escape(selector) + r" \{(.*?)\}", CSS, re.S)
    assert block
    return dict(re.findall(r"--([\w-]+): (#[0-9A-Fa-f]{6})", block[1]))


@pytest.mark.parametrize(("selector", "paper"), [(".sd-stage", "#FFFFFF"), (".sd-dark", "#14171B")])
def test_words_can_be_read(selector: str, paper: str) -> None:
    found = variables(selector)
    assert found.keys() >= {"grpo", "dr-grpo", "dapo", "muted", "accent"}
    for name, color in found.items():
        if name != "line":
            assert contrast(color, paper) >= 4.5, name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_stand_out_from_the_paper(theme: str) -> None:
    def in_theme(color: str) -> str:
        return color if theme == "light" else style.DARK[color]

    for color in (*METHODS, style.GREY, style.ACCENT, style.INK):
        assert contrast(in_theme(color), in_theme(style.PAPER)) >= 3
