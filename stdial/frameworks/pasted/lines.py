"""Lines of text: labelled lists of numbers, and tables with or without a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from stdial.frameworks.pasted.records import Groups, Row, from_lists, from_rows
from stdial.frameworks.pasted.values import PasteError, number, role_of, short

__all__ = ["SCALAR", "from_labels", "from_table", "has_labels", "header_of"]

_TENSOR = re.compile(r",?\s*\b(device|dtype|requires_grad|grad_fn|size)\s*=\s*('[^']*'|<[^>]*>|\([^)]*\)|[\w.]+)")
_CALL = re.compile(r"\b(tensor|array|np|numpy|torch|list)\b\.?(?=[(.\[a-z])")
SCALAR = re.compile(r"(?:\b(?:np|numpy|torch)\.)?\bfloat(16|32|64)\(([^()]*)\)")
_TOKEN = re.compile(
    r"(?P<label>\"?'?[A-Za-z_][\w./ -]*?'?\"?)\s*[:=]+|(?P<open>[\[({])|(?P<close>[\])}])|(?P<gap>[\s,;|]+)"
    r"|(?P<value>[^\s,;|\[\](){}]+)"
)
_BOX = str.maketrans({"│": "|", "┃": "|", "║": "|"})
_RULE = re.compile(r"[\s|:+\-=─━┄┈╌┏┓┗┛┳┻╇┡┩┠┨┼┴┬├┤┌┐└┘╭╮╰╯═╪╞╡╘╛╒╕╤╧]+")


def has_labels(text: str) -> bool:
    """Whether rewards and advantages are labelled, as in "rewards: 1 0"."""
    roles = {role_of(m["label"].strip("\"' ")) for m in _TOKEN.finditer(text) if m["label"]}
    return {"reward", "advantage"} <= roles


def from_labels(text: str) -> Groups:
    """Labelled lists: each list after a reward label belongs to the list after the advantage label that is as far down."""
    labelled = _Labelled()
    for i, line in enumerate(text.splitlines()):
        labelled.line(line, f"line {i + 1}")
    found = {name: [x for x in many if x] for name, many in labelled.lists.items()}
    for name, many in found.items():
        if not many:
            raise PasteError(f"no number stands after {name}s:; the numbers belong after it")
    if all(len(x) == 1 for many in found.values() for x in many):  # one answer a line
        found = {name: [[x[0] for x in many]] for name, many in found.items()}
    rewards, advantages = (many[0] if len(many) == 1 else many for many in found.values())
    return from_lists(rewards, advantages)


class _Labelled:
    """What stands after which label, line by line."""

    def __init__(self) -> None:
        self.lists: dict[str, list[list[float]]] = {"reward": [], "advantage": []}
        self.role = ""  # of the label that holds now; "" before any, "other" after one that means nothing here

    def line(self, line: str, where: str) -> None:
        tokens = [token for token in _tokens(line) if not token["gap"]]
        if not tokens or _is_note(tokens[0]["value"]):
            self.role = "other" if tokens else ""
        for token in tokens:
            if token["label"]:
                role = role_of(token["label"].strip("\"' "))
                self.role = role if role in self.lists else "other"
                if self.role != "other":
                    self.lists[role].append([])
            elif token["open"] and self.role in self.lists:
                self.lists[self.role].append([])
            elif token["value"]:
                self.value(token["value"], where)
        if self.role == "other":
            self.role = ""

    def value(self, text: str, where: str) -> None:
        if set(text) <= {".", "…"}:
            raise PasteError(f"{where}: {text} cuts the list; paste all of its numbers")
        if self.role in self.lists:
            self.lists[self.role][-1].append(number(text, where, self.role))
        elif not self.role:
            raise PasteError(f"{where}: {short(text)} stands under no label; rewards: or advantages: is needed")


def _is_note(text: str | None) -> bool:
    """Whether a line that begins with this, as "group 1" does, holds no numbers of ours before its first label."""
    plain = (text or "").lower()
    return bool(re.fullmatch(r"[a-z_#/-]{3,}", plain)) and plain not in (
        "nan",
        "none",
        "null",
        "inf",
        "true",
        "false",
        "-inf",
    )


def _tokens(line: str) -> Iterator[re.Match[str]]:
    """A line's labels, brackets and values, without what a tensor's or array's print adds."""
    bare = _CALL.sub("", _TENSOR.sub("", SCALAR.sub(r"\2", line)))
    return _TOKEN.finditer(bare)


def header_of(text: str) -> list[str] | None:
    """The first line's names where it is a table's header that names rewards and advantages."""
    lines = _table_lines(text)
    if not lines:
        return None
    cells = next(csv.reader([lines[0][1]], delimiter=_delimiter(lines[0][1])), [])
    names = lines[0][1].split() if len(cells) == 1 else [cell.strip() for cell in cells]
    roles = {role_of(name) for name in names}
    return names if {"reward", "advantage"} <= roles and not any(":" in name for name in names) else None


def from_table(text: str) -> Groups:
    """A table: with a header that names rewards and advantages, or without one: two columns, or two lines a group."""
    names = header_of(text)
    lines = _table_lines(text)
    rows = _cells(text, _delimiter(lines[0][1])) if lines else []
    if not rows:
        raise PasteError("no line holds a number; paste the rewards and the advantages of a group or two")
    if names is not None:
        return from_rows(list(_named_rows(rows[1:], names)))
    widths = {len(cells) for _, cells, _ in rows}
    if widths == {2}:
        return from_rows([Row(f"line {n}", {"reward": c[0], "advantage": c[1]}, block) for n, c, block in rows])
    if len(rows) % 2 == 0 and min(widths) > 2:
        return [_two_lines(*pair) for pair in zip(rows[::2], rows[1::2], strict=True)]
    first = rows[0]
    raise PasteError(
        f"line {first[0]} has {len(first[1])} {'entry' if len(first[1]) == 1 else 'entries'} and no label; write rewards: before "
        "the rewards and advantages: before the advantages, or a header that names the columns reward and advantage"
    )


def _two_lines(upper: tuple[int, list[str], int], lower: tuple[int, list[str], int]) -> tuple[list[float], list[float]]:
    (n, rewards, _), (m, advantages, _) = upper, lower
    return (
        [number(x, f"line {n}, entry {i + 1}", "reward") for i, x in enumerate(rewards)],
        [number(x, f"line {m}, entry {i + 1}", "advantage") for i, x in enumerate(advantages)],
    )


def _named_rows(rows: list[tuple[int, list[str], int]], names: list[str]) -> Iterator[Row]:
    if not rows:
        raise PasteError("line 1 is a header and nothing follows; rows are needed")
    for n, cells, block in rows:
        if len(cells) != len(names):
            raise PasteError(f"line {n} has {len(cells)} entries but the header has {len(names)}")
        yield Row(f"line {n}", dict(zip(names, cells, strict=True)), block)


def _table_lines(text: str) -> list[tuple[int, str]]:
    """The lines that hold cells, with their numbers: no blank ones, no rules, no outer bars."""
    found = []
    for i, line in enumerate(text.translate(_BOX).splitlines()):
        if line.strip() and not _RULE.fullmatch(line):
            found.append((i + 1, line.strip().strip("|").strip() if line.strip()[0] == "|" else line.strip()))
    return found


def _delimiter(line: str) -> str:
    """What parts the cells of a line; a blank where nothing else does."""
    return next((mark for mark in "\t;|," if mark in line), " ")


def _cells(text: str, mark: str) -> list[tuple[int, list[str], int]]:
    """Line number, cells and block of every row; a blank line begins a new block."""
    if '"' in text and mark != " ":
        return _quoted(text, mark)
    blank = mark == " "
    rows: list[tuple[int, list[str], int]] = []
    kept = dict(_table_lines(text))
    block, gap = 0, False
    for n, raw in enumerate(text.splitlines(), start=1):
        if n in kept:
            block += gap and bool(rows)
            gap = False
            cells = kept[n].split() if blank else [cell.strip() for cell in kept[n].split(mark)]
            rows.append((n, [_point(cell, mark) for cell in cells], block))
        gap = gap or not raw.strip()
    return rows


def _quoted(text: str, mark: str) -> list[tuple[int, list[str], int]]:
    """The same through the reader of quoted cells, which may hold separators and line ends."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter=mark, skipinitialspace=True)
    rows: list[tuple[int, list[str], int]] = []
    block, gap = 0, False
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                gap = True
                continue
            block += gap and bool(rows)
            gap = False
            rows.append((reader.line_num, [_point(cell.strip(), mark) for cell in cells], block))
    except csv.Error as error:
        raise PasteError(f"line {reader.line_num} is no row of a table: {error}") from None
    return rows


def _point(cell: str, mark: str) -> str:
    """A decimal comma as a point, where the comma parts no cells."""
    return cell.replace(",", ".") if mark in "\t;" and re.fullmatch(r"[+\u2212-]?\d+,\d+", cell) else cell
