"""The sheet on paper, a page in another page's frame, the first visit."""

import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from stdial.web import lessons

Visits = Callable[..., Any]


def drawings(pdf: bytes) -> list[int]:
    """How many strokes and fills each content stream of a PDF has."""
    counts = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S):
        try:
            text = zlib.decompress(stream)
        except zlib.error:
            continue
        if re.search(rb"\b(BT|re|cm)\b", text[:4000]):
            counts.append(len(re.findall(rb"(?m)(?:^|\s)(?:S|f|f\*|B)(?=\s|$)", text)))
    return counts


def test_the_sheet_prints_with_its_pictures(visit: Visits, tmp_path: Path) -> None:
    v = visit().open("/for_a_class?part=sheet&v=1")
    v.page.wait_for_function(
        f"document.querySelectorAll('[data-chart][data-drawn]').length === {len(lessons.lessons())}"
    )
    file = tmp_path / "sheet.pdf"
    v.page.pdf(path=str(file), format="A4")
    pdf = file.read_bytes()
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 3 <= pages <= 5
    with_drawings = [count for count in drawings(pdf) if count > 40]
    assert len(with_drawings) >= 2, "the pages with questions have no pictures"
    if shutil.which("pdftotext"):
        texts = subprocess.run(
            ["pdftotext", "-layout", str(file), "-"], capture_output=True, text=True, check=True
        ).stdout.split("\f")
        first = next(i for i, text in enumerate(texts) if re.search(r"^\s*Answers\s*$", text, re.M))
        assert first > 0
        assert re.match(r"\s*Answers", texts[first])  # on a page of their own
        for i, lesson in enumerate(lessons.lessons()):
            assert any(lesson.name in text for text in texts[:first])
            assert re.search(
                rf"(?m)^\s*{i + 1} .*{re.escape(lessons.panel(lesson)['said'].split()[0])}", "\n".join(texts[first:])
            )
        assert "right answers k" in texts[0]  # the axis of a picture


def test_a_page_prints_its_charts_within_the_paper(visit: Visits) -> None:
    v = visit().open("/?G=8&k=1&v=1")
    v.page.set_viewport_size({"width": 700, "height": 900})
    v.page.set_viewport_size({"width": 1280, "height": 900})
    v.page.wait_for_timeout(400)
    v.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    zooms = v.page.evaluate("[...document.querySelectorAll('.sd-chart')].map((n) => Number(n.style.zoom))")
    assert all(0 < zoom <= 1 for zoom in zooms)
    v.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert v.page.evaluate("[...document.querySelectorAll('.sd-chart')].every((n) => n.style.zoom === '')")


@pytest.fixture
def course(address: str) -> Iterator[str]:
    """A course page of another origin with the app in a frame."""
    code = f'<iframe id="app" src="{address}/difficulty?G=12&amp;p=0.2&amp;embed=true&amp;v=1" width="800" height="720"></iframe>'
    body = f"<!doctype html><title>Course</title><h1>Week 3</h1>{code}".encode()

    class Course(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body if self.path == "/" else b"")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Course)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_in_the_frame_of_a_course_page(visit: Visits, course: str) -> None:
    v = visit()
    v.page.goto(course)
    frame = v.page.frame_locator("#app")
    frame.locator("[data-chart=difficulty][data-drawn]").wait_for()
    assert frame.locator("[data-testid=stPageLink]").count() == 0
    assert frame.locator("button:has-text('Share')").count() == 0
    assert frame.locator(".st-key-below").count() == 0
    frame.get_by_role("slider", name="Group size").press("ArrowRight")
    inner = v.page.frames[1]
    inner.wait_for_function("location.search.includes('G=13')")
    assert "embed=true" in inner.url
    assert '"G":13' in frame.locator("[data-chart=difficulty]").get_attribute("data-shows").replace(" ", "")
    full = frame.get_by_role("link", name="Open this page in full")
    full.focus()
    href = full.get_attribute("href")
    assert "G=13" in href
    assert "embed" not in href


def test_tour_moves_the_controls_and_never_comes_back(visit: Visits) -> None:
    v = visit().open("/")
    assert "standard deviation" in v.page.inner_text(".sd-welcome")
    v.page.get_by_role("button", name="Take the tour").focus()
    v.page.keyboard.press("Enter")
    v.until("group", "k", 1)
    assert v.page.locator("[data-control=k].sd-pointed").count() == 1
    for _ in range(2):
        v.page.keyboard.press("Enter")  # the focus is on Next
    v.until("group", "k", 8)
    v.page.keyboard.press("Enter")
    v.until("group", "alpha", 0.5)
    v.page.get_by_role("button", name="Back").click()
    v.until("group", "k", 8)
    v.page.keyboard.press("Enter")
    v.page.keyboard.press("Enter")
    v.until("group", "G", 32)
    v.page.get_by_role("button", name="Done").click()
    assert v.page.locator(".sd-welcome, .sd-pointed").count() == 0
    for _ in range(2):
        v.page.reload()
        v.drawn("group")
        v.page.wait_for_timeout(300)
        assert v.page.locator(".sd-welcome").count() == 0
    assert v.problems == []


def test_escape_closes_the_tour_for_good(visit: Visits) -> None:
    v = visit().open("/")
    v.page.get_by_role("button", name="Take the tour").click()
    v.page.keyboard.press("Escape")
    assert v.page.locator(".sd-welcome").count() == 0
    v.page.get_by_role("link", name="Difficulty", exact=True).click()
    v.drawn("difficulty")
    v.page.get_by_role("link", name="One group", exact=True).click()
    v.drawn("group")
    assert v.page.locator(".sd-welcome").count() == 0


@pytest.mark.parametrize("path", ["/difficulty", "/?embed=true", "/?ask=Why&v=1", "/?lesson=one-right&guess=1&v=1"])
def test_no_tour_elsewhere(visit: Visits, path: str) -> None:
    v = visit().open(path)
    v.page.wait_for_timeout(300)
    assert v.page.locator(".sd-welcome").count() == 0
