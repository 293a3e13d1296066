"""The page One group says what the package computes."""

import pytest

from stdial import DR_GRPO, GRPO, group
from stdial.charts import one_group as charts
from tests.app.reading_stages import run, said, stages


@pytest.mark.parametrize(("G", "k"), [(8, 1), (2, 1), (1024, 1000)])
def test_numbers(G: int, k: int) -> None:
    text = said(run("", G=str(G), k=str(k)))
    for method in (GRPO, DR_GRPO):
        assert f"{float(group.update(k, G, method)):.3f}" in text
        right, wrong = group.advantages(k, G, method)
        assert f"+{float(right):.3f} / −{abs(float(wrong)):.3f}" in text


@pytest.mark.parametrize("k", ["0", "8"])
def test_silent_groups_are_called_silent(k: str) -> None:
    text = said(run("", G="8", k=k))
    assert "silent" in text
    assert "nan" not in text.lower()


def test_adding_a_constant_moves_nothing() -> None:
    plain, shifted = (said(run("", mode="rewards", rewards="0.2,0.5,0.9", shift=s)) for s in ("0", "2.5"))
    numbers = [line for line in plain.splitlines() if line.startswith(("sigma", "GRPO update", "Dr. GRPO update"))]
    assert len(numbers) == 3
    assert all(line in shifted for line in numbers)


def test_any_rewards() -> None:
    text = said(run("", mode="rewards", rewards="0,0,1,0.5"))
    assert f"{group.std_of([0, 0, 1, 0.5]):.3f}" in text
    assert "silent" in said(run("", mode="rewards", rewards="0.7,0.7,0.7"))


def test_marks_set_size_and_count() -> None:
    stage, *_ = stages(run("", marks="10110"))
    assert stage["charts"][0]["shows"] == {"G": 5, "k": 3, "alpha": 1.0}


def test_half_way_dial_is_drawn() -> None:
    stage, *_ = stages(run("", alpha="0.5"))
    assert any("0.5" in trace["name"] for trace in stage["charts"][0]["data"])


def test_the_group_of_now_is_drawn_in_one_trace_and_stands_alone_before_a_guess() -> None:
    chart = charts.updates(8, 1, 1.0)
    *_, drawn = chart.data
    c = [float(group.update(1, 8, m)) for m in (DR_GRPO, GRPO)]
    assert list(zip(drawn["x"], drawn["y"], strict=True)) == [(1, c[0]), (1, c[1]), (0, 0), (8, 0)]
    (alone,) = chart.covered(["GRPO, now"]).data
    assert (alone["x"], alone["y"]) == ([1], [c[1]])
    assert {name: len(values) for name, values in drawn["marker"]["line"].items()} == {"color": 4, "width": 4}
