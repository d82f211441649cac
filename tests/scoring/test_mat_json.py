"""MAT JSON, versions 1 and 2: what is a span, a token, an attribute, a refusal."""

import json
from typing import Any

import pytest

from scoring.errors import Refused
from scoring.scorers.spans import mat_json
from scoring.scorers.spans.annotations import Document, ReaderOptions
from scoring.scorers.spans.mat_json import read
from tests.loops import loop_over

ASKED = ReaderOptions(attributes=frozenset({"type"}))


def document(value: Any, asked: ReaderOptions = ASKED) -> Document:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    (found,) = read({"a.json": data}, asked)
    return found


def signal(*asets: dict[str, Any], version: int = 2, text: str = "Fog lifts.") -> Any:
    return {"signal": text, "asets": list(asets), "metadata": {}, "version": version}


def spans(found: Document) -> list[tuple[str, int, int]]:
    rows = zip(found.codes, found.starts, found.ends, strict=True)
    return [(found.kinds[c][0], int(s), int(e)) for c, s, e in rows]


def refusal(value: Any) -> str:
    with pytest.raises(Refused) as caught:
        document(value)
    assert {problem.file for problem in caught.value.problems} == {"a.json"}
    return str(caught.value)


def test_version_1_names_its_attributes_in_a_list() -> None:
    aset = {"type": "NAME", "attrs": ["type", "sure"], "annots": [[0, 3, "W", "no"]]}
    found = document(signal(aset, version=1))
    assert spans(found) == [("NAME", 0, 3)]
    assert found.kinds[0] == ("NAME", frozenset({("type", "W")}))


def test_version_2_has_objects_for_attributes_and_an_id() -> None:
    attrs = [{"name": "sure", "type": "boolean"}, {"name": "type", "type": "string"}]
    aset = {
        "type": "NAME",
        "hasID": True,
        "hasSpan": True,
        "attrs": attrs,
        "annots": [[0, 3, "id7", True, "W"]],
    }
    found = document(signal(aset))
    assert found.kinds == (("NAME", frozenset({("type", "W")})),)


def test_trailing_values_may_be_absent() -> None:
    attrs = [{"name": "x"}, {"name": "type"}]
    aset = {"type": "NAME", "attrs": attrs, "annots": [[0, 3], [4, 9, "v"], [4, 9]]}
    found = document(signal(aset))
    assert spans(found) == [("NAME", 0, 3), ("NAME", 4, 9), ("NAME", 4, 9)]
    assert found.kinds == (("NAME", frozenset()),)


def test_an_id_is_no_attribute_value() -> None:
    aset = {
        "type": "NAME",
        "hasID": True,
        "attrs": [{"name": "type"}],
        "annots": [[0, 3, "W"]],
    }
    assert document(signal(aset)).kinds == (("NAME", frozenset()),)


def test_annotations_without_spans_are_not_scored() -> None:
    aset = {"type": "REL", "hasSpan": False, "attrs": [], "annots": [["id1"], []]}
    assert spans(document(signal(aset))) == []


def test_tokens_and_what_is_not_content_are_no_spans() -> None:
    types = ("lex", "zone", "SEGMENT", "VOTE", "untaggable", "NAME")
    asets = [{"type": t, "attrs": [], "annots": [[0, 3]]} for t in types]
    found = document(signal(*asets))
    assert spans(found) == [("NAME", 0, 3)]
    assert found.tokens is not None and found.tokens.tolist() == [[0, 3]]


def test_without_lex_there_are_no_tokens() -> None:
    assert document(signal()).tokens is None


def test_values_that_are_no_strings_compare_as_json() -> None:
    aset = {
        "type": "NAME",
        "attrs": ["type"],
        "annots": [[0, 3, True], [0, 3, 7], [0, 3, None]],
    }
    kinds = document(signal(aset, version=1)).kinds
    assert [dict(k[1]).get("type") for k in kinds] == ["true", "7", None]


def test_offsets_count_code_points() -> None:
    aset = {"type": "X", "attrs": [], "annots": [[1, 3]]}
    found = document(signal(aset, text="a🎉é"))
    assert found.text[1:3] == "🎉é"


@loop_over(
    "annotation",
    [[0, 11], [-1, 3], [3, 3], [4, 2], [0, 10**30], [10, 11]],
)
def test_a_span_outside_the_text_is_refused(annotation: list[int]) -> None:
    aset = {"type": "X", "attrs": [], "annots": [[0, 3], annotation]}
    assert "expected 0 <= start < end <= 10" in refusal(signal(aset)) or (
        "far outside" in refusal(signal(aset))
    )


@loop_over("row", ["text", {}, [0], [0.0, 3], ["0", "3"], [True, 3], [None, 3]])
def test_an_annotation_of_another_form_is_refused(row: Any) -> None:
    aset = {"type": "X", "attrs": [], "annots": [row]}
    assert "expected" in refusal(signal(aset))


@loop_over(
    "value",
    [
        [],
        "text",
        {},
        {"signal": 3, "asets": [], "version": 2},
        {"signal": "a", "version": 2},
        {"signal": "a", "asets": {}, "version": 2},
        {"signal": "a", "asets": [3], "version": 2},
        {"signal": "a", "asets": [{"type": 3}], "version": 2},
        {"signal": "a", "asets": [{"type": "X", "attrs": 3}], "version": 2},
        {"signal": "a", "asets": [{"type": "X", "attrs": [3]}], "version": 2},
        {"signal": "a", "asets": [{"type": "X", "annots": 3}], "version": 2},
        {"signal": "a", "asets": [{"type": " "}], "version": 2},
        {"signal": "a", "asets": [{"type": "<all>"}], "version": 2},
        {"signal": "a", "asets": [{"type": "a\x00b"}], "version": 2},
        {"signal": "a", "asets": []},
        {"signal": "a", "asets": [], "version": 3},
        {"signal": "a", "asets": [], "version": "2"},
        {"signal": "a", "asets": [], "version": True},
    ],
)
def test_another_structure_is_refused(value: Any) -> None:
    assert refusal(value)


def test_what_is_no_json_is_named_with_its_line() -> None:
    with pytest.raises(Refused) as caught:
        document(b'{\n "signal": "a",\n oops}')
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (3, 2)


@loop_over(
    "data",
    [
        b'{"signal": "a", "asets": [], "version": NaN}',
        b'{"signal": "a", "signal": "b", "asets": [], "version": 2}',
        b'{"signal": "a", "asets": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"signal": "a", "asets": [], "version": ' + b"9" * 5000 + b"}",
        b'{"signal": "\\ud800", "asets": [], "version": 2}',
        b'{"signal": "\xff", "asets": [], "version": 2}',
        b"\xff\xfe{\x00}\x00",
        b"",
        b"null",
    ],
)
def test_traps_of_json_are_refused(data: bytes) -> None:
    assert refusal(data)


def test_a_surrogate_pair_is_a_character() -> None:
    data = b'{"signal": "\\ud83c\\udf89", "asets": [], "version": 2}'
    assert document(data).text == "🎉"


def test_very_many_values_of_attributes_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mat_json, "MOST_KINDS", 3)
    rows = [[0, 3, f"v{i % 4}"] for i in range(9)]
    aset = {"type": "NAME", "attrs": ["type"], "annots": rows}
    assert "more than 3 different values" in refusal(signal(aset, version=1))
    aset["annots"] = rows[:3]
    assert len(document(signal(aset, version=1)).kinds) == 3
