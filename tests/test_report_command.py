"""``python -m stdial report``, in a process of its own and in this one."""

import json
import math
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stdial.__main__ import main
from stdial.commands.reading_options import as_options
from stdial.reading import Unclear, read
from stdial.summary import summary

CASES = Path(__file__).parent / "cases"
KEYS = "problems rollouts all_wrong all_right silent_groups mean_rate mean_sigma silent warnings mapping"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CASES / "expected.json").read_text())


def report(capsys: pytest.CaptureFixture[str], name: str, *options: str) -> dict[str, Any]:
    assert main(["report", str(CASES / name), "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("name", [n for n, c in EXPECTED.items() if c["outcome"] == "read"])
def test_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, name)
    assert list(found) == KEYS.split()
    for key in found.keys() & EXPECTED[name].keys() - {"warnings"}:
        want = EXPECTED[name][key]
        assert found[key] == (pytest.approx(want, abs=5.1e-7) if isinstance(want, float) else want), key


def test_estimates_and_nulls(capsys: pytest.CaptureFixture[str]) -> None:
    eight = report(capsys, "counts.csv")["silent"]["8"]
    assert list(eight) == ["best", "unbiased", "deconvolved", "plug_in", "low", "high"]
    assert eight["unbiased"] == pytest.approx(8 / 24)  # G = n: the counted share
    assert eight["low"] < eight["best"] < eight["high"]
    sixteen = report(capsys, "counts.csv", "--size", "16")["silent"]["16"]
    assert sixteen["unbiased"] is None
    assert sixteen["best"] < eight["best"] < eight["plug_in"]
    bare = report(capsys, "rates_no_tries.csv")["silent"]["8"]
    assert {key for key, value in bare.items() if value is not None} == {"best", "plug_in"}
    credit = report(capsys, "continuous.jsonl")
    nulls = {key for key, value in credit.items() if value is None}
    assert nulls == {"all_wrong", "all_right", "mean_rate", "silent"}
    assert math.isclose(report(capsys, "continuous.jsonl", "--threshold", "0.4")["mean_rate"], (0 + 0.75 + 1 + 0) / 4)


def test_reading_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "two_steps.csv", "--at-step", "200")["problems"] == 24
    assert report(capsys, "two_steps.csv", "--each-step")["problems"] == 48
    assert report(capsys, "difficulty_inverted.csv", "--high-is", "hard")["mean_rate"] == pytest.approx(
        0.557292, abs=1e-6
    )
    named = ("--id", "qid", "--right", "correct_rl", "--tries", "k")
    assert report(capsys, "k_means_n.csv", *named)["mapping"] == {"id": "qid", "right": "correct_rl", "tries": "k"}
    lists = report(capsys, "wide.csv", "--rewards", "rollout_0 .. rollout_3", "--id", "")
    assert (lists["rollouts"], lists["mapping"]) == (96, {"rewards": "rollout_0 .. rollout_3"})
    assert report(capsys, "rates.csv", "--rate", "pass_rate", "--tries", "16")["rollouts"] == 384


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(CASES / "rates.csv")]) == 0
    out = capsys.readouterr().out
    for words in ("24 problems", "192 rollouts", "3 all wrong", "5 all right", "33.3%", "tries = 8 inferred"):
        assert words in out
    assert main(["report", str(CASES / "continuous.jsonl")]) == 0
    assert "3 groups (75.0%) are silent" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["k_over_n.csv"], ("row 2", "row 4")),
        (["two_steps.csv"], ("step 100 (--step step --at-step 100)", "step 200", "--each-step")),
        (["difficulty_inverted.csv"], ("--rate difficulty --high-is hard", "--high-is easy")),
        (["k_means_n.csv"], ("correct_rl (--right correct_rl",)),
        (["rates.csv", "--rate", "foo"], ("foo", "pass_rate")),
        (["no such file"], ("no such file",)),
        (["rates.csv", "--size", "1"], ("--size is 1",)),
    ],
)
def test_one_line_and_exit_2(arguments: list[str], words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(CASES / arguments[0]), *arguments[1:]]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for text in words:
        assert text in err


@pytest.mark.parametrize("name", [n for n, c in EXPECTED.items() if c["outcome"] == "ask"])
def test_a_question_is_answered_by_the_options_it_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unclear) as asked:
        read(CASES / name)
    answers = [as_options(said) for _, said in asked.value.answers]
    assert main(["report", str(CASES / name)]) == 2
    question = capsys.readouterr().err
    assert answers
    for words in answers:
        assert f"({words})" in question
        assert main(["report", str(CASES / name), *shlex.split(words)]) == 0


def test_as_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stdial", "report", str(CASES / "empty.csv")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "empty" in done.stderr


def test_summary_of_a_size_that_is_none() -> None:
    with pytest.raises(ValueError, match="size is 1"):
        summary(read(CASES / "counts.csv"), 1)
