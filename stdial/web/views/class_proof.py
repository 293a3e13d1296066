"""The theorem, line by line, with the reader's own k and G in every line; general rewards after it; and a glossary."""

from __future__ import annotations

import streamlit as st

from stdial import expectation, group
from stdial.charts import one_group as charts
from stdial.method import DR_GRPO, GRPO
from stdial.web.page import Page, Values
from stdial.web.stage import Button, Run, Slider, Stage, Table, code, em, num
from stdial.web.views.for_a_class import part
from stdial.web.words import decimal

__all__ = ["LINES", "glossary", "proof", "stage"]

LINES = 8


def stage(v: Values) -> Stage:
    """The theorem with this group's numbers, its picture, and the controls that step through the proof."""
    sigma = decimal(float(group.std(v.k, v.G)), 4)
    answer: list[Run] = (
        ["All ", num(str(v.G)), " answers agree: sigma is ", num("0"), ", every push is 0: the group is ", em("silent"), "."]
        if v.k in (0, v.G)
        else [
            em("GRPO", "grpo"), "'s update on ", num(f"{v.k} of {v.G}"), " right is ", num(sigma, "grpo"),
            " times one difference, because ", num(sigma), " is the standard deviation of the rewards.",
        ]
    )  # fmt: skip
    return Stage(
        title="Why is it the standard deviation?",
        answer=answer,
        text=[["The lines stand below, with your k and G in each. Move a slider, or go through them one at a time."]],
        controls=[
            Slider("k", "Right answers", v.k, low=0, high=v.G, step=1, primary=True),
            Slider("G", "Group size", v.G, low=2, high=1024, step=1, scale="log"),
            Slider("line", "Lines of the proof shown", v.line, low=1, high=LINES, step=1),
            Button("line", "From the first line", sets={"line": 1}),
            *([Button("line", "Next line", sets={"line": v.line + 1})] if v.line < LINES else []),
            part(v),
        ],
        charts=[charts.updates(v.G, v.k, 1.0)],
    )  # fmt: skip


def proof(page: Page) -> None:
    """The lines up to the chosen one, as headings, sentences and formulas."""
    v = page.values
    if v.guess:  # the lines wait with the answer
        return
    with st.container(key="below"):
        st.markdown("## The proof")
        for i, (head, text, latex) in enumerate(lines(v.k, v.G)[: v.line]):
            st.markdown(f"### {i + 1}. {head}\n\n{text}")
            st.latex(latex)
        if v.line == LINES:
            st.markdown("That is the whole proof. Line 7 is where right-or-wrong was never needed.")


def lines(k: int, G: int) -> list[tuple[str, str, str]]:
    """The proof's lines for k right of G: heading, sentence and formula.

    >>> [head for head, _, _ in lines(1, 8)][0]
    'The spread'
    """
    wrong, sigma = G - k, float(group.std(k, G))
    silent = k in (0, G)
    up, down = (float(a) for a in group.advantages(k, G, GRPO))
    up_plain, down_plain = (float(a) for a in group.advantages(k, G, DR_GRPO))
    mean, s = k / G, f"{sigma:.4f}"
    common = f"{(k * wrong) ** 0.5:.4f}"
    weight = float(expectation.weight(0.5, G, GRPO))
    pushes = (
        (
            f"All {G} answers agree, so there is no spread to divide by. The advantage is 0 for each, by definition.",
            r"A_i = 0 \quad\text{for every } i",
        )
        if silent
        else (
            f"Each reward minus the mean {mean:.4g}, over sigma: one value for the {_count(k, 'right answer')}, another for "
            f"the {_count(wrong, 'wrong one')}.",
            rf"A_+ = \frac{{1-\mu}}{{\sigma}} = \sqrt{{\frac{{{wrong}}}{{{k}}}}} = {up:.4f}, \qquad"
            rf" A_- = \frac{{-\mu}}{{\sigma}} = -\sqrt{{\frac{{{k}}}{{{wrong}}}}} = {down:.4f}",
        )
    )
    return [
        (
            "The spread",
            f"{_many(k, 'reward')} 1 and {wrong} {'is' if wrong == 1 else 'are'} 0. A reward equals its own square, so the "
            "variance is the mean times what is left to 1.",
            rf"\mu = \frac{{{k}}}{{{G}}}, \qquad \sigma^2 = \mu(1-\mu) = \frac{{{k}\cdot{wrong}}}{{{G}^2}}, \qquad \sigma = {s}",
        ),
        ("The pushes", *pushes),
        (
            "The update as two sums",
            "The group's gradient averages push times score. Collect the right and the wrong answers, each with its mean score.",
            rf"g = \frac{{1}}{{{G}}}\sum_i A_i s_i = \frac{{1}}{{{G}}}\left({k}\,A_+\,\bar s_+ + {wrong}\,A_-\,\bar s_-\right)",
        ),
        (
            "The two sums weigh the same",
            "Number times push is the same on both sides but for its sign: the pushes of a group cancel.",
            rf"{k}\,A_+ = \sqrt{{{k}\cdot{wrong}}} = {0.0 if silent else float(common):.4f} = -\,{wrong}\,A_-",
        ),
        (
            "The identity",
            "Take that common weight out. Over the group size it is sigma: the very number that GRPO divided by.",
            rf"g = \frac{{\sqrt{{{k}\cdot{wrong}}}}}{{{G}}}\,(\bar s_+ - \bar s_-) = \sigma\,(\bar s_+ - \bar s_-)"
            rf" = {s}\,(\bar s_+ - \bar s_-)",
        ),
        (
            "The exponent",
            f"Dr. GRPO leaves out the division, so its pushes are {up_plain:+.4f} and {down_plain:+.4f} and sigma stays in "
            "twice. Any exponent lies on the same line. DAPO drops the groups where sigma is 0, which added nothing.",
            rf"c = \sigma^{{2-\alpha}} = \left(\frac{{\sqrt{{{k}\cdot{wrong}}}}}{{{G}}}\right)^{{2-\alpha}}: \qquad"
            rf" \alpha = 1:\ {s}, \qquad \alpha = 0:\ {s}^2 = {sigma**2:.4f}",
        ),
        (
            "Any reward",
            "Nothing so far needs 0 and 1. The pushes always sum to 0, so the sum is a covariance. Over the variance "
            "it is the slope of score on reward, which for right or wrong is the difference of line 5; "
            f"with {k} of {G} right the factor stays {s}.",
            r"g = \frac{1}{\sigma}\,\mathrm{Cov}(r, s) = \sigma\,\frac{\mathrm{Cov}(r, s)}{\mathrm{Var}(r)} = \sigma\,\beta,"
            r" \qquad \beta = \bar s_+ - \bar s_- \ \text{for 0 and 1}",
        ),
        (
            "Over many groups",
            f"Draw k anew each time. In expectation the scores cancel, and what is left is the gradient of p times "
            f"a weight. At {G} answers GRPO's weight is {weight:.4f} at p = 1/2 and never more than the root of "
            f"{G - 1}; Dr. GRPO's is the same everywhere.",
            rf"\mathbb E[g] = w_{{{G}}}(p)\,\nabla p, \qquad w_{{{G}}}(p) = \frac{{\mathbb E[c]}}{{p(1-p)}},"
            rf" \qquad w_{{{G}}}(\tfrac12) = {weight:.4f}",
        ),
    ]


def _count(n: int, word: str) -> str:
    """The number with its word.

    >>> _count(1, "answer"), _count(2, "answer")
    ('1 answer', '2 answers')
    """
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _many(n: int, word: str) -> str:
    """The number with its word and verb, as "1 reward is"."""
    return f"{_count(n, word)} {'is' if n == 1 else 'are'}"


def glossary() -> Stage:
    """One thing, three words: the paper's, the trainers', the statisticians'."""
    rows: list[list[object]] = [
        ["Group", "the tries of one prompt", ["rollouts, ", code("num_generations")], "a sample of size G"],
        ["Group size G", "tries", "group size, generations per prompt", "sample size"],
        ["Right answers k", "right answers", "solved, accuracy reward", "successes, a binomial count"],
        ["Success probability p", "solve rate, difficulty", "pass rate, pass@1", "Bernoulli parameter"],
        ["Sigma", "disagreement", ["reward std, ", code("reward_std")], "population standard deviation (ddof 0)"],
        ["Push", "advantage", "advantage", "z-score, standardised residual"],
        ["Update c", "update magnitude", "scale of the policy gradient", "coefficient of a contrast"],
        ["Silent group", "silent group", ["zero-variance group, ", code("frac_reward_zero_std")], "a constant sample"],
        ["Silent rate", "silent share", "share of filtered prompts", "chance that a sample is constant"],
        ["Exponent alpha", "not in the paper", ["normalise by std or not, ", code("scale_rewards")], "power of a variance weight"],
        ["Dropping silent groups", "dynamic sampling", ["dynamic sampling, ", code("filter_groups")], "conditioning on mixed"],
        ["Fidelity", "share of the large-group update", "not logged", "ratio of an expected sample deviation to its limit"],
        ["Attenuation law", "attenuation law", "not logged", "first-order bias of the sample standard deviation"],
        ["Difficulty weight", "difficulty bias", "question-level difficulty bias", "variance function of a weighted score"],
        ["Pool", "problem set", "training set, prompt pool", "mixing distribution of p"],
        ["Plug-in", "closed form", "estimate from the mean reward", "plug-in estimator, biased"],
        ["Unbiased estimate", "subsampled", "as in pass@k", "U-statistic (hypergeometric)"],
    ]  # fmt: skip
    return Stage(
        heading="One thing, three words",
        text=[["The paper is arXiv 2607.00152; trainers' names are those of TRL and verl."]],
        tables=[
            Table(
                ["Here", "The paper", "Trainers", "Statisticians"], rows,
                caption="A word for each thing, by who says it", cards=True,
            )
        ],
        layout="wide",
    )  # fmt: skip
