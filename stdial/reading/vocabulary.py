"""What columns are called: how well a name fits a role."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from itertools import pairwise

__all__ = ["Role", "at_k", "family", "known", "score", "score_of_reward", "words"]


class Role(Enum):
    """What a column can be to a reading."""

    ID = "id"
    GROUP = "group"
    STEP = "step"
    MODEL = "model"
    RATE = "rate"
    RIGHT = "right"
    TRIES = "tries"
    REWARD = "reward"
    ROLLOUT = "rollout"
    DIFFICULTY = "difficulty"
    FACET = "facet"
    OTHER = "other"
    PROBLEMS = "problems"


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names as their words joined by "_", strongest list first: worth 3, 2 and 1 where _WORTH says nothing else.
_LISTS: dict[Role, tuple[frozenset[str], ...]] = {
    Role.ID: (
        _set(
            "problem_id question_id qid prompt_id task_id example_id instance_id item_id doc_id pid problem_idx"
            " question_idx prompt_idx task_idx example_idx problem_index question_index problem_hash prompt_hash"
            " question_hash problem_uid example_index instance_idx problem_no question_no problem_number problem_key id"
            " unique_id"
        ),
        _set(
            "problem question task item example instance key uuid i idx index sample_id name q uid row pk ids case exercise hash"
        ),
        _set(
            "prompt input query instruction prompt_text question_text problem_text inputs problem_statement prompts user"
            " user_prompt"
        ),
    ),
    Role.GROUP: (
        _set("group_id uid group_uid prompt_uid group_key group_idx group_index rollout_group group_hash group"),
    ),
    Role.STEP: (
        _set(
            "step global_step training_step train_step trainer_step steps iteration iter checkpoint ckpt checkpoint_step"
            " update policy_version model_step weight_version optimizer_step global_steps checkpoint_name training_steps"
            " train_iter policy_step model_version grad_step rl_step"
        ),
        _set("epoch"),
    ),
    Role.MODEL: (
        _set("model model_name policy policy_name model_id engine variant agent system method run_name experiment llm"),
    ),
    Role.RATE: (
        _set(
            "pass_rate passrate solve_rate solverate success_rate successrate correct_rate pass_at_1 pass_1 pass1"
            " pass_ratio solved_rate avg_pass_rate mean_pass_rate empirical_pass_rate passrates solverates"
        ),
        _set(
            "accuracy acc mean_accuracy avg_accuracy mean_acc avg_acc average_accuracy win_rate hit_rate correct_ratio"
            " mean_correct avg_correct rate fraction_correct frac_correct correct_fraction percent_correct pct_correct"
            " correct_pct correct_percent solved_pct success_ratio success_prob success_probability p_correct p_success"
            " prob_correct solve_prob p_solve p_pass correct_share share_correct success_pct success_percent score_rate"
            " percent_solved fraction_solved correctness_rate rates accuracy_pct acc_pct accuracy_percent pct_solved"
        ),
        _set(
            "mean_reward avg_reward average_reward reward_mean mean_score avg_score average_score score_mean reward_avg"
        ),
    ),
    Role.RIGHT: (
        _set(
            "num_correct n_correct correct_count count_correct n_right num_right right_count n_success num_success"
            " success_count n_successes num_successes n_pass n_passed num_passed num_pass pass_count passed_count n_solved"
            " num_solved solved_count correct_answers num_correct_answers n_true nb_correct no_correct right_answers"
            " number_correct correct_num correct_n total_correct number_of_correct num_corrects n_corrects corrects"
        ),
        _set("correct right successes passes solved passed hits wins c s k n_c success pass"),
    ),
    Role.TRIES: (
        _set(
            "num_rollouts n_rollouts tries trials attempts n_samples num_samples num_trials n_trials num_attempts"
            " n_attempts total_attempts num_generations n_generations group_size n_tries num_tries sample_count"
            " rollout_count n_responses num_responses num_completions n_completions total_count n_total num_total"
            " num_answers n_answers attempt_count try_count number_of_rollouts total_samples total_tries total_rollouts"
            " number_of_samples samples_per_problem rollouts_per_problem rollouts_per_prompt nb_tries generations_count"
            " rollouts_n samples_n tries_n"
        ),
        _set("n rollouts samples total generations g count n_total_samples responses completions size out_of of"),
        _set("k"),
    ),
    Role.REWARD: (
        _set(
            "reward rewards total_reward reward_total final_reward reward_sum return overall_reward outcome_reward ret"
        ),
        _set("score scores final_score overall_score total_score"),
        _set(
            "correct is_correct correctness passed pass success"
            " succeeded solved acc accuracy exact_match em right is_right resolved is_solved is_success is_passed"
            " is_pass is_resolved accuracy_reward correctness_reward reward_score outcome verdict correct_answer"
            " answer_correct graded corrects passes successes solveds"
        ),
        _set("match result results outcomes marks value judgement judgment status is_match f1 rouge bleu acc_norm"),
    ),
    Role.ROLLOUT: (
        _set(
            "rollout rollout_id rollout_idx rollout_index sample sample_idx sample_index attempt attempt_id attempt_idx"
            " try trial trial_id generation generation_id generation_idx completion_id completion_idx completion_index"
            " response_id response_idx response_index run run_id seed repeat repeat_id replicate trajectory_id traj_id"
            " trajectory_idx candidate candidate_idx draw try_id rep nth event_id worker rank row_id"
        ),
    ),
    Role.PROBLEMS: (
        _set("problems num_problems n_problems problem_count number_of_problems count_problems prompts_count"),
        _set("count freq frequency n_prompts num_prompts num_questions n_questions weight counts total size"),
    ),
    Role.DIFFICULTY: (
        _set("difficulty hardness difficulty_score difficulty_level diff difficulty_rating hard_score easiness ease"),
    ),
    Role.FACET: (
        _set(
            "source data_source dataset domain topic subject category type level difficulty split language lang tag tags"
            " field area skill grade benchmark task_type ability subset subtopic problem_type question_type"
            " difficulty_level part year family concept subdomain subcategory theme origin data_split"
        ),
    ),
}
_WORTH: dict[Role, tuple[float, ...]] = {Role.REWARD: (3, 2.2, 2, 1)}
_RATE_HEADS = _set("pass passed solve solved success correct correctness accuracy acc win hit right")
_RATE_TAILS = _set("rate ratio pct percent percentage fraction frac prob probability share rates")
_MEANS = _set("mean avg average")
_OTHER = _set(
    "advantage advantages logprob logprobs length len tokens token time latency cost temperature kl loss entropy lr std"
    " var variance baseline duration seconds max min steps turns timestamp date bytes chars words ref clip ratio norm"
    " format formatted weight rank stderr err se ci"
)
_ID_TAILS = _set("id idx uid hash uuid")
_ID_HEADS = _set("problem question task prompt example item instance")
_ID_NAMES = _set("name key no nr number title text code num label")
_OWN_IDS = _set("rollout completion response run event trajectory generation attempt worker group request")
_STEP_TAILS = _set("step steps checkpoint iteration ckpt")
_COUNTED = _set("correct right solved passed success successes pass passes")
_COUNTS = _set("num n count number total nb")
_TRIED = _set("rollouts samples tries trials attempts generations responses completions answers")
_NO_REWARD = _set(
    "mean std avg average max min var baseline model advantage len length tokens zero rate num n count total nb"
)
_ACCURATE = _set("accuracy correctness correct acc success answer outcome math")


@lru_cache(maxsize=1 << 14)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case; of a path only the last part that is a name.

    >>> words("numCorrect"), words("metrics.pass@1"), words("Solve Rate (%)"), words("scores.match.value")
    (('num', 'correct'), ('pass', '1'), ('solve', 'rate', 'percent'), ('value',))
    """
    name = re.sub(r" \(column \d+\)$", "", name)  # added to tell repeated names apart
    last = re.split(r"[./\\:]", name.strip().rstrip("./\\:"))[-1] or name
    last = last.replace("%", " percent ").replace("#", " num ")
    last = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", last)
    return tuple(re.findall(r"[^\W_]+", last.lower()))


def at_k(name: str) -> tuple[str, int] | None:
    """The kind and k of a column such as ``pass@8``, ``mean_at_4`` or ``maj@16``; None for other names.

    >>> at_k("pass_at_4"), at_k("val/mean@8"), at_k("pass@1"), at_k("best@16/mean")
    (('pass', 4), ('mean', 8), ('pass', 1), ('best', 16))
    """
    found = re.search(r"(?:^|[^a-z])([a-z]+)[ _]?(?:@|[ _]at[ _])[ _]?(\d+)", name.lower())
    return (found[1], int(found[2])) if found else None


@lru_cache(maxsize=1 << 14)
def score(name: str, role: Role) -> float:
    """How well a name fits a role: 3 exactly, 2 a usual name, 1 a weak one, 0 not at all.

    >>> score("pass_rate", Role.RATE), score("llama8b_solve_rate", Role.RATE), score("taux", Role.RATE)
    (3, 2.5, 0)
    """
    said = words(name)
    if not said:
        return 0
    if (of_k := at_k(name)) and said[-1].isdigit():
        return _score_at_k(of_k, role)
    joined = "_".join(said)
    for worth, names in zip(_WORTH.get(role, (3, 2, 1)), _LISTS.get(role, ()), strict=False):
        if joined in names:
            return worth
    return _pattern(said, role)


def _score_at_k(of_k: tuple[str, int], role: Role) -> float:
    kind, k = of_k
    if role is Role.RATE and (k == 1 or kind in _MEANS):
        return 3 if k == 1 else 2.5
    return 0


def _pattern(said: tuple[str, ...], role: Role) -> float:
    last, rest = said[-1], frozenset(said)
    if role is Role.RATE:
        return _rate_pattern(said)
    if role is Role.RIGHT:
        return _right_pattern(said)
    if role is Role.REWARD:
        return _reward_pattern(said)
    if role is Role.TRIES:
        return 2.5 if rest & _TRIED and rest & _COUNTS and not rest & _COUNTED else 0
    if role is Role.ID:
        return _id_pattern(said)
    if role is Role.STEP:
        return 2 if last in _STEP_TAILS and len(said) < 4 else 0
    if role is Role.DIFFICULTY:
        return 1 if rest & _set("difficulty hardness difficult easiness") else 0
    return 1 if role is Role.OTHER and rest & _OTHER else 0


def _id_pattern(said: tuple[str, ...]) -> float:
    if len(said) < 2 or frozenset(said) & _OWN_IDS:
        return 0
    return 1.5 if said[-1] in _ID_TAILS or (said[0] in _ID_HEADS and said[-1] in _ID_NAMES) else 0


def _rate_pattern(said: tuple[str, ...]) -> float:
    first, last, rest = said[0], said[-1], frozenset(said)
    if rest & _set("format std var length len tokens"):
        return 0
    numbered = last.isdigit() and len(said) > 1 and said[-2] == "rate"
    if len(said) > 1 and (numbered or (last in _RATE_TAILS and rest & _RATE_HEADS)):
        return 2.5
    if any(one in _RATE_HEADS and two in ("rate", "ratio") for one, two in pairwise(said)):
        return 2.2
    if last in ("accuracy", "acc") and len(said) > 1:
        return 1.5
    return 1.5 if (first in _MEANS | _RATE_TAILS or last in _MEANS) and rest & _RATE_HEADS else 0


def _right_pattern(said: tuple[str, ...]) -> float:
    rest = frozenset(said)
    if rest & _COUNTED and rest & _COUNTS:
        return 2.5
    return 1.5 if len(said) > 1 and said[0] in _COUNTED and not rest & (_RATE_TAILS | _MEANS) else 0


def _reward_pattern(said: tuple[str, ...]) -> float:
    first, last, rest = said[0], said[-1], frozenset(said)
    if rest & _NO_REWARD:
        return 0
    if last in ("reward", "rewards", "score", "scores") or first in ("reward", "rewards"):
        return 1.8 if rest & _ACCURATE else 1.4
    if (first == "is" and len(said) == 2) or said[:2] == ("exact", "match"):
        return 1.2
    return 1.2 if last in ("correct", "correctness", "passed", "solved", "success", "acc", "accuracy") else 0


def score_of_reward(name: str) -> float:
    """How well a name fits a reward, with the total before its parts and the answer before the form."""
    return score(name, Role.REWARD) - (0.5 if "format" in words(name) else 0)


def known(name: str) -> bool:
    """Whether a name is in any list."""
    return any(score(name, role) > 0 for role in Role)


@lru_cache(maxsize=1 << 14)
def family(name: str) -> tuple[str, int] | None:
    """Stem and number of a column of one rollout: ``rollout_3``, ``r3``, ``attempt 3``, ``score_3_correct``, ``3``.

    >>> family("rollout_3"), family("r12"), family("7"), family("attempt 1 correct"), family("pass@4"), family("gpt4")
    (('rollout', 3), ('r', 12), ('', 7), ('attempt correct', 1), None, ('gpt', 4))
    """
    if at_k(name):
        return None
    numbers = re.findall(r"\d+", name)
    if len(numbers) != 1:
        return None
    stem = " ".join(re.sub(r"\d+", " ", name).replace("_", " ").replace("-", " ").strip(" .[]()#:").split())
    return stem.lower(), int(numbers[0])
