"""The problems that the tiny model learns: sums and products of whole numbers, written in fifteen characters.

A prompt is text such as ``27+348=``, padded on the left to eight characters; an answer is digits and an end mark, at
most five characters. Two verifiers say what is right: ``exact`` accepts one string, ``near`` every number within a
twentieth of the true one (an estimate), leading zeros allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ANSWER",
    "END",
    "PAD",
    "POOL_TASKS",
    "PROMPT",
    "TASKS",
    "VERIFIERS",
    "Problems",
    "Task",
    "encode",
    "held_out_and_pool",
    "verify",
]

CHARACTERS = "0123456789+*=;_"
END, PAD = CHARACTERS.index(";"), CHARACTERS.index("_")
PROMPT, ANSWER = 8, 5
VERIFIERS = ("exact", "near")

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """A kind of problem: the operation and how many digits either number has.

    >>> Task("+", 3, 2).name
    '3+2'
    """

    operation: str
    left: int
    right: int

    @property
    def name(self) -> str:
        """Such as ``3+2`` or ``2*1``."""
        return f"{self.left}{self.operation}{self.right}"

    def draw(self, count: int, generator: np.random.Generator) -> tuple[Integers, Integers]:
        """Both numbers of ``count`` problems, uniform over the numbers with that many digits (one digit: 0 to 9)."""
        numbers = [
            generator.integers(10 ** (digits - 1) if digits > 1 else 0, 10**digits, count)
            for digits in (self.left, self.right)
        ]
        return numbers[0], numbers[1]


POOL_TASKS = (Task("+", 2, 2), Task("+", 3, 1), Task("+", 3, 2), Task("+", 3, 3), Task("*", 2, 1), Task("*", 2, 2))
TASKS = (*POOL_TASKS, Task("+", 1, 1), Task("+", 2, 1), Task("*", 1, 1))


@dataclass(frozen=True)
class Problems:
    """Problems as arrays: ``task`` (index into TASKS), ``prompt`` [n, 8], ``answer`` [n, 5], ``value`` [n]."""

    task: Integers
    prompt: Integers
    answer: Integers
    value: Integers

    def __len__(self) -> int:
        return len(self.task)

    def take(self, index: Any) -> Problems:
        """The problems at these places."""
        return Problems(self.task[index], self.prompt[index], self.answer[index], self.value[index])

    def texts(self) -> list[str]:
        """The prompts as people write them.

        >>> encode(0, np.array([27]), np.array([48])).texts()
        ['27+48=']
        """
        return ["".join(CHARACTERS[c] for c in row if c != PAD) for row in self.prompt]


def encode(task: int, left: Integers, right: Integers) -> Problems:
    """Write problems of one task in characters.

    >>> encode(0, np.array([27]), np.array([48])).answer.tolist()  # 7 5 end pad pad
    [[7, 5, 13, 14, 14]]
    """
    operation = TASKS[task].operation
    value = left + right if operation == "+" else left * right
    prompts = [f"{a}{operation}{b}=".rjust(PROMPT, "_") for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    answers = [f"{v};".ljust(ANSWER, "_") for v in value.tolist()]
    return Problems(np.full(len(value), task), _characters(prompts), _characters(answers), value)


def _characters(lines: list[str]) -> Integers:
    return np.array([[CHARACTERS.index(c) for c in line] for line in lines], dtype=np.int64)


def join(parts: list[Problems]) -> Problems:
    """Several sets of problems as one."""
    return Problems(
        *(np.concatenate([getattr(part, field) for part in parts]) for field in ("task", "prompt", "answer", "value"))
    )


def held_out_and_pool(pool: int = 2048, held_out: int = 512, seed: int = 0) -> tuple[Problems, Problems]:
    """Draw problems without repeats, equal shares of the six tasks: the pool to train on, and others held out.

    >>> train, test = held_out_and_pool(120, 60)
    >>> len(train), len(test), len(set(train.texts()) & set(test.texts()))
    (120, 60, 0)
    """
    generator = np.random.default_rng(seed)
    train, test = [], []
    for index, task in enumerate(POOL_TASKS):
        in_pool = len(range(index, pool, len(POOL_TASKS)))
        wanted = in_pool + len(range(index, held_out, len(POOL_TASKS)))
        left, right = task.draw(8 * wanted, generator)
        _, first = np.unique(left * 1000 + right, return_index=True)
        kept = np.sort(first)[:wanted]
        if len(kept) < wanted:
            raise ValueError(f"pool and held_out ask for {wanted} problems of {task.name}; there are too few")
        problems = encode(index, left[kept], right[kept])
        train.append(problems.take(slice(0, in_pool)))
        test.append(problems.take(slice(in_pool, None)))
    return join(train), join(test)


def verify(tokens: Integers, answer: Integers, value: Integers, verifier: str) -> NDArray[np.bool_]:
    """Which sampled answers are right.

    tokens : [..., 5] sampled characters, PAD after the end mark. answer : [..., 5] and value : [...], of the problem,
    both broadcast against tokens. A text without an end mark, or with anything but digits before it, is wrong.

    >>> right = encode(0, np.array([27]), np.array([48]))
    >>> tries = np.array([[7, 5, END, PAD, PAD], [7, 8, END, PAD, PAD], [7, 5, 0, 0, 0]])
    >>> [verify(tries, right.answer, right.value, verifier).tolist() for verifier in VERIFIERS]
    [[True, False, False], [True, True, False]]
    """
    if verifier == "exact":
        return np.asarray((tokens == answer).all(axis=-1))
    if verifier != "near":
        raise ValueError(f"verifier is {verifier!r}; it must be one of {', '.join(VERIFIERS)}")
    number = np.zeros(tokens.shape[:-1], dtype=np.int64)
    ended = np.zeros(number.shape, dtype=bool)
    clean = tokens[..., 0] < 10
    for place in range(tokens.shape[-1]):
        digit = tokens[..., place]
        ended |= digit == END
        clean &= ended | (digit < 10)
        number = np.where(ended, number, 10 * number + digit)
    return np.asarray(clean & ended & (20 * np.abs(number - value) <= value))
