"""The invented rollout log that the page *Your data* opens with, and the script that makes it.

``python -m stdial.sample FILE`` writes it again, byte for byte. Nothing in it was measured: 200 made-up problems in five
topics, 16 answers each at steps 100 and 200, marked by two made-up reward functions.
"""

from __future__ import annotations

import csv
import io
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FILE", "NAME", "OPTIONS", "SILENT", "STEPS", "make", "sample"]

NAME = "sample_rollouts.csv"
FILE = Path(__file__).parent / "data" / NAME
SILENT = Path(__file__).parent / "data" / "sample_silent.json"  # of the later step; `stdial.stored` makes it
STEPS = (100, 200)
# What the columns are, so that nobody is asked about the sample.
OPTIONS: dict[str, Any] = {"id": "problem", "reward": "correct", "step": "step", "facets": ("topic",)}
_PROBLEMS, _ROLLOUTS = 200, 16
_TOPICS = {"arithmetic": 2.6, "algebra": 0.9, "geometry": -0.4, "counting": -1.4, "number theory": -2.6}


def make(seed: int = 2607) -> str:
    r"""The log as CSV: step, problem, topic, rollout, answer, correct and format_reward; one row a rollout.

    Each problem has a logit of its own around its topic's, and gains about 0.9 between the two steps. `format_reward` is nearly
    always 1, so that on its own it leaves most groups silent.

    >>> make().splitlines()[:2]
    ['step,problem,topic,rollout,answer,correct,format_reward', '100,arithmetic-001,arithmetic,1,29,1,1']
    """
    rng = np.random.default_rng(seed)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["step", "problem", "topic", "rollout", "answer", "correct", "format_reward"])
    topics = [topic for topic in _TOPICS for _ in range(_PROBLEMS // len(_TOPICS))]
    logit = np.array([_TOPICS[topic] for topic in topics]) + rng.normal(0, 1.6, _PROBLEMS)
    solution = rng.integers(2, 100, _PROBLEMS)
    gain = rng.normal(0.9, 0.7, _PROBLEMS)
    for step in STEPS:
        rate = 1 / (1 + np.exp(-(logit + (gain if step == STEPS[1] else 0))))
        right = rng.random((_PROBLEMS, _ROLLOUTS)) < rate[:, None]
        formed = rng.random((_PROBLEMS, _ROLLOUTS)) < (0.97 if step == STEPS[0] else 0.995)
        wrong_by = rng.integers(1, 20, (_PROBLEMS, _ROLLOUTS))
        for i, topic in enumerate(topics):
            name = f"{topic.replace(' ', '-')}-{i % (_PROBLEMS // len(_TOPICS)) + 1:03d}"
            for j in range(_ROLLOUTS):
                answer = solution[i] if right[i, j] else solution[i] + wrong_by[i, j]
                writer.writerow([step, name, topic, j + 1, answer, int(right[i, j]), int(formed[i, j])])
    return out.getvalue()


@cache
def sample(step: int = STEPS[1]) -> Any:
    """The shipped log at one step, as a ``stdial.reading.Reading``; read once.

    >>> sample().problems, sample().rollouts
    (200, 3200)
    """
    from stdial import stored
    from stdial.reading import read

    found = read(FILE, **OPTIONS, at_step=step)
    if step == STEPS[1] and found.pool is not None and SILENT.is_file():
        stored.read_silent(SILENT, found.pool)  # bounds beyond the tries take a linear program each
    return found


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else FILE).write_text(make(), encoding="utf-8")
