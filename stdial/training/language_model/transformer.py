"""A causal transformer of about 100,000 numbers, written as functions of its weights so that autograd sees them all.

The answers of a group share their prompt: its keys and values are computed once (``read``) and every answer attends
to them. Sampling and training run the same layers (``_layers``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch.nn import functional

from stdial.training.language_model.arithmetic import ANSWER, CHARACTERS, END, PAD, PROMPT

__all__ = ["Shape", "Weights", "answer_log_probabilities", "counted", "new", "numbers", "sample", "token_logs"]

Weights = dict[str, torch.Tensor]
Cache = list[tuple[torch.Tensor, torch.Tensor]]


@dataclass(frozen=True)
class Shape:
    """How large the model is."""

    layers: int = 2
    width: int = 64
    heads: int = 4


def new(shape: Shape, seed: int) -> Weights:
    """Fresh weights in float32: normal with variance 1 / inputs, the layers' outputs smaller by sqrt(2 layers)."""
    generator = torch.Generator().manual_seed(seed)
    width, quieter = shape.width, 1 / math.sqrt(2 * shape.layers)

    def normal(rows: int, columns: int, scale: float) -> torch.Tensor:
        return torch.randn(rows, columns, generator=generator) * scale

    weights = {
        "embed": normal(len(CHARACTERS), width, 0.5),
        "place": normal(PROMPT + ANSWER - 1, width, 0.5),
        "end.scale": torch.ones(width),
        "end.shift": torch.zeros(width),
        "out": normal(len(CHARACTERS), width, 1 / math.sqrt(width)),
        "out.bias": torch.zeros(len(CHARACTERS)),
    }
    for layer in range(shape.layers):
        matrices = {
            "look": (3 * width, width, 1.0),
            "mix": (width, width, quieter),
            "up": (4 * width, width, 1.0),
            "down": (width, 4 * width, quieter),
        }
        for name, (rows, columns, scale) in matrices.items():
            weights[f"{layer}.{name}"] = normal(rows, columns, scale / math.sqrt(columns))
            weights[f"{layer}.{name}.bias"] = torch.zeros(rows)
        for norm in ("before", "between"):
            weights[f"{layer}.{norm}.scale"] = torch.ones(width)
            weights[f"{layer}.{norm}.shift"] = torch.zeros(width)
    return weights


def numbers(weights: Weights) -> int:
    """How many numbers the weights hold."""
    return sum(tensor.numel() for tensor in weights.values())


def _normed(weights: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], weights[f"{name}.scale"], weights[f"{name}.shift"])


def _linear(weights: Weights, name: str, x: torch.Tensor) -> torch.Tensor:
    return functional.linear(x, weights[name], weights[f"{name}.bias"])


def _layers(
    weights: Weights, heads: int, tokens: torch.Tensor, start: int, shared: Cache | None, own: Cache | None
) -> tuple[torch.Tensor, Cache]:
    """Run tokens [prompts, answers, length] that begin at place ``start``.

    Every token attends to the prompt's cache ``shared`` [prompts, heads, places, depth], to its own answer's cache
    ``own`` [prompts, answers, heads, places, depth], and to the tokens before it.
    """
    prompts, answers, length = tokens.shape
    x = weights["embed"][tokens] + weights["place"][start : start + length]
    depth = x.shape[-1] // heads
    cache: Cache = []
    for layer in range(sum(name.endswith(".look") for name in weights)):
        seen = _linear(weights, f"{layer}.look", _normed(weights, f"{layer}.before", x))
        q, k, v = seen.view(prompts, answers, length, 3, heads, depth).permute(3, 0, 1, 4, 2, 5)
        q = q / math.sqrt(depth)
        if own is not None:
            k, v = torch.cat([own[layer][0], k], dim=3), torch.cat([own[layer][1], v], dim=3)
        cache.append((k, v))
        scores = q @ k.transpose(-1, -2)
        if length > 1:
            later = torch.ones(length, k.shape[3], dtype=torch.bool).triu(1 + k.shape[3] - length)
            scores = scores.masked_fill(later, -math.inf)
        if shared is None:
            mixed = scores.softmax(-1) @ v
        else:
            # One product a prompt instead of one an answer: the group's queries stand in one matrix.
            past_k, past_v = shared[layer]
            queries = q.transpose(1, 2).reshape(prompts, heads, answers * length, depth)
            past = (queries @ past_k.transpose(-1, -2)).view(prompts, heads, answers, length, -1).transpose(1, 2)
            share = torch.cat([past, scores], dim=-1).softmax(-1)
            on_past = share[..., : past.shape[-1]].transpose(1, 2).reshape(prompts, heads, answers * length, -1)
            from_past = (on_past @ past_v).view(prompts, heads, answers, length, depth).transpose(1, 2)
            mixed = share[..., past.shape[-1] :] @ v + from_past
        x = x + _linear(weights, f"{layer}.mix", mixed.transpose(2, 3).reshape(prompts, answers, length, -1))
        wide = functional.gelu(_linear(weights, f"{layer}.up", _normed(weights, f"{layer}.between", x)))
        x = x + _linear(weights, f"{layer}.down", wide)
    return x, cache


def _read(weights: Weights, heads: int, prompts: torch.Tensor) -> Cache:
    """Keys and values of all but the last character of prompts [prompts, 8]."""
    _, cache = _layers(weights, heads, prompts[:, None, :-1], 0, None, None)
    return [(k[:, 0], v[:, 0]) for k, v in cache]


def _logits(weights: Weights, x: torch.Tensor) -> torch.Tensor:
    return _linear(weights, "out", _normed(weights, "end", x))


def counted(answers: torch.Tensor) -> torch.Tensor:
    """Which characters of answers [..., 5] were sampled: up to and including the end mark."""
    end = answers == END
    return end.cumsum(-1) - end.int() == 0


def token_logs(weights: Weights, heads: int, prompts: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Log-probability of every character of answers [prompts, group, 5], 0 after the end mark."""
    shared = _read(weights, heads, prompts)
    last = prompts[:, None, -1:].expand(-1, answers.shape[1], -1)
    x, _ = _layers(weights, heads, torch.cat([last, answers[..., :-1]], dim=-1), PROMPT - 1, shared, None)
    logs = _logits(weights, x).log_softmax(-1).gather(-1, answers[..., None])[..., 0]
    return logs * counted(answers)


def answer_log_probabilities(
    weights: Weights, heads: int, prompts: torch.Tensor, answers: torch.Tensor
) -> torch.Tensor:
    """Log-probability of whole answers [prompts, group]: the sum over their characters."""
    return token_logs(weights, heads, prompts, answers).sum(-1)


def sample(weights: Weights, heads: int, prompts: torch.Tensor, size: int, generator: torch.Generator) -> torch.Tensor:
    """Draw ``size`` answers to each prompt [prompts, 8] at temperature 1: [prompts, size, 5], PAD after the end.

    Characters are drawn by comparing one uniform number with the cumulative probabilities, so that two methods, or
    two machines that round differently, draw the same answer from nearly the same model.
    """
    with torch.no_grad():
        shared = _read(weights, heads, prompts)
        uniform = torch.rand(len(prompts), size, ANSWER, 1, generator=generator)
        token = prompts[:, None, -1:].expand(-1, size, -1)
        own: Cache | None = None
        ended = torch.zeros(len(prompts), size, 1, dtype=torch.bool)
        answers = []
        for place in range(ANSWER):
            x, own = _layers(weights, heads, token, PROMPT - 1 + place, shared, own)
            chances = _logits(weights, x).softmax(-1)[..., 0, :]
            token = (chances.cumsum(-1) < uniform[:, :, place]).sum(-1, keepdim=True).clamp(max=chances.shape[-1] - 1)
            token = token.masked_fill(ended, PAD)
            ended = ended | (token == END)
            answers.append(token)
        return torch.cat(answers, dim=-1)
