"""A file as bytes of a known kind: decompressed within limits, and text as UTF-8."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from stdial.reading.errors import Refused
from stdial.reading.limits import Limits

__all__ = ["LARGE", "Source", "open_source"]

LARGE = 32 << 20  # text above this is never held as a table: it is scanned in place
_CHUNK = 1 << 20
_COMPRESSED = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "xz"))
_FOREIGN = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook: save the sheet as CSV, or unpack the archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook: save the sheet as CSV"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"<!DOCTYPE", "a web page: export the table as CSV"),
    (b"<html", "a web page: export the table as CSV"),
    (b"<?xml", "XML: export the table as CSV"),
    (b"SQLite format 3", "an SQLite database: export the table as CSV or Parquet"),
    (b"\x80\x04", "a pickle, which is never opened: save the table as CSV or Parquet"),
    (b"\x80\x05", "a pickle, which is never opened: save the table as CSV or Parquet"),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
Format = Literal["text", "parquet", "arrow"]


@dataclass(frozen=True)
class Source:
    """Where the bytes are: in ``data``, or still on disk at ``path`` (large plain UTF-8 text only).

    ``name`` is what the user calls the file; ``size`` its decompressed length; ``skip`` the bytes of a byte-order mark;
    ``notes`` what was done to get here, in words; ``quotes`` the number of double quotes in a large text.
    """

    name: str
    format: Format
    size: int
    data: memoryview = field(default_factory=lambda: memoryview(b""))
    path: str | None = None
    skip: int = 0
    notes: tuple[str, ...] = ()
    quotes: int = 0

    def head(self, size: int) -> bytes:
        """The first bytes after any byte-order mark."""
        if self.path is None:
            return bytes(self.data[self.skip : self.skip + size])
        with Path(self.path).open("rb") as stream:
            stream.seek(self.skip)
            return stream.read(size)

    def tail(self, size: int) -> bytes:
        """The last bytes."""
        if self.path is None:
            return bytes(self.data[-size:])
        with Path(self.path).open("rb") as stream:
            stream.seek(max(0, self.size - size))
            return stream.read(size)


def open_source(file: str | os.PathLike[str] | bytes | IO[Any], limits: Limits, name: str | None = None) -> Source:
    """Look at a path, bytes or an open file, decompress it, and settle its format and encoding.

    Raises
    ------
    Refused
        empty, not a table, or too large.
    FileNotFoundError
        For a path that is not there.
    """
    if isinstance(file, (str, os.PathLike)):
        path = Path(file)
        return _from_path(path, limits, name or path.name)
    if isinstance(file, (bytes, bytearray, memoryview)):
        return _from_bytes(memoryview(file), limits, name or "the file")
    if not hasattr(file, "read"):
        raise ValueError(f"file is {file!r}; it must be a path, bytes or an open file")
    content = file.read(limits.size + 1)
    data = content.encode() if isinstance(content, str) else content
    return _from_bytes(memoryview(data), limits, name or Path(str(getattr(file, "name", "the file"))).name)


def _from_path(path: Path, limits: Limits, name: str) -> Source:
    found = path.stat()
    size = found.st_size
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        raise Refused("this is a device, not a file", "not a table")
    with path.open("rb") as stream:
        if not stream.seekable():  # a pipe: what another program writes
            return _from_bytes(memoryview(_all_of(stream, limits.size + 1)), limits, name)
        start = stream.read(64)
        stream.seek(0)
        if size > LARGE and not _packed(start) and _format(start) == "text":
            skip = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
            if size <= limits.size and start[skip : skip + 1] not in (b"{", b"["):
                quotes = _quotes_of_plain(stream)
                if quotes is not None:
                    return Source(name, "text", size, path=str(path.resolve()), skip=skip, quotes=quotes)
            stream.seek(0)
        return _from_bytes(memoryview(stream.read(limits.size + 1)), limits, name)


def _all_of(stream: IO[bytes], most: int) -> bytes:
    """What a stream still holds, up to a number of bytes; room is taken as it comes in."""
    out = io.BytesIO()
    while out.tell() < most and (chunk := stream.read(min(_CHUNK, most - out.tell()))):
        out.write(chunk)
    return out.getvalue()


def _from_bytes(data: memoryview, limits: Limits, name: str) -> Source:
    notes: tuple[str, ...] = ()
    packed = _packed(bytes(data[:64]))
    if packed:
        data, notes = memoryview(_unpacked(data, packed, limits)), (f"decompressed ({packed})",)
    if len(data) > limits.size:
        raise Refused(f"the file is larger than {_bytes(limits.size)}", "too large")
    if not len(data) or (not bytes(data[:_CHUNK]).strip() and not bytes(data).strip()):
        raise Refused("the file is empty", "empty")
    start = bytes(data[:64])
    for magic, what in _FOREIGN:
        if start.startswith(magic):
            raise Refused(f"this is not a table but {what}", "not a table")
    if _packed(start):
        raise Refused("this is not a table: a compressed file inside a compressed file", "not a table")
    if _format(start) != "text":
        return Source(name, _format(start), len(data), data, notes=notes)
    text, skip, encoding = _as_utf8(data, limits)
    if encoding:
        notes += (f"read as {encoding}",)
    if not len(text) - skip:
        raise Refused("the file is empty", "empty")
    quotes = bytes(text).count(b'"') if len(text) > LARGE else 0
    return Source(name, "text", len(text), text, skip=skip, notes=notes, quotes=quotes)


def _format(start: bytes) -> Format:
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")):
        return "arrow"
    return "text"


def _packed(start: bytes) -> str | None:
    return next((name for magic, name in _COMPRESSED if start.startswith(magic)), None)


def _unpacked(data: memoryview, how: str, limits: Limits) -> bytes:
    """All members, but no more than the limit: a bomb is met by stopping, whatever it claims."""
    import pyarrow as pa

    out = io.BytesIO()
    try:
        with _decoder(data, how) as stream:
            while chunk := stream.read(_CHUNK):
                out.write(chunk)
                if out.tell() > limits.size:
                    raise Refused(f"the file unpacks to more than {_bytes(limits.size)}", "too large")
    except (OSError, EOFError, ValueError, pa.ArrowException) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"this is not a table: the {how} file is damaged or cut short", "not a table") from None
    return out.getvalue()


def _decoder(data: memoryview, how: str) -> Any:
    if how == "xz":
        import lzma

        return lzma.open(io.BytesIO(data))
    if how == "gzip":  # the standard library checks the length and the sum at the end
        import gzip

        return gzip.GzipFile(fileobj=io.BytesIO(data))
    import pyarrow as pa

    return pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(data)), how)


def _as_utf8(data: memoryview, limits: Limits) -> tuple[memoryview, int, str]:
    """UTF-8 text, the length of its byte-order mark, and the encoding where it was another."""
    start = bytes(data[:4])
    mark, encoding = next(((m, e) for m, e in _BOMS if start.startswith(m)), (b"", _wide(bytes(data[:2000]))))
    raw = data.obj if isinstance(data.obj, bytes) and len(data.obj) == len(data) else bytes(data)
    if encoding in ("", "utf-8"):
        if b"\0" in raw:
            raise Refused("this is not a table: it holds NUL bytes, which no text has", "not a table")
        if raw.isascii() or _decodes(raw):
            return data, len(mark), ""
        encoding = "windows-1252" if _decodes(raw, "cp1252") else "latin-1"
        if _looks_binary(raw):
            raise Refused("this is not a table: most of it is not text", "not a table")
    try:
        text = raw[len(mark) :].decode("cp1252" if encoding == "windows-1252" else encoding)
    except UnicodeDecodeError:
        raise Refused(
            f"this is not a table: it starts like {encoding} text but does not stay so", "not a table"
        ) from None
    if "\0" in text:
        raise Refused("this is not a table: it holds NUL bytes, which no text has", "not a table")
    return memoryview(text.encode()), 0, encoding


def _wide(start: bytes) -> str:
    """UTF-16 without a byte-order mark: every second byte of mostly Latin text is 0."""
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if half >= 4 and odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    if half >= 4 and even > 0.7 * half and odd < 0.1 * half:
        return "utf-16-be"
    return ""


def _decodes(raw: bytes, encoding: str = "utf-8") -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _looks_binary(raw: bytes) -> bool:
    part = raw[: 1 << 16]
    high = sum(byte > 127 for byte in part)
    return len(_CONTROL.findall(part)) > 0.01 * len(part) or high > 0.5 * len(part)


def _quotes_of_plain(stream: IO[bytes]) -> int | None:
    """The number of double quotes from here to the end, in constant memory; None where it is not UTF-8 without NUL."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    pending, quotes = False, 0
    while chunk := stream.read(_CHUNK):
        if b"\0" in chunk:
            return None
        quotes += chunk.count(b'"')
        if pending or not chunk.isascii():
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                return None
            pending = bool(decoder.getstate()[0])
    return None if pending else quotes


def _bytes(size: int) -> str:
    for unit, scale in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} bytes"
