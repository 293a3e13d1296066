"""From a key press to what it changes on screen, frames of a scrub, start of the server: ours beside the smallest app."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, chromium, started

Rows = list[tuple[str, str, str]]

# Ends at the first frame at which the condition holds; the clock is the page's own.
_WAIT = """(text) => new Promise((done) => {
  const met = new Function('return ' + text);
  const look = () => (met() ? done(performance.now() - window.__pressed) : requestAnimationFrame(look));
  look();
})"""


class Probe:
    """A browser page on one app, which presses keys on its group-size slider and times the answer."""

    def __init__(self, page: Any, address: str, shown: Callable[[int], str], path: str = "/") -> None:
        self.page, self.shown = page, shown
        page.goto(address + path)
        self.slider = page.get_by_role("slider", name="Group size")
        self.slider.wait_for(state="attached")
        page.evaluate("window.addEventListener('keydown', () => { window.__pressed = performance.now(); }, true)")
        self.value = 8
        page.wait_for_function(f"() => {shown(8)}")
        page.wait_for_timeout(1500)

    def press(self) -> float:
        """Milliseconds from one key press until the new value is drawn."""
        self.value += 1
        self.slider.press("ArrowRight")
        took = float(self.page.evaluate(_WAIT, self.shown(self.value)))
        self.page.wait_for_timeout(120)
        return took


@contextlib.contextmanager
def probes() -> Iterator[dict[str, tuple[Probe, psutil.Process]]]:
    """One probe for each app, all running side by side."""
    smallest = "document.querySelector('[data-testid=stMetricValue]')?.innerText === '{0}'"
    apps = {
        "smallest": ("bench/apps/smallest.py", "/", lambda G: smallest.format(G * G)),
        "st.plotly_chart": (
            "bench/apps/plotly_page.py", "/", lambda G: f"document.querySelector('.gtitle')?.textContent === '{G}'",
        ),
        "one group": ("app.py", "/", _shows("group")),
        "difficulty": ("app.py", "/difficulty", _shows("difficulty")),
    }  # fmt: skip
    with contextlib.ExitStack() as stack:
        play = stack.enter_context(sync_playwright())
        browser = play.chromium.launch(executable_path=chromium(), args=FLAGS)
        found = {}
        for name, (app, path, shown) in apps.items():
            address, process = stack.enter_context(started(app=app))
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            found[name] = (Probe(page, address, shown, path), psutil.Process(process.pid))
        yield found
        browser.close()


def _shows(chart: str) -> Callable[[int], str]:
    return lambda G: f"JSON.parse(document.querySelector('[data-chart={chart}]')?.dataset.shows ?? '{{}}').G === {G}"


def interaction(rounds: int = 30) -> Rows:
    """Key press to drawn, and server CPU a move, as ratios of medians over alternating rounds."""
    times: dict[str, list[float]] = {}
    cpu: dict[str, float] = {}
    with probes() as found:
        for name, (probe, process) in found.items():
            probe.press()
            before = sum(process.cpu_times()[:2])
            times[name] = [probe.press() for _ in range(rounds // 3)]
            cpu[name] = (sum(process.cpu_times()[:2]) - before) / len(times[name]) * 1e3
        for _ in range(rounds - rounds // 3):  # in turn, so that a slow moment of the machine hits all alike
            for name, (probe, _process) in found.items():
                times[name].append(probe.press())
        fps = scrubbed(found["difficulty"][0])
    mid = {name: statistics.median(values) for name, values in times.items()}
    base = mid["smallest"]
    return [
        (
            "key to drawn, One group (2 charts, round trip) / smallest app",
            f"{mid['one group'] / base:.2f}",
            "at most 3",
        ),
        ("key to drawn, Difficulty (frame at hand) / smallest app", f"{mid['difficulty'] / base:.2f}", "at most 3"),
        (
            "key to drawn, st.plotly_chart page / One group",
            f"{mid['st.plotly_chart'] / mid['one group']:.2f}",
            "at least 3",
        ),
        ("server CPU a move, One group / smallest app", f"{cpu['one group'] / cpu['smallest']:.2f}", "at most 2.5"),
        ("server CPU a move, Difficulty / smallest app", f"{cpu['difficulty'] / cpu['smallest']:.2f}", "at most 2.5"),
        ("scrub frames a second, Difficulty", f"{fps:.0f}", "60"),
        ("medians", ", ".join(f"{n} {v:.0f} ms" for n, v in mid.items()), ""),
        ("server CPU a move", ", ".join(f"{n} {v:.1f} ms" for n, v in cpu.items()), ""),
    ]


def scrubbed(probe: Probe) -> float:
    """Charts drawn a second while the slider is dragged, the pointer moving at every frame of the browser."""
    probe.page.wait_for_selector("[data-frames]")
    return float(
        probe.page.evaluate("""
    () => new Promise((done) => {
      const track = document.querySelector('[data-control=G] .sd-track'), chart = document.querySelector('[data-chart=difficulty]');
      const box = track.getBoundingClientRect();
      const at = (x) => ({ clientX: x, clientY: box.top + 9, pointerId: 1, bubbles: true });
      const send = (kind, x) => track.dispatchEvent(new PointerEvent(kind, at(x)));
      track.setPointerCapture = () => {};
      const n0 = Number(chart.dataset.drawn), t0 = performance.now();
      send('pointerdown', box.left + 30);
      let i = 0;
      const step = () => {
        if (++i > 240) {
          send('pointerup', box.left + 30);
          done((Number(chart.dataset.drawn) - n0) / (performance.now() - t0) * 1e3);
          return;
        }
        send('pointermove', box.left + 30 + (box.width - 60) * (0.5 - 0.5 * Math.cos(i / 40)));
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
