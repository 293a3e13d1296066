"""The worker of long computations."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from stdial.web import apart, process


def test_the_worker_does_not_run_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit puts the page that runs in the place of ``__main__``, which a new process would import."""
    mark, page = tmp_path / "it ran", tmp_path / "page.py"
    page.write_text(f"open({str(mark)!r}, 'w').close()")
    main = ModuleType("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(process, "serving", lambda: True)
    monkeypatch.setattr(apart, "_workers", {})
    try:
        assert apart.apart(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            apart.apart(divmod, 7, 0)
    finally:
        for worker in apart._workers.values():
            worker.shutdown()
    assert sys.modules["__main__"] is main
    assert not mark.exists()
