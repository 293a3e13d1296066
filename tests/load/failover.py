"""Two real replicas behind a real nginx; one is killed while browsers are open on both."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Page, sync_playwright

from stdial.web import assets
from stdial.web.places import existing
from tests.browser.conftest import FLAGS, chromium, started
from tests.load import proxy
from tests.load.session import fresh_token, put
from tests.load.soak import sessions

Finding = tuple[str, str]
SECRET = {"STREAMLIT_SERVER_COOKIE_SECRET": "the same in both replicas"}
PATIENCE = 30_000


class Problem(Exception):
    """The set-up does not keep a promise."""


def need(truth: bool, what: str) -> None:
    if not truth:
        raise Problem(what)


@contextlib.contextmanager
def replicas() -> Iterator[list[tuple[str, Any]]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(started(env=SECRET)) for _ in range(2)]


def failover(browsers: int = 6) -> list[Finding]:
    """Everything that is to be shown; raises Problem where something does not hold."""
    with replicas() as both, proxy.proxied([where for where, _ in both]) as address:
        found = files(address)
        found += limits(address)
        with sync_playwright() as play:
            chrome = play.chromium.launch(executable_path=chromium(), args=FLAGS)
            try:
                found += _killed(address, both, lambda: chrome.new_context().new_page(), browsers)
            finally:
                chrome.close()
        return found


def files(address: str) -> list[Finding]:
    """Static files come compressed from the cache with a long life; a page sets the seat cookie once."""
    script = f"{address}/app/static/{assets.folder()}/plotly.min.js"
    times = []
    for _ in range(3):
        began = time.perf_counter()
        status, headers, body = proxy.head(script, Accept_Encoding="gzip")
        times.append(time.perf_counter() - began)
        need(status == 200 and headers.get("content-encoding") == "gzip", f"plotly.min.js came as {status} {headers}")
        need("immutable" in headers["cache-control"], "plotly.min.js may not be kept by browsers")
    plain = proxy.head(script, Accept_Encoding="identity")[2]
    need(gzip.decompress(body) == plain, "the unpacked plotly.min.js is another one")
    _, headers, _ = proxy.head(f"{address}/difficulty")
    cookie = headers.get("set-cookie", "")
    need(re.match(r"stdial_seat=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Lax$", cookie) is not None, f"seat {cookie!r}")
    again = proxy.head(f"{address}/difficulty", Cookie=cookie.partition(";")[0])[1]
    need("set-cookie" not in again, "a visitor with a seat got another one")
    need(headers.get("x-content-type-options") == "nosniff", "a page came without nosniff")
    need(proxy.head(f"{address}/_stcore/metrics")[0] == 403, "the server's numbers are open to everybody")
    size = f"{len(body) / 1e6:.2f} MB instead of {len(plain) / 1e6:.2f}"
    return [
        (
            "plotly.min.js through nginx",
            f"{size}; {times[0] * 1e3:.0f} ms first, {min(times[1:]) * 1e3:.0f} ms from the cache",
        )
    ]


def limits(address: str) -> list[Finding]:
    """A file above the limit is refused before it is sent; one without the token or for no session too."""
    here = fresh_token(address)
    url = f"{address}/_stcore/upload_file/nobody/1"
    large = put(url, "x.csv", b"a", here, {"Content-Length": str(1 << 40)})
    forged = put(url, "x.csv", b"a", "2|0|0|0")
    stray = put(url, "x.csv", b"a", here)
    need((large, forged, stray) == (413, 403, 400), f"uploads were answered with {large}, {forged}, {stray}")
    return [("uploads refused", "413 above the limit, 403 without the token, 400 for a session that is not there")]


def _killed(address: str, both: list[tuple[str, Any]], fresh: Callable[[], Page], browsers: int) -> list[Finding]:
    """Browsers open on both replicas; the one that holds an upload (if the page is there) is killed."""
    visitors = [_open(fresh(), address, 20 + i) for i in range(browsers)]
    spread = [sessions(where) for where, _ in both]
    need(sum(spread) == browsers, f"{browsers} browsers are {spread} sessions")
    uploader = _uploaded(fresh(), address) if "your_data" in existing() else None
    victim = max((0, 1), key=lambda i: sessions(both[i][0]) - spread[i] if uploader else spread[i])
    before = [sessions(where) for where, _ in both]
    both[victim][1].send_signal(signal.SIGKILL)
    both[victim][1].wait()
    began = time.perf_counter()
    for i, page in enumerate(visitors):
        need(_shown(page) == 20 + i, "a page changed when a replica went")
        _moved(page, 21 + i)
    took = time.perf_counter() - began
    survivor = both[1 - victim][0]
    for page in [*visitors, *([uploader] if uploader else [])]:
        page.wait_for_function("() => !document.querySelector('[data-testid=stConnectionStatus]')", timeout=PATIENCE)
        need(page.locator("[data-testid=stException]").count() == 0, "a traceback is shown")
    link = visitors[0].url
    other = _open(fresh(), address, 21, link)
    need(sessions(survivor) == browsers + 1 + (uploader is not None), "not everybody is on the other replica")
    found = [
        ("browsers on two replicas", " and ".join(map(str, before))),
        ("one killed while in use", f"all {browsers} moved on within {took:.1f} s, nothing lost, no error shown"),
        ("its link in a fresh browser", f"opens the same state (G = {_shown(other)}) on the other replica"),
    ]
    if uploader:
        found.append(("who had an upload there sees", _sees(uploader)))
    return found


def _open(page: Page, address: str, size: int, link: str = "") -> Page:
    page.set_default_timeout(PATIENCE)
    page.goto(link or f"{address}/difficulty?G={size}&v=1")
    _until(page, size)
    return page


def _until(page: Page, size: int) -> None:
    page.wait_for_function(
        "(G) => JSON.parse(document.querySelector('[data-chart=difficulty]')?.dataset.shows ?? '{}').G === G", arg=size
    )


def _moved(page: Page, size: int) -> None:
    """One step of the slider, with a round trip: the address is written by the answer."""
    page.get_by_role("slider", name="Group size").press("ArrowRight")
    _until(page, size)
    page.wait_for_function("(G) => location.search.includes(`G=${G}&`)", arg=size)


def _shown(page: Page) -> int:
    return int(json.loads(page.get_attribute("[data-chart=difficulty]", "data-shows") or "{}")["G"])


def _uploaded(page: Page, address: str) -> Page:
    """A visitor with a file of 17 problems on Your data."""
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/your_data?G=9&v=1")
    page.wait_for_selector("[data-chart][data-drawn]")
    rows = "problem,right,tries\n" + "".join(f"q{i},{i % 9},8\n" for i in range(17))
    box = page.locator("[data-testid=stFileUploaderDropzoneInput]").first
    box.set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    page.wait_for_function("() => /\\b17 problems\\b/.test(document.body.innerText)")
    return page


def _sees(page: Page) -> str:
    """What the page of a lost upload says once it is connected again: its notes and its answer."""
    page.get_by_role("slider", name="Group size").first.press("ArrowRight")
    page.wait_for_timeout(3000)
    notes = [text for text in page.locator(".sd-notes").all_inner_texts() if text.strip()]
    answers = [text for text in page.locator(".sd-answer").all_inner_texts() if text.strip()]
    return " / ".join([*notes, *answers[:1]]).replace("\n", " ")
