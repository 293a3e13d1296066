"""Move a recipe from one framework to another: what changes, and the factor for the learning rate."""

from __future__ import annotations

import numpy as np

from stdial import frameworks
from stdial.charts import frameworks as charts
from stdial.frameworks import Move
from stdial.web.page import Values
from stdial.web.stage import Button, Run, Stage, Table, em, num
from stdial.web.views.framework_words import name_and_version
from stdial.web.views.frameworks import chosen, framework_menu, setting_menu
from stdial.web.words import decimal

__all__ = ["USES", "stage"]

USES = ("G", "framework", "setting", "number", "to", "to_setting")


def stage(v: Values) -> Stage:
    """The two settings, the factor by k, and what else is different."""
    one, two = chosen(v.framework, v.setting, v.number), chosen(v.to, v.to_setting)
    move = frameworks.move(one.framework.name, one.options, two.framework.name, two.options, v.G)
    rows = frameworks.changes(one.framework.name, one.options, two.framework.name, two.options)
    names = (name_and_version(one.framework), name_and_version(two.framework))
    same = names[0] == names[1]
    heads = ("What", f"{names[0]}, before" if same else names[0], f"{names[1]}, after" if same else names[1])
    swap = {"framework": v.to, "setting": v.to_setting, "number": "", "to": v.framework, "to_setting": v.setting}
    claims = [
        f"{c.framework.name} {c.framework.version}: advantages {c.setting.checked}, the rest read" for c in (one, two)
    ]
    return Stage(
        heading="Move a recipe",
        answer=_answer(move, v.G, two.framework.name),
        text=[_scale(move), [("; ".join(dict.fromkeys(claims)) + ".")]],
        controls=[
            framework_menu("framework", "From", v.framework),
            setting_menu("setting", "Setting", v.framework, v.setting),
            framework_menu("to", "To", v.to),
            setting_menu("to_setting", "Setting there", v.to, v.to_setting),
            Button("to", "Swap", sets=swap),
        ],
        charts=[charts.factor(move, v.G, {name: v[name] for name in USES})],
        tables=[Table(heads, [[[em(r.what)], r.before, r.after] for r in rows], cards=True)] if rows else [],
    )


def _answer(move: Move, G: int, to: str) -> list[Run]:
    live = np.isfinite(move.factor)
    if not live.any():
        return ["At ", num(f"G = {G}"), " no group has an update in both: no learning rate makes up for that."]
    least, most = (int(move.right[live][i]) for i in (np.argmin(move.factor[live]), np.argmax(move.factor[live])))
    middle = (move.least + move.most) / 2
    if move.constant and abs(middle - 1) < 1e-3:
        return ["At ", num(f"G = {G}"), f" keep the learning rate: {to} makes the same update, for every k."]
    if move.constant:
        words = f", and {to} makes the update that you had, for every k."
        return ["At ", num(f"G = {G}"), " multiply the learning rate by ", num(decimal(middle)), words]
    return [
        "At ", num(f"G = {G}"), " no one factor does it: the learning rate would have to be multiplied by ",
        num(decimal(move.least)), f" for groups with {least} right and by ", num(decimal(move.most)), f" for those with {most}.",
    ]  # fmt: skip


def _scale(move: Move) -> list[Run]:
    if move.constant:
        return ["For plain gradient steps. Adam hides a common factor; gradient clipping and a KL weight do not."]
    missing = int((~np.isfinite(move.factor[1:-1])).sum())
    line = "It is another objective, not another learning rate: weight moves between easy and hard prompts, under Adam too."
    if missing:
        line += f" For {missing} of {move.factor.size - 2} k one of the two makes no update."
    return [line]
