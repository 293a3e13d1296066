"""The page Difficulty says what the package computes."""

import math

import pytest

from stdial import DR_GRPO, GRPO, expectation
from stdial.charts.difficulty import boost
from tests.app.reading_stages import run, said, stages


@pytest.mark.parametrize(("G", "p"), [(8, 0.5), (64, 0.05), (1024, 0.999)])
def test_numbers(G: int, p: float) -> None:
    text = said(run("difficulty", G=str(G), p=str(p)))
    assert f"{boost(G):.2f} times" in text
    assert f"{boost(math.inf):.2f}" in text
    assert f"{float(expectation.expected_update(p, G, GRPO)):.4f}" in text
    assert f"{float(expectation.expected_update(p, G, DR_GRPO)):.4f}" in text
    assert f"{math.sqrt(G - 1):.3f}" in text


@pytest.mark.parametrize("G", [2, 3])
def test_small_groups_have_no_bias(G: int) -> None:
    assert "exactly proportional" in said(run("difficulty", G=str(G)))


@pytest.mark.parametrize("view", ["update", "weight", "objective"])
@pytest.mark.parametrize("alpha", ["0", "1", "0.5", "2"])
def test_every_view(view: str, alpha: str) -> None:
    stage, *_ = stages(run("difficulty", view=view, alpha=alpha, dots="1"))
    assert stage["charts"][0]["shows"]["view"] == view
