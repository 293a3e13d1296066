"""One table, written in every usual way, reads the same."""

import csv
import gzip
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdial.reading import Reading, read
from stdial.reading.dialect import detect

Rows = list[list[str]]


@st.composite
def dialects(draw: st.DrawFn) -> dict[str, object]:
    decimal = draw(st.sampled_from((".", ",")))
    delimiter = draw(st.sampled_from((";", "\t", "|", ",")))
    # a decimal comma between commas has to be quoted
    quoting = csv.QUOTE_ALL if decimal == delimiter else draw(st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)))
    return {
        "decimal": decimal,
        "delimiter": delimiter,
        "quoting": quoting,
        "end": draw(st.sampled_from(("\n", "\r\n"))),
        "encoding": draw(st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "cp1252"))),
        "packed": draw(st.booleans()),
        "comment": draw(st.booleans()),
    }


def written(rows: Rows, how: dict[str, object]) -> bytes:
    out = io.StringIO(newline="")
    if how["comment"]:
        out.write("# made up" + str(how["end"]))
    writer = csv.writer(out, delimiter=str(how["delimiter"]), quoting=how["quoting"], lineterminator=str(how["end"]))  # type: ignore[arg-type]
    writer.writerows(rows)
    data = out.getvalue().encode(str(how["encoding"]))
    return gzip.compress(data) if how["packed"] else data


def number(value: float, how: dict[str, object]) -> str:
    return str(value).replace(".", str(how["decimal"]))


def by_id(found: Reading) -> dict[str, tuple[int, int]]:
    assert found.pool is not None
    assert found.pool.right is not None
    assert found.pool.tries is not None
    ids = found.ids.tolist() if found.ids is not None else []
    return dict(zip(map(str, ids), zip(found.pool.right.tolist(), found.pool.tries.tolist(), strict=True), strict=True))


@given(dialects(), st.lists(st.integers(0, 8), min_size=12, max_size=30), st.randoms(use_true_random=False))
def test_rates_read_the_same(how: dict[str, object], right: list[int], random: object) -> None:
    right = [0, 1, 8, 4, *right]  # three different values, one of which needs eighths
    rows = [[f"é{i}", 'Prüfe, "bitte"; x|y', number(k / 8, how)] for i, k in enumerate(right)]
    random.shuffle(rows)  # type: ignore[attr-defined]
    found = read(written([["id", "prompt", "pass_rate"], *rows], how))
    assert found.mapping == {"id": "id", "rate": "pass_rate"}
    assert by_id(found) == {f"é{i}": (k, 8) for i, k in enumerate(right)}


@given(dialects(), st.lists(st.integers(0, 4), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_rollouts_read_the_same(how: dict[str, object], right: list[int], random: object) -> None:
    rows = [[f"q{i}", "text", str(int(j < k))] for i, k in enumerate(right) for j in range(4)]
    random.shuffle(rows)  # type: ignore[attr-defined]
    found = read(written([["question_id", "answer", "correct"], *rows], how))
    assert found.mapping == {"id": "question_id", "reward": "correct"}
    assert by_id(found) == {f"q{i}": (k, 4) for i, k in enumerate(right)}


@given(dialects(), st.lists(st.integers(0, 8), min_size=10, max_size=30))
def test_a_column_of_rates_without_a_header(how: dict[str, object], right: list[int]) -> None:
    right = [0, 1, 8, 4, *right]
    found = read(written([[number(k / 8, how)] for k in right], how))
    assert found.mapping == {"rate": "column 1"}
    assert found.pool is not None
    assert found.pool.right is not None
    assert found.pool.right.tolist() == right
    assert any("no header" in warning for warning in found.warnings)


def test_large_files_read_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    order = draw.permutation(3000)
    rows = [[f"q{i % 300}", "5" if i % 2 else "", '"a",\nb', f"t{i % 300 % 3}", str(i % 7 % 2)] for i in order]
    data = written(
        [["qid", "step", "text", "topic", "reward"], *rows],
        {
            "delimiter": ",",
            "quoting": csv.QUOTE_MINIMAL,
            "end": "\n",
            "encoding": "utf-8",
            "packed": False,
            "comment": True,
        },
    )
    small = read(data)
    for module in ("stdial.reading.source", "stdial.reading.large"):
        monkeypatch.setattr(f"{module}.LARGE", 1000)
    monkeypatch.setattr("stdial.reading.large._HEAD", 20_000)
    large = read(data)
    assert large.source is None
    assert (small.mapping, small.warnings, small.facets) == (large.mapping, large.warnings, large.facets)
    assert by_id(small) == by_id(large)
    assert small.pool is not None
    assert large.pool is not None
    assert small.pool.values("topic") == large.pool.values("topic")
    broken = data + b"q7,,x\n"
    with pytest.raises(ValueError, match="not a table"):
        read(broken)


@pytest.mark.parametrize("how", ["zstd", "bz2", "gzip"])
def test_compressed(how: str) -> None:
    data = b"id,right,tries\na,1,8\nb,8,8\n"
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, how) as stream:
        stream.write(data)
    assert read(sink.getvalue().to_pybytes()).mapping == {"id": "id", "right": "right", "tries": "tries"}


def test_two_members_of_a_gzip_file() -> None:
    data = gzip.compress(b"id,right,tries\na,1,8\n") + gzip.compress(b"b,8,8\n")
    assert read(data).problems == 2


def test_open_files_and_names(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a [1] *.csv"
    path.write_text("id,right,tries\na,1,8\n")
    with path.open("rb") as stream:
        assert read(stream).problems == 1
    assert read(str(path)).problems == 1
    assert read(io.StringIO("id,right,tries\na,1,8\n")).problems == 1


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        ("a;b\n1,5;2\n", ";", ("a", "b")),
        ("0,125\n0,25\n0,5\n1,0\n", None, ("",)),
        ("id\t0\t1\t2\nq\t1\t0\t1\n", "\t", ("id", "0", "1", "2")),
        ("id,correct\n1,correct\n2,incorrect\n", ",", ("id", "correct")),
        ("'a, b','c'\n'1','2'\n'3','4'\n", ",", ("a, b", "c")),
        ('"x\ny",b\n1,2\n', ",", ("x\ny", "b")),
        ("1;0;1\n0;0;1\n", ";", ("", "", "")),
    ],
)
def test_dialect(text: str, delimiter: str | None, names: tuple[str, ...]) -> None:
    found = detect(text.encode(), True)
    assert (found.delimiter, found.names) == (delimiter, names)
