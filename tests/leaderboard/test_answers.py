"""An answer of a child that was taken over is no answer."""

import json
from typing import Any

import numpy as np
import pytest

from leaderboard.submissions import evaluation
from scoring import Counts, Problem
from scoring.sandbox import codec
from scoring.sandbox.fork import JobFailed
from tests.loops import loop_over

NAMES = {7: "north"}
ESTIMATE = {"value": 0.5, "low": None, "high": 1, "left_out": 0}
SET = {
    "measures": {"las": ESTIMATE},
    "signature": "s",
    "signatures": [],
    "units": 2,
    "remarks": ["few"],
    "scorer_remarks": ["all values are the same"],
}
TABLE = Counts(("a", "b"), ("right",), np.ones((2, 1))).save()


def answer(table: bytes = TABLE, *, sizes: Any = None, **changes: Any) -> bytes:
    head = {
        "results": {"overall": {"las": ESTIMATE}, "test_sets": {"north": SET}},
        "sha256": "0" * 64,
        "test_sets": [7],
        **changes,
    }
    line = {"values": head, "sizes": [len(table)] if sizes is None else sizes}
    return json.dumps(line).encode() + b"\n" + table


def said(values: Any) -> bytes:
    return json.dumps({"values": values, "sizes": []}).encode() + b"\n"


def overall(**estimate: Any) -> dict[str, Any]:
    changed = {"las": {**ESTIMATE, **estimate}}
    return {"results": {"overall": changed, "test_sets": {"north": SET}}}


def test_an_answer_of_the_engine_is_taken() -> None:
    found = evaluation.unpacked_answer(answer(), NAMES)
    assert found.counts == {7: TABLE}
    assert found.results["overall"]["las"]["value"] == 0.5


@loop_over(
    "data",
    [
        b"",
        b"no json\n",
        b"[]\n",
        b'"problems"\n',
        said("problems"),
        said([]),
        said({"problems": []}),
        said({"problems": [{"code": 1, "message": "m"}]}),
        said({"problems": [{"code": "c"}]}),
        said({"problems": [{"code": "c", "message": "m", "more": "x"}]}),
        said({"problems": [{"code": "c", "message": "m", "line": "1"}]}),
        said({"problems": [{"code": "c", "message": "m", "line": True}]}),
        said({"problems": {"code": "c"}}),
        answer(results={}),
        answer(results={"overall": {}, "test_sets": {"south": SET}}),
        answer(results={"overall": {}, "test_sets": {}, "more": {}}),
        answer(results={"overall": {}, "test_sets": {"north": {**SET, "x": 1}}}),
        answer(
            results={"overall": {}, "test_sets": {"north": {**SET, "remarks": [1]}}}
        ),
        answer(**overall(value="high")),
        answer(**overall(value=True)),
        answer(**overall(value=[0.5])),
        answer(**overall(more=0.5)),
        answer(**overall()).replace(b"0.5", b"NaN", 1),
        answer(**overall()).replace(b"0.5", b"1e999", 1),
        answer(test_sets=[8]),
        answer(test_sets=[7, 7], sizes=[len(TABLE), 0]),
        answer(sizes=[3]),
        answer(sizes=7),
        answer(sizes=[len(TABLE), -1]),
        answer(test_sets=7),
        answer(sha256="x"),
        answer() + b"more",
        answer(b"no archive"),
    ],
)
def test_anything_else_is_not(data: bytes) -> None:
    with pytest.raises(JobFailed, match="an answer"):
        evaluation.unpacked_answer(data, NAMES)


def test_a_table_too_large_for_memory_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_TABLE", 100)
    with pytest.raises(JobFailed):
        evaluation.unpacked_answer(answer(), NAMES)


def test_findings_are_cut_to_what_a_page_can_bear() -> None:
    sent = [{"code": "c", "message": "x\0" * 10_000, "line": 3}]
    (found,) = codec.problems_of(sent)
    assert len(found.message) <= codec.LONGEST_TEXT + 1 and "\0" not in found.message
    assert codec.problems_of([Problem("c", "m").as_dict()]) == [Problem("c", "m")]


def test_so_many_findings_are_none() -> None:
    with pytest.raises(JobFailed):
        codec.problems_of([{"code": "c", "message": "m"}] * 2000)
