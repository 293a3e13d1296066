"""Files that mean harm, read in a child process with small limits: one clear sentence each, and memory bounded."""

import gzip
import io
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stdial.reading import Limits, Reading, ReadingError, Refused, Unclear, read
from stdial.reading.guarded import GUARDED, Stopped, read_bytes
from stdial.reading.wire import packed, packed_error, unpacked, unpacked_error

CASES = Path(__file__).parent / "cases"
SMALL = Limits(size=2 << 20, columns=100, cell=100_000, depth=20, memory=2 << 30)


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def tampered() -> bytes:
    data = bytearray(parquet(pa.table({"id": [1, 2, 3], "reward": [1, 0, 1]})))
    footer = int.from_bytes(data[-8:-4], "little")
    for at in range(len(data) - 8 - footer, len(data) - 8, 7):
        data[at] ^= 0x55
    return bytes(data)


HOSTILE: dict[str, tuple[bytes, str, str]] = {
    "gzip bomb": (gzip.compress(b"id,pass_rate\n" + b"a,0\n" * 2_000_000), "too large", "unpacks to more than 2 MB"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"a")), "not a table", "inside"),
    "gzip cut short": (gzip.compress(b"id,pass_rate\n" + b"a,0\n" * 999)[:-9], "not a table", "cut short"),
    "many rows in few bytes": (parquet(pa.table({"id": np.zeros(300_000, np.int8)})), "too large", "300,000 rows"),
    "tampered Parquet": (tampered(), "not a table", "damaged"),
    "Parquet without a footer": (b"PAR1" + bytes(range(1, 200)) + b"PAR1", "not a table", "damaged"),
    "Arrow of noise": (b"ARROW1\0\0" + b"\xff" * 999, "not a table", "damaged"),
    "columns": (
        (",".join(f"c{i}" for i in range(999)) + "\n" + "0," * 998 + "0\n").encode(),
        "too large",
        "999 columns",
    ),
    "JSON columns": (json.dumps([{f"c{i}": 1 for i in range(999)}] * 2).encode(), "too large", "999 columns"),
    "one cell": (b"id,pass_rate\n" + b"a" * 1_000_000 + b",0.5\n", "too large", "longer than"),
    "one header": (b"a" * 1_000_000 + b",pass_rate\nx,0.5\n", "too large", "longer than"),
    "one JSON cell": (json.dumps([{"id": "a" * 1_000_000, "pass_rate": 0.5}]).encode(), "too large", "cell of id"),
    "NUL": (b"id,pass_rate\na,0.5\nb\0,0.25\n", "not a table", "NUL"),
    "lists in lists": (b"[" * 100_000 + b"]" * 100_000, "not a table", "nested more than 20"),
    "objects in objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "not a table", "nested more than 20"),
    "noise": (bytes(range(128, 256)) * 99, "not a table", "not text"),
    "blank lines": (b"\n" * 99_999, "empty", "empty"),
    "commas": (b"," * 99_999, "too large", "100,000 columns"),
    "numbers beyond all bounds": (b"id,right,tries\na,99999999999999999999,1e400\n", "out of range", "row 1"),
    "a rate without end": (b'[{"id": 1, "pass_rate": Infinity}]', "out of range", "row 1"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_refused_in_one_sentence(name: str) -> None:
    data, kind, words = HOSTILE[name]
    with pytest.raises(Refused) as caught:
        read(data, limits=SMALL)
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert len(str(caught.value)) <= 1000
    assert "\n" not in str(caught.value)


def test_in_the_child() -> None:
    """One each of what crashes, what grows and what is refused; then a good file."""
    few_long = pa.array(["x" * 1_000_000]).dictionary_encode().take(pa.array(np.zeros(100_000, np.int64)))
    grows = parquet(pa.table({"id": few_long, "reward": np.zeros(100_000)}))
    for data, kind in ((HOSTILE["objects in objects"][0], "not a table"), (grows, "too large")):
        with pytest.raises(Refused) as caught:
            read_bytes(data, limits=replace(GUARDED, memory=1 << 30))
        assert caught.value.kind == kind
    found = read_bytes(io.BytesIO((CASES / "trl_completions.parquet").read_bytes()), "log")
    assert found.mapping == {"id": "prompt", "reward": "accuracy_reward"}


def test_limits_of_the_child() -> None:
    data = (CASES / "counts.csv").read_bytes()
    with pytest.raises(Refused, match="larger than") as caught:
        read_bytes(data, limits=replace(GUARDED, size=10))
    assert caught.value.kind == "too large"
    with pytest.raises(Refused, match="longer than") as caught:
        read_bytes(data, limits=replace(GUARDED, wall=1e-3))
    assert caught.value.kind == "too large"
    with pytest.raises(Refused, match=r"too (large|many)") as caught:
        read_bytes(data, limits=replace(GUARDED, result=500))
    assert caught.value.kind == "too large"


def test_stop_and_progress() -> None:
    stop = threading.Event()
    seen: list[str] = []

    def watch(stage: str, share: float) -> None:
        seen.append(stage)
        stop.set()

    with pytest.raises(Stopped):
        read_bytes(b"id,pass_rate\n" + b"a,0.5\n" * 300_000, on_progress=watch, stop=stop)
    assert seen[0] == "reading the table"


def test_questions_and_wrong_options_come_back() -> None:
    with pytest.raises(Unclear) as asked:
        read_bytes((CASES / "two_steps.csv").read_bytes())
    assert asked.value.answers[0] == ("step 100", {"step": "step", "at_step": "100"})
    with pytest.raises(ValueError, match="foo"):
        read_bytes(b"id,pass_rate\na,1\n", options={"rate": "foo"})


@pytest.mark.parametrize("name", sorted(p.name for p in CASES.iterdir() if p.name != "expected.json"))
def test_readings_travel_unchanged(name: str) -> None:
    found = outcome(name)
    if isinstance(found, Reading):
        same(unpacked(packed(found)), found)
        return
    back = unpacked_error(packed_error(found))
    assert (type(back), str(back), vars(back).keys()) == (type(found), str(found), vars(found).keys())
    if isinstance(found, Refused) and found.table is not None:
        assert isinstance(back, Refused)
        assert back.table.equals(found.table)


def outcome(name: str) -> Reading | ReadingError:
    try:
        return read(CASES / name)
    except ReadingError as error:
        return error


def test_steps_facets_and_counts_travel() -> None:
    same(*(f(read(CASES / "two_steps.csv", each_step=True)) for f in (lambda r: unpacked(packed(r)), lambda r: r)))
    counted = read(b"right,tries,problems\n1,8,3\n2,8,5\n")
    same(unpacked(packed(counted)), counted)


def same(back: Reading, found: Reading) -> None:
    plain: tuple[str, ...] = (
        "mapping",
        "warnings",
        "reasons",
        "alternatives",
        "columns",
        "notes",
        "rows",
        "preview",
        "facets",
    )
    for name in plain:
        assert getattr(back, name) == getattr(found, name), name
    assert (back.problems, back.rollouts, back.silent_groups) == (found.problems, found.rollouts, found.silent_groups)
    assert list(back.rewards) == list(found.rewards)
    assert (back.pool is None) == (found.pool is None)
    columns: dict[str, Any] = {name: found.groups[name] for name in found.groups}
    for name, values in columns.items():
        np.testing.assert_array_equal(back.groups[name].to_numpy(), values.to_numpy())
    if found.pool is not None and back.pool is not None:
        np.testing.assert_array_equal(back.pool.rate, found.pool.rate)
        for facet in found.pool.facets:
            assert back.pool.values(facet) == found.pool.values(facet)
    one, other = back.rollouts_of(0), found.rollouts_of(0)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.num_rows == other.num_rows


def test_a_text_cut_within_a_letter_is_read() -> None:
    """Half a surrogate pair, as a log holds it whose texts were cut by length; escaped backslashes are none."""
    for lines in (b'[{"id":"a \\ud83d","pass_rate":0.5},{"id":"b","\\udfff":1,"pass_rate":0.25}]',
                  b'{"id":"a \\ud83d","pass_rate":0.5}\n{"id":"b","\\udfff":1,"pass_rate":0.25}\n'):  # fmt: skip
        found = read_bytes(lines)
        assert found.ids is not None
        assert found.ids.tolist() == ["a \ufffd", "b"]
    found = read(b'[{"id":"\\\\ud83d","pass_rate":0.5},{"id":"\\ud83d\\ude00","pass_rate":0.5}]')
    assert found.ids is not None
    assert found.ids.tolist() == ["\\ud83d", "\U0001f600"]


@pytest.mark.parametrize("between", ["\u2028", "\u2029", "\x85", "\u00a0"])
def test_json_lines_whose_texts_hold_other_line_ends(between: str) -> None:
    lines = [json.dumps({"id": f"a{between}{i}", "pass_rate": 0.5}, ensure_ascii=False) for i in range(3)]
    found = read("\r\n".join(lines).encode())
    assert found.ids is not None
    assert found.ids.tolist() == [f"a{between}{i}" for i in range(3)]


@pytest.mark.parametrize("many", ["1e18", "9007199254740993", "1e300", "999999999999", "-1"])
def test_numbers_of_problems_beyond_counting(many: str) -> None:
    with pytest.raises(Refused) as caught:
        read(f"right,tries,problems\n1,8,999999999999\n2,8,{many}\n".encode())
    assert caught.value.kind == "out of range"


def test_devices_and_pipes(tmp_path: Path) -> None:
    for device in ("/dev/zero", "/dev/null"):
        with pytest.raises(Refused, match="a device"):
            read(device)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for lines, expected in ((b"id,right,tries\na,1,8\n", 1), (gzip.compress(b"id,right,tries\na,2,8\n"), 2)):
        writer = threading.Thread(target=pipe.write_bytes, args=(lines,))
        writer.start()
        found = read(pipe)
        writer.join()
        assert found.pool is not None
        assert found.pool.right is not None
        assert found.pool.right.tolist() == [expected]


@pytest.mark.parametrize("vast", ["1e308", "-1e308", "1.1e100"])
def test_rewards_whose_squares_are_beyond_float64(vast: str) -> None:
    rows = b"".join(b"q%d,%s,%d\n" % (i // 4, [vast.encode(), b"0.5", b"0", b"1"][i % 4], i % 2) for i in range(40))
    for threshold in (None, 0.5):
        with pytest.raises(Refused, match="are read") as caught:
            read(b"id,reward,other_reward\n" + rows, reward="reward", threshold=threshold)
        assert caught.value.kind == "out of range"
    found = read(b"id,other_reward,reward\n" + rows, reward="reward")
    assert list(found.rewards) == ["reward"]
    assert np.isfinite(found.stats.sigma).all()
