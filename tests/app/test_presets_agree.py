"""Mean, silent share and plan of each preset are the same on the pages, in the package and on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from stdial import presets, tries
from stdial.__main__ import main
from tests.app.reading_stages import run, said

NAMES = {"bell": "bell", "u": "U", "hard": "hard-heavy", "ends": "two ends", "one": "all at one p"}


@pytest.mark.parametrize("link", list(NAMES))
def test_agree(link: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = presets.pool(NAMES[link])
    silent, best = pool.silent_rate(8), tries.plan(pool, 8000)

    file, out = tmp_path / "preset.csv", tmp_path / "plan.csv"
    rates = np.repeat(pool.rate, pool.problems)
    file.write_text("id,pass_rate\n" + "".join(f"q{i},{rate!r}\n" for i, rate in enumerate(rates.tolist())))
    assert main(["report", str(file), "--id", "id", "--rate", "pass_rate", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == pool.size == 1000
    assert report["mean_rate"] == pytest.approx(pool.mean_rate, rel=1e-12)
    assert report["silent"]["8"]["best"] == pytest.approx(silent, rel=1e-12)

    arguments = ["--id", "id", "--rate", "pass_rate", "--budget", "8000", "--out", str(out)]
    assert main(["plan", str(file), *arguments]) == 0
    printed = capsys.readouterr().out
    assert f"mean pass rate {pool.mean_rate:.4f}" in printed
    assert f"{best.rollouts:,.0f} of 8,000 rollouts, {best.mixed:,.1f} mixed groups" in printed
    assert f"One size for all: {best.uniform.size} for" in printed
    rows = out.read_text().splitlines()[1:]
    assert sum(int(row.split(",")[4]) * int(row.split(",")[5]) for row in rows) == best.rollouts

    page = said(run("silence", pool=link))
    assert f"{100 * silent:.1f}% of the groups drawn from" in page
    page = said(run("tries", pool=link))
    assert f"{best.rollouts:,.0f} rollouts on" in page
    shown = f"{best.mixed:,.0f}" if best.mixed >= 1000 else f"{best.mixed:.1f}"
    assert f"the plan has {shown} mixed groups" in page
    assert f"one size of {best.uniform.size} for all" in page
