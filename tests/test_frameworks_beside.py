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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "options"), EVERY)
def test_every_k_at_once_is_as_group_by_group(name: str, options: dict[str, Any], dtype: str) -> None:
    convention = frameworks.get(name).setting(options).convention
    whitening = convention.whiten.statistics_in if convention.whiten else "as given"
    precisions = (convention.rewards_in, convention.statistics_in, convention.result_in, whitening)
    double = dtype == "float64" and not any("float32" in said for said in precisions)
    for size, right in ((2, None), (3, [1]), (5, [0, 5]), (9, None), (33, None)):
        k = np.arange(size + 1) if right is None else np.array(right)
        groups = [[1.0] * n + [0.0] * (size - n) for n in k]
        alone = frameworks.advantages(name, options, groups, dtype)
        at_once = frameworks.updates(name, options, size, dtype, right)
        every = [(n, a.astype(float)) for n, a in zip(k, alone, strict=True)]
        wanted = {
            "right_answer": [a[:n].mean() if n else np.nan for n, a in every],
            "wrong_answer": [a[n:].mean() if n < size else np.nan for n, a in every],
            "c": [a[:n].sum() / size for n, a in every],
            "sum": [a.sum() / size for _, a in every],
        }
        tolerance = 1e-12 if double else 2e-6  # a few roundings: it has no order of additions
        for field, values in wanted.items():
            np.testing.assert_allclose(getattr(at_once, field), values, rtol=tolerance, atol=tolerance, err_msg=field)


def test_what_everybody_gets_is_not_to_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        frameworks.updates("verl", {}, 8).c[0] = 1


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
