"""What the server process changes in Streamlit leaves what browsers are told as it was."""

import gc

import pytest
from streamlit import config
from streamlit.components.v2.bidi_component import main
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from stdial.web import process, slots

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar", "theme.dark.sidebar")
PLACES = ("", "light", "dark", "sidebar", "light.sidebar", "dark.sidebar")


def told() -> CustomThemeConfig:
    """The theme as each run tells it, section after section."""
    message = CustomThemeConfig()
    for section, place in zip(SECTIONS, PLACES, strict=True):
        part = message
        for name in filter(None, place.split(".")):
            part = getattr(part, name)
        app_session._populate_theme_msg(part, section)
    return message


@pytest.mark.parametrize("option", [None, "theme.sidebar.primaryColor"])
def test_the_theme_that_is_kept_is_the_one_that_streamlit_tells(
    monkeypatch: pytest.MonkeyPatch, option: str | None
) -> None:
    if option:
        before = config.get_option(option)
        config.set_option(option, "#123456")
    try:
        whole = told()
        monkeypatch.setattr(app_session, "_populate_theme_msg", app_session._populate_theme_msg)  # put back at the end
        process.keep_the_theme()
        for _ in range(2):  # read, then kept
            assert told() == whole
            assert told().SerializeToString(deterministic=True) == whole.SerializeToString(deterministic=True)
        assert bool(option) == whole.HasField("sidebar")
    finally:
        if option:
            config.set_option(option, before)


def test_component_states_have_no_presenter_and_the_name_is_one_that_streamlit_uses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = main.make_bidi_component_presenter
    assert made("a", "b", {"move"}) is not None
    monkeypatch.setattr(main, "make_bidi_component_presenter", made)
    process.leave_component_states_plain()
    assert main.make_bidi_component_presenter("a", "b", {"move"}) is None


def test_full_collections_wait_for_the_clock_and_for_garbage_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    before, asked = gc.get_threshold(), []
    monkeypatch.setattr(process.threading.Thread, "start", lambda self: asked.append(self))
    try:
        process.collect_less()
        assert gc.get_threshold()[:2] == before[:2]
        assert gc.get_threshold()[2] > 10**6
        assert asked[0].daemon
        gc.collect()
        assert not process.sweep(10)
        for _ in range(10):
            gc.collect(1)
        assert process.sweep(10)
        assert not process.sweep(10)
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@pytest.mark.parametrize(("others", "pauses"), [(0, []), (1, [0.03, 0.05])])
def test_work_ahead_pauses_only_for_others(monkeypatch: pytest.MonkeyPatch, others: int, pauses: list[float]) -> None:
    slept: list[float] = []
    monkeypatch.setattr(slots, "answering", slots.Count())
    monkeypatch.setattr(slots.time, "sleep", slept.append)
    slots.answering.now = 1 + others
    slots.after_others(0.01)
    slots.after_others(10)
    assert slept == pytest.approx(pauses)
