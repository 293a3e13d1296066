"""From a key press to what it changes on screen, frames of a scrub, start of the server: ours beside the smallest app."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, chromium, started
from tests.load.session import Session

Rows = list[tuple[str, str, str]]

# Ends after the first painted frame of the screen at which the condition holds. The page itself looks, from its next key press
# on: a look from outside comes some 20 ms late, as much as a fast page takes altogether.
_WATCH = """(text) => {
  const met = new Function('return ' + text);
  window.__drawn = new Promise((done) => window.addEventListener('keydown', () => {
    const pressed = performance.now(), painted = new MessageChannel();
    const next = () => requestAnimationFrame(() => painted.port2.postMessage(0));
    painted.port1.onmessage = () => (met() ? done(performance.now() - pressed) : next());
    next();
  }, { capture: true, once: true }));
}"""
# Milliseconds until what follows a move is over, too: the server's answer to a frame that was drawn, for instance.
_SETTLED = 250


class Probe:
    """A browser page on one app, which presses keys on a slider that stands at 8 and times the answer."""

    def __init__(
        self,
        page: Any,
        address: str,
        shown: Callable[[int], str],
        path: str = "/",
        label: str = "Group size",
        framed: bool = False,
    ) -> None:
        self.page, self.shown = page, shown
        page.goto(address + path)
        self.slider = page.get_by_role("slider", name=label)
        self.slider.wait_for(state="attached")
        self.value = 8
        page.wait_for_function(f"() => {shown(8)}")
        if framed:  # else some runs would time round trips under that name
            page.wait_for_selector("[data-frames]")
        page.wait_for_timeout(1500)

    def press(self) -> float:
        """Milliseconds from one key press until the new value is on the screen."""
        self.value += 1
        self.page.evaluate(_WATCH, self.shown(self.value))
        self.slider.press("ArrowRight")
        took = float(self.page.evaluate("window.__drawn"))
        self.page.wait_for_timeout(_SETTLED)
        return took


@contextlib.contextmanager
def probes() -> Iterator[dict[str, Probe]]:
    """One probe for each app, all running side by side."""
    smallest = "document.querySelector('[data-testid=stMetricValue]')?.innerText === '{0}'"
    apps = {
        "smallest": ("bench/apps/smallest.py", "/", lambda G: smallest.format(G * G)),
        "one group": ("app.py", "/", _shows(2)),
        "its plain page": ("bench/apps/plain_one_group.py", "/", _titled(2)),
        "difficulty": ("app.py", "/difficulty", _shows(1)),
        "its plain page too": ("bench/apps/plain_difficulty.py", "/", _titled(1)),
    }
    with contextlib.ExitStack() as stack:
        play = stack.enter_context(sync_playwright())
        browser = play.chromium.launch(executable_path=chromium(), args=FLAGS)
        found = {}
        for name, (app, path, shown) in apps.items():
            address, _ = stack.enter_context(started(app=app))
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            found[name] = Probe(page, address, shown, path, framed=app == "app.py")
            if name == "one group":
                page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
                found["right answers"] = Probe(page, address, _shows(2, "k"), "/?G=48&k=8&v=1", "Right answers")
        yield found
        browser.close()


def _shows(charts: int, parameter: str = "G") -> Callable[[int], str]:
    """All charts of our page show a value."""
    return lambda value: (
        "[...document.querySelectorAll('[data-shows]')].filter((c) => "
        f"JSON.parse(c.dataset.shows).{parameter} === {value}).length === {charts}"
    )


def _titled(charts: int) -> Callable[[int], str]:
    """All charts of a page of Streamlit's own are drawn with a size as their title."""
    return lambda G: (
        f"[...document.querySelectorAll('.gtitle')].filter((t) => t.textContent === '{G}').length === {charts}"
    )


def interaction(rounds: int = 30) -> Rows:
    """Key press to all charts drawn, and server CPU a move, as ratios of medians over alternating rounds."""
    times: dict[str, list[float]] = {}
    with probes() as found:
        for name, probe in found.items():
            probe.press()
            times[name] = []
        for _ in range(rounds):  # in turn, so that a slow moment of the machine hits all alike
            for name, probe in found.items():
                times[name].append(probe.press())
        fps = scrubbed(found["difficulty"])
    cpu = {
        name: asyncio.run(served(app, path, 8 * rounds))
        for name, app, path in (
            ("smallest", "bench/apps/smallest.py", ""),
            ("one group", "app.py", ""),
            ("difficulty", "app.py", "difficulty"),
        )
    }
    mid = {name: statistics.median(values) for name, values in times.items()}
    rows: Rows = []
    for name, plain, how in (
        ("one group", "its plain page", "2 charts"),
        ("difficulty", "its plain page too", "1 chart"),
    ):
        page = f"{name.capitalize()} ({how}, frame at hand)"
        rows += [
            (f"key to drawn, {page} / smallest app", f"{mid[name] / mid['smallest']:.2f}", "at most 3"),
            (f"key to drawn, same page with st.plotly_chart / {page}", f"{mid[plain] / mid[name]:.2f}", "at least 3"),
            (f"server CPU a move, {page} / smallest app", f"{cpu[name] / cpu['smallest']:.2f}", "at most 2.5"),
        ]
    return [
        *rows,
        (
            "key to drawn, One group, right answers (2 charts, a round trip) / smallest app",
            f"{mid['right answers'] / mid['smallest']:.2f}",
            "at most 3",
        ),
        ("scrub frames a second, Difficulty", f"{fps:.0f}", "60"),
        ("medians", ", ".join(f"{n} {v:.0f} ms" for n, v in mid.items()), ""),
        ("server CPU a move", ", ".join(f"{n} {v:.1f} ms" for n, v in cpu.items()), ""),
    ]


async def served(app: str, path: str, moves: int) -> float:
    """Milliseconds of the server's processor time for each of many moves to a size that nobody has seen yet."""
    with started(app=app) as (address, server):
        visitor, process = Session(address), psutil.Process(server.pid)
        await visitor.open(path)
        for i in range(10 + moves):
            if i == 10:
                before = sum(process.cpu_times()[:2])
            if visitor.sliders:
                await visitor.slide("Group size", 9 + i)
            else:
                await visitor.move(visitor.regions[0], G=9 + i)
        await visitor.close()
        return (sum(process.cpu_times()[:2]) - before) / moves * 1e3


def scrubbed(probe: Probe) -> float:
    """Charts drawn a second while the slider is dragged to another size at every frame of the screen."""
    probe.page.wait_for_selector("[data-frames]")
    return float(
        probe.page.evaluate("""
    () => new Promise((done) => {
      const track = document.querySelector('[data-control=G] .sd-track'), chart = document.querySelector('[data-chart=difficulty]');
      const box = track.getBoundingClientRect();
      const at = (x) => ({ clientX: x, clientY: box.top + 9, pointerId: 1, bubbles: true });
      const send = (kind, x) => track.dispatchEvent(new PointerEvent(kind, at(x)));
      track.setPointerCapture = () => {};
      const place = (G) => box.left + 11 + (box.width - 22) * Math.log(G / 2) / Math.log(512);
      send('pointerdown', place(2));
      let i = 0, n0, t0;
      const step = () => {
        if (i === 20) [n0, t0] = [Number(chart.dataset.drawn), performance.now()];
        if (++i > 260) {
          done((Number(chart.dataset.drawn) - n0) / (performance.now() - t0) * 1e3);
          send('pointerup', place(2));
          return;
        }
        const at = i % 120;  // 2 to 62 and back, another size at each frame of the screen
        send('pointermove', place(2 + (at < 60 ? at : 120 - at)));
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    })""")
    )


def start(rounds: int = 5) -> Rows:
    """Start of the process to healthy, and a cold browser to the first drawn chart."""
    healthy: dict[str, list[float]] = {"ours": [], "smallest": []}
    drawn: dict[str, list[float]] = {"ours": [], "one chart": []}
    for _ in range(rounds):
        for name, app in (("ours", "app.py"), ("smallest", "bench/apps/smallest.py")):
            t = time.perf_counter()
            with started(app=app):
                healthy[name].append(time.perf_counter() - t)
    with sync_playwright() as play, started() as (ours, _), started(app="bench/apps/one_chart.py") as (other, __):
        for _round in range(rounds + 1):
            for name, address, sign in (
                ("ours", ours, "[data-drawn]"),
                ("one chart", other, ".js-plotly-plot .main-svg"),
            ):
                browser = play.chromium.launch(executable_path=chromium(), args=FLAGS)
                page = browser.new_page()
                t = time.perf_counter()
                page.goto(address)
                page.wait_for_selector(sign)
                drawn[name].append(time.perf_counter() - t)
                browser.close()
    mid = {
        name: statistics.median(v)
        for name, v in (*healthy.items(), ("drawn", drawn["ours"][1:]), ("chart", drawn["one chart"][1:]))
    }
    return [
        ("start to healthy / smallest app", f"{mid['ours'] / mid['smallest']:.2f}", "at most 2"),
        (
            "cold browser to first drawn chart / smallest app with one st.plotly_chart",
            f"{mid['drawn'] / mid['chart']:.2f}",
            "at most 1.5",
        ),
    ]
