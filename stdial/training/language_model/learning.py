"""Reinforcement learning with sampled groups: GRPO, Dr. GRPO and DAPO on the tiny model, every group logged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stdial import expectation, group
from stdial.method import Method
from stdial.pool import Pool
from stdial.training.language_model.arithmetic import POOL_TASKS, Problems, verify
from stdial.training.language_model.probe import Group, identity, surrogate
from stdial.training.language_model.settings import METHODS, RunSettings
from stdial.training.language_model.transformer import Shape, Weights, counted, sample, token_logs
from stdial.training.language_model.warmup import exact_rates, sampled_rates

__all__ = ["EVALUATE_EVERY", "Start", "train"]

Row = dict[str, Any]
EVALUATE_EVERY = 50
TRIES, EVALUATION_TRIES, PREDICT_EVERY = 64, 16, 5


@dataclass(frozen=True)
class Start:
    """Where a run begins: the warmed-up weights, both sets of problems, and their pass rates at the start."""

    shape: Shape
    weights: Weights
    pool: Problems
    held_out: Problems
    pool_rates: NDArray[np.float64]
    held_out_rates: NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """Groups drawn for one step: ``index`` of the prompt in the pool, answers [n, G, 5], ``right`` [n, G]."""

    index: NDArray[np.int64]
    answers: torch.Tensor
    right: NDArray[np.bool_]

    @property
    def k(self) -> NDArray[np.int64]:
        """Right answers of every group."""
        return np.asarray(self.right.sum(axis=1))

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which groups have right and wrong answers."""
        return np.asarray((self.k > 0) & (self.k < self.right.shape[1]))

    def take(self, kept: NDArray[Any]) -> Batch:
        """Some of the groups."""
        return Batch(self.index[kept], self.answers[torch.from_numpy(kept)], self.right[kept])


class _Run:
    """The moving parts of one run: weights, optimizer, the order of prompts, and the random numbers."""

    def __init__(self, settings: RunSettings, start: Start) -> None:
        self.settings, self.start = settings, start
        self.method: Method = METHODS[settings.method]
        self.weights = {name: tensor.clone().requires_grad_(True) for name, tensor in start.weights.items()}
        leaves = list(self.weights.values())
        self.optimizer: Any = (
            torch.optim.Adam(leaves, lr=settings.learning_rate, betas=(0.9, 0.95))
            if settings.optimizer == "adam"
            else torch.optim.SGD(leaves, lr=settings.learning_rate)
        )
        self.order = _endless_order(len(start.pool), settings.prompts, np.random.default_rng((settings.seed, 2)))
        self.draws = torch.Generator().manual_seed(1000 + settings.seed)
        self.checks = torch.Generator().manual_seed(2000 + settings.seed)  # apart, so that checks change no training
        self.choice = np.random.default_rng((settings.seed, 3))
        self.rollouts = 0

    @property
    def heads(self) -> int:
        return self.start.shape.heads

    def draw(self) -> Batch:
        """Groups for the next prompts of the pool."""
        index = next(self.order)
        problems = self.start.pool.take(index)
        answers = sample(self.weights, self.heads, torch.from_numpy(problems.prompt), self.settings.size, self.draws)
        right = verify(answers.numpy(), problems.answer[:, None], problems.value[:, None], self.settings.verifier)
        self.rollouts += right.size
        return Batch(index, answers, right)

    def rates(self, index: NDArray[np.int64]) -> NDArray[np.float64]:
        """Pass rates now, from something other than the groups drawn: exact, or from 64 fresh tries."""
        problems = self.start.pool.take(index)
        if self.settings.verifier == "exact":
            return exact_rates(self.weights, self.heads, problems)
        return sampled_rates(self.weights, self.heads, problems, "near", TRIES, self.checks) / TRIES


def _endless_order(problems: int, batch: int, generator: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Batches without repeats through the shuffled pool, again and again."""
    while True:
        shuffled = generator.permutation(problems)
        for first in range(0, problems - batch + 1, batch):
            yield shuffled[first : first + batch]


def train(settings: RunSettings, start: Start) -> Iterator[tuple[str, list[Row]]]:
    """Run it, and yield rows as they come: (kind, rows) with kind step, update, group, probe or evaluation.

    The batch's loss is the mean over its groups of -(1/G) sum_i sum_t min(ratio A_i, clipped ratio A_i), t over the
    characters of answer i, no KL term. Silent groups have zero advantage: they are counted, their zero gradient is
    not computed.
    """
    run = _Run(settings, start)
    yield "evaluation", _evaluation(run, 0)
    evaluated = 0
    for step in range(1, settings.steps + 1):
        drawn, trained = _generate(run)
        yield from _silence(run, step, drawn, trained)
        for kind, row in _learn(run, step, trained):
            yield kind, [row]
        span = run.rollouts // (EVALUATE_EVERY * settings.prompts * settings.size)
        if step % EVALUATE_EVERY == 0 or step == settings.steps or span > evaluated:
            evaluated = span
            yield "evaluation", _evaluation(run, step)


def _generate(run: _Run) -> tuple[list[Batch], Batch]:
    """All rounds of groups drawn, and the batch to train on: one round, or DAPO's first ``prompts`` live groups."""
    rounds = [run.draw()]
    if run.method.drop_silent:
        while (
            sum(int(batch.live.sum()) for batch in rounds) < run.settings.prompts and len(rounds) < run.settings.rounds
        ):
            rounds.append(run.draw())
    whole = Batch(
        np.concatenate([batch.index for batch in rounds]),
        torch.cat([batch.answers for batch in rounds]),
        np.concatenate([batch.right for batch in rounds]),
    )
    if not run.method.drop_silent:
        return rounds, whole
    return rounds, whole.take(np.flatnonzero(whole.live)[: run.settings.prompts])


def _silence(run: _Run, step: int, rounds: list[Batch], trained: Batch) -> Iterator[tuple[str, list[Row]]]:
    """The step's row, and one row a group: k, and the pass rate where it is exact."""
    exact, size = run.settings.verifier == "exact", run.settings.size
    index = np.concatenate([batch.index for batch in rounds])
    k = np.concatenate([batch.k for batch in rounds])
    rates = run.rates(index) if exact else np.full(len(index), np.nan)
    row: Row = {
        "step": step,
        "rollouts": run.rollouts,
        "groups": len(k),
        "trained_groups": len(trained.index),
        "mean_reward": float(k.mean()) / size,
        "silent": float(np.mean((k == 0) | (k == size))),
    }
    if exact:
        row["silent_predicted"] = float(expectation.silent_rate(rates, size).mean())
        row["silent_variance"] = _variance(expectation.silent_rate(rates, size))
    elif step % PREDICT_EVERY == 0:
        problems = run.start.pool.take(index)
        right = sampled_rates(run.weights, run.heads, problems, "near", TRIES, run.checks)
        row["silent_predicted"] = Pool(right, TRIES).silent_rate(size, estimate="unbiased")
    yield "step", [row]
    yield (
        "group",
        [
            {"step": step, "prompt": int(i), "k": int(right), "p": float(p)}
            for i, right, p in zip(index, k, rates, strict=True)
        ],
    )


def _variance(silent: NDArray[np.float64]) -> float:
    """Variance of the measured share around the predicted one: independent groups, each silent with its own chance."""
    return float((silent * (1 - silent)).sum()) / len(silent) ** 2


def _learn(run: _Run, step: int, trained: Batch) -> Iterator[tuple[str, Row]]:
    """Make the batch's updates; yield a row for each update and for each probed group."""
    settings = run.settings
    live = trained.take(np.flatnonzero(trained.live))
    if not len(live.index):
        return
    prompts = torch.from_numpy(run.start.pool.prompt[live.index])
    of_right, of_wrong = group.advantages(live.k[:, None], settings.size, run.method)
    advantage = torch.from_numpy(np.where(live.right, of_right, of_wrong)).float()
    chosen = run.choice.choice(len(live.index), min(settings.probes, len(live.index)), replace=False)
    rates = run.rates(live.index[chosen])
    old: torch.Tensor | None = None
    for update in range(1, settings.updates + 1):
        for place, p in zip(chosen, rates, strict=True):
            row = _probe(run, live, int(place), old)
            yield "probe", {"step": step, "update": update, "p": float(p), **row}
        logs = token_logs(run.weights, run.heads, prompts, live.answers)
        old = logs.detach() if old is None else old
        objective = surrogate(logs, old, advantage, settings.clip).sum()
        run.optimizer.zero_grad()
        (-objective / (settings.size * len(trained.index))).backward()
        row = _update_row(run, live, logs.detach(), old, advantage)
        before = [tensor.detach().clone() for tensor in run.weights.values()]
        run.optimizer.step()
        moved = [new.detach() - kept for new, kept in zip(run.weights.values(), before, strict=True)]
        yield "update", {"step": step, "update": update, "step_norm": _norm(moved), **row}


def _probe(run: _Run, live: Batch, place: int, old: torch.Tensor | None) -> Row:
    drawn = Group(torch.from_numpy(run.start.pool.prompt[live.index[place]]), live.answers[place], live.right[place])
    measured = identity(
        run.weights,
        run.heads,
        drawn,
        run.method,
        old=None if old is None else old[place],
        clip=run.settings.clip,
    )
    k = int(live.k[place])
    return {
        "prompt": int(live.index[place]),
        "k": k,
        "c": float(group.update(k, run.settings.size, run.method)),
        **{name: value for name, value in vars(measured).items() if name != "scaled_error"},
    }


def _update_row(run: _Run, live: Batch, logs: torch.Tensor, old: torch.Tensor, advantage: torch.Tensor) -> Row:
    active = counted(live.answers)
    ratio = (logs - old).exp()
    clip = run.settings.clip
    outside = torch.where(advantage[..., None] > 0, ratio > 1 + clip, ratio < 1 - clip) & active
    spread = (logs - old).abs()[active]
    return {
        "gradient_norm": _norm([tensor.grad for tensor in run.weights.values() if tensor.grad is not None]),
        "clip_fraction": float(outside.sum()) / float(active.sum()),
        "log_ratio_mean": float(spread.mean()),
        "log_ratio_high": float(spread.quantile(0.99)),
    }


def _norm(tensors: list[torch.Tensor]) -> float:
    return float(torch.stack([tensor.double().norm() for tensor in tensors]).norm())


def _evaluation(run: _Run, step: int) -> list[Row]:
    """Mean pass rates in the pool and held out: of all, by task, by tenth of the starting rate, the hardest quarter."""
    rows: list[Row] = []
    places = (
        ("pool", run.start.pool, run.start.pool_rates),
        ("held out", run.start.held_out, run.start.held_out_rates),
    )
    for split, problems, started in places:
        if run.settings.verifier == "exact":
            rates = exact_rates(run.weights, run.heads, problems)
        else:
            right = sampled_rates(run.weights, run.heads, problems, "near", EVALUATION_TRIES, run.checks)
            rates = right / EVALUATION_TRIES
        tenth = np.minimum((10 * started).astype(int), 9)
        parts = [
            ("all", "all", np.ones(len(rates), bool)),
            ("quarter", "hardest", started <= np.quantile(started, 0.25)),
        ]
        parts += [("task", task.name, problems.task == i) for i, task in enumerate(POOL_TASKS)]
        parts += [("tenth", f"{i / 10:.1f} to {(i + 1) / 10:.1f}", tenth == i) for i in range(10)]
        rows.extend(
            {
                "step": step,
                "rollouts": run.rollouts,
                "split": split,
                "by": by,
                "level": level,
                "problems": int(chosen.sum()),
                "rate": float(rates[chosen].mean()),
            }
            for by, level, chosen in parts
            if chosen.any()
        )
    return rows
