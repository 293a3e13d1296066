"""What breaks around the app takes nothing from its visitors: servers that die, wires that are cut, full disks, clocks."""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stdial.web import assets
from stdial.web.places import existing
from tests.browser.conftest import served, started
from tests.browser.relay import relayed
from tests.load.session import Session, run

Visits = Callable[..., Any]
LARGE = b"problem,right,tries\n" + b"".join(b"question number %07d of many,%d,8\n" % (i, i % 9) for i in range(90_000))


@pytest.mark.parametrize("stay", [0, 2500])
def test_server_killed_and_replaced_while_in_use(visit: Visits, stay: int) -> None:
    """Also before any part of the page has run by itself, where Streamlit would leave the page to a server that knows none."""
    with started() as (first, process), relayed(first) as wire:
        v = visit(where=wire.address).open("/difficulty?G=24&view=weight&v=1")
        v.until("difficulty", "G", 24)
        v.page.wait_for_timeout(stay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        slider = v.page.get_by_role("slider", name="Group size")
        slider.press("ArrowRight")  # nobody is there to hear it
        v.page.get_by_text("The server has not answered yet").wait_for()
        with served() as second:
            wire.target = second
            v.page.wait_for_function("location.search.includes('G=25&')", timeout=60_000)
            slider.press("ArrowRight")
            v.until("difficulty", "G", 26)
            v.until_address("G=26")
            v.until_address("view=weight")
            assert "has not answered" not in v.text()
            assert not v.failed()
            assert v.problems == []


def test_cut_wire_is_mended_without_a_loss(visit: Visits, address: str) -> None:
    with relayed(address) as wire:
        v = visit(where=wire.address).open("/?G=9&k=2&v=1")
        slider = v.page.get_by_role("slider", name="Group size")
        for size in (10, 11):
            wire.cut()
            slider.press("ArrowRight")
            v.until("group", "G", size)
            v.page.wait_for_function("(G) => location.search.includes(`G=${G}&`)", arg=size, timeout=60_000)
        assert not v.failed()


def test_session_outlives_its_connection(address: str) -> None:
    async def story() -> None:
        one = Session(address)
        await one.open("difficulty", "?G=24&v=1")
        await one.move(one.regions[0], G=77)
        await one.cut()
        same = Session(address)
        await same.connect(resume=one.id)
        await same.open("difficulty", "?G=24&v=1")  # the address of the first request: what was moved since rules
        assert same.id == one.id
        assert same.regions[0].stage()["charts"][0]["shows"]["G"] in (24, 77)
        stranger = Session(address)
        await stranger.open("difficulty", "?G=24&v=1")
        assert stranger.id != one.id
        await asyncio.gather(same.close(), stranger.close())

    run(story())


@pytest.mark.parametrize("kind", ["disk", "clock"])
def test_every_page_works(kind: str, tmp_path: Path) -> None:
    """Without room for a single byte in any file; and with a clock that jumps back a year, then ahead two."""
    program = {
        "disk": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))",
        "clock": "import signal, time\nreal, by = time.time, [0]\ntime.time = lambda: real() + by[0]\n"
        "jumps = iter([-365, 365, 0] * 9)\n"
        "signal.signal(signal.SIGUSR1, lambda *_: by.__setitem__(0, next(jumps) * 86400))",
    }[kind]
    (tmp_path / "sitecustomize.py").write_text(program)
    assets.folder()  # is laid out when the app is installed
    with started(env={"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}) as (address, process):

        def jump() -> None:
            if kind == "clock":
                os.kill(process.pid, signal.SIGUSR1)

        run(_tour(address, jump))
        assert process.poll() is None


async def _tour(address: str, jump: Callable[[], None]) -> None:
    """Every page, some moves on each, and a file of some megabytes where one may be given."""
    one, draw = Session(address), random.Random(3)
    await one.open()
    for path in existing():
        if path not in one.pages:
            continue
        jump()
        await one.go(path)
        if one.uploaders:
            await one.upload(one.uploaders[0], "mine.csv", LARGE)
        for _ in range(2):
            jump()
            await one.move_at_random(draw)
    await one.close()


def test_browser_clock_set_back(visit: Visits) -> None:
    v = visit().open("/difficulty?G=24&v=1")
    slider = v.page.get_by_role("slider", name="Group size")
    for size, year in ((25, 2001), (26, 2050), (27, 1999)):
        v.page.evaluate("(year) => { const t = new Date(`${year}-01-01`).getTime(); Date.now = () => t; }", year)
        slider.press("ArrowRight")
        v.until("difficulty", "G", size)
        v.until_address(f"G={size}&")
