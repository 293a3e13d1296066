"""Nothing that anyone sends breaks the app for others, shows a traceback, or reaches another visitor."""

import asyncio
import random
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
import websockets

from stdial.web.params import PARAMS
from stdial.web.places import PLACES, existing
from tests.browser.conftest import served
from tests.browser.hostile import FRAGMENTS
from tests.load.session import Failed, Session, fresh_token, put, run

Visits = Callable[..., Any]
PATHS = existing()
SECRET = "zebra-quartz-4711"


def _hostile(path: str, seed: int) -> str:
    """A query whose every parameter is hostile; short enough for an address bar."""
    draw = random.Random(f"{path} {seed}")
    names = draw.sample([*PLACES[path].params, *PARAMS], k=6)
    short = [text for text in FRAGMENTS if len(text) < 200]
    return urlencode([(name, draw.choice(short)) for name in names], errors="replace")


@pytest.mark.parametrize("path", [pytest.param(path, id=path or "one_group") for path in PATHS])
def test_hostile_links_in_a_browser(visit: Visits, path: str) -> None:
    v = visit()
    v.page.on("dialog", lambda dialog: (v.problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
    v.open(f"/{path}?{_hostile(path, 0)}")
    assert not v.failed()
    assert v.page.locator("img[src=x], svg[onload], script:not([src]):has-text('alert(1)')").count() == 0
    assert v.page.locator("a[href^='javascript:'], a[href*='evil.example']").count() == 0
    assert any(notes.inner_text() for notes in v.page.locator("[role=status].sd-notes").all())
    assert v.problems == []


def test_hostile_links_and_reports_of_controls(address: str) -> None:
    """Many more of them without a browser: pages opened so, then moved to values that no control offers."""

    async def story() -> None:
        draw = random.Random(5)
        for path in PATHS:
            one = Session(address)
            for seed in range(6):
                await one.open(path, "?" + _hostile(path, 100 + seed))
            for _ in range(6):
                values = {
                    draw.choice([*PARAMS, "x"]): draw.choice([*FRAGMENTS, None, [], {}, 1e308, -1, True, [["1"]]])
                }
                await one.move(draw.choice(one.regions), **values)
            for region in one.regions[:3]:
                for what in ("csv:nothing", "frames", "qr:" + "x" * 9000, "csv:" + FRAGMENTS[0], "", "?"):
                    await one.want(region, what)
            await one.close()

    run(story())


@pytest.mark.parametrize("end", ["low", "high"])
def test_parameters_at_their_ends(address: str, end: str) -> None:
    """Millions where millions are allowed, all at once, on every page."""

    async def story() -> None:
        for path in PATHS:
            query = {}
            for name in PLACES[path].params:
                param = PARAMS[name]
                if param.kind in ("int", "float"):
                    query[name] = param.write(getattr(param, end))
                elif param.choices:
                    query[name] = param.choices[0 if end == "low" else -1]
            one = Session(address)
            await one.open(path, "?" + urlencode(query))
            await one.close()

    run(story())


def test_broken_messages_harm_only_their_sender(address: str) -> None:
    async def story() -> None:
        good = Session(address)
        await good.open("difficulty")
        draw = random.Random(1)
        for size in (0, 1, 10, 1000, 100_000):
            bad = Session(address)
            await bad.connect()
            try:
                await bad.send(draw.randbytes(size))
                await bad.open("difficulty")
            except (Failed, websockets.ConnectionClosed):
                pass
            await bad.close()
            await good.move(good.regions[0], G=3 + size % 7)
        await good.close()

    run(story())


def test_nothing_of_one_session_reaches_another(address: str) -> None:
    if "your_data" not in PATHS:
        pytest.skip("no page takes files")
    rows = f"problem,right,tries,{SECRET}\n" + "".join(f"{SECRET}-{i},{i % 9},8,a\n" for i in range(61))

    async def story() -> None:
        owner, other = Session(address), Session(address)
        await owner.open("your_data")
        await other.open("your_data")
        await owner.upload(owner.uploaders[0], f"{SECRET}.csv", rows.encode())
        assert any(b"61" in region.raw for region in owner.regions), "the upload is not shown to its owner"
        seen = []
        for path in PATHS:
            if path not in other.pages:
                continue
            await owner.go(path, "?pool=upload")
            await other.go(path, "?pool=upload")
            seen += [region.raw for region in other.regions] + [text.encode() for text in other.texts]
        assert not any(SECRET.encode() in raw for raw in seen)
        place = await owner.place("more.csv")  # a place of the owner's, tried by others
        url = address + place.upload_url
        for method in ("GET", "DELETE", "POST"):
            request = urllib.request.Request(url, method=method)
            try:
                status, body = 200, urllib.request.urlopen(request, timeout=20).read()
            except urllib.error.HTTPError as error:
                with error:
                    status, body = error.code, error.read()
            assert status in (403, 404, 405) or (method == "GET" and b"<html" in body)
            assert SECRET.encode() not in body
        await asyncio.gather(owner.close(), other.close())

    run(story())


def test_uploads_of_all_are_bounded() -> None:
    """A program that sends files without end fills neither the memory nor others' share of it."""
    megabyte = b"x" * (1 << 20)

    async def story(address: str) -> list[int]:
        greedy, modest = Session(address), Session(address)
        await greedy.open("your_data")
        await modest.open("your_data")
        answers = []
        for one, megabytes in ((greedy, 2), (greedy, 2), (greedy, 2), (modest, 3), (modest, 9)):
            place = await one.place("many.bin")
            data = megabytes * megabyte
            answers.append(await asyncio.to_thread(put, address + place.upload_url, "many.bin", data, one.token))
        await asyncio.gather(greedy.close(), modest.close())
        return answers

    with served(env={"STDIAL_UPLOADS_MB": "8"}) as address:
        assert run(story(address)) == [204, 204, 204, 204, 503]


def test_cookies_and_requests_from_other_sites(address: str) -> None:
    with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
        (cookie,) = answer.headers.get_all("Set-Cookie")
        assert cookie.startswith("_streamlit_xsrf=")
        assert "SameSite=Lax" in cookie
        assert answer.headers["Access-Control-Allow-Origin"] is None
    mine = fresh_token(address)
    url = f"{address}/_stcore/upload_file/somebody/1"
    assert put(url, "x.csv", b"1", "") == 403
    assert put(url, "x.csv", b"1", mine[:-3] + "000") in (400, 403)
    assert put(url, "x.csv", b"1", mine) == 400  # no such session

    async def from_elsewhere() -> None:
        with pytest.raises(websockets.InvalidStatus):
            await websockets.connect(
                address.replace("http", "ws") + "/_stcore/stream",
                subprotocols=["streamlit"],  # type: ignore[list-item]
                additional_headers={"Origin": "http://evil.example"},
            )

    run(from_elsewhere())


def test_closed_doors(address: str) -> None:
    """What the server could serve besides the app, and must not."""
    for path in (
        "/app/static/../app.py", "/app/static/%2e%2e/app.py", "/app/static/..%2fstdial/web/page.py", "/app/static//etc/passwd",
        "/_stcore/component/../../etc/passwd", "/media/../app.py", "/.streamlit/config.toml", "/requirements.txt",
    ):  # fmt: skip
        status, body = _asked(address + path)
        assert status in (400, 403, 404) or b"noscript" in body, path  # the app's own shell, as for any unknown page
    status, body = _asked(f"{address}/_stcore/agent/interact", b"{}")
    assert status != 200, body[:200]


def _asked(url: str, data: bytes | None = None) -> tuple[int, bytes]:
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"} if data else {})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
