"""The theorem in full dimension: a group's gradient from autograd beside its answers' mean scores.

With s+ and s- the mean gradients of the log-probability of right and wrong answers, the gradient of the group's loss is
-g with g = c (s+ - s-) on the first update of a batch, c = stdial.group.update.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from stdial import group
from stdial.method import Method
from stdial.training.language_model.transformer import Weights, counted, token_logs

__all__ = ["Group", "Identity", "flat_gradient", "identity", "surrogate", "token_weights"]


@dataclass(frozen=True)
class Group:
    """One prompt [8], its sampled answers [G, 5] and which of them are right [G]."""

    prompt: torch.Tensor
    answers: torch.Tensor
    right: NDArray[np.bool_]


@dataclass(frozen=True)
class Identity:
    """What autograd says of one group.

    norm : |g|. contrast : |s+ - s-|, 0 for a silent group. right_norm, wrong_norm : |s+|, |s-|. error :
    |g - c (s+ - s-)| / |g|, or |g| itself for a silent group. scaled_error : the same after the best common factor.
    unclipped_error : the same without clipping. clipped : share of the group's characters at which the clip acts.
    """

    norm: float
    contrast: float
    right_norm: float
    wrong_norm: float
    error: float
    scaled_error: float
    unclipped_error: float
    clipped: float


def surrogate(logs: torch.Tensor, old: torch.Tensor, advantage: torch.Tensor, clip: float) -> torch.Tensor:
    """The clipped objective of every character [..., 5]: min(ratio A, clipped ratio A), as PPO and GRPO have it."""
    ratio = (logs - old).exp()
    return torch.minimum(ratio * advantage[..., None], ratio.clamp(1 - clip, 1 + clip) * advantage[..., None])


def flat_gradient(value: torch.Tensor, weights: Weights) -> torch.Tensor:
    """Gradient with respect to all weights as one float64 vector; the graph is kept."""
    parts = torch.autograd.grad(value, list(weights.values()), retain_graph=True, allow_unused=True)
    return torch.cat(
        [
            (torch.zeros_like(tensor) if part is None else part).double().flatten()
            for tensor, part in zip(weights.values(), parts, strict=True)
        ]
    )


def token_weights(answers: torch.Tensor, averaging: str) -> torch.Tensor:
    """How much every character of answers [G, 5] counts, by the way a framework averages over lengths.

    ``sum``: 1 each, the identity's case. ``answer``: 1 / its answer's length (GRPO as first published). ``group``:
    1 / the mean length of the group (one token mean, as DAPO does): a common factor.
    """
    length = counted(answers).sum(-1, keepdim=True)
    if averaging == "sum":
        return torch.ones_like(length)
    if averaging == "answer":
        return 1 / length
    if averaging == "group":
        return torch.full(length.shape, 1 / float(length.double().mean()), dtype=torch.float64)
    raise ValueError(f"averaging is {averaging!r}; it must be sum, answer or group")


def identity(
    weights: Weights,
    heads: int,
    drawn: Group,
    method: Method,
    *,
    theory: Method | None = None,
    old: torch.Tensor | None = None,
    clip: float = 0.2,
    averaging: str = "sum",
) -> Identity:
    """Compare the loss's gradient under ``method`` with c (s+ - s-), c that of ``theory`` (or the same).

    old : log-probabilities [G, 5] at which the group was drawn; those of the weights now unless given (first update).
    """
    size, k = len(drawn.right), int(drawn.right.sum())
    right = torch.from_numpy(drawn.right)
    logs = token_logs(weights, heads, drawn.prompt[None], drawn.answers[None])[0]
    before = logs.detach() if old is None else old
    of_right, of_wrong = group.advantages(k, size, method)
    advantage = torch.from_numpy(np.where(drawn.right, of_right, of_wrong)).to(logs.dtype)
    if k in (0, size):
        value = (surrogate(logs, before, advantage, clip)).sum() / size
        norm = float(flat_gradient(value, weights).norm())
        return Identity(norm, 0.0, 0.0, 0.0, norm, norm, norm, 0.0)
    share = token_weights(drawn.answers, averaging).to(logs.dtype)
    g = flat_gradient((surrogate(logs, before, advantage, clip) * share).sum() / size, weights)
    answer_logs = logs.sum(-1)
    score_right = flat_gradient(answer_logs[right].mean(), weights)
    score_wrong = flat_gradient(answer_logs[~right].mean(), weights)
    predicted = float(group.update(k, size, theory or method)) * (score_right - score_wrong)
    active = counted(drawn.answers)
    ratio = (logs.detach() - before).exp()
    outside = torch.where(right[:, None], ratio > 1 + clip, ratio < 1 - clip) & active
    clipped = float(outside.sum()) / float(active.sum())
    unclipped = (
        g if not clipped else flat_gradient((surrogate(logs, before, advantage, 1e9) * share).sum() / size, weights)
    )
    factor = float(g @ predicted) / float(predicted @ predicted)
    return Identity(
        norm=float(g.norm()),
        contrast=float((score_right - score_wrong).norm()),
        right_norm=float(score_right.norm()),
        wrong_norm=float(score_wrong.norm()),
        error=_relative(g, predicted),
        scaled_error=_relative(g, factor * predicted),
        unclipped_error=_relative(unclipped, predicted),
        clipped=clipped,
    )


def _relative(g: torch.Tensor, predicted: torch.Tensor) -> float:
    norm = float(g.norm())
    return float((g - predicted).norm()) / norm if norm > 0 else float("nan")
