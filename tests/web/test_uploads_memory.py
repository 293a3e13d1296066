"""Readings of several sessions at once: the server's own memory stays within what it keeps. Larger: ``tests.load uploads``."""

import pytest

from tests.load import uploads


@pytest.mark.skipif(not uploads.MEASURABLE, reason="only Linux records a process's peak")
def test_uploads_at_once_take_what_they_keep() -> None:
    found = uploads.in_a_process(sessions=4, rows=40_000)
    assert uploads.broken(found) == [], found
    assert found["files"] > 4e6
    assert found["kept"] > 4e6


def test_what_breaks_a_promise_is_named() -> None:
    fine = {"files": 1, "kept": 1, "largest": 1, "peak": 0, "after": 0, "forgotten": 0, "at_once": 2}
    assert uploads.broken(fine) == []
    for name in ("peak", "after", "forgotten"):
        assert name in uploads.broken({**fine, name: 1 << 30})[0]
    assert "3 readings" in uploads.broken({**fine, "at_once": 3})[0]
