"""Text from elsewhere, made harmless where it is written: spreadsheet cells and Markdown."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["cell", "markdown"]

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
