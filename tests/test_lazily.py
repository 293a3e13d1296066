"""A value computed once an object, without making other objects of its class wait."""

import threading

from stdial.lazily import lazily


class Slow:
    def __init__(self, gate: threading.Event | None = None) -> None:
        self.gate, self.calls = gate, 0

    @lazily
    def value(self) -> int:
        """Its value."""
        self.calls += 1
        if self.gate is not None:
            self.gate.wait(20)
        return self.calls


def test_once_an_object() -> None:
    one, other = Slow(), Slow()
    assert (one.value, one.value, other.value) == (1, 1, 1)
    assert one.calls == 1
    assert Slow.value.__doc__ == "Its value."


def test_one_that_computes_holds_no_other_up() -> None:
    gate = threading.Event()
    slow = Slow(gate)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    try:
        assert Slow().value == 1  # while the other still computes
        assert thread.is_alive()
    finally:
        gate.set()
        thread.join(20)
    assert slow.value == 1
