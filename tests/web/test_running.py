"""Runs share threads one after the other, and nothing of one is left for the next."""

import contextvars
import threading
from queue import SimpleQueue

import pytest
from streamlit.runtime.scriptrunner import script_runner

from stdial.web import running

COLOR: contextvars.ContextVar[str] = contextvars.ContextVar("COLOR")


def test_a_thread_is_used_again_and_forgets() -> None:
    threads, seen = running.Threads(most=1), SimpleQueue()

    def first(thread: threading.Thread) -> None:
        COLOR.set("red")
        thread.streamlit_script_run_ctx = "secret"  # type: ignore[attr-defined]
        seen.put((thread, COLOR.get(None)))

    def second(thread: threading.Thread) -> None:
        seen.put((thread, COLOR.get(None), vars(thread).get("streamlit_script_run_ctx")))

    threads.run(first)
    one = seen.get(timeout=20)
    for _ in range(200):  # until it waits again
        threads.run(second)
        two = seen.get(timeout=20)
        assert two[1:] == (None, None)
        if two[0] is one[0]:
            break
    assert two[0] is one[0]


def test_a_run_that_fails_takes_no_thread_with_it(caplog: pytest.LogCaptureFixture) -> None:
    threads, seen = running.Threads(), SimpleQueue()
    failing = threads.run(lambda thread: 1 / 0)
    while failing not in threads._waiting:
        pass
    threads.run(lambda thread: seen.put(thread))
    assert seen.get(timeout=20) is failing
    assert "ZeroDivisionError" in caplog.text


def test_many_at_once_and_few_are_kept() -> None:
    threads, gate, seen = running.Threads(most=3), threading.Event(), SimpleQueue()

    def work(thread: threading.Thread) -> None:
        gate.wait(20)
        seen.put(thread)

    started = [threads.run(work) for _ in range(12)]
    assert len(set(started)) == 12
    gate.set()
    for _ in started:
        seen.get(timeout=20)
    while len(threads._waiting) < 3:
        pass
    ended = [thread for thread in started if thread not in threads._waiting]
    for thread in ended:
        thread.join(20)
    assert len(ended) == 9
    assert not any(thread.is_alive() for thread in ended)


def test_streamlit_is_as_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = script_runner.ScriptRunner
    monkeypatch.setattr(runner, "start", runner.start)  # put back at the end
    assert running.run_in_waiting_threads()
    seen: SimpleQueue[bool] = SimpleQueue()

    class Known(runner):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            self._script_thread = None

        def _run_script_thread(self) -> None:
            seen.put(self._is_in_script_thread())

    one = Known()
    one.start()
    assert seen.get(timeout=20)
    with pytest.raises(RuntimeError, match="already started"):
        one.start()
    monkeypatch.setattr(runner, "start", lambda self: None)
    assert not running.run_in_waiting_threads()
