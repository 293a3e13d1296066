"""Presets keep their mean and their shape, and differ where a mean says nothing."""

import numpy as np
import pytest

from stdial.presets import PRESETS, pool


@pytest.mark.parametrize("name", list(PRESETS))
def test_mean_and_number_of_problems(name):
    preset = PRESETS[name]
    for mean in (preset.low, preset.mean, (preset.low + preset.high) / 2, preset.high):
        made = pool(name, mean)
        assert made.size == 1000
        assert made.mean_rate == pytest.approx(mean, abs=5e-4 if name == "two ends" else 1e-9)
        assert made.tries is None
        assert name in made.notes[0]
    assert pool(name).mean_rate == pytest.approx(preset.mean, abs=1e-9)
    assert (pool(name).rate == pool(name).rate).all()


def test_the_same_mean_and_three_silent_shares():
    assert pool("all at one p", 0.5).silent_rate(8) == pytest.approx(0.0078, abs=5e-5)
    assert pool("two ends", 0.5).silent_rate(8) == pytest.approx(0.85, abs=5e-3)
    for mean in (0.1, 0.25, 0.4):
        shares = [pool(name, mean).silent_rate(8) for name in ("all at one p", "bell", "hard-heavy", "U")]
        assert shares == sorted(shares)
        assert min(np.diff(shares)) > 0.01


def histogram(name, mean):
    made = pool(name, mean)
    return np.histogram(made.rate, bins=10, range=(0, 1), weights=made.problems)[0]


def test_shapes():
    bell, u, hard = histogram("bell", 0.5), histogram("U", 0.5), histogram("hard-heavy", 0.25)
    assert bell[4] + bell[5] > 4 * (bell[0] + bell[9])
    assert u[0] + u[9] > u[1:9].sum()
    assert (np.diff(hard) <= 0).all()
    assert bell.tolist() == bell[::-1].tolist()


@pytest.mark.parametrize(
    ("name", "mean", "message"),
    [
        ("bells", None, "name is 'bells'; it must be one of 'bell', 'U'"),
        ("hard-heavy", 0.7, "mean is 0.7; for 'hard-heavy' it must be a number from 0.05 to 0.45"),
        ("bell", float("nan"), "mean is nan"),
    ],
)
def test_bad_arguments_are_named(name, mean, message):
    with pytest.raises(ValueError, match=message):
        pool(name, mean)
