"""The supervised phase that gives the model a spread of pass rates, stopped by their histogram.

The good spread lasts 100 to 200 steps and comes at another step for another seed, so the phase ends when the pass
rates say so: at the first look at which the pool's mean pass rate reaches ``MEAN_RATE``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from stdial.training.language_model.arithmetic import TASKS, Problems, encode, join, verify
from stdial.training.language_model.transformer import (
    Shape,
    Weights,
    answer_log_probabilities,
    new,
    sample,
    token_logs,
)

__all__ = ["MEAN_RATE", "Look", "exact_rates", "sampled_rates", "warm_up"]

MEAN_RATE = 0.28
BATCH, LEARNING_RATE, LAST_STEP, LOOK_EVERY = 256, 1.5e-3, 2000, 25


@dataclass(frozen=True)
class Look:
    """The pool after ``step`` steps: the weights, and every problem's pass rate under the exact verifier."""

    step: int
    loss: float
    weights: Weights
    rates: NDArray[np.float64]

    @property
    def spread_enough(self) -> bool:
        """Whether the warm-up may end."""
        return float(self.rates.mean()) >= MEAN_RATE


def exact_rates(weights: Weights, heads: int, problems: Problems, chunk: int = 256) -> NDArray[np.float64]:
    """Pass rate of every problem under the exact verifier: the probability of the one right string, no sampling."""
    rates = []
    with torch.no_grad():
        for start in range(0, len(problems), chunk):
            part = problems.take(slice(start, start + chunk))
            logs = answer_log_probabilities(
                weights, heads, torch.from_numpy(part.prompt), torch.from_numpy(part.answer)[:, None]
            )
            rates.append(logs[:, 0].double().exp().numpy())
    return np.concatenate(rates)


def sampled_rates(
    weights: Weights, heads: int, problems: Problems, verifier: str, tries: int, generator: torch.Generator
) -> NDArray[np.int64]:
    """How many of ``tries`` fresh answers to every problem are right."""
    right = []
    for start in range(0, len(problems), 256):
        part = problems.take(slice(start, start + 256))
        answers = sample(weights, heads, torch.from_numpy(part.prompt), tries, generator).numpy()
        right.append(verify(answers, part.answer[:, None], part.value[:, None], verifier).sum(axis=1))
    return np.concatenate(right)


def _batch(generator: np.random.Generator, held_out: set[str]) -> Problems:
    tasks = generator.integers(0, len(TASKS), BATCH)
    parts = []
    for index in range(len(TASKS)):
        left, right = TASKS[index].draw(int((tasks == index).sum()), generator)
        parts.append(encode(index, left, right))
    batch = join(parts)
    return batch.take([text not in held_out for text in batch.texts()])


def warm_up(shape: Shape, seed: int, pool: Problems, held_out: Problems) -> Iterator[Look]:
    """Train on right answers, and yield a look every 25 steps, the last one when the spread is there.

    Problems are drawn afresh from all nine tasks; the held-out ones never occur.
    """
    weights = new(shape, seed)
    for tensor in weights.values():
        tensor.requires_grad_(True)
    optimizer = torch.optim.AdamW(list(weights.values()), lr=LEARNING_RATE)
    generator = np.random.default_rng((seed, 1))
    unseen = set(held_out.texts())
    for step in range(1, LAST_STEP + 1):
        batch = _batch(generator, unseen)
        logs = token_logs(weights, shape.heads, torch.from_numpy(batch.prompt), torch.from_numpy(batch.answer)[:, None])
        loss = -logs.sum() / (logs != 0).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % LOOK_EVERY == 0:
            look = Look(
                step,
                float(loss.detach()),
                {name: tensor.detach().clone() for name, tensor in weights.items()},
                exact_rates(weights, shape.heads, pool),
            )
            yield look
            if look.spread_enough:
                return
    raise RuntimeError(f"the pool's pass rates did not reach a mean of {MEAN_RATE} in {LAST_STEP} steps")
