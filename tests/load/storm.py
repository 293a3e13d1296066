"""Hostile files from some, while others go on as usual."""

from __future__ import annotations

import asyncio
import gzip
import io
import random
import time
from dataclasses import dataclass, field

import psutil

from tests.load.crowd import Tally, crowd, used
from tests.load.session import Failed, Session

MEGABYTE = 1 << 20


def hostile_files() -> dict[str, bytes]:
    """Files that make a careless reader run out of memory, time or sense."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb", mtime=0) as packed:
        for _ in range(1500):
            packed.write(b"q,1,8\n" * (MEGABYTE // 6))
    claims = io.BytesIO()
    pq.write_table(pa.table({"id": ["a"] * 3_000_000, "rate": [0.5] * 3_000_000}), claims, compression="zstd")
    many = ",".join(f"c{i}" for i in range(100_000))
    return {
        "bomb.csv.gz": bomb.getvalue(),
        "claims.parquet": claims.getvalue(),
        "columns.csv": f"{many}\n{many}\n".encode(),
        "cell.csv": b"id,rate\na," + b"9" * (50 * MEGABYTE) + b"\n",
        "nul.csv": b"\x00" * MEGABYTE,
        "deep.json": b"[" * 200_000 + b"]" * 200_000,
        "markup.csv": b"<img src=x onerror=alert(1)>,=cmd|' /C calc'!A0,rate\n" + b"a,b,0.5\n" * 40,
        "torn.parquet": claims.getvalue()[:5000],
        "noise.bin": random.Random(1).randbytes(MEGABYTE),
    }


@dataclass
class Storm:
    """The ordinary visitors before and during the storm, what the attackers saw, and the server's memory in megabytes."""

    calm: Tally
    rough: Tally
    uploads: int = 0
    failures: list[str] = field(default_factory=list)
    peak: float = 0.0


async def storm(address: str, server: psutil.Process, seconds: float, visitors: int = 10, attackers: int = 2) -> Storm:
    """Ordinary visitors alone, then with attackers who upload one hostile file after another."""
    files = hostile_files()
    calm = await crowd(address, server, visitors, seconds, seed=1, uploading=0)
    seen = Storm(calm, calm)
    until = time.perf_counter() + seconds

    async def attack(number: int) -> None:
        names = sorted(files)
        while time.perf_counter() < until:
            one = Session(address)
            try:
                await one.open("your_data")
                for i in range(len(names)):
                    name = names[(i + number * 4) % len(names)]
                    await one.upload(one.uploaders[0], name, files[name])
                    seen.uploads += 1
                    await asyncio.sleep(0.5)
                    if time.perf_counter() > until:
                        break
            except (Failed, OSError) as error:
                seen.failures.append(f"{error}")
            finally:
                await one.close()

    async def watch() -> None:
        while time.perf_counter() < until:
            seen.peak = max(seen.peak, used(server)[1])
            await asyncio.sleep(0.2)

    async def ordinary() -> None:
        seen.rough = await crowd(address, server, visitors, seconds, seed=2, uploading=0)

    await asyncio.gather(ordinary(), watch(), *(attack(number) for number in range(attackers)))
    return seen


def told(seen: Storm) -> str:
    """One paragraph for the screen."""
    return (
        f"storm: {seen.uploads} hostile files beside {seen.rough.sessions} ordinary visitors, whose reruns were p50 "
        f"{seen.calm.quantile(0.5):.0f} p95 {seen.calm.quantile(0.95):.0f} ms before and p50 {seen.rough.quantile(0.5):.0f} p95 "
        f"{seen.rough.quantile(0.95):.0f} ms during it, {len(seen.rough.errors)} errors; the server and its readers took at most "
        f"{seen.peak:.0f} MB; {len(seen.failures)} attackers were shown an error"
        + "".join(f"\n    {text}" for text in sorted({*seen.failures, *seen.rough.errors})[:5])
    )
