"""Shapes in which people export rates and rollouts, made up: name -> (bytes, what a careful reader makes of them).

All hold the same twelve problems with `K` of 8 right. An outcome is ("read", mapping, problems, rollouts, right) with
None for what is not known, ("ask", choices) or ("refuse", kind, words of the message).
"""

import io
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq

Outcome = tuple[Any, ...]
K = [0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8]
RATE = [k / 8 for k in K]
ALL = (12, 96, 48)
NAMES = [f"p{i}" for i in range(12)]
_DRAW = np.random.default_rng(1)
MARKS = [[int(m) for m in _DRAW.permutation([1] * k + [0] * (8 - k))] for k in K]
LONG = [(i, j, m) for i, marks in enumerate(MARKS) for j, m in enumerate(marks)]


def read(mapping: dict[str, str], problems: int = 12, rollouts: int | None = 96, right: int | None = 48) -> Outcome:
    return "read", mapping, problems, rollouts, right


def ask(*choices: str) -> Outcome:
    return "ask", list(choices)


def refuse(kind: str, *texts: str) -> Outcome:
    return "refuse", kind, texts


def csv(rows: Any, **options: Any) -> bytes:
    return pd.DataFrame(rows).to_csv(index=False, **options).encode()


def lines(rows: Iterable[Any]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def frame_json(orient: str) -> bytes:
    return pd.DataFrame({"id": range(12), "pass_rate": RATE}).to_json(orient=orient).encode()


def parquet(columns: dict[str, Any], feather: bool = False) -> bytes:
    sink = io.BytesIO()
    if feather:
        pf.write_feather(pa.table(columns), sink)
    else:
        pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def text(header: str, rows: Iterable[str], encoding: str = "utf-8", end: str = "\n") -> bytes:
    return (header + end + "".join(row + end for row in rows)).encode(encoding)


def question(i: int) -> str:
    return f"What is {i} + 1, in words?"


LISTS = "a list a problem"
SHAPES: dict[str, tuple[bytes, Outcome]] = {
    # harnesses and trainers
    "lm-eval-harness samples": (
        lines(
            {"doc_id": i, "doc": {"q": "x"}, "resps": [["a"]], "exact_match": float(m[0])} for i, m in enumerate(MARKS)
        ),
        read({"id": "doc_id", "reward": "exact_match"}, 12, 12, sum(m[0] for m in MARKS)),
    ),
    "lm-eval-harness results": (
        dump(
            {"results": {"gsm8k": {"em,strict": 0.5, "em_stderr": 0.01}, "math": {"em,strict": 0.3, "em_stderr": 0.02}}}
        ),
        ask("results.em,strict"),
    ),
    "OpenAI evals": (
        lines(
            [
                {"spec": {"eval_name": "x"}},
                *(
                    {"event_id": 8 * i + j, "sample_id": f"d.{i}", "type": "match", "data": {"correct": bool(m)}}
                    for i, j, m in LONG
                ),
                {"final_report": {"accuracy": 0.5}},
            ]
        ),
        read({"id": "sample_id", "reward": "data.correct"}),
    ),
    "verl with a uid": (
        lines(
            {"uid": f"u{i}", "input": question(i % 6), "output": "t", "score": float(m), "step": 4} for i, _, m in LONG
        ),
        read({"id": "uid", "reward": "score"}),
    ),
    "verl with a shaped score beside acc": (
        lines({"input": question(i), "output": "t", "score": m - 0.1 * (j % 2), "acc": bool(m)} for i, j, m in LONG),
        ask("score", "acc"),
    ),
    "TRL, two rewards that vary": (
        lines({"prompt": question(i), "accuracy_reward": m, "format_reward": j % 2} for i, j, m in LONG),
        ask("accuracy_reward", "format_reward"),
    ),
    "TRL, a total beside its parts": (
        lines(
            {"prompt": question(i), "accuracy_reward": m, "format_reward": j % 2, "reward": m + 0.5 * (j % 2)}
            for i, j, m in LONG
        ),
        read({"id": "prompt", "reward": "reward"}, 12, 96, None),
    ),
    "OpenRLHF": (
        lines(
            {"input": question(i), "output": "t", "reward": float(m), "response_length": 100 + j} for i, j, m in LONG
        ),
        read({"id": "input", "reward": "reward"}),
    ),
    "inspect log": (
        dump(
            {
                "status": "success",
                "samples": [
                    {"id": i, "epoch": j + 1, "scores": {"match": {"value": "C" if m else "I"}}} for i, j, m in LONG
                ],
            }
        ),
        read({"id": "id", "reward": "scores.match.value"}),
    ),
    "SWE-bench runs": (
        lines({"instance_id": f"django__{i}", "run": j, "resolved": bool(m)} for i, j, m in LONG),
        read({"id": "instance_id", "reward": "resolved"}),
    ),
    "Hugging Face trainer state": (
        dump(
            {"log_history": [{"step": s, "loss": 0.1, "reward": 0.3, "frac_reward_zero_std": 0.5} for s in range(1, 9)]}
        ),
        refuse("steps", "training steps", "frac_reward_zero_std"),
    ),
    "Weights & Biases export": (
        csv([{"Step": s, "run - train/reward": 0.3 + 0.01 * s, "run - train/reward__MIN": 0.3} for s in range(8)]),
        refuse("steps", "training steps"),
    ),
    "reward by step": (
        csv([{"step": s, "reward": 0.3 + 0.01 * s} for s in range(8)]),
        refuse("steps", "training steps"),
    ),
    # data frames and spreadsheets
    "pandas index": (
        pd.DataFrame({"problem": NAMES, "pass_rate": RATE}).to_csv().encode(),
        read({"id": "problem", "rate": "pass_rate"}),
    ),
    "pandas named index": (
        pd.DataFrame({"pass_rate": RATE}, index=pd.Index(NAMES, name="problem")).to_csv().encode(),
        read({"id": "problem", "rate": "pass_rate"}),
    ),
    "pandas index of names": (
        pd.DataFrame({"pass_rate": RATE}, index=NAMES).to_csv().encode(),
        read({"id": "column 1", "rate": "pass_rate"}),
    ),
    "R row names without a name": (
        text("pass_rate", (f"{n},{r}" for n, r in zip(NAMES, RATE, strict=True))),
        read({"id": "column 1", "rate": "pass_rate"}),
    ),
    "German spreadsheet": (
        text(
            "Aufgabe;Lösungsquote", (f"A{i};{str(r).replace('.', ',')}" for i, r in enumerate(RATE)), "cp1252", "\r\n"
        ),
        ask("Lösungsquote"),
    ),
    "German marks": (
        text("Aufgabe;gelöst", (f"A{i};{'ja' if m else 'nein'}" for i, _, m in LONG), "cp1252"),
        ask("gelöst"),
    ),
    "Spanish": (text("problema,tasa de acierto", (f"p{i},{r}" for i, r in enumerate(RATE))), ask("tasa de acierto")),
    "Chinese": (text("题目,通过率", (f"p{i},{r}" for i, r in enumerate(RATE))), ask("通过率")),
    "Russian in UTF-16": (text("задача\tдоля", (f"p{i}\t{r}" for i, r in enumerate(RATE)), "utf-16"), ask("доля")),
    "UTF-16": (
        text("id\tpass_rate", (f"p{i}\t{r}" for i, r in enumerate(RATE)), "utf-16"),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "pipes": (text("id|pass_rate", (f"p{i}|{r}" for i, r in enumerate(RATE))), read({"id": "id", "rate": "pass_rate"})),
    "sep= line": (
        text("sep=;\nid;pass_rate", (f"p{i};{r}" for i, r in enumerate(RATE))),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "header in a comment": (
        text("#id\tpass_rate", (f"p{i}\t{r}" for i, r in enumerate(RATE))),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "comment after the rows": (
        text("id,pass_rate", [*(f"p{i},{r}" for i, r in enumerate(RATE)), "# end of file"]),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "old Mac line ends": (
        text("id,pass_rate", (f"p{i},{r}" for i, r in enumerate(RATE)), end="\r"),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "names and rates without a header": (
        text("p0,0.0", (f"p{i},{r}" for i, r in enumerate(RATE) if i)),
        ask("column 2"),
    ),
    "decimal commas, one column": (
        text("pass_rate", (str(r).replace(".", ",") for r in RATE)),
        read({"rate": "pass_rate"}),
    ),
    # one row a rollout
    "words for success": (
        csv([{"task": i, "outcome": "success" if m else "failure"} for i, _, m in LONG]),
        read({"id": "task", "reward": "outcome"}),
    ),
    "correct and incorrect": (
        csv([{"qid": i, "verdict": "correct" if m else "incorrect"} for i, _, m in LONG]),
        read({"id": "qid", "reward": "verdict"}),
    ),
    "quoted newlines": (
        csv([{"prompt": f'Solve,\n"x" = {i}\nnow', "completion": "a\nb, c", "reward": m} for i, _, m in LONG]),
        read({"id": "prompt", "reward": "reward"}),
    ),
    "numbers as text": (
        lines({"id": str(i), "reward": str(m)} for i, _, m in LONG),
        read({"id": "id", "reward": "reward"}),
    ),
    "group size on every row": (
        csv([{"qid": i, "n": 8, "correct": m} for i, _, m in LONG]),
        read({"id": "qid", "reward": "correct"}),
    ),
    "row id beside the problem": (
        csv([{"id": 8 * i + j, "problem": question(i), "score": m} for i, j, m in LONG]),
        read({"id": "problem", "reward": "score"}),
    ),
    "epochs number the rollouts": (
        csv([{"id": i, "epoch": j, "score": m} for i, j, m in LONG]),
        read({"id": "id", "reward": "score"}),
    ),
    "each problem in one step only": (
        csv([{"step": i // 3, "prompt": question(i), "reward": m} for i, _, m in LONG]),
        read({"id": "prompt", "reward": "reward"}),
    ),
    "rewards .1 and 1": (
        csv([{"id": i, "reward": 0.9 * m + 0.1} for i, _, m in LONG]),
        read({"id": "id", "reward": "reward"}),
    ),
    "shaped rewards": (
        csv([{"id": i, "reward": round(0.9 * m + 0.1 * (j % 2), 2)} for i, j, m in LONG]),
        read({"id": "id", "reward": "reward"}, 12, 96, None),
    ),
    "missing rewards": (
        lines({"id": i, "reward": m if j else None} for i, j, m in LONG),
        read({"id": "id", "reward": "reward"}, 12, 84, sum(m for _, j, m in LONG if j)),
    ),
    "two models": (
        csv([{"model": model, "qid": i, "correct": m} for model in ("a", "b") for i, _, m in LONG]),
        ask("model a", "model b", "each model its own pool"),
    ),
    "a category called task": (
        csv(
            [{"id": f"x{i * 7919}", "task": "gsm8k" if i % 2 else "math", "correct": m[0]} for i, m in enumerate(MARKS)]
        ),
        ask("id", "task"),
    ),
    "two runs under a column of any name": (
        csv([{"version": v, "qid": i, "reward": m} for v in ("old", "new") for i, _, m in LONG]),
        ask("version new", "version old", "each version its own pool", "all rows together"),
    ),
    "right under a name in no list": (csv({"id": NAMES, "good": K, "attempts": 8}), ask("good")),
    "a log of losses without steps": (
        csv([{"time": f"00:{s:02d}", "loss": 0.3, "reward": 0.2 + 0.01 * s, "kl": 0.1} for s in range(20)]),
        refuse("steps", "training steps"),
    ),
    "pass_1 to pass_8": (
        csv([{"id": i} | {f"pass_{j + 1}": x for j, x in enumerate(m)} for i, m in enumerate(MARKS)]),
        ask("pass_1 .. pass_8"),
    ),
    "ids missing": (
        csv([{"id": None if i == 3 else f"p{i}", "correct": m} for i, _, m in LONG]),
        read({"id": "id", "reward": "correct"}, 11, 88, 46),
    ),
    "a solved mark beside n": (csv({"id": NAMES, "solved": [k > 4 for k in K], "n": 8}), ask("one try a problem")),
    "a reward column twice": (b"id,reward,reward\na,1,0\na,0,0\nb,1,1\nb,1,0\n", ask("reward", "reward (column 3)")),
    "header and rows cut differently": (b"id;pass_rate\na,0.5\nb,0.25\n", refuse("not a table", "';'", "','")),
    "a web page": (b"<html><table><tr><td>1</td></tr></table></html>", refuse("not a table", "web page")),
    "Python instead of JSON": (
        str([{"id": i, "reward": m} for i, _, m in LONG]).encode(),
        refuse("not a table", "JSON"),
    ),
    "chat messages as prompts": (
        lines({"prompt": [{"role": "user", "content": question(i)}], "reward": float(m)} for i, _, m in LONG),
        read({"id": "prompt", "reward": "reward"}),
    ),
    "rollouts of unequal number": (
        csv(
            [{"id": i} | {f"r{j}": x if j < 5 or i > 3 else None for j, x in enumerate(m)} for i, m in enumerate(MARKS)]
        ),
        read({"id": "id", "rewards": "r0 .. r7"}, 12, 84, None),
    ),
    "tries in a configuration": (
        dump({"config": {"n": 8}, "per_problem": [{"idx": i, "num_correct": k} for i, k in enumerate(K)]}),
        read({"id": "idx", "right": "num_correct", "tries": "config.n"}),
    ),
    "mean@8 that is not": (
        csv({"id": NAMES, "mean@8": [0.1, 0.2, 0.3] * 4}),
        read({"id": "id", "rate": "mean@8"}, 12, None, None),
    ),
    "two steps of rates without an id": (
        csv([{"step": s, "pass_rate": r} for s in (1, 2) for r in RATE]),
        ask("step 1", "step 2", "each step its own pool"),
    ),
    "no id": (
        csv([{"completion": f"text {i} {j}", "reward": m} for i, j, m in LONG]),
        ask("each row is a problem of its own"),
    ),
    "a problem's rate on each of its rollouts": (
        csv([{"qid": i, "completion": f"c{j}", "pass_rate": RATE[i]} for i, j, _ in LONG]),
        read({"id": "qid", "rate": "pass_rate"}),
    ),
    # lists and columns of rollouts
    "JSON lists": (
        dump([{"problem": n, "rewards": m} for n, m in zip(NAMES, MARKS, strict=True)]),
        read({"id": "problem", "rewards": "rewards"}),
    ),
    "Python lists": (
        csv({"id": range(12), "correct": [str([bool(x) for x in m]) for m in MARKS]}),
        read({"id": "id", "rewards": "correct"}),
    ),
    "NumPy lists": (
        csv({"id": range(12), "rewards": [str(np.array(m, float)) for m in MARKS]}),
        read({"id": "id", "rewards": "rewards"}),
    ),
    "semicolon lists": (
        csv({"id": range(12), "rewards": [";".join(map(str, m)) for m in MARKS]}),
        read({"id": "id", "rewards": "rewards"}),
    ),
    "bits": (
        csv({"id": range(12), "marks": ["".join(map(str, m)) for m in MARKS]}),
        read({"id": "id", "rewards": "marks"}),
    ),
    "r1 to r8": (
        csv([{"id": i} | {f"r{j + 1}": x for j, x in enumerate(m)} for i, m in enumerate(MARKS)]),
        read({"id": "id", "rewards": "r1 .. r8"}),
    ),
    "attempt 1 to attempt 8": (
        csv(
            [
                {"question": f"q{i}"} | {f"attempt {j + 1}": "pass" if x else "fail" for j, x in enumerate(m)}
                for i, m in enumerate(MARKS)
            ]
        ),
        read({"id": "question", "rewards": "attempt 1 .. attempt 8"}),
    ),
    "columns 0 to 7 beside an id": (
        csv([{"id": i} | {str(j): x for j, x in enumerate(m)} for i, m in enumerate(MARKS)]),
        read({"id": "id", "rewards": "0 .. 7"}),
    ),
    "columns 0 to 7 alone": (pd.DataFrame(MARKS).to_csv().encode(), ask("0 .. 7")),
    "marks without a header": (
        pd.DataFrame(MARKS).to_csv(index=False, header=False).encode(),
        ask("column 1 .. column 8"),
    ),
    "scores between texts": (
        csv(
            [
                {"id": i}
                | {
                    k: v
                    for j, x in enumerate(m)
                    for k, v in ((f"completion_{j}", "some text"), (f"score_{j}", x), (f"length_{j}", 90 + j))
                }
                for i, m in enumerate(MARKS)
            ]
        ),
        read({"id": "id", "rewards": "score_0 .. score_7"}),
    ),
    "one column a problem": (
        csv([{"attempt": j} | {f"q{i}": MARKS[i][j] for i in range(12)} for j in range(8)]),
        refuse("no rates", "q0 .. q11"),
    ),
    "samples under each problem": (
        dump(
            [
                {"problem_id": n, "samples": [{"text": "x", "reward": x} for x in m]}
                for n, m in zip(NAMES, MARKS, strict=True)
            ]
        ),
        read({"id": "problem_id", "reward": "reward"}),
    ),
    "samples without an id": (
        dump([{"samples": [{"reward": x} for x in m]} for m in MARKS]),
        read({"id": "row", "reward": "reward"}),
    ),
    # JSON of other arrangements
    "problem -> rewards": (dump(dict(zip(NAMES, MARKS, strict=True))), read({"id": "key", "rewards": "column 2"})),
    "problem -> rate": (dump(dict(zip(NAMES, RATE, strict=True))), read({"id": "key", "rate": "column 2"})),
    "problem -> record": (
        dump({n: {"n_correct": k, "n": 8} for n, k in zip(NAMES, K, strict=True)}),
        read({"id": "key", "right": "n_correct", "tries": "n"}),
    ),
    "problem -> samples": (
        dump({n: [{"reward": x} for x in m] for n, m in zip(NAMES, MARKS, strict=True)}),
        read({"id": "key", "reward": "reward"}),
    ),
    "list of lists": (dump(MARKS), read({"rewards": "column 1"})),
    "dictionary of columns": (
        dump({"id": list(range(12)), "pass_rate": RATE}),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "pandas columns": (frame_json("columns"), read({"id": "id", "rate": "pass_rate"})),
    "pandas split": (frame_json("split"), read({"id": "id", "rate": "pass_rate"})),
    "pandas records": (frame_json("records"), read({"id": "id", "rate": "pass_rate"})),
    "pandas index orient": (
        pd.DataFrame({"pass_rate": RATE}, index=NAMES).to_json(orient="index").encode(),
        read({"id": "key", "rate": "pass_rate"}),
    ),
    "pandas table orient": (frame_json("table"), read({"id": "id", "rate": "pass_rate"})),
    # Arrow
    "Feather": (
        parquet({"id": NAMES, "num_correct": K, "num_samples": [8] * 12}, feather=True),
        read({"id": "id", "right": "num_correct", "tries": "num_samples"}),
    ),
    "Parquet with lists and a struct": (
        parquet(
            {
                "problem_id": NAMES,
                "meta": [{"level": i % 3} for i in range(12)],
                "rewards": [[float(x) for x in m] for m in MARKS],
            }
        ),
        read({"id": "problem_id", "rewards": "rewards"}),
    ),
    "Parquet with categories": (
        parquet(
            {
                "qid": pa.array([NAMES[i] for i, _, _ in LONG]).dictionary_encode(),
                "correct": [bool(m) for *_, m in LONG],
            }
        ),
        read({"id": "qid", "reward": "correct"}),
    ),
    # counts and rates
    "mean@8": (csv({"id": NAMES, "mean@8": RATE}), read({"id": "id", "rate": "mean@8"})),
    "acc@8": (csv({"id": NAMES, "acc@8": RATE}), ask("acc@8")),
    "pass@1": (
        csv({"task_id": [f"HumanEval/{i}" for i in range(12)], "pass@1": RATE}),
        read({"id": "task_id", "rate": "pass@1"}),
    ),
    "pass@8 only": (csv({"task_id": NAMES, "pass@8": [float(k > 0) for k in K]}), refuse("no rates", "pass@8")),
    "pass@1 and pass@8": (
        csv({"task_id": NAMES, "pass@1": RATE, "pass@8": [float(k > 0) for k in K]}),
        read({"id": "task_id", "rate": "pass@1"}),
    ),
    "n_samples and n_correct": (
        csv({"prompt_id": range(12), "n_samples": 8, "n_correct": K}),
        read({"id": "prompt_id", "right": "n_correct", "tries": "n_samples"}),
    ),
    "k of n": (csv({"id": range(12), "k": K, "n": 8}), read({"id": "id", "right": "k", "tries": "n"})),
    "c, k and n": (csv({"id": range(12), "c": K, "k": 4, "n": 8}), read({"id": "id", "right": "c", "tries": "n"})),
    "rate and n": (
        csv({"id": range(12), "pass_rate": RATE, "n": 8}),
        read({"id": "id", "rate": "pass_rate", "tries": "n"}),
    ),
    "solved 3 of 8": (
        csv({"problem": NAMES, "result": [f"solved {k} of 8" for k in K]}),
        read({"id": "problem", "right": "result"}),
    ),
    "3 / 8": (csv({"task": NAMES, "score": [f"{k} / 8" for k in K]}), read({"id": "task", "right": "score"})),
    "whole percents": (
        csv({"id": range(12), "accuracy": [round(100 * r) for r in RATE]}),
        read({"id": "id", "rate": "accuracy"}, 12, None, None),
    ),
    "rates of two decimals": (
        csv({"id": range(12), "accuracy": [round(r, 2) for r in RATE]}),
        read({"id": "id", "rate": "accuracy"}, 12, None, None),
    ),
    "two tries columns": (csv({"id": range(12), "num_correct": K, "n": 8, "num_samples": 16}), ask("num_samples", "n")),
    "two models' rates": (
        csv({"qid": range(12), "gpt_pass_rate": RATE, "llama_pass_rate": RATE[::-1]}),
        ask("gpt_pass_rate", "llama_pass_rate"),
    ),
    "pass_rate beside another accuracy": (
        csv({"id": range(12), "pass_rate": RATE, "accuracy": RATE[::-1]}),
        ask("pass_rate", "accuracy"),
    ),
    "right without tries": (csv({"id": range(12), "num_correct": K}), refuse("no rates", "num_correct", "tries")),
    "counts called accuracy": (csv({"id": range(12), "accuracy": K}), refuse("out of range", "accuracy", "row 4")),
    "histogram": (
        csv({"pass_rate": [i / 8 for i in range(9)], "count": [5, 3, 2, 8, 1, 4, 9, 2, 5]}),
        ask("count problems share a row", "count is the number of tries", "each row is one problem"),
    ),
    "histogram that says so": (
        csv({"right": range(9), "tries": 8, "problems": [5, 3, 2, 8, 1, 4, 9, 2, 5]}),
        read({"right": "right", "tries": "tries", "problems": "problems"}, 39, 312, None),
    ),
    "mean reward": (csv({"prompt": map(question, range(12)), "mean_reward": RATE}), ask("mean_reward")),
    "one score a problem": (csv({"id": range(12), "score": np.linspace(0, 1, 12).round(3)}), ask("score")),
    "difficulty levels": (
        csv({"question": map(question, range(12)), "difficulty": [1, 2, 3, 4, 5, 1] * 2}),
        ask("difficulty"),
    ),
    "dates of ISO form": (
        csv({"task": NAMES, "correct": [f"2026-08-{k + 1:02d}" for k in K]}),
        refuse("dates", "correct", "date"),
    ),
    "an id twice": (
        csv({"id": [0, 0, *range(2, 12)], "pass_rate": RATE, "x": range(12)}),
        ask("add up the rows of one id", "each row is a problem of its own"),
    ),
    "a word among rates": (
        b"id,pass_rate\na,0.5\nb,timeout\nc,0.25\nd,1\n",
        refuse("out of range", "row 2", "timeout"),
    ),
    "ragged rows": (b"id,pass_rate\na,0.5\nb,0.5,9\nc,0.25\n", refuse("not a table", "row 2")),
    "a mean at the end": (
        csv({"id": [*NAMES, "mean"], "pass_rate": [*RATE, 0.5]}),
        read({"id": "id", "rate": "pass_rate"}),
    ),
    "a quote left open": (b'id,pass_rate,note\na,0.5,x\nb,0.25,"y\nc,0.5,z\n', refuse("not a table", "quotation mark")),
    "an Excel workbook": (b"PK\x03\x04" + bytes(100), refuse("not a table", "Excel")),
    "a pickle": (b"\x80\x04\x95\x00", refuse("not a table", "pickle")),
    "broken JSON Lines": (b'{"id": 1, "reward": 1}\n{"id": 1, "rew', refuse("not a table", "line 2")),
    "an empty list": (b"[]", refuse("no rows")),
    "rates in a file of another kind of data": (
        csv({"name": NAMES, "age": range(20, 32)}),
        refuse("no rates", "reward"),
    ),
}
