"""Text from a file is written so that nothing in it runs."""

import csv
import io

import pandas as pd
import pytest

from stdial import Pool
from stdial.charts.chart import Chart
from stdial.per_problem import as_csv
from stdial.safe import cell, figure_text, markdown, prose
from stdial.tries import plan


@pytest.mark.parametrize("text", ["=1+1", "@sum", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\r=1", " =1+1", "\n@a"])
def test_cells_that_a_spreadsheet_would_run(text: str) -> None:
    assert cell(text) == "'" + text


@pytest.mark.parametrize("value", [-0.5, "-0.5", "+1e-3", 3, None, "plain", "a=b", ""])
def test_numbers_and_plain_cells_stay(value: object) -> None:
    assert cell(value) == value


def test_markdown_and_labels() -> None:
    assert markdown("[x](http://e)\n# a_b") == r"\[x\](http\://e) \# a\_b"
    assert figure_text("<b>&") == "&lt;b&gt;&amp;"


@pytest.mark.parametrize(
    "text",
    [
        "reward_model: 3 of 8 (37.5%), from 5 to 8; it's a - b + c = d!",
        "step 200: C# and R&D, 1.5 @ noon",
        "q#3",
        "in 2026.",
        "a:b",
    ],
)
def test_harmless_text_has_no_backslash(text: str) -> None:
    assert prose(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("![a](b)", r"!\[a\](b)"),
        ("<img src=x>", r"\<img src=x\>"),
        ("_a_ __b__ c_d", r"\_a\_ \_\_b\_\_ c_d"),
        ("$x$ ~~y~~ `z` *w* |", r"\$x\$ \~\~y\~\~ \`z\` \*w\* \|"),
        ("http://e mailto:a@b.c www.e.f", r"http\://e mailto\:a\@b.c www\.e.f"),
        ("# a #", r"\# a \#"),
        ("- a", r"\- a"),
        ("12. a", r"12\. a"),
        ("---", r"\---"),
        ("&lt;b&gt; & c", r"\&lt;b\&gt; & c"),
        ("\\*", r"\\\*"),
        ("a\n# b", "a # b"),
    ],
)
def test_what_a_markdown_file_would_interpret_is_escaped(text: str, safe: str) -> None:
    assert prose(text) == safe


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\x00b", "a\u202eb", "a\x9bb", "a\u2028b", "a\ud800b"])
def test_no_control_character_comes_through(text: str) -> None:
    assert markdown(text).isprintable()
    assert prose(text).isprintable()
    assert figure_text(text).isprintable()


@pytest.mark.parametrize("text", ["x\r=1+1", "x\n=1+1", "x\r\n@a", '"\r', "\r", "a,\r"])
def test_a_text_never_starts_a_row_of_its_own(text: str) -> None:
    """In every CSV that is written: problems, plan and chart."""
    pool = Pool([1, 2], 4, ids=[text, "b"])
    written = {
        "problems": as_csv(pd.DataFrame({"id": [text, "b"], "rate": [0.5, 0.5]})),
        "plan": plan(pool, 8).to_csv() or "",
        "chart": Chart("c", [], {}, "", table={"id": [text, "b"], "rate": [0.5, 0.5]}).csv(),
    }
    for lines in written.values():
        rows = list(csv.reader(io.StringIO(lines, newline="")))
        assert [row[0].removeprefix("'") for row in rows[1:]] == [text, "b"]
        assert len({len(row) for row in rows}) == 1
