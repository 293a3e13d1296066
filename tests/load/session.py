"""One visitor without a browser: the app's own websocket protocol, spoken as the browser speaks it.

A visitor opens a page by its address, follows links between pages, moves the controls of our component (which its stage
describes, so nothing here knows any page), and uploads files. Messages that the browser would keep are kept here too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.load import visitor

T = TypeVar("T")
MAINLY = 0.7  # share of moves that go to a page's main control, where it has one
DRAGS = 0.25  # share of moves that are a drag and not a click or a key
PATIENCE = 60.0  # seconds until an answer counts as lost


class Failed(Exception):
    """The app answered with an error, or not at all."""


@dataclass
class Region:
    """One stage on screen: its element and its name in it, and what it said last."""

    element: str
    name: str
    fragment: str
    raw: bytes = b""

    def header(self) -> dict[str, Any]:
        return dict(json.loads(self.raw.split(b"\n")[0]))

    def stage(self) -> dict[str, Any]:
        return dict(json.loads(self.raw.split(b"\n")[1] or b'{"controls": [], "scrub": ""}'))  # nothing there yet


@dataclass
class Uploader:
    """A file box on screen."""

    id: str
    fragment: str


@dataclass
class Answer:
    """What one request brought: seconds until the script had finished and until the first message, and bytes."""

    seconds: float
    first: float
    size: int


@dataclass
class Session:
    """A connected visitor: `pages` are those that links lead to, `regions` the stages of the page on screen."""

    address: str
    id: str = ""
    page_hash: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    uploaders: list[Uploader] = field(default_factory=list)
    sliders: dict[str, str] = field(default_factory=dict)
    token: str = ""
    texts: list[str] = field(default_factory=list)
    _states: dict[str, dict[str, Any]] = field(default_factory=dict)
    _files: dict[str, list[Any]] = field(default_factory=dict)
    _kept: dict[str, bytes] = field(default_factory=dict)
    _frames: set[str] = field(default_factory=set)
    _moves: int = 0
    _urls: Any = None
    _socket: Any = None
    _fragment: str = ""

    async def connect(self, resume: str = "") -> None:
        """Open the websocket; `resume` is the id of a session that was cut."""
        self.token = self.token or await asyncio.to_thread(fresh_token, self.address)
        protocols = ["streamlit", self.token or "none", *([resume] if resume else [])]
        self._socket = await websockets.connect(
            self.address.replace("http", "ws") + "/_stcore/stream",
            subprotocols=protocols,  # type: ignore[arg-type]
            additional_headers={"Cookie": f"_streamlit_xsrf={self.token}"} if self.token else None,
            max_size=None,
            compression=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )

    async def open(self, path: str = "", query: str = "") -> Answer:
        """Open a page by its address, connecting first where that was not done."""
        if self._socket is None:
            await self.connect()
        self._forget()
        message = BackMsg()
        message.rerun_script.page_name = path
        return await self._ask(message, query)

    async def go(self, path: str, query: str = "") -> Answer:
        """Follow a link to another page."""
        self._forget()
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages[path]
        return await self._ask(message, query)

    async def move(self, region: Region, **values: Any) -> Answer:
        """Move controls of a stage."""
        self._moves += 1
        self._states.setdefault(region.element, {})["move"] = {region.name: {"n": self._moves, "values": values}}
        return await self._rerun(region.fragment)

    async def prepare(self, region: Region, name: str = "") -> None:
        """What the browser asks for ahead: frames that are at hand, and others where the scrubbed slider `name` is dragged."""
        header = region.header()
        wanted = header.get("frames")
        if (
            wanted
            and wanted not in self._frames
            and not header.get("busy")
            and (header.get("ahead") or name == region.stage()["scrub"])
        ):
            self._frames.add(wanted)
            await self.want(region, "frames")

    async def settle(self) -> None:
        """What the browser asks for on a page just opened: frames that are at hand; with a file, whether the page is there."""
        before = self._moves
        for region in list(self.regions):
            await self.prepare(region)
        first = next((region for region in self.regions if region.header().get("whole")), None)
        if self._moves == before and first is not None and first.header().get("held"):
            await self.want(first, "hello")

    async def move_at_random(self, draw: random.Random, mainly: float = MAINLY) -> Answer:
        """Move a control on screen to some value that it offers; mostly the one that the page puts under the thumb."""
        offered = visitor.moves(self.regions)
        first = [move for move in offered if move[1].get("primary")]
        region, control = draw.choice(first if first and draw.random() < mainly else offered)
        await self.prepare(region, control.get("name", "") if draw.random() < DRAGS else "")
        return await self.move(region, **visitor.values(control, draw))

    async def follow(self) -> float:
        """Ask again, as the browser does, until no region is on its way; the seconds that took."""
        began, asked = time.perf_counter(), 0
        while late := next((region for region in self.regions if region.header().get("later")), None):
            await asyncio.sleep(min(1.5, 0.02 * 3**asked))
            asked += 1
            await self.want(late, "later")
            if time.perf_counter() - began > PATIENCE:
                raise Failed(f"{late.name} never came")
        return time.perf_counter() - began if asked else 0.0

    async def want(self, region: Region, what: str) -> Answer:
        """Ask a stage for frames or data."""
        self._moves += 1
        self._states.setdefault(region.element, {})["want"] = {region.name: {"n": self._moves, "what": what}}
        return await self._rerun(region.fragment)

    async def slide(self, label: str, value: float) -> Answer:
        """Move one of Streamlit's own sliders (the app that ours is compared with)."""
        self._states[self.sliders[label]] = {"slider": value}
        return await self._rerun("")

    async def upload(self, uploader: Uploader, name: str, data: bytes) -> Answer:
        """Put a file into a file box: ask for a place, send it there, tell the app."""
        place = await self.place(name)
        status = await asyncio.to_thread(put, self.address + place.upload_url, name, data, self.token)
        if status != 204:
            raise Failed(f"upload of {name} was answered with {status}")
        info: dict[str, Any] = {"name": name, "size": len(data), "file_id": place.file_id, "file_urls": place}
        self._files[uploader.id] = [info]
        return await self._rerun(uploader.fragment)

    async def place(self, name: str) -> Any:
        """Where the app wants a file to be sent."""
        message = BackMsg()
        message.file_urls_request.request_id = uuid.uuid4().hex
        message.file_urls_request.session_id = self.id
        message.file_urls_request.file_names.append(name)
        self._urls = None
        await self._socket.send(message.SerializeToString())
        while self._urls is None:
            self._take(await asyncio.wait_for(self._socket.recv(), PATIENCE))
        return self._urls.file_urls[0]

    async def send(self, data: bytes) -> None:
        """Raw bytes, for tests that do not keep to the protocol."""
        await self._socket.send(data)

    async def cut(self) -> None:
        """Lose the connection without a word."""
        self._socket.transport.abort()
        self._socket = None

    async def close(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._socket.close(), 5)
            self._socket = None

    def _forget(self) -> None:
        self.regions, self.uploaders, self.sliders, self.texts = [], [], {}, []
        self._states, self._files = {}, {}

    async def _rerun(self, fragment: str) -> Answer:
        message = BackMsg()
        message.rerun_script.page_script_hash = self.page_hash
        message.rerun_script.fragment_id = fragment
        return await self._ask(message, "")

    async def _ask(self, message: BackMsg, query: str) -> Answer:
        request = message.rerun_script
        request.query_string = query
        request.cached_message_hashes.extend(self._kept)
        for identity, state in self._states.items():
            widget = request.widget_states.widgets.add()
            widget.id = identity
            if "slider" in state:
                widget.double_array_value.data.append(state["slider"])
            else:
                widget.json_value = json.dumps(state)
        for identity, files in self._files.items():
            widget = request.widget_states.widgets.add()
            widget.id = identity
            for info in files:
                entry = widget.file_uploader_state_value.uploaded_file_info.add()
                entry.name, entry.size, entry.file_id = info["name"], info["size"], info["file_id"]
                entry.file_urls.CopyFrom(info["file_urls"])
        began = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        return await self._until_done(began)

    async def _until_done(self, began: float) -> Answer:
        first, size = 0.0, 0
        while True:
            self._acknowledge()
            try:
                data = await asyncio.wait_for(self._socket.recv(), PATIENCE)
            except (TimeoutError, websockets.ConnectionClosed) as error:
                raise Failed(f"no answer: {type(error).__name__}") from None
            first = first or time.perf_counter() - began
            size += len(data)
            if self._take(data) == "script_finished":
                return Answer(time.perf_counter() - began, first, size)

    def _acknowledge(self) -> None:
        """Let the system acknowledge at once, as browsers do: else a server that waits for it answers 40 ms late."""
        if hasattr(socket, "TCP_QUICKACK"):
            self._socket.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def _take(self, data: bytes) -> str:
        """One message of the app; returns its kind."""
        message = ForwardMsg()
        message.ParseFromString(data)
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            whole = ForwardMsg()
            whole.ParseFromString(self._kept[message.ref_hash])
            whole.metadata.CopyFrom(message.metadata)
            message, kind = whole, whole.WhichOneof("type")
        elif message.metadata.cacheable:
            self._kept[message.hash] = data
        if kind == "new_session":
            self.page_hash = message.new_session.page_script_hash
            self.id = message.new_session.initialize.session_id or self.id
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._element(message.delta.new_element, message.delta.fragment_id)
        elif kind == "file_urls_response":
            self._urls = message.file_urls_response
        return str(kind)

    def _stages(self, element: Any, fragment: str) -> None:
        table, *lines = element.bytes.split(b"\n")
        for name, count in json.loads(table):
            found = next((r for r in self.regions if r.name == name), None)
            if found is None:
                self.regions.append(found := Region(element.id, name, fragment))
            header, body, *extra = lines[:count]
            if b'"later"' in header and found.raw:  # what is shown stays
                body = found.raw.split(b"\n")[1]
            found.raw, lines = b"\n".join([header, body, *extra]), lines[count:]

    def _element(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise Failed(f"the page shows {element.exception.type}: {element.exception.message[:200]}")
        if kind == "bidi_component":
            self._stages(element.bidi_component, fragment)
        elif kind == "file_uploader":
            if all(box.id != element.file_uploader.id for box in self.uploaders):
                self.uploaders.append(Uploader(element.file_uploader.id, fragment))
        elif kind == "page_link":
            self.pages.setdefault(element.page_link.page, element.page_link.page_script_hash)
        elif kind == "slider":
            self.sliders[element.slider.label] = element.slider.id
        elif kind == "markdown":
            self.texts.append(element.markdown.body)
        elif kind == "alert":
            self.texts.append(element.alert.body)


def run(story: Coroutine[Any, Any, T]) -> T:
    """Run visitors to their end, in a thread of their own: a browser's driver may hold this one's event loop."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(asyncio.run, story).result()


def fresh_token(address: str) -> str:
    """The token against cross-site requests that the app sets as a cookie; "" where it sets none."""
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE) as answer:
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            if name.strip() == "_streamlit_xsrf":
                return str(value)
    return ""


def put(url: str, name: str, data: bytes, token: str, more: dict[str, str] | None = None) -> int:
    """Send a file as the browser does; the status of the answer."""
    edge = uuid.uuid4().hex
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={edge}",
        "X-Xsrftoken": token,
        "Cookie": f"_streamlit_xsrf={token}",
        **(more or {}),
    }
    body = head + data + f"\r\n--{edge}--\r\n".encode()
    request = urllib.request.Request(url, data=body, method="PUT", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
