"""A story of several methods holds what their runs hold."""

import numpy as np
import pytest

from stdial import DAPO, DR_GRPO, GRPO, Pool, bigmath, training
from stdial.training.story import Settings, tell


def test_threads_are_the_runs() -> None:
    pool = bigmath.load()
    story = tell(pool, Settings(steps=30), prompts=500)
    for thread, method in zip(story.threads, (DR_GRPO, GRPO, DAPO), strict=True):
        run = training.run(pool, method, steps=30, prompts=500)
        assert np.array_equal(thread.hardest_quarter, run.hardest_quarter)
        assert np.array_equal(thread.silent, run.silent)
        assert thread.rollouts[-1] == run.rollouts
        assert thread.r2 == run.r2_silent
        assert np.array_equal(thread.mass[0], run.mass.measured)
        assert np.array_equal(thread.mass_predicted[-1], run.mass_at(29).predicted)
        assert thread.followed.shape == (31, 12)
        assert np.all(np.diff(thread.followed[0]) >= 0)


def test_bands_hold_every_seed() -> None:
    pool = Pool([1, 2, 4, 6, 7], 8)
    story = tell(pool, Settings(steps=20, seeds=3), prompts=100)
    for seed in range(3):
        hardest = training.run(pool, GRPO, steps=20, prompts=100, seed=seed).hardest_quarter
        assert np.all(story.threads[1].hardest_low <= hardest)
        assert np.all(hardest <= story.threads[1].hardest_high)


def test_a_turned_dial_takes_the_place_of_grpo() -> None:
    names = [method.name for method in Settings(alpha=0.5).methods()]
    assert names == ["Dr. GRPO", "alpha 0.5", "DAPO, alpha 0.5"]


def test_progress_can_stop_it() -> None:
    class Stop(Exception):
        pass

    def stop(done: int, _total: int) -> None:
        if done == 2:
            raise Stop

    with pytest.raises(Stop):
        tell(Pool([1, 2], 4), Settings(steps=20), prompts=50, progress=stop)
