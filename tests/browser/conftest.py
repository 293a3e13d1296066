"""A real server and a real Chromium, shared by the browser tests."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

playwright_api = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = {1280: 900, 390: 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


def chromium() -> str | None:
    """A Chromium that is installed, else None for Playwright's own."""
    named = os.environ.get("STDIAL_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextlib.contextmanager
def served(*more: str, env: dict[str, str] | None = None, app: str = "app.py") -> Iterator[str]:
    """An app (ours, unless another file is named) on a free port of loopback, as its address."""
    with started(*more, env=env, app=app) as (where, _):
        yield where


@contextlib.contextmanager
def started(
    *more: str, env: dict[str, str] | None = None, app: str = "app.py"
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """As `served`, with the server's process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", app, "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", *more]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(3000):
            with contextlib.suppress(OSError):
                if urllib.request.urlopen(f"{address}/_stcore/health").read() == b"ok":
                    break
            if process.poll() is not None:
                raise RuntimeError(f"the server of {app} ended at once")
            time.sleep(0.02)
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """One server for all browser tests of this worker."""
    with served() as where:
        yield where


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all browser tests of this worker."""
    with playwright_api.sync_playwright() as play:
        try:
            one = play.chromium.launch(executable_path=chromium(), args=FLAGS)
        except playwright_api.Error as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        yield one
        one.close()


class Visit:
    """One browser page on the app, with what it logged."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(f"error {error}"))
        page.on("request", lambda request: self._seen(request.url))
        page.set_default_timeout(30_000)

    def _seen(self, url: str) -> None:
        if not url.startswith((self.address, "blob:", "data:", self.address.replace("http", "ws"))):
            self.problems.append(f"request to another host: {url[:120]}")

    def open(self, path: str) -> "Visit":
        self.page.goto(self.address + path)
        return self.drawn()

    def drawn(self, chart: str | None = None) -> "Visit":
        """Waits until a chart has been drawn and the address is written."""
        self.page.wait_for_selector(f"[data-chart={chart}][data-drawn]" if chart else "[data-chart][data-drawn]")
        self.page.wait_for_function("location.search.includes('v=1')")
        return self

    def shows(self, chart: str) -> dict[str, Any]:
        import json

        return json.loads(self.page.get_attribute(f"[data-chart={chart}]", "data-shows"))

    def until(self, chart: str, name: str, value: Any) -> None:
        """Waits until the chart shows that value."""
        self.page.wait_for_function(
            "([chart, name, value]) => JSON.stringify(JSON.parse(document.querySelector(`[data-chart=${chart}]`)"
            "?.dataset.shows ?? '{}')[name]) === JSON.stringify(value)",
            arg=[chart, name, value],
        )

    def until_address(self, part: str) -> None:
        self.page.wait_for_function("(part) => location.search.includes(part)", arg=part)

    def text(self) -> str:
        return self.page.inner_text("body")

    def sideways(self) -> int:
        """How many pixels of the page stand out sideways."""
        return self.page.evaluate(
            "Math.max(document.scrollingElement.scrollWidth - innerWidth, ...[...document.querySelectorAll("
            "'[data-testid=stMain]')].map(m => m.scrollWidth - m.clientWidth))"
        )

    def failed(self) -> bool:
        """Whether Streamlit shows an exception or an error box."""
        return self.page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count() > 0


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Callable[..., Visit]]:
    """Opens fresh browser pages of a width and a colour scheme."""
    contexts = []

    def make(width: int = 1280, scheme: str = "light", where: str = address, **more: Any) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": WIDTHS.get(width, 800)},
            color_scheme=scheme,
            accept_downloads=True,
            **more,
        )
        contexts.append(context)
        return Visit(context.new_page(), where)

    yield make
    for context in contexts:
        context.close()
