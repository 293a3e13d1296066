"""Links that were once given away open for ever what they opened then."""

import json
from typing import Any
from urllib.parse import parse_qs

import pytest

from stdial.web import link
from stdial.web.params import COURTESIES, PARAMS
from stdial.web.places import PLACES
from tests.conftest import REFERENCE

LINKS = json.loads((REFERENCE / "links_v1.json").read_text())["links"]
LEFT = {**link.defaults(), "alpha": 0.5, "guess": True, "title": "left over", "lock": ("k",), "view": "weight"}


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("entry", LINKS, ids=lambda entry: f"{entry['path']}?{entry['query'][:30]}")
def test_old_link_opens_what_it_did(entry: dict[str, Any]) -> None:
    query = parse_qs(entry["query"], keep_blank_values=True)
    names = PLACES[entry["path"]].params
    values, notes = link.read(query, link.defaults(), names)
    assert notes == []
    assert {name: plain(values[name]) for name in entry["values"]} == entry["values"]
    # written anew and read again it says the same, whatever was on screen before
    again, notes = link.read(parse_qs(link.address(values, names), keep_blank_values=True), LEFT, names)
    assert notes == []
    for name in {*entry["values"], *names, *COURTESIES}:
        assert again[name] == values[name], name


def test_a_link_without_version_keeps_what_it_does_not_name() -> None:
    values, _ = link.read({"G": ["16"]}, LEFT, PLACES[""].params)
    assert (values["G"], values["alpha"], values["title"]) == (16, 0.5, "left over")


def test_a_senders_words_are_plain_and_short() -> None:
    for name in ("title", "ask"):
        most = int(PARAMS[name].high)
        assert PARAMS[name].read("x" * most) == "x" * most
        with pytest.raises(ValueError, match=f"{name} must be a text of at most {most} characters"):
            PARAMS[name].read("x" * (most + 1))
    assert PARAMS["ask"].read("a\u202eb\x00c\nd") == "abc\nd"
