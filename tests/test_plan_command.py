"""``python -m stdial plan``: figures, the file of sizes, refusals in one line."""

import csv
import io
from pathlib import Path

import pytest

from stdial import DR_GRPO, Pool, tries
from stdial.__main__ import main

CASES = Path(__file__).parent / "cases"
RIGHT = [0, 1, 4, 7, 8, 3]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text("id,right,tries\n" + "".join(f"q{i},{k},8\n" for i, k in enumerate(RIGHT)))
    return path


def lines(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["--budget", "30"], {}),
        (["--budget", "5", "--per-problem"], {}),
        (["--budget", "30", "--goal", "update", "--method", "dr-grpo"], {"goal": "update", "method": DR_GRPO}),
        (
            ["--budget", "30", "--smallest", "4", "--largest", "8", "--powers-of-two"],
            {"smallest": 4, "largest": 8, "powers_of_two": True},
        ),
        (["--budget", "30", "--multiple-of", "3"], {"multiple_of": 3}),
    ],
)
def test_agrees_with_the_package(
    table: Path, capsys: pytest.CaptureFixture[str], options: list[str], arguments: dict[str, object]
) -> None:
    out = table.parent / "plan.csv"
    assert main(["plan", str(table), *options, "--out", str(out)]) == 0
    best = tries.plan(Pool(RIGHT, 8, ids=[f"q{i}" for i in range(6)]), 30, **arguments)  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert f"{best.mixed:,.1f} mixed groups" in said
    assert f"update {best.update:,.2f}" in said
    assert f"One size for all: {best.uniform.size} for" in said
    assert out.read_text() == best.to_csv()
    rows = lines(out)
    assert list(rows[0]) == ["id", "right", "tries", "rate", "size", "problems", "mixed"]
    assert sum(int(row["size"]) * int(row["problems"]) for row in rows) == best.rollouts <= 30


def test_says_who_gets_nothing(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(table), "--budget", "4"]) == 0
    said = capsys.readouterr().out
    assert "problems get no group:" in said
    assert "a first group of" in said
    assert main(["plan", str(table), "--budget", "600"]) == 0
    assert "Every problem gets a group." in capsys.readouterr().out


def test_says_why_it_ends_before_the_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    right = [0] * 40 + [8, 9, 10] * 20
    path.write_text("id,right,tries\n" + "".join(f"q{i},{k},16\n" for i, k in enumerate(right)))
    assert main(["plan", str(path), "--budget", "1e9"]) == 0
    said = capsys.readouterr().out
    lost = tries.hopeless(Pool(right, 16))
    assert 30 < lost < 40.5
    assert "of 1,000,000,000 rollouts, since more would add nothing" in said
    assert f"holds {lost:,.1f} of the 100 problems to be hopeless" in said
    assert main(["plan", str(path), "--budget", "1000"]) == 0
    assert "It ends at" not in capsys.readouterr().out
    assert main(["plan", str(path), "--budget", "1e9", "--largest", "16"]) == 0
    assert "have groups of 16, the largest that is allowed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget", "-1"], "budget is -1"),
        (["--budget", "3.5"], "budget is 3.5"),
        (["--budget", "nan"], "budget is nan"),
        (["--budget", "nan", "--per-problem"], "budget is nan"),
        (["--budget", "inf", "--per-problem"], "budget is inf"),
        (["--budget", "8", "--largest", "1"], "largest is 1"),
        (["--budget", "8", "--largest", "3", "--multiple-of", "4"], "multiples of 4"),
        (["--budget", "8", "--smallest", "1"], "smallest is 1"),
        (["--budget", "8", "--out", "/nowhere/at/all.csv"], "--out is"),
        (["--budget", "8", "--right", "no such column"], "no such column"),
    ],
)
def test_refusals_are_one_line(
    table: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["plan", str(table), *options]) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert message in caught.err
    assert caught.err.count("\n") == 1


def test_the_file_that_is_read_is_not_written(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = table.read_text()
    assert main(["plan", str(table), "--budget", "8", "--out", str(table)]) == 2
    assert "it must be another" in capsys.readouterr().err
    assert table.read_text() == before


def test_rewards_of_many_values_ask_for_a_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(CASES / "continuous.jsonl"), "--budget", "8"]) == 2
    assert "--threshold" in capsys.readouterr().err
    assert main(["plan", str(CASES / "continuous.jsonl"), "--budget", "8", "--threshold", "0.5"]) == 0


def test_ids_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "plan.csv"
    path.write_text('id,right,tries\n"=1+1",1,8\nb,2,8\n')
    assert main(["plan", str(path), "--budget", "16", "--out", str(out)]) == 0
    assert {row["id"] for row in lines(out)} == {"'=1+1", "b"}
