"""Pasted logs in the shapes that people have, and what is said of those that are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import frameworks
from stdial.frameworks import pasted

ONE = ((1.0, 0.0, 0.0),)
ONE_A = ((1.0, -0.5, -0.5),)
TWO = ((1.0, 0.0), (0.0, 1.0))
TWO_A = ((0.7, -0.7), (-0.7, 0.7))

RECORDS = (("a", 1, 0.7), ("a", 0, -0.7), ("b", 0, -0.7), ("b", 1, 0.7))
TRL = "\n".join(
    f'{{"step": 3, "prompt": [{{"role": "user", "content": "{uid}"}}], "accuracy_reward": {r}, "advantage": {a}}}'
    for uid, r, a in RECORDS
)
MARKDOWN = "| uid | score | adv |\n|---|:-:|---|\n" + "\n".join(f"| {uid} | {r} | {a} |" for uid, r, a in RECORDS)
PRINTED = "┏━━━┳━━━┓\n┃ Prompt ┃ reward ┃ Advantage ┃\n┡━━━╇━━━┩\n" + "\n├───┼───┤\n".join(
    f"│ {uid} │ {r:.2f} │ {a} │" for uid, r, a in RECORDS
)
QUOTED = '"prompt","reward","advantage"\n' + "\n".join(f'"{uid}, now\n2",{r},{a}' for uid, r, a in RECORDS)

GOOD = {
    "labels": ("rewards: 1 0 0\nadvantages: 1 -.5 -.5", ONE, ONE_A),
    "labels with brackets": ("reward=[1., 0., 0.], advantage=[1, -.5, -.5]", ONE, ONE_A),
    "short labels": ("r: 1 0 0\nA: 1 −0.5 −0.5", ONE, ONE_A),
    "labels above": ("rewards:\n1\n0\n0\nadvantages:\n1\n-.5\n-.5", ONE, ONE_A),
    "group headings": (
        "Group 1\nrewards: 1, 0\nadvantages: .7, -.7\n\nGroup 2\nrewards: 0, 1\nadvantages: -.7, .7", TWO, TWO_A,
    ),
    "one answer a line": (
        "step 12 | uid 7 | reward: 1.0 | advantage: 1\nstep 12 | uid 7 | reward: 0 | advantage: -0.5\n"
        "step 12 | uid 7 | reward: 0 | advantage: -0.5", ONE, ONE_A,
    ),
    "tensors": (
        "rewards: tensor([[1., 0.], [0., 1.]], device='cuda:0')\nadvantages: tensor([[0.7, -0.7],\n        [-0.7, 0.7]],"
        " device='cuda:0', grad_fn=<DivBackward0>)", TWO, TWO_A,
    ),
    "arrays": ("rewards: np.array([1, 0, 0]), advantages: np.array([1, -.5, -.5])", ONE, ONE_A),
    "numpy scalars": (
        "rewards: [np.float64(1.0), np.float64(0.0), 0]\nadvantages: [np.float32(1), np.float32(-0.5), -.5]", ONE, ONE_A,
    ),
    "csv": ("group,reward,advantage\na,1,.7\na,0,-.7\nb,0,-.7\nb,1,.7", TWO, TWO_A),
    "csv shuffled": ("uid,advantage,score\na,.7,1\nb,-.7,0\na,-.7,0\nb,.7,1", TWO, TWO_A),
    "csv with a row number": ("reward,advantage,index\n1,1,1\n0,-.5,2\n0,-.5,3", ONE, ONE_A),
    "quoted prompts": (QUOTED, TWO, TWO_A),
    "decimal commas": ("reward;advantage\n1;0,7\n0;-0,7\n\n0;-0,7\n1;0,7", TWO, TWO_A),
    "blank lines part groups": ("1 .7\n0 -.7\n\n0 -.7\n1 .7", TWO, TWO_A),
    "two lines a group": ("1 0 0\n1 -.5 -.5", ONE, ONE_A),
    "markdown": (MARKDOWN, TWO, TWO_A),
    "a printed table": (PRINTED, TWO, TWO_A),
    "json": ('{"rewards": [[1, 0], [0, 1]], "advantages": [[0.7, -0.7], [-0.7, 0.7]]}', TWO, TWO_A),
    "json columns": (
        '{"reward": {"0": 1, "1": 0, "2": 0}, "advantage": {"0": 1, "1": -0.5, "2": -0.5}}', ONE, ONE_A,
    ),
    "json columns with uid": (
        '{"score": [1, 0, 0, 1], "advantages": [0.7, -0.7, -0.7, 0.7], "uid": ["a", "b", "a", "b"]}',
        ((1.0, 0.0), (0.0, 1.0)), ((0.7, -0.7), (-0.7, 0.7)),
    ),
    "json in a key": (
        '{"groups": [{"rewards": [1, 0], "advantages": [0.7, -0.7]}, {"rewards": [0, 1], "advantages": [-0.7, 0.7]}]}',
        TWO, TWO_A,
    ),
    "json records": (
        '[{"reward": true, "advantage": 1}, {"reward": false, "advantage": -0.5}, {"reward": 0, "advantage": -0.5}]',
        ONE, ONE_A,
    ),
    "a number a token": ('{"rewards": [1, 0, 0], "advantages": [[1, 1], [-0.5], [-0.5, -0.5, -0.5]]}', ONE, ONE_A),
    "two lists": ("[[1, 0, 0], [1, -.5, -.5]]", ONE, ONE_A),
    "trl lines": (TRL, TWO, TWO_A),
    "python lines": ("\n".join(str({"uid": u, "score": float(r), "advantages": a}) for u, r, a in RECORDS), TWO, TWO_A),
    "windows line ends": ("reward,advantage\r\n1,1\r\n0,-.5\r\n0,-.5\r\n", ONE, ONE_A),
}  # fmt: skip

BAD = {
    "": "the text is empty",
    "rewards: 1 0 x 0\nadvantages: 1 0 0 0": "line 1: 'x' is not a number",
    "rewards: 1 0\nadvantages: 1 0 0": "group 1 has 2 rewards but 3 advantages",
    "rewards: [1 0 ... 0]\nadvantages: [1 0 0]": "line 1: ... cuts the list",
    "rewards: 1 0\n\n3 4\nadvantages: 1 0": "line 3: '3' stands under no label",
    "rewards:\nadvantages: 1 0": "no number stands after rewards:",
    "reward,advantage\n1,0.5\n0,-0.5x": "line 3, advantage: '-0.5x' is not a number",
    "reward,advantage\n1,0.5,7": "line 2 has 3 entries but the header has 2",
    "reward,advantage": "line 1 is a header and nothing follows",
    "reward,advantage\n1,nan\nnan,1": "group 1, answer 2: the reward is nan",
    "reward,advantage\n1e999,1": "group 1, answer 1: the reward is inf",
    "1,2,3": "line 1 has 3 entries and no label",
    '{"rewards": [1, "a"], "advantages": [1, 2]}': "rewards, entry 2: 'a' is not a number",
    '{"rewards": [1, 0], "advantages": [1, 2]': "the JSON breaks at line 1, column",
    '{"reward": 1, "advantage": 1}\n{"reward": 0, "advantage": oops}': "line 2 is no JSON",
    '{"rewards": [1, 0], "advantages": [[1, 2], [3]]}': "advantages of answer 1 differ from token to token",
    '{"rewards": [[1, 0], [1, 0]], "advantages": [[1, 2]]}': "2 groups of rewards stand beside 1 of advantages",
    '{"prompt": "a", "format_reward": 1, "accuracy_reward": 0, "advantage": 1}': "2 columns could be the reward",
    '[{"reward": 1}]': "record 1 has no advantage; its names are 'reward'",
    "step:1 - critic/score/mean:0.5 - critic/advantages/mean:-0.01": "these are means over a batch",
    "reward,advantage\n" + "1,1\n" * 1025: "the text has 1,025 answers; at most 1,024",
    "1" * 20001: "the text has 20,001 characters",
    "[" * 9000: "the JSON breaks",
    "---\n|||": "no line holds a number",
    "null": "line 1 has 1 entry and no label",
}


@pytest.mark.parametrize("shape", GOOD)
def test_shapes(shape: str) -> None:
    text, groups, advantages = GOOD[shape]
    log = pasted.read(text)
    assert log.groups == groups
    assert log.advantages == advantages
    assert f"{len(groups)} group" in log.how


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:30])
def test_refusals_name_the_place_and_the_value(text: str) -> None:
    with pytest.raises(pasted.PasteError) as caught:
        pasted.read(text)
    assert BAD[text] in str(caught.value)
    assert len(str(caught.value)) < 400


def test_advantages_may_be_nan() -> None:
    log = pasted.read("{'rewards': [1.0, 0.0], 'advantages': [nan, None]}")
    assert all(a != a for a in log.advantages[0])


PIECES = [
    "rewards", "advantages", "reward", "adv", "uid", ":", "=", ",", ";", "|", " ", "\n", "\n\n", "\t", "[", "]", "{", "}", "(", ")",
    '"', "'", "1", "0", "-0.5", ".7", "nan", "None", "true", "...", "tensor", "x", "---", "group 1", "1e9", "\u2502",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        log = pasted.read(text)
    except pasted.PasteError:
        return
    assert [len(g) for g in log.groups] == [len(a) for a in log.advantages]
    assert all(len(g) for g in log.groups)


@pytest.mark.parametrize("digits", [2, 4, 6])
def test_many_rounded_advantages_keep_their_digits(digits: int) -> None:
    rewards = np.random.default_rng(0).random(256).round(3)
    advantages = (rewards - rewards.mean()).round(digits)
    best = frameworks.identify([rewards], [advantages])[0]
    assert best.fits
    assert ("verl", "Dr. GRPO's advantage") in {(m.framework, m.setting) for m in best.matches}
