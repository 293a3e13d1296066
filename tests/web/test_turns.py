"""Equal states are built once however many ask at once, and heavy work waits its turn."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stdial.web.kept import Kept
from stdial.web.slots import Busy, Share, Slots


def test_many_at_once_build_once() -> None:
    kept, calls, gate = Kept(most=100), [], threading.Event()

    def make() -> bytes:
        calls.append(1)
        gate.wait(20)
        return b"made"

    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(kept.get, "state", make) for _ in range(8)]
        gate.set()
        assert {answer.result() for answer in answers} == {b"made"}
    assert len(calls) == 1


def test_a_failure_is_not_kept_and_blocks_nobody() -> None:
    kept = Kept(most=100)
    with pytest.raises(ZeroDivisionError):
        kept.get("state", lambda: bytes(1 // 0))
    assert kept.get("state", lambda: b"well") == b"well"


def test_the_least_recently_used_go_first() -> None:
    kept, made = Kept(most=30), []

    def ask(key: str) -> None:
        kept.get(key, lambda: (made.append(key), b"x" * 10)[1])

    for key in "abcadabc":
        ask(key)
    assert made == ["a", "b", "c", "d", "b", "c"]


def test_turns_are_bounded_and_given_back() -> None:
    slots, running, most = Slots(most=2, wait=20), set(), []
    lock = threading.Lock()

    def job(session: int) -> None:
        with slots.turn(session):
            with lock:
                running.add(session)
                most.append(len(running))
            with lock:
                running.discard(session)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(job, range(40)))
    assert max(most) <= 2
    with slots.turn("after"), slots.turn("another"):
        pass


def test_one_job_a_session_and_a_clear_message() -> None:
    slots = Slots(most=2, wait=0)
    with (
        slots.turn("mine"),
        pytest.raises(Busy, match="Your last request is still being worked on"),
        slots.turn("mine"),
    ):
        pass
    with slots.turn("mine"):
        pass


def test_a_newer_request_takes_the_place_of_one_that_waits() -> None:
    slots, outcome, waits = Slots(most=1, wait=20), [], threading.Event()

    def ask(name: str) -> None:
        waits.set()
        try:
            with slots.turn("mine"):
                outcome.append(name)
        except Busy as busy:
            outcome.append(str(busy))

    with slots.turn("another"):
        thread = threading.Thread(target=ask, args=("older",))
        thread.start()
        waits.wait(20)
        while not slots._newest:
            pass
        newer = threading.Thread(target=ask, args=("newer",))
        newer.start()
        thread.join(20)
    newer.join(20)
    assert outcome == ["A newer request took this one's place.", "newer"]


def test_no_turns_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="most is 0; it must be at least 1"):
        Slots(most=0, wait=1)


def test_work_ahead_takes_no_more_than_its_share() -> None:
    now, worked = [100.0], [0.0]
    ahead = Share(0.2, clock=lambda: now[0], spent=lambda: worked[0])
    with ahead.job():
        worked[0] += 1.0
        now[0] += 2.0
    for later in (0.0, 3.9):  # four times as long as the work took
        now[0] = 102.0 + later
        with pytest.raises(Busy), ahead.job():
            pass
    now[0] = 106.0
    with ahead.job():
        pass
    with ahead.job():  # that one took no time
        pass


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_a_share_out_of_range(share: float) -> None:
    with pytest.raises(ValueError, match="share is"):
        Share(share)


def test_work_ahead_that_fails_gives_its_place_back() -> None:
    ahead = Share(1)
    with pytest.raises(ZeroDivisionError), ahead.job():
        _ = 1 // 0
    with ahead.job():
        pass
