"""Frames that two states share are the same frames."""

import random

from stdial.web import link, region
from stdial.web.stage import to_json
from stdial.web.values import Values
from stdial.web.views import one_group


def _frames(values: Values) -> list[bytes]:
    shown = one_group.stage(values)
    return [
        to_json(one_group.stage(values.but(G=size)).spec()) for size in (2, 5, 8, 12, 15, 16, 17, 48) if shown.frames
    ]


def test_states_of_one_group_share_frames_only_where_all_are_equal() -> None:
    draw, seen = random.Random(5), {}
    names = ("G", "k", "marks", "alpha", "shift", "mode")
    for _ in range(60):
        size = draw.choice((2, 8, 12, 16, 20, 48))
        start = Values(link.defaults())
        if draw.random() < 0.5 or size > 16:
            values = start.but(G=size, k=draw.randint(0, size))
        else:
            values = start.but(marks="".join(draw.choice("01") for _ in range(size)))
        name = region._rest(values, names, "G", 48)
        assert seen.setdefault(name, _frames(values)) == _frames(values), values["marks"]
    assert len(seen) > 20
