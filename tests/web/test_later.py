"""What takes long follows: the newest state's stage, once, and its error as the script's own."""

import threading
from collections.abc import Callable

import pytest

from stdial.web import slots
from stdial.web.later import Job, at_hand


def test_a_newer_state_replaces_an_older_one() -> None:
    jobs: dict[str, Job] = {}
    gate, made = threading.Event(), []

    def make(name: str) -> Callable[[], bytes]:
        return lambda: (gate.wait(20), made.append(name), name.encode())[2]

    assert at_hand(jobs, "run", "old", make("old"), 0) is None
    assert at_hand(jobs, "run", "new", make("new"), 0) is None
    assert at_hand(jobs, "run", "new", make("new again"), 0) is None
    gate.set()
    assert at_hand(jobs, "run", "new", make("never"), 20) == b"new"
    assert sorted(made)[:2] in (["new"], ["new", "old"])
    assert "new again" not in made
    assert jobs == {}


def test_regions_do_not_replace_each_other() -> None:
    jobs: dict[str, Job] = {}
    gate = threading.Event()
    for name in ("main", "advice"):
        assert at_hand(jobs, name, 1, lambda: bytes(gate.wait(20)), 0) is None
    assert set(jobs) == {"main", "advice"}
    gate.set()


def test_its_error_is_the_scripts() -> None:
    jobs: dict[str, Job] = {}
    with pytest.raises(ZeroDivisionError):
        at_hand(jobs, "run", 1, lambda: bytes(1 // 0), 20)
    assert at_hand(jobs, "run", 1, lambda: b"well", 20) == b"well"  # asked again, it is tried again


def test_what_waits_for_a_turn_gives_way_to_a_newer_state() -> None:
    turns, jobs, gate = slots.Slots(most=1, wait=20), {}, threading.Event()

    def make(name: str) -> Callable[[], bytes]:
        def work() -> bytes:
            with turns.turn("mine"):
                gate.wait(20)
                return name.encode()

        return work

    with turns.turn("another"):
        assert at_hand(jobs, "run", "old", make("old"), 0) is None
        old = jobs["run"]
        while not turns._newest:
            pass
        assert at_hand(jobs, "run", "new", make("new"), 0) is None
        assert old.done(20)
        with pytest.raises(slots.Busy, match="newer request"):
            old.result()
    gate.set()
    assert at_hand(jobs, "run", "new", make("never"), 20) == b"new"


def test_a_wait_ends_where_nobody_wants_the_answer_any_more() -> None:
    class Moved(BaseException):
        pass

    jobs: dict[str, Job] = {}
    gate = threading.Event()

    def wanted() -> None:
        raise Moved

    with pytest.raises(Moved):
        at_hand(jobs, "run", 1, lambda: bytes(gate.wait(20)), 20, wanted)
    gate.set()
    assert at_hand(jobs, "run", 1, lambda: b"not again", 20) == b"\x00"
