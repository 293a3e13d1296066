"""Text from a file is written so that nothing in it runs."""

import pytest

from stdial.safe import cell, figure_text, markdown


@pytest.mark.parametrize("text", ["=1+1", "@sum", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\r=1", " =1+1", "\n@a"])
def test_cells_that_a_spreadsheet_would_run(text: str) -> None:
    assert cell(text) == "'" + text


@pytest.mark.parametrize("value", [-0.5, "-0.5", "+1e-3", 3, None, "plain", "a=b", ""])
def test_numbers_and_plain_cells_stay(value: object) -> None:
    assert cell(value) == value


def test_markdown_and_labels() -> None:
    assert markdown("[x](http://e)\n# a_b") == r"\[x\](http\://e) \# a\_b"
    assert figure_text("<b>&") == "&lt;b&gt;&amp;"
