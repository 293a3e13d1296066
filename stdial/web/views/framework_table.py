"""All frameworks side by side at this group size."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from stdial import frameworks
from stdial.frameworks import Framework
from stdial.frameworks.behaviour import dust, single_answer
from stdial.frameworks.convention import Convention
from stdial.web.page import Values
from stdial.web.stage import Run, Stage, Table, code, num
from stdial.web.views.framework_words import name_and_version, value
from stdial.web.words import decimal

__all__ = ["USES", "stage"]

USES = ("G",)
_NO_MATTER = (
    "others_by", "std_by", "zero_std", "zero_mean", "single", "ragged", "sums", "rewards_in", "statistics_in", "result_in",
)  # fmt: skip


def stage(v: Values) -> Stage:
    """A row a framework; every claim with its version, and whether it was run or read."""
    table = frameworks.FRAMEWORKS.values()
    factors: dict[Convention, tuple[str, str]] = {}
    for f in table:
        if _formula(f.name) not in factors:
            factors[_formula(f.name)] = _default(f, v.G)
    defaults = [factors[_formula(f.name)] for f in table]
    without = sum(name == "Dr. GRPO" for name, _ in defaults)
    columns = (
        "Framework, version", "Default is", "Times the paper's", "GRPO by", "ddof", "eps", "Dr. GRPO by", "Eight .7 in float32 get",
        "An only answer gets", "Drops silent groups by", "Shows silence as", "Run or read",
    )  # fmt: skip
    return Stage(
        heading="All frameworks side by side",
        answer=[num(f"{without} of {len(table)}"), " entries leave out the division by the std unless told otherwise."],
        text=[
            [
                f"The factor is that of the default at G = {v.G}. ddof, eps and what odd groups get are those of its GRPO, "
                "where it offers that. “Run”: the advantages were compared with what the framework returned."
            ]
        ],
        tables=[
            Table(
                columns,
                [_row(f, *default) for f, default in zip(table, defaults, strict=True)],
                numeric=(2, 4, 5, 7),
                sentences=(3, 6, 9, 10),
                sortable=True,
                cards=True,
            )
        ],
        layout="wide",
    )  # fmt: skip


def _row(f: Framework, name: str, factor: str) -> list[Any]:
    first, *rest = _whatever_size(f.name)
    return [first, name, factor, *rest]


@functools.cache  # one entry a framework: trying each at its edges takes longer than all factors together
def _whatever_size(name: str) -> tuple[Any, ...]:
    """The cells of a framework's row that do not depend on the group size."""
    f = frameworks.get(name)
    grpo = frameworks.setting_for(f.name, "GRPO")
    options, setting = grpo or (f.default, f.setting(f.default))
    c = setting.convention
    return (
        name_and_version(f), _by(f, "GRPO"), str(c.ddof) if grpo else "", value(c.eps) if grpo else "", _by(f, "Dr. GRPO"),
        dust(f.name, options), single_answer(f.name, options), _filter(f), _metrics(f),
        f"advantages {setting.checked}, the rest read",
    )  # fmt: skip


@functools.cache
def _formula(name: str) -> Convention:
    """The default's convention without what is no matter for the third decimal of a factor: roundings and silent groups.

    Half of the frameworks share theirs with another one, and need not be computed again.
    """
    f = frameworks.get(name)
    plain: dict[str, Any] = {field: getattr(Convention(), field) for field in _NO_MATTER}
    return replace(f.setting(f.default).convention, **plain)


def _default(f: Framework, G: int) -> tuple[str, str]:
    """What the framework does when nothing is set, and its factor to the paper's method."""
    right = sorted({k for k in (0, 1, 2, G // 4, G // 2, G - G // 4, G - 2, G - 1, G) if 0 <= k <= G})
    b = frameworks.beside(f.name, f.default, G, right=right)
    if not b.constant:
        return "neither", f"{decimal(b.least)} to {decimal(b.most)}"
    return b.partner, decimal(b.factor)


def _by(f: Framework, method: str) -> list[Run] | str:
    """The options that give the method, in the framework's own spelling."""
    found = frameworks.setting_for(f.name, method)
    if found is None:
        return "not offered"
    default = found[1].when == f.setting(f.default).when
    spelled = ", ".join(frameworks.spelled_changed(f.name, found[0]))
    return [code(spelled), " (default)" if default else ""] if spelled else "fixed"


def _filter(f: Framework) -> str:
    first = f.filter.rule.split(". ")[0].rstrip(".")
    return first + (" (on by default)" if f.filter.on and "default" not in first else "")


def _metrics(f: Framework) -> list[Run] | str:
    names: list[Run] = []
    for metric in f.metrics:
        names += [", ", code(metric.name)] if names else [code(metric.name)]
    return names or "none found"
