"""Links: read, settled, written; whatever stands in them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial.web import link
from stdial.web.params import PARAMS
from stdial.web.places import PLACES

TEXTS = st.text(max_size=60) | st.sampled_from(
    ["nan", "inf", "1e999", "-0", "0x10", "１", "8_0", "8\x00", "", " 8 ", "8" * 400]
)


@given(
    st.dictionaries(
        st.sampled_from(sorted(PARAMS)) | st.text(max_size=12), st.lists(TEXTS, min_size=1, max_size=3), max_size=8
    )
)
def test_any_query_gives_allowed_values(query: dict[str, list[str]]) -> None:
    values, notes = link.read(query, link.defaults())
    assert values.keys() == PARAMS.keys()
    for name, value in values.items():
        if not (name == "marks" and value == ""):
            assert PARAMS[name].check(value) == value
    assert 0 <= values["k"] <= values["G"]
    assert not values["marks"] or (len(values["marks"]), values["marks"].count("1")) == (values["G"], values["k"])
    assert len(notes) <= 5
    assert all(len(note) < 400 and note.isprintable() for note in notes)


@given(
    st.integers(2, 1024),
    st.floats(0, 1),
    st.floats(0, 2),
    st.integers(0, 1024),
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9),
)
def test_written_values_read_back_exactly(G: int, p: float, alpha: float, k: int, rewards: list[float]) -> None:
    values = {**link.defaults(), "G": G, "p": p, "alpha": alpha, "k": min(k, G), "rewards": tuple(rewards)}
    link.settle(values)
    for place in PLACES.values():
        text = link.address(values, (*place.params, "rewards", "k", "p", "alpha"))
        from urllib.parse import parse_qs

        again, notes = link.read(parse_qs(text, keep_blank_values=True), link.defaults())
        assert notes == []
        assert {n: again[n] for n in ("G", "p", "alpha", "k", "rewards")} == {
            n: values[n] for n in ("G", "p", "alpha", "k", "rewards")
        }


@pytest.mark.parametrize(
    ("query", "expected", "named"),
    [
        ({"G": ["1"]}, {"G": 8}, "G in the link must be a whole number from 2 to 1024"),
        ({"G": ["8", "9"]}, {"G": 8}, "G stands in the link 2 times"),
        ({"k": ["9"], "G": ["8"]}, {"k": 1}, "k in the link must be a whole number from 0 to G = 8; 1 is shown"),
        ({"k": ["99"]}, {"G": 8, "k": 1}, "k in the link must be a whole number from 0 to G = 8; 1 is shown"),
        ({"marks": ["101"]}, {"G": 3, "k": 2}, ""),
        ({"marks": ["101"], "G": ["8"]}, {"G": 8}, "marks in the link has 3 digits but G is 8"),
        ({"marks": ["101"], "k": ["1"]}, {"k": 2}, "marks has 2 right"),
        ({"v": ["7"]}, {}, "made for version"),
        ({"q" * 99: ["1"]}, {}, "is not a parameter"),
        ({"p": ["0.1234567890123"]}, {"p": 0.1234567890123}, ""),
        ({"alpha": ["1e-3"]}, {"alpha": 0.001}, ""),
    ],
)
def test_notes(query: dict[str, list[str]], expected: dict[str, Any], named: str) -> None:
    values, notes = link.read(query, link.defaults())
    assert {name: values[name] for name in expected} == expected
    assert named in " ".join(notes)
    assert bool(notes) == bool(named)


def test_address_has_every_parameter_of_the_page_and_shared_ones_that_differ() -> None:
    values = {**link.defaults(), "p": 0.25}
    assert link.address(values, ["G"]) == "G=8&p=0.25&v=1"


def test_flipping_k_changes_as_few_marks_as_it_can() -> None:
    values = {**link.defaults(), "marks": "01010000", "k": 3}
    link.settle(values, given=["k"])
    assert values["marks"] == "11010000"
