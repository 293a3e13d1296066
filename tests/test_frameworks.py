"""The table of frameworks against what they returned when run, and the functions around it."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial import frameworks, group
from stdial.frameworks import FRAMEWORKS
from stdial.frameworks.table import load

ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "reference" / "framework_advantages.json").read_text())
ROW_NUMBER = {id(row): i for i, row in enumerate(ROWS)}
EXACT = ("float64", "float64 (Python float)")
NAMES = sorted({row["framework"] for row in ROWS})
SETTINGS = [(f.name, options) for f in FRAMEWORKS.values() for options in f.choices()]


def label(row: dict[str, Any]) -> str:
    return f"{ROW_NUMBER[id(row)]} {row['framework']} {row['set']}"


def fed(row: dict[str, Any]) -> str:
    return "float64" if row["dtype"].startswith("float64") else "float32"


def test_one_entry_for_each_name_of_the_reference() -> None:
    assert sorted(FRAMEWORKS) == NAMES
    assert len(FRAMEWORKS) >= 20


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_every_reference_row(row: dict[str, Any]) -> None:
    got = frameworks.advantages(row["framework"], row["options"], row["rewards"], fed(row))
    tolerance = 1e-7 if row["dtype"] in EXACT else 3e-5
    for mine, theirs in zip(got, row["advantages"], strict=True):
        np.testing.assert_allclose(mine, np.asarray(theirs, dtype=float), rtol=0, atol=tolerance)


def test_float32_rows_agree_to_a_few_roundings() -> None:
    for row in ROWS:
        if row["dtype"] == "float32":
            got = frameworks.advantages(row["framework"], row["options"], row["rewards"], "float32")
            for mine, theirs in zip(got, row["advantages"], strict=True):
                np.testing.assert_allclose(mine, np.asarray(theirs, dtype=float), rtol=4e-7, atol=4e-7)


def test_every_setting_that_was_run_has_its_row() -> None:
    run = {(row["framework"], frameworks.get(row["framework"]).setting(row["options"]).name) for row in ROWS}
    said = {(f.name, s.name) for f in FRAMEWORKS.values() for s in f.settings if s.checked == "run"}
    assert said == run


@cache
def best_tie(text: str) -> frameworks.Tie:
    groups, advantages = json.loads(text)
    return frameworks.identify(groups, advantages)[0]


@pytest.mark.parametrize("name", NAMES)
def test_identify_finds_every_row_from_two_groups(name: str) -> None:
    for row in ROWS:
        if row["framework"] != name:
            continue
        pick = [0, 2] if len(row["rewards"]) == 4 else [1, -3]
        tie = best_tie(json.dumps([[row[key][i] for i in pick] for key in ("rewards", "advantages")]))
        convention = frameworks.get(name).setting(row["options"]).convention
        assert tie.fits
        assert any(m.framework == name and m.convention == frameworks.describe(convention) for m in tie.matches)
        assert all(frameworks.describe(frameworks.get(m.framework).setting(m.options).convention) == m.convention
                   for m in tie.matches if m.framework in FRAMEWORKS)  # fmt: skip


def test_identify_names_what_tells_a_tie_apart() -> None:
    logged = [[0.75, -0.25, -0.25, -0.25], [0.5, 0.5, -0.5, -0.5]]
    tie = frameworks.identify([[1, 0, 0, 0], [1, 1, 0, 0]], logged)[0]
    assert {"TRL", "verl", "prime-rl", "oat"} <= {m.framework for m in tie.matches}
    assert tie.matches[0].convention == "reward minus the group mean, undivided"
    assert "a group of a single answer" in tie.apart
    assert math.isnan(tie.matches[0].factor)
    # those over the batch fit only with a factor for the rest of it: they are in the tie, but last
    assert tie.matches[-1].factor > 0


def test_identify_respects_the_digits_of_the_log() -> None:
    rewards = [[1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0]]
    exact = frameworks.advantages("TRL", {"scale_rewards": "group"}, rewards)
    rough = frameworks.identify(rewards, [a.round(2).tolist() for a in exact])[0]
    sharp = frameworks.identify(rewards, [a.round(8).tolist() for a in exact])[0]
    assert rough.fits
    assert sharp.fits
    assert len({m.convention for m in sharp.matches}) < len({m.convention for m in rough.matches})
    assert "verl" in {m.framework for m in rough.matches}
    assert "verl" not in {m.framework for m in sharp.matches}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_identify_reads_the_digits_of_rounded_floats_of_either_width(name: str, dtype: str) -> None:
    rewards = [[0.2, 1, 0, 0.5, 0, 0], [1, 1, 0, 0.3, 1, 0]]
    for options in frameworks.get(name).choices():
        logged = frameworks.advantages(name, options, rewards, dtype)
        tie = frameworks.identify(rewards, [a.astype(dtype).round(4).tolist() for a in logged])[0]
        assert tie.fits
        assert name in {m.framework for m in tie.matches}


@pytest.mark.parametrize("name", NAMES)
def test_no_option_at_all_is_the_default(name: str) -> None:
    framework = frameworks.get(name)
    assert framework.setting({}) == framework.setting(framework.default) == framework.settings[0]
    assert len(frameworks.kept(name, {}, [[1, 0, 0, 1], [1, 1, 1, 1]])) == 2


@pytest.mark.parametrize("options", [None, "grpo", [("scale_rewards", "group")]])
def test_options_are_a_mapping(options: object) -> None:
    with pytest.raises(ValueError, match=r"options is .*; it must be a mapping"):
        frameworks.advantages("TRL", options, [[1, 0]])  # type: ignore[arg-type]


def test_identify_ranks_what_does_not_fit() -> None:
    ties = frameworks.identify([[1, 0, 0, 0]], [[5.0, -1.0, -1.0, -1.5]])
    assert not any(tie.fits for tie in ties)
    assert [t.residual for t in ties] == sorted(t.residual for t in ties)


def test_identify_checks_shapes() -> None:
    with pytest.raises(ValueError, match=r"advantages has 1 groups; it must have as many as groups, 2"):
        frameworks.identify([[1, 0], [1, 0]], [[1, -1]])
    with pytest.raises(ValueError, match=r"advantages\[0\] has shape \(3,\); groups\[0\] has \(2,\)"):
        frameworks.identify([[1, 0]], [[1, -1, 0]])


# Names and options -------------------------------------------------------------------------------------------------


def test_names() -> None:
    assert frameworks.get("ROLL").name == "ROLL"
    assert frameworks.get("miles").name == "miles (slime fork)"
    assert frameworks.get("unsloth").name == "Unsloth (MLX path)"
    with pytest.raises(ValueError, match=r"it could be ART \(local backend\) or ART"):
        frameworks.get("ART")
    with pytest.raises(ValueError, match=r"name is 'TRLX'; it must be one of TRL, verl"):
        frameworks.get("TRLX")


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match=r"option 'scale' is unknown to TRL; its options are: scale_rewards"):
        frameworks.advantages("TRL", {"scale": "group"}, [[1, 0]])
    with pytest.raises(ValueError, match=r"option scale_rewards is 'groups'; TRL allows group, batch, none"):
        frameworks.advantages("TRL", {"scale_rewards": "groups"}, [[1, 0]])
    with pytest.raises(ValueError, match=r"option epsilon is 'x'; it must be a number"):
        frameworks.advantages("verl", {"epsilon": "x"}, [[1, 0]])
    with pytest.raises(ValueError, match="is known with: "):
        frameworks.advantages("AReaL", {"reward_norm": {"mean_leave1out": True, "std_level": "batch"}}, [[1, 0]])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], "groups is empty"),
        ([[]], r"groups\[0\] has shape \(0,\)"),
        ([[1, 0], [math.nan, 0]], r"groups\[1\] is \[nan, 0.0\]; rewards must be finite"),
    ],
)
def test_rewards_are_checked(groups: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        frameworks.advantages("verl", {}, groups)


def test_dtype_is_checked() -> None:
    with pytest.raises(ValueError, match="dtype is 'float16'; it must be float64 or float32"):
        frameworks.advantages("verl", {}, [[1, 0]], "float16")


def test_default_flag_is_ignored_and_defaults_fill_in() -> None:
    given = frameworks.advantages("NeMo-RL", {"normalize_rewards": True, "default": False}, [[1, 0, 0]])
    np.testing.assert_array_equal(given[0], frameworks.advantages("NeMo-RL", {}, [[1, 0, 0]])[0])
    assert frameworks.get("open-instruct").default == {"advantage_normalization_type": "centered"}
    for framework in FRAMEWORKS.values():
        assert framework.setting(framework.default) is framework.settings[0]


def test_trl_without_scale_rewards_is_rloo() -> None:
    np.testing.assert_allclose(frameworks.advantages("TRL", {"beta": 0.0}, [[1, 0, 0]])[0], [1, -0.5, -0.5])


def test_epsilon_is_used() -> None:
    got = frameworks.advantages("verl", {"adv_estimator": "grpo", "epsilon": 0.5}, [[1, 0, 0, 0]])[0]
    np.testing.assert_allclose(got, [0.75, -0.25, -0.25, -0.25])


# Groups that are out of the ordinary -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["TRL", "OpenRLHF", "EasyR1", "Unsloth (MLX path)"])
def test_a_group_of_one_answer_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="a group has 1 answer; this framework refuses"):
        frameworks.advantages(name, frameworks.get(name).default, [[1.0]])


def test_groups_of_different_sizes() -> None:
    assert [a.size for a in frameworks.advantages("verl", {}, [[1, 0], [1, 0, 0]])] == [2, 3]
    with pytest.raises(ValueError, match=r"groups have sizes \[2, 3\]"):
        frameworks.advantages("torchtune", {}, [[1, 0], [1, 0, 0]])


def test_slime_takes_an_uneven_batch_as_one_group() -> None:
    got = frameworks.advantages("slime", {}, [[1, 1, 1, 1], [0, 0, 0]])
    whole = np.array([1, 1, 1, 1, 0, 0, 0]) - 4 / 7
    np.testing.assert_allclose(np.concatenate(got), whole / (whole.std(ddof=1) + 1e-6), atol=1e-6)


def test_dust_of_constant_groups_in_float32() -> None:
    constant = [[0.7] * 8]
    assert frameworks.advantages("OpenRLHF", {}, constant, "float32")[0] == pytest.approx(59.6, abs=0.05)
    clipped = frameworks.advantages("OpenRLHF", {"reward.clip_range": 10}, constant, "float32")[0]
    assert clipped == pytest.approx(10)
    for name, options in SETTINGS:
        if frameworks.get(name).setting(options).convention.kind != "best minus second":
            for reward in (0.0, 1.0, -1.0):
                got = frameworks.advantages(name, options, [[reward] * 8], "float32")[0]
                np.testing.assert_array_equal(got, 0, err_msg=name)


def test_nemo_at_two_answers_divides_by_nothing() -> None:
    np.testing.assert_array_equal(frameworks.advantages("NeMo-RL", {}, [[1, 0]])[0], [1, -1])


def test_maxrl_flips_signs_below_zero() -> None:
    got = frameworks.advantages("SkyRL", {"advantage_estimator": "maxrl"}, [[-1, -1, -1, 1]])[0]
    assert got[3] < 0 < got[0]


@given(
    st.sampled_from(SETTINGS),
    st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=5, max_size=5), min_size=2, max_size=4),
    st.permutations(range(5)),
)
def test_order_within_a_group_does_not_matter(
    setting: tuple[str, dict[str, Any]], groups: list[list[float]], order: list[int]
) -> None:
    name, options = setting
    if frameworks.get(name).setting(options).convention.kind == "best minus second":
        return
    straight = frameworks.advantages(name, options, groups)
    shuffled = frameworks.advantages(name, options, [[g[i] for i in order] for g in groups])
    for a, b in zip(straight, shuffled, strict=True):
        np.testing.assert_allclose(a[list(order)], b, rtol=1e-4, atol=1e-4)


@given(st.sampled_from(SETTINGS), st.sampled_from([2, 3, 5, 8, 13]), st.sampled_from([0.5, 1.0, 4.0]))
def test_a_constant_added_to_every_reward_moves_nothing(
    setting: tuple[str, dict[str, Any]], size: int, shift: float
) -> None:
    name, options = setting
    convention = frameworks.get(name).setting(options).convention
    if convention.divide == "mean" or convention.multiply != "nothing":
        return
    groups = [[1.0] * k + [0.0] * (size - k) for k in range(size + 1)]
    plain = frameworks.advantages(name, options, groups)
    moved = frameworks.advantages(name, options, [[r + shift for r in g] for g in groups])
    for a, b in zip(plain, moved, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-3)


# Filters -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "groups", "expected"),
    [
        ("verl", [[1, 1], [1, 0], [0], [0.7] * 8], [False, True, True, False]),
        ("OpenRLHF", [[0.5, 0.5], [-1, 1], [1, 1], [1, 0]], [True, False, False, True]),
        ("EasyR1", [[1] + [0] * 127, [1] + [0] * 63, [0.5] * 4], [False, True, True]),
        ("slime", [[1, 1, 1, 0.999999], [1, 0], [1], [0.7] * 8], [False, True, False, False]),
        ("miles", [[0.7] * 8, [1, 1], [1]], [True, False, True]),
        ("tinker", [[1, 1], [0.5, 0.5]], [True, False]),
        ("rLLM", [[0.5, 0.5], [0, 0], [1, 1], [-1, 0], [0, 1]], [True, False, False, False, True]),
        ("ART (tinker", [[1, 1], [1, 0]], [False, True]),
        ("TRL", [[1, 1], [1, 0]], [True, True]),
    ],
)
def test_filters_of_groups(name: str, groups: list[list[float]], expected: list[bool]) -> None:
    options = frameworks.get(name).default
    assert frameworks.kept(name, options, groups) == expected


def test_filters_of_answers() -> None:
    lone = frameworks.kept("NeMo-RL", {}, [[1, 0, 0, 0], [1, 1, 1, 1], [1]])
    assert [k.tolist() for k in lone] == [[False, True, True, True], [False] * 4, [False]]
    plain = frameworks.kept("NeMo-RL", {"use_leave_one_out_baseline": False}, [[1, 0, 0, 0]])
    assert plain[0].all()
    middle = frameworks.kept("prime-rl", {}, [[0, 0.5, 1]])
    assert middle[0].tolist() == [True, False, True]


# The table ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("framework", FRAMEWORKS.values(), ids=list(FRAMEWORKS))
def test_the_table_is_complete(framework: frameworks.Framework) -> None:
    assert framework.version
    assert framework.read
    assert framework.run
    assert framework.filter.rule
    assert framework.traps
    for trap in framework.traps:
        assert trap.says.endswith(".")
        assert frameworks.advantages(framework.name, trap.options, trap.groups, trap.dtype)
        assert frameworks.kept(framework.name, trap.options, trap.groups, trap.dtype)
    for metric in framework.metrics:
        assert metric.measures.endswith(".")
    for goal in ("grpo", "dr-grpo", "dynamic-sampling"):
        text = frameworks.settings(framework.name, goal)
        assert text.startswith(f"# {framework.name}, {framework.version}: ")
        assert len(text.splitlines()) > 1


def test_settings_checks_its_goal() -> None:
    with pytest.raises(ValueError, match="goal is 'dapo'; it must be one of grpo, dr-grpo, dynamic-sampling"):
        frameworks.settings("TRL", "dapo")


ENTRY = """
[[framework]]
name = "next"
version = "2.0"
read = "its source"
recipes = { grpo = "a", dr-grpo = "b", dynamic-sampling = "c" }
[framework.options.scale]
default = true
values = [true, false]
[[framework.settings]]
when = { scale = true }
checked = "read"
does = { divide = "std", ddof = 1, eps = 1e-3 }
[[framework.settings]]
when = { scale = false }
checked = "read"
"""


def test_a_framework_is_added_without_code(tmp_path: Any) -> None:
    path = tmp_path / "more.toml"
    path.write_text(ENTRY)
    setting = load(path)["next"].setting({"scale": True})
    assert setting.name == "reward minus the group mean, over (std + 0.001) of the group, ddof 1"
    assert setting.convention.method("next").epsilon == 1e-3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "next"', "", "framework 1 has no name"),
        ('version = "2.0"', "", "next: version is missing"),
        ("ddof = 1", "ddof = 2", "next: convention.ddof is 2; it must be 0 or 1"),
        ("eps = 1e-3", 'eps = "x"', "next: convention.eps is 'x'; it must be a number from 0 to 1"),
        ('divide = "std"', 'divide = "sd"', "convention.divide is 'sd'; it must be one of nothing, std, mean"),
        ("does = {", "dose = {", "settings has 'dose'"),
        ("scale = false }", "scales = false }", "settings.when names 'scales'; the options are: scale"),
        ('checked = "read"', 'checked = "guessed"', "settings.checked is 'guessed'; it must be run or read"),
        ('grpo = "a", ', "", "recipes has dr-grpo, dynamic-sampling; it must have grpo"),
        ("divide =", "devide =", "convention has 'devide'; its fields are kind"),
        ('read = "its source"', 'read = "x"\nfilter = { kind = "sdt" }', "filter.kind is 'sdt'"),
        ("[[framework]]", "[[framewok]]", "framework is a single table; each must be a table"),
    ],
)
def test_a_bad_table_says_where(tmp_path: Any, old: str, new: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(ENTRY.replace(old, new))
    with pytest.raises(ValueError, match=message):
        load(path)


# Beside the paper and from one to another --------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), SETTINGS, ids=[f"{n} {frameworks.shown(o)}" for n, o in SETTINGS])
def test_as_a_method_it_has_the_same_update(name: str, options: dict[str, Any]) -> None:
    method = frameworks.method(name, options)
    got = frameworks.updates(name, options, 6)
    if method is not None:
        np.testing.assert_allclose(got.c, group.update(np.arange(7), 6, method), atol=3e-7)
    single_scale = frameworks.get(name).setting(options).convention
    if single_scale.centre == "mean" and single_scale.kind == "centred":
        np.testing.assert_allclose(got.sum, 0, atol=1e-5)


def test_updates_at_eight() -> None:
    ratio = frameworks.against_paper("verl", {}, 8)
    assert ratio[1:8] == pytest.approx(math.sqrt(7 / 8), abs=1e-5)
    assert np.isnan(ratio[[0, 8]]).all()
    nemo = frameworks.updates("NeMo-RL", {}, 4)
    assert nemo.right_answer[1] == pytest.approx(1)
    assert nemo.sum[1] != pytest.approx(0, abs=0.1)


def test_move_a_recipe() -> None:
    standard = {"advantage_normalization_type": "standard"}
    there = frameworks.move("open-instruct", standard, "verl", {}, 8)
    back = frameworks.move("verl", {}, "open-instruct", standard, 8)
    assert there.constant
    assert there.most == pytest.approx(math.sqrt(8 / 7), abs=1e-5)
    np.testing.assert_allclose(there.factor[1:8] * back.factor[1:8], 1)
    varied = frameworks.move("TRL", {"scale_rewards": "group"}, "TRL", {"scale_rewards": "none"}, 8)
    assert not varied.constant
    assert varied.most == pytest.approx(1 / (math.sqrt(7 / 64 * 8 / 7) + 1e-4), rel=1e-6)


@pytest.mark.parametrize("size", [1, 2.5, True])
def test_updates_check_the_size(size: Any) -> None:
    with pytest.raises(ValueError, match=f"size is {size}; it must be a whole number of at least 2"):
        frameworks.updates("verl", {}, size)
