"""Time the controlled run, and its numbers over 20 seeds: ``python bench/training.py``."""

from __future__ import annotations

import time

import numpy as np

from stdial import DAPO, DR_GRPO, GRPO, bigmath, training


def main() -> None:
    pool = bigmath.load()
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for method in (GRPO, DR_GRPO, DAPO):
            trained = training.run(pool, method)
            _ = trained.hardest_quarter, trained.mean_rate, trained.mass, trained.mass_limit, trained.r2_silent
        best = min(best, time.perf_counter() - began)
    print(f"three methods x 150 steps x 6,000 prompts with all that the page draws: {best:.3f} s (at most 0.5)")
    began = time.perf_counter()
    for method in (GRPO, DR_GRPO, DAPO):
        training.run(pool, method, sampled=False)
    print(f"mean-field twins: {time.perf_counter() - began:.3f} s")
    for method in (GRPO, DR_GRPO, DAPO):
        runs = [training.run(pool, method, seed=seed) for seed in range(20)]
        quarter = [trained.hardest_quarter[-1] for trained in runs]
        extreme = [trained.mass.measured[[0, 9]].sum() for trained in runs]
        predicted = [trained.mass.predicted[[0, 9]].sum() for trained in runs]
        print(
            f"{method.name:8}  hardest quarter {min(quarter):.4f} to {max(quarter):.4f}"
            f"  silent R2 at least {min(trained.r2_silent for trained in runs):.5f}"
            f"  extreme mass {np.mean(extreme):.4f} measured, {np.mean(predicted):.4f} predicted"
            f"  rollouts {np.mean([trained.rollouts for trained in runs]) / (150 * 6000 * 8):.3f} times GRPO's"
        )


if __name__ == "__main__":
    main()
