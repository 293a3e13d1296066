"""How long a tally of generated rollouts takes with DuckDB, beside a query written by hand, and how much memory.

    python bench/tally.py                  100 million rows, and a tenth and a hundredth of them
    python bench/tally.py --rows 1000000   the short form

Rows are made in a temporary folder (about 6 bytes each on disk) that is removed afterwards: 16 rollouts of each problem,
ids as text, rewards 0 and 1 with one in a hundred missing, a facet of ten steps. Each measurement is a process of its
own, the best of three, after a first call on one row that loads the libraries (0.2 s). Its peak is the resident memory of
that process, Python and its libraries included. "ratio" compares times on the clock, "processor" the times that all
processors worked, which a busy machine disturbs less. The limit of --memory is there for both; close to what a query
needs (1.5 GB for 100 million rows) DuckDB spills to disk and takes several times as long.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = 8
RUNS = 3
TRIES = 16

MAKE = """
COPY (
    SELECT 'problem-' || lpad((i % {problems})::VARCHAR, 9, '0') AS id,
           CASE WHEN hash(i) % 100 > 0 THEN (hash(i + 1) % 1000 < hash(i % {problems}) % 1000)::TINYINT END AS reward,
           (i % {problems} % 10)::INTEGER AS step
    FROM range({first}, {last}) AS r(i)
) TO '{path}' (FORMAT parquet)
"""
START = """
import duckdb, json, resource, sys, time
source, memory = sys.argv[1:]
connection = duckdb.connect(config={"memory_limit": memory, "preserve_insertion_order": "false"})
connection.execute("SET enable_progress_bar = false")
connection.execute("CREATE TABLE few AS SELECT 'a' AS id, 1 AS reward, 1 AS step")
"""
END = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << (30 if sys.platform == "darwin" else 20))
processor = time.process_time() - before
print(json.dumps({"seconds": seconds, "processor": processor, "gigabytes": peak, "problems": problems}))
"""
BY_HAND = (
    START
    + """
connection.execute("SELECT step, sum(reward) FROM few GROUP BY step").fetchall()
started, before = time.perf_counter(), time.process_time()
rows = connection.execute(
    "SELECT r, n, step, count(*) FROM (SELECT id, step, sum(reward) AS r, count(reward) AS n "
    "FROM read_parquet(?) GROUP BY id, step) GROUP BY r, n, step", [source]
).fetchall()
seconds = time.perf_counter() - started
problems = sum(row[3] for row in rows)
"""
    + END
)
TALLY = (
    START
    + """
from stdial.tally import tally
tally(connection.table("few"), id="id", reward="reward", facets="step")
started, before = time.perf_counter(), time.process_time()
pool = tally(connection.read_parquet(source), id="id", reward="reward", facets="step")
seconds = time.perf_counter() - started
problems = pool.size
"""
    + END
)


def make(folder: Path, rows: int) -> str:
    """Write the rows in several files and return their glob."""
    import duckdb

    problems = max(rows // TRIES, 1)
    with duckdb.connect() as connection:
        for part in range(FILES):
            first, last = rows * part // FILES, rows * (part + 1) // FILES
            connection.execute(MAKE.format(problems=problems, first=first, last=last, path=folder / f"{part}.parquet"))
    return str(folder / "*.parquet")


def measured(program: str, source: str, memory: str) -> dict[str, float]:
    """One run in a process of its own."""
    command = [sys.executable, "-c", program, source, memory]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    run: dict[str, float] = json.loads(printed.splitlines()[-1])
    return run


def compared(source: str, memory: str) -> tuple[dict[str, float], dict[str, float]]:
    """The best of several runs by hand and as a tally, in turns, so that a busy machine slows both."""
    runs = [(measured(BY_HAND, source, memory), measured(TALLY, source, memory)) for _ in range(RUNS)]
    best = {"seconds": min, "processor": min, "gigabytes": max, "problems": max}
    hand, tally = ({name: pick(run[i][name] for run in runs) for name, pick in best.items()} for i in (0, 1))
    return hand, tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rows", type=int, default=100_000_000, help="the largest number of rows (default: 100 million)"
    )
    parser.add_argument("--memory", default="4GB", help="DuckDB's memory limit for both (default: 4GB)")
    options = parser.parse_args()
    heads = ["rows", "problems", "on disk", "by hand", "tally", "ratio", "processor", "peak by hand", "peak"]
    print(" ".join(f"{head:>12}" for head in heads))
    for rows in (options.rows // 100, options.rows // 10, options.rows):
        with tempfile.TemporaryDirectory(prefix="stdial-bench-") as folder:
            source = make(Path(folder), rows)
            size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
            hand, ours = compared(source, options.memory)
        assert hand["problems"] == ours["problems"]
        ratios = [ours[clock] / hand[clock] for clock in ("seconds", "processor")]
        cells = [f"{rows:,}", f"{ours['problems']:,}", f"{size:.0f} MB", f"{hand['seconds']:.2f} s"]
        cells += [f"{ours['seconds']:.2f} s", *(f"{ratio:.2f}" for ratio in ratios)]
        cells += [f"{run['gigabytes']:.2f} GB" for run in (hand, ours)]
        print(" ".join(f"{cell:>12}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
