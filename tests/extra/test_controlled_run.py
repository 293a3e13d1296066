"""The controlled run of the paper over twenty seeds (a few seconds; three seeds are in tests/test_training.py)."""

from typing import Any

import numpy as np
import pytest

from stdial import DAPO, DR_GRPO, GRPO, bigmath, training

pytestmark = pytest.mark.extra

SEEDS = range(20)


@pytest.fixture(scope="module")
def runs() -> dict[str, list[training.Run]]:
    pool = bigmath.load()
    return {method.name: [training.run(pool, method, seed=seed) for seed in SEEDS] for method in (GRPO, DR_GRPO, DAPO)}


def test_hardest_quarter(runs: dict[str, list[training.Run]]) -> None:
    final = {name: np.array([run.hardest_quarter[-1] for run in of_method]) for name, of_method in runs.items()}
    assert np.all(final["GRPO"].round(2) == 0.99)
    assert final["Dr. GRPO"].min() >= 0.88
    assert final["Dr. GRPO"].max() <= 0.91
    assert final["DAPO"].min() > 0.995


def test_silent_share(runs: dict[str, list[training.Run]]) -> None:
    assert min(run.r2_silent for of_method in runs.values() for run in of_method) >= 0.998


def test_extreme_mass(runs: dict[str, list[training.Run]], paper: dict[str, Any]) -> None:
    expected = paper["controlled_run"]["ours_over_seeds"]["extreme_mass_expected"]
    for name, value in (("GRPO", expected["grpo"]), ("Dr. GRPO", expected["dr_grpo"])):
        measured = np.array([run.mass.measured[[0, 9]].sum() for run in runs[name]])
        predicted = np.array([run.mass.predicted[[0, 9]].sum() for run in runs[name]])
        assert np.abs(predicted - value).max() < 0.0005
        assert abs(measured.mean() - value) < 4 * measured.std() / np.sqrt(len(SEEDS))


def test_rollouts(runs: dict[str, list[training.Run]]) -> None:
    factor = np.mean([run.rollouts for run in runs["DAPO"]]) / runs["GRPO"][0].rollouts
    assert factor == pytest.approx(3.49, abs=0.01)
