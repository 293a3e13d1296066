"""How long a CSV of rollouts takes to become a Pool, beside what pyarrow needs to read it; and the memory it takes.

Run: python bench/reading.py [rows in millions, default 10]. Both are run in processes of their own, in turn, and the
least of each is compared: wall time and processor time. Memory is the peak above what the imports take.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

REPEATS = 5
ROLLOUTS = 16

RUN = """
import json, re, sys, time
from pathlib import Path
how, path = sys.argv[1:]
def peak():  # of this program alone; getrusage would count what its parent held before it
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
if how == "stdial":
    from stdial.reading import read
    read(b"id,correct\\n1,0\\n1,1\\n").pool
    import duckdb
else:
    import pyarrow.csv as pc
    import io
    pc.read_csv(io.BytesIO(b"id,correct\\n1,0\\n1,1\\n"))
before = peak()
start, worked = time.perf_counter(), time.process_time()
if how == "stdial":
    problems = read(path).pool.size
else:
    problems = pc.read_csv(path).num_rows
print(json.dumps([time.perf_counter() - start, time.process_time() - worked, peak() - before, problems]))
"""


def write(path: Path, millions: float, named: bool) -> None:
    """A log of rollouts: problem, rollout, reward; problems are numbers, or names such as q17."""
    draw = np.random.default_rng(0)
    problems = int(millions * 1e6) // ROLLOUTS
    rate = draw.beta(0.5, 0.5, problems)
    ids = np.repeat(np.arange(problems), ROLLOUTS)
    columns = {
        "problem_id": pa.array([f"q{i}" for i in ids]) if named else ids,
        "rollout": np.tile(np.arange(ROLLOUTS), problems),
        "reward": (draw.random(len(ids)) < np.repeat(rate, ROLLOUTS)).astype(np.int8),
    }
    pc.write_csv(pa.table(columns), path, pc.WriteOptions(quoting_style="none"))


def run(how: str, path: Path) -> tuple[float, float, float, float]:
    out = subprocess.run([sys.executable, "-c", RUN, how, str(path)], capture_output=True, text=True, check=True)
    wall, worked, peak, problems = json.loads(out.stdout)
    return wall, worked, peak, problems


def main() -> None:
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    with tempfile.TemporaryDirectory() as folder:
        for named in (False, True):
            path = Path(folder) / "rollouts.csv"
            write(path, millions, named)
            size = path.stat().st_size
            runs: dict[str, list[tuple[float, float, float, float]]] = {"pyarrow": [], "stdial": []}
            for _ in range(REPEATS):
                for how, seen in runs.items():
                    seen.append(run(how, path))
            ours, theirs = (np.array(runs[how]).min(axis=0) for how in ("stdial", "pyarrow"))
            print(f"{millions:g} million rows, {'named' if named else 'numbered'} problems, {size / 1e6:.0f} MB:")
            print(
                f"  wall: stdial {ours[0]:.2f} s, pyarrow {theirs[0]:.2f} s, ratio {ours[0] / theirs[0]:.2f} (at most 2)"
            )
            print(f"  processor: stdial {ours[1]:.2f} s, pyarrow {theirs[1]:.2f} s, ratio {ours[1] / theirs[1]:.2f}")
            print(f"  peak memory over the imports: {ours[2] / size:.2f} x the file (at most 3),"
                  f" pyarrow {theirs[2] / size:.2f} x")  # fmt: skip


if __name__ == "__main__":
    main()
