"""A session's messages go out in order, when its run is over or after a moment, and only to who is there."""

import asyncio
import threading
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.session_manager import SessionClientDisconnectedError

from stdial.web import sending

AppSession = app_session.AppSession


class Visitor:
    """A session with its queue, as far as messages go, and what its visitor got."""

    def __init__(self) -> None:
        self.id = "one"
        self._browser_queue = ForwardMsgQueue()
        self._event_loop = asyncio.get_running_loop()
        self._message_enqueued_callback = lambda: self.rounds.append(1)
        self.rounds: list[int] = []
        self.got: list[str] = []
        self.settled = 0

    def flush_browser_queue(self) -> list[ForwardMsg]:
        return self._browser_queue.flush()

    def on_flushed_messages_sent(self) -> None:
        self.settled += 1


class Server:
    """As much of the runtime as sends."""

    def __init__(self, visitor: Visitor, connected: bool = True, broken: bool = False) -> None:
        self._session_mgr = self
        self.session, self.client = visitor, "client"
        self.connected, self.broken = connected, broken
        self.left: list[str] = []

    def get_active_session_info(self, session_id: str) -> "Server | None":
        return self if self.connected and session_id == "one" else None

    def _send_message(self, info: "Server", message: ForwardMsg) -> None:
        if self.broken:
            raise SessionClientDisconnectedError
        info.session.got.append(str(message.WhichOneof("type")))

    def disconnect_session(self, session_id: str, client: Any) -> None:
        self.left.append(session_id)


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's sessions with their outbox, for as long as a test."""
    for name in ("_enqueue_forward_msg", "_call_soon_on_event_loop"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))  # put back at the end
    assert sending.send_at_once()


def said(kind: str) -> ForwardMsg:
    message = ForwardMsg()
    if kind == "script_finished":
        message.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    else:
        getattr(message, kind).SetInParent()
    return message


def post(visitor: Visitor, *kinds: str) -> None:
    for kind in kinds:
        AppSession._enqueue_forward_msg(visitor, said(kind))  # type: ignore[arg-type]


@pytest.mark.usefixtures("changed")
def test_a_finished_run_is_sent_at_once_and_another_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        visitor = Visitor()
        monkeypatch.setattr(Runtime, "instance", lambda: Server(visitor))
        post(visitor, "new_session")
        assert visitor.got == []
        post(visitor, "script_finished")
        assert visitor.got == ["new_session", "script_finished"]
        post(visitor, "new_session")
        await asyncio.sleep(0.05)
        assert visitor.got[2:] == ["new_session"]
        assert visitor.settled == 2
        assert not visitor.rounds

    asyncio.run(story())


@pytest.mark.usefixtures("changed")
def test_who_has_gone_loses_nothing_and_a_broken_line_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        visitor = Visitor()
        server = Server(visitor, connected=False)
        monkeypatch.setattr(Runtime, "instance", lambda: server)
        post(visitor, "new_session", "script_finished")
        assert visitor.got == []
        server.connected = True
        post(visitor, "new_session", "script_finished")
        assert visitor.got[-1] == "script_finished"
        assert visitor._browser_queue.is_empty()
        server.broken = True
        post(visitor, "script_finished")
        assert server.left == ["one"]

    asyncio.run(story())


@pytest.mark.usefixtures("changed")
def test_a_message_from_another_thread_goes_the_way_of_streamlit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        visitor = Visitor()
        monkeypatch.setattr(Runtime, "instance", lambda: Server(visitor))
        await asyncio.to_thread(post, visitor, "script_finished")
        assert visitor.rounds == [1]
        assert visitor.got == []

    asyncio.run(story())


@pytest.mark.usefixtures("changed")
def test_calls_from_threads_come_in_order_and_a_failing_one_stops_none() -> None:
    async def story() -> None:
        visitor, came, failed = Visitor(), [], []
        visitor._event_loop.set_exception_handler(lambda loop, context: failed.append(context))
        over = threading.Barrier(5)

        def tell(who: int) -> None:
            for i in range(200):
                AppSession._call_soon_on_event_loop(visitor, lambda i=i: came.append((who, i)))  # type: ignore[arg-type]
            AppSession._call_soon_on_event_loop(visitor, lambda: 1 / 0)  # type: ignore[arg-type]
            over.wait(20)

        threads = [threading.Thread(target=tell, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        await asyncio.to_thread(over.wait, 20)
        await asyncio.sleep(0.05)
        for thread in threads:
            thread.join()
        assert [[i for w, i in came if w == who] for who in range(4)] == [list(range(200))] * 4
        assert len(failed) == 4

    asyncio.run(story())


def test_calls_to_a_closed_loop_are_dropped() -> None:
    async def story() -> Visitor:
        return Visitor()

    visitor = asyncio.run(story())
    sending.Outbox(visitor, print).call(lambda: None)


def test_the_names_that_are_changed_are_there() -> None:
    """A newer Streamlit that has none of them is fast by itself, or is to be looked at."""
    assert callable(AppSession._enqueue_forward_msg)
    assert callable(AppSession._call_soon_on_event_loop)
    assert callable(Runtime._send_message)
