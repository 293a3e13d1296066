"""What makes the measured gradient leave sigma (s+ - s-), rung by rung, and the mean over many groups of one prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from stdial import expectation, group
from stdial.method import DR_GRPO, GRPO, Method
from stdial.training.language_model.arithmetic import verify
from stdial.training.language_model.learning import Start
from stdial.training.language_model.probe import Group, flat_gradient, identity
from stdial.training.language_model.transformer import Weights, answer_log_probabilities, sample
from stdial.training.language_model.warmup import exact_rates, sampled_rates

__all__ = ["RUNGS", "Rung", "averages", "ladder"]

SIZE, GROUPS_PER_K, TRIES = 8, 4, 64
AVERAGE_RATES, AVERAGE_GROUPS, CHUNK = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9), 2048, 256


@dataclass(frozen=True)
class Rung:
    """A way to compute the group's gradient: the advantages, the averaging over lengths, and the precision."""

    method: Method
    averaging: str = "sum"
    double: bool = True
    theory: Method | None = None


RUNGS: dict[str, Rung] = {
    "float64": Rung(GRPO),
    "float32": Rung(GRPO, double=False),
    "Dr. GRPO, float64": Rung(DR_GRPO),
    "Dr. GRPO, float32": Rung(DR_GRPO, double=False),
    "epsilon 1e-6": Rung(Method("epsilon 1e-6", epsilon=1e-6), theory=GRPO),
    "epsilon 1e-4": Rung(Method("epsilon 1e-4", epsilon=1e-4), theory=GRPO),
    "ddof 1": Rung(Method("ddof 1", ddof=1), theory=GRPO),
    "length, per group": Rung(GRPO, averaging="group"),
    "length, per answer": Rung(GRPO, averaging="answer"),
}


def ladder(start: Start, verifier: str, seed: int) -> Iterator[dict[str, Any]]:
    """Measure every rung on the same groups of the warmed-up model: four prompts for every k.

    Silent groups (k = 0 and 8) only as float64 and float32: their gradient is 0, and ``error`` is its norm.
    """
    generator = torch.Generator().manual_seed(3000 + seed)
    pool, heads = start.pool, start.shape.heads
    answers = sample(start.weights, heads, torch.from_numpy(pool.prompt), SIZE, generator)
    right = verify(answers.numpy(), pool.answer[:, None], pool.value[:, None], verifier)
    k = right.sum(axis=1)
    choice = np.random.default_rng((seed, 4))
    chosen = [int(i) for k_ in range(SIZE + 1) for i in _some(choice, np.flatnonzero(k == k_))]
    problems = pool.take(np.array(chosen))
    if verifier == "exact":
        rates = exact_rates(start.weights, heads, problems)
    else:
        rates = sampled_rates(start.weights, heads, problems, verifier, TRIES, generator) / TRIES
    precisions = {double: _leaves(start.weights, double) for double in (True, False)}
    for place, p in zip(chosen, rates, strict=True):
        drawn = Group(torch.from_numpy(pool.prompt[place]), answers[place], right[place])
        for name, rung in RUNGS.items():
            if k[place] in (0, SIZE) and name not in ("float64", "float32"):
                continue
            measured = identity(
                precisions[rung.double], heads, drawn, rung.method, theory=rung.theory, averaging=rung.averaging
            )
            yield {
                "seed": seed,
                "verifier": verifier,
                "rung": name,
                "prompt": place,
                "k": int(k[place]),
                "p": float(p),
                "norm": measured.norm,
                "error": measured.error,
                "scaled_error": measured.scaled_error,
            }


def _some(choice: np.random.Generator, places: Any) -> Any:
    return choice.choice(places, min(GROUPS_PER_K, len(places)), replace=False)


def _leaves(weights: Weights, double: bool) -> Weights:
    kind = torch.float64 if double else torch.float32
    return {name: tensor.to(kind, copy=True).requires_grad_(True) for name, tensor in weights.items()}


def averages(start: Start, seed: int) -> Iterator[dict[str, Any]]:
    """Mean gradient of 2,048 groups of one prompt against its expectation w_G(p) grad p, for GRPO and Dr. GRPO.

    Exact verifier: p is the probability of one string, so that grad p is one backward pass. Eight prompts.
    """
    generator = torch.Generator().manual_seed(4000 + seed)
    weights, heads, pool = _leaves(start.weights, False), start.shape.heads, start.pool
    for wanted in AVERAGE_RATES:
        place = int(np.argmin(np.abs(start.pool_rates - wanted)))
        prompt, answer = torch.from_numpy(pool.prompt[place])[None], torch.from_numpy(pool.answer[place])[None, None]
        rate = answer_log_probabilities(weights, heads, prompt, answer)[0, 0].exp()
        p, slope = float(rate.detach()), flat_gradient(rate, weights)
        means = {GRPO.name: torch.zeros_like(slope), DR_GRPO.name: torch.zeros_like(slope)}
        for _ in range(AVERAGE_GROUPS // CHUNK):
            answers = sample(weights, heads, prompt, CHUNK * SIZE, generator)
            right = verify(answers.numpy()[0], pool.answer[place], pool.value[place], "exact").reshape(CHUNK, SIZE)
            logs = answer_log_probabilities(weights, heads, prompt, answers)[0]
            for method in (GRPO, DR_GRPO):
                of_right, of_wrong = group.advantages(right.sum(axis=1, keepdims=True), SIZE, method)
                advantage = torch.from_numpy(np.where(right, of_right, of_wrong)).float().flatten()
                means[method.name] += flat_gradient((advantage * logs).mean(), weights) * CHUNK / AVERAGE_GROUPS
        for method in (GRPO, DR_GRPO):
            mean, expected = means[method.name], float(expectation.weight(p, SIZE, method)) * slope
            yield {
                "seed": seed,
                "method": method.name,
                "prompt": place,
                "groups": AVERAGE_GROUPS,
                "p": p,
                "norm": float(mean.norm()),
                "expected_norm": float(expected.norm()),
                "cosine": float(mean @ expected) / float(mean.norm() * expected.norm()),
            }
