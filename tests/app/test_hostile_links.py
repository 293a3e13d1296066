"""A thousand links from somebody who means harm, through the parser: no exception, every value allowed, every note plain."""

import json
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stdial.web import link
from stdial.web.params import PARAMS
from stdial.web.places import PLACES
from tests.browser.hostile import FRAGMENTS

names = st.one_of(
    st.sampled_from(sorted(PARAMS)), st.sampled_from(["v", "embed", "n", "__proto__"]), st.text(max_size=12)
)
texts = st.one_of(
    st.sampled_from(FRAGMENTS),
    st.text(max_size=40),
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(str),
    st.builds(lambda part, many: part * many, st.sampled_from(FRAGMENTS), st.integers(1, 400)),
    st.from_regex(r"[01]{0,20}|[-+]?\d{1,25}(\.\d{0,30})?([eE][-+]?\d{1,4})?|([-.\de]{1,9},){1,80}", fullmatch=True),
)
queries = st.dictionaries(names, st.lists(texts, min_size=1, max_size=3), max_size=8)
paths = st.sampled_from(sorted(PLACES))


@settings(max_examples=1000)
@given(query=queries, path=paths)
def test_links(query: dict[str, list[str]], path: str) -> None:
    values, notes = link.read(query, link.defaults(), PLACES[path].params)
    assert values.keys() == PARAMS.keys()
    for name, value in values.items():
        PARAMS[name].check(value)
    assert 0 <= values["k"] <= values["G"]
    assert len(notes) <= 5
    assert all(note.isprintable() and len(note) < 1000 for note in notes)
    written = link.address(values, PLACES[path].params)
    again, more = link.read(parse_qs(written, keep_blank_values=True), link.defaults(), PLACES[path].params)
    assert more == []
    shown = {*PLACES[path].params, *link.SHARED}
    assert {name: again[name] for name in shown} == {name: values[name] for name in shown}


@settings(max_examples=100)
@given(value=st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(FRAGMENTS),
    lambda inner: st.lists(inner, max_size=70) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=80,
))  # fmt: skip
def test_what_a_browser_may_claim_that_a_control_says(value: object) -> None:
    value = json.loads(json.dumps(value))
    for param in PARAMS.values():
        try:
            allowed = param.check(value)
        except (ValueError, TypeError):
            continue
        assert param.check(allowed) == allowed


@pytest.mark.parametrize("name", sorted(PARAMS))
def test_ends_of_ranges_and_beyond(name: str) -> None:
    param = PARAMS[name]
    for number in (param.low, param.high, 10**6, 10**12, -(10**6), 2**63, 10**400):
        text = str(number)
        values, notes = link.read({name: [text]}, link.defaults())
        param.check(values[name])
        assert values[name] == param.default or not notes or name in {"k", "marks", "G"}
