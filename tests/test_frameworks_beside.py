"""A setting beside the paper, its spelling in links, and what changes from one framework to another."""

from typing import Any

import numpy as np
import pytest

from stdial import frameworks

EVERY = [
    pytest.param(name, options, id=f"{name}: {frameworks.options_text(options)}")
    for name, framework in frameworks.FRAMEWORKS.items()
    for options in framework.choices()
]


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_every_setting_has_a_text_and_a_place_beside_the_paper(name: str, options: dict[str, Any]) -> None:
    assert frameworks.read_options(name, frameworks.options_text(options)) == options
    for size in (2, 5, 8):
        b = frameworks.beside(name, options, size)
        ratio = frameworks.against_paper(name, options, size)
        np.testing.assert_allclose(b.factors["GRPO"], ratio, rtol=1e-12)
        assert b.least <= b.factor <= b.most
        sums = b.updates.sum * size
        assert b.cancels == bool(np.abs(sums).max() < 1e-5 * max(1.0, np.nanmax(np.abs(b.updates.right_answer))))
    assert frameworks.changes(name, options, name, options) == ()


@pytest.mark.parametrize("size", [2, 4, 64])
def test_ddof_one_is_sqrt_of_g_minus_one_over_g(size: int) -> None:
    b = frameworks.beside("verl", {}, size)
    assert b.partner == "GRPO"
    assert b.factor == pytest.approx(np.sqrt((size - 1) / size), rel=1e-4)
    rloo = frameworks.beside("EasyR1", {"adv_estimator": "rloo"}, size)
    assert (rloo.partner, rloo.constant) == ("Dr. GRPO", True)
    assert rloo.factor == pytest.approx(size / (size - 1), rel=1e-9)


def test_some_k_are_as_all_k() -> None:
    whole, some = (frameworks.updates("NeMo-RL", {}, 12, right=right) for right in (None, [1, 5, 12]))
    np.testing.assert_array_equal(whole.c[[1, 5, 12]], some.c)
    with pytest.raises(ValueError, match="it must hold whole numbers from 0 to size = 12"):
        frameworks.updates("verl", {}, 12, right=[13])
    with pytest.raises(ValueError, match="it must hold a k from 1 to 11"):
        frameworks.beside("verl", {}, 12, right=[0, 12])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("adv_estimator", "must be spelled name=value"),
        ("a=b", "unknown to verl"),
        ("adv_estimator=x", "verl allows grpo"),
    ],
)
def test_bad_texts_name_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        frameworks.read_options("verl", text)


def test_large_sizes_of_conventions_over_others_and_batches() -> None:
    nemo = frameworks.updates("NeMo-RL", {}, 300)
    one = frameworks.advantages("NeMo-RL", {}, [[1.0] * 7 + [0.0] * 293])[0]
    assert nemo.right_answer[7] == one[0]
    assert nemo.wrong_answer[7] == pytest.approx(one[-1], rel=1e-14)  # a mean of 293 equal numbers
    batch = frameworks.beside("TRL", {"scale_rewards": "batch"}, 300)
    assert (batch.partner, batch.constant) == ("Dr. GRPO", True)
