"""Shapes that people export: read right, asked about, or refused; never misread."""

import pytest

from stdial.reading import Refused, Unclear, read
from tests.reading_shapes import SHAPES


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str) -> None:
    data, (outcome, *expected) = SHAPES[name]
    if outcome == "ask":
        with pytest.raises(Unclear) as asked:
            read(data)
        assert list(asked.value.choices) == expected[0]
        assert asked.value.answers
    elif outcome == "refuse":
        with pytest.raises(Refused) as refused:
            read(data)
        assert refused.value.kind == expected[0]
        for text in expected[1]:
            assert text in str(refused.value)
    else:
        found = read(data)
        mapping, problems, rollouts, right = expected
        assert (found.mapping, found.problems, found.rollouts) == (mapping, problems, rollouts)
        if right is not None:
            assert found.pool is not None
            assert found.pool.right is not None
            assert found.pool.right.sum() == right
