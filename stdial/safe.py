"""Text from elsewhere, made harmless where it is written: spreadsheet cells, Markdown, labels of figures."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["cell", "figure_text", "markdown"]

_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n")


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


def markdown(text: str) -> str:
    r"""Text that Markdown shows as it is: no emphasis, link, image, LaTeX, HTML or colour directive.

    >>> markdown("[a](b) $x$ <b>")
    '\\[a\\](b) \\$x\\$ \\<b\\>'
    """
    escaped = re.sub(r"([\\`*_{}\[\]<>#|$~:!@])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?i)\b(www)\.", r"\1\\.", escaped)  # or else a bare address becomes a link


def figure_text(text: str, most: int = 40) -> str:
    """Text for a figure's labels, which read some HTML: shown as it is, on one line, cut to `most` characters.

    >>> figure_text("<a href='x'>b</a>"), figure_text("a long name", 6)
    ("&lt;a href='x'&gt;b&lt;/a&gt;", 'a lon…')
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
