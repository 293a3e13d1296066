"""How a text file separates its cells: delimiter, quotes, comments, header."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from stdial.reading.cellwords import is_missing, mark_of, number_of, read_cell

__all__ = ["Dialect", "detect"]

_HEAD = 256 << 10
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    """How to cut a file into cells.

    ``delimiter`` is None where the file has one column; ``quote`` and ``escape`` may be "" ; ``skip`` is the byte at
    which the data starts, after comment lines and the header; ``names`` are the columns' names ("" for an unnamed one);
    ``header`` says whether they stood in the file.
    """

    delimiter: str | None
    quote: str
    escape: str
    skip: int
    names: tuple[str, ...]
    header: bool


def detect(head: bytes, complete: bool) -> Dialect:
    r"""Settle the dialect from the start of a UTF-8 file (``complete``: this is all of it).

    >>> detect(b"id;rate\na;0,5\nb;0,25\n", True).delimiter
    ';'
    >>> detect(b"0.5\n0.25\n", True).names
    ('',)
    """
    if not complete and b"\n" in head:
        head = head[: head.rindex(b"\n") + 1]
    text = head.decode("utf-8", errors="ignore")
    start, declared = _preamble(text)
    body = text[start:]
    quote = _quote(body)
    escape = "\\" if quote and f"\\{quote}" in body and not _regular(body, quote, "") else ""
    delimiter = declared or _delimiter(body, quote, escape)
    rows = _rows(body, delimiter, quote, escape, 400)
    rows, commented = _commented_header(text[:start], rows, delimiter, quote)
    names, header = _header(rows)
    used = 0 if commented or not header else _length_of_first(body, delimiter, quote, escape)
    skip = len(text[: start + used].encode())
    return Dialect(delimiter, quote, escape, skip, names, header)


def _preamble(text: str) -> tuple[int, str | None]:
    """Where the table starts, after blank lines, comment lines and Excel's ``sep=;``; and what the latter declares."""
    at, declared = 0, None
    for line in text.splitlines(keepends=True):
        bare = line.strip().lstrip("\"'")
        if found := re.fullmatch(r"sep=(.)", bare.rstrip("\"'")):
            declared = found[1]
        elif bare and not bare.startswith(("#", "//")):
            break
        at += len(line)
    return at, declared


def _quote(body: str) -> str:
    double = len(re.findall(r'(?:^|[,;\t|\n])"', body))
    single = len(re.findall(r"(?:^|[,;\t|\n])'[^\n]*?'(?=[,;\t|\r\n])", body))
    return "'" if single > 2 and not double else '"'


def _rows(body: str, delimiter: str | None, quote: str, escape: str, most: int) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in _reader(body, delimiter, quote, escape):
            if row and (len(row) > 1 or row[0].strip()):
                rows.append(row)
            if len(rows) >= most:
                break
    except csv.Error:
        pass
    return rows


def _reader(body: str, delimiter: str | None, quote: str, escape: str) -> Any:
    csv.field_size_limit(1 << 30)
    return csv.reader(
        io.StringIO(body, newline=""),
        delimiter=delimiter or "\x1f",
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        doublequote=not escape,
        escapechar=escape or None,
    )


def _regular(body: str, quote: str, escape: str) -> bool:
    return max(_fit(_rows(body, d, quote, escape, 100))[0] for d in _DELIMITERS) > 0.99


def _fit(rows: list[list[str]]) -> tuple[float, int]:
    """The share of rows of the usual length (if that is 2 or more), and that length."""
    if not rows:
        return 0.0, 0
    width, often = Counter(len(row) for row in rows).most_common(1)[0]
    body = rows[1:] or rows
    if width < 2 or (len(rows[0]) != width and len(rows[0]) != width - 1):
        return 0.0, width
    return min(often / len(rows), sum(len(row) == width for row in body) / len(body)), width


def _delimiter(body: str, quote: str, escape: str) -> str | None:
    """The delimiter under which rows have one length and cells hold no other delimiter."""
    best: tuple[float, float, float, str | None] = (0.0, 0.0, 0.0, None)
    for rank, delimiter in enumerate(_DELIMITERS):
        rows = _rows(body, delimiter, quote, escape, 200)
        fit, _ = _fit(rows)
        if fit < 0.6 or (delimiter == "," and _decimal_commas(rows)):
            continue
        cells = [cell for row in rows for cell in row]
        clean = sum(not _torn(cell, delimiter) for cell in cells) / len(cells)
        best = max(best, (round(fit, 2), clean, -float(rank), delimiter), key=lambda b: b[:3])
    return best[3]


def _torn(cell: str, delimiter: str) -> bool:
    """A short cell with another delimiter in it, or with half a bracket: probably cut at the wrong place."""
    others = any(other in cell for other in _DELIMITERS if other not in (delimiter, ","))
    return others or cell.count("[") != cell.count("]") or cell.count('"') % 2 == 1


def _decimal_commas(rows: list[list[str]]) -> bool:
    """Whether a comma here cuts one column of numbers from 0 to 1 in two: 0,125 and 1,0 but never 1,5."""
    pairs = [row for row in rows if len(row) == 2]
    if len(pairs) < len(rows) - 1 or not pairs or (len(rows[0]) == 2 and not rows[0][0].strip().isdigit()):
        return False
    whole = all(a.strip() in ("0", "1") and b.isdigit() and len(b) <= 18 for a, b in pairs)
    return whole and all(a.strip() == "0" or not b.strip("0") for a, b in pairs) and len({b for _, b in pairs}) > 2


def _commented_header(
    preamble: str, rows: list[list[str]], delimiter: str | None, quote: str
) -> tuple[list[list[str]], bool]:
    """A header that was written as the last comment line: ``# id,pass_rate``."""
    lines = [line.strip() for line in preamble.splitlines() if line.strip().startswith("#")]
    if not lines or not rows or _header(rows)[1] or delimiter is None:
        return rows, False
    named = _rows(lines[-1].lstrip("# "), delimiter, quote, "", 1)
    if named and len(named[0]) == len(rows[0]) and _header([named[0], *rows])[1]:
        return [named[0], *rows], True
    return rows, False


def _header(rows: list[list[str]]) -> tuple[tuple[str, ...], bool]:
    """The columns' names, and whether the first row holds them."""
    if not rows:
        return (), False
    first, body = rows[0], rows[1:]
    width = Counter(len(row) for row in body).most_common(1)[0][0] if body else len(first)
    if width == len(first) + 1:  # written with row names but without a name for them
        first = ["", *first]
    if not body:
        named = not any(_is_data(cell, []) for cell in first)
    else:
        below = [[row[i] for row in body[:50] if i < len(row)] for i in range(len(first))]
        named = _counts_up(first) or not any(map(_is_data, first, below))
        if not named and not any(_is_value(cell) for cell in first):  # marks only: "correct" can be a name or a value
            named = any(not mark_of(cell) and _are_values(cells) for cell, cells in zip(first, below, strict=True))
    return (tuple(cell.strip() for cell in first), True) if named else (("",) * width, False)


def _is_data(cell: str, below: list[str]) -> bool:
    """Whether a cell of the first row is a value like those below it."""
    cell = cell.strip()
    if not cell or is_missing(cell):
        return False
    if mark_of(cell) is not None:
        return cell.lower() in {other.strip().lower() for other in below}
    return _is_value(cell)


def _is_value(cell: str) -> bool:
    return read_cell(cell).kind in ("number", "percent", "fraction", "date", "list")


def _are_values(cells: list[str]) -> bool:
    return bool(cells) and all(_is_value(cell) or is_missing(cell) for cell in cells)


def _counts_up(first: list[str]) -> bool:
    """Columns that are called 0, 1, 2 and so on, after at most two that have another or no name."""
    numbers = [number_of(cell) for cell in first]
    at = next((i for i, value in enumerate(numbers) if value is not None), len(first))
    rest = numbers[at:]
    if len(rest) < 3 or at > 2 or rest[0] not in (0, 1):
        return False
    return all(value == rest[0] + i for i, value in enumerate(rest))


def _length_of_first(body: str, delimiter: str | None, quote: str, escape: str) -> int:
    """How many characters the first row takes, line breaks in its quotes included."""
    reader = _reader(body, delimiter, quote, escape)
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            break
    lines = io.StringIO(body, newline="").readlines()
    return sum(map(len, lines[: reader.line_num]))
