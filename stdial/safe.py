"""Text from elsewhere, made harmless where it is written: spreadsheet cells, Markdown, labels of figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rows", "as_csv", "cell", "figure_text", "markdown", "prose"]

_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n")
# What Markdown files interpret: marks anywhere; others only where they stand so. Bare addresses become links in many readers.
_MARKS = re.compile(
    r"""
    [\\`*{}\[\]<>|$~]                            # emphasis, code, links, HTML, tables, formulas, struck out
    | (?<![^\W_])_ | _(?![^\W_])                  # emphasis; inside a word it is a letter
    | &(?=\#?\w+;)                                # an entity
    | (?<=\S)@(?=\w)                              # an address
    | (?<=[a-zA-Z]):(?=//) | (?<=mailto):(?=\S) | (?<=xmpp):(?=\S)
    | (?<=www)\.(?=\S)
    | ^[-+](?=\s|$) | ^[-=+](?=[-=+\s]*$)         # the beginning of a list, or a line under a heading
    | ^\# | \#(?=\#*$)                            # a heading
    | ^\d{1,9}[.)](?=\s|$)                        # a numbered list
    """,
    re.VERBOSE | re.IGNORECASE,
)


def cell(value: Any) -> Any:
    """A CSV cell that no spreadsheet runs: a text that starts like a formula gets a leading apostrophe; numbers stay.

    >>> cell("=1+1"), cell(-0.5), cell("-0.5"), cell("plain")
    ("'=1+1", -0.5, '-0.5', 'plain')
    """
    if not isinstance(value, str):
        return value
    bare = value.lstrip()
    if bare.startswith(_RUNS) or value.startswith(_RUNS):
        try:
            float(bare)
        except ValueError:
            return "'" + value
    return value


class Rows:
    r"""A file to write CSV into with ``lineterminator="\r\n"``, whose lines end in a newline all the same.

    Before Python 3.13 the writers put only what is in the terminator between quotes, and a bare carriage return in a text
    would start a row of its own in a spreadsheet.

    >>> import csv
    >>> rows = Rows()
    >>> _ = csv.writer(rows, lineterminator="\r\n").writerow(["a\rb", 1])
    >>> rows.text
    '"a\rb",1\n'
    """

    def __init__(self) -> None:
        self._lines: list[str] = []

    def write(self, line: str) -> int:
        """Take one row."""
        self._lines.append(line.removesuffix("\r\n") + "\n")
        return len(line)

    @property
    def text(self) -> str:
        """Everything written."""
        return "".join(self._lines)


def as_csv(table: pd.DataFrame) -> str:
    r"""A table as CSV that no spreadsheet runs: texts that start like a formula are defused, column names too.

    >>> import pandas as pd
    >>> as_csv(pd.DataFrame({"id": ["=1+1"], "rate": [0.5]}))
    "id,rate\n'=1+1,0.5\n"
    """
    safe = table.rename(columns={name: cell(str(name)) for name in table.columns})
    for name in safe.columns:
        if safe[name].dtype.kind not in "biuf":
            safe[name] = [cell(value) for value in safe[name]]
    rows = Rows()
    safe.to_csv(rows, index=False, lineterminator="\r\n")
    return rows.text


def markdown(text: str) -> str:
    r"""Text that Markdown shows as it is: no emphasis, link, image, LaTeX, HTML, colour directive or control character.

    >>> markdown("[a](b) $x$ <b>")
    '\\[a\\](b) \\$x\\$ \\<b\\>'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    escaped = re.sub(r"([\\`*_{}\[\]<>#|$~:!@])", r"\\\1", line)
    return re.sub(r"(?i)\b(www)\.", r"\1\\.", escaped)  # or else a bare address becomes a link


def prose(text: str) -> str:
    r"""Text in a Markdown file that shows as it is, and reads well where it is not rendered: only what would act is escaped.

    Stands on a line of its own or within one. `markdown` is for Streamlit, which reads more than Markdown.

    >>> print(prose("reward_model: 3 of 8, see [x](http://e) _y_"))
    reward_model: 3 of 8, see \[x\](http\://e) \_y\_
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _MARKS.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", line)


def figure_text(text: str, most: int = 40) -> str:
    """Text for a figure's labels, which read some HTML: shown as it is, on one line, cut to `most` characters.

    >>> figure_text("<a href='x'>b</a>"), figure_text("a long name", 6)
    ("&lt;a href='x'&gt;b&lt;/a&gt;", 'a lon…')
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
