"""`python -m scoring overlap`: the answer in text, JSON and CSV."""

import csv
import io
import json
from pathlib import Path

import pytest

from scoring.__main__ import main

UNITS = {
    "u1": "The quick brown fox jumps over the lazy dog at noon in the warm sun",
    "u2": "One grey hen sat on a fence and sang a long song to the moon",
    "u3": "Five small boats lay at the quay when the tide came in at dawn",
    "u4": "The QUICK brown fox jumps over the lazy dog, at noon in the warm sun!",
}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    gold = tmp_path / "gold.jsonl"
    rows = ({"id": u, "text": t, "label": "secret"} for u, t in UNITS.items())
    gold.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return ["overlap", "classes", "-o", "inputs=text", "--gold", str(gold)]


def test_units_are_named_with_the_file_and_line_that_has_them(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    books = tmp_path / "books.txt"
    near = UNITS["u2"].replace("One", "A")
    books.write_text(f"{UNITS['u1']}\nnothing of it\n{near}\nit has GUID-7\n", "utf-8")
    words += ["--texts", str(books), "--order", "8", "--canary", "GUID-7"]
    assert main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = {unit["unit"]: unit["found"] for unit in told["units"]}
    assert found == {"u1": "books.txt:1", "u4": "books.txt:1", "u2": ""}
    assert told["canaries"] == ["books.txt:4"]
    assert (told["counted"]["the same"], told["counted"]["with a twin"]) == (2, 2)
    # Of u2 the first of 15 words is another: of 11 runs of five words 10 are left.
    (hen,) = (unit for unit in told["units"] if unit["unit"] == "u2")
    assert hen["near_share"] == pytest.approx(10 / 11)
    assert main([*words, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["unit"]: row["twin"] for row in rows}["u1"] == "u4"
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "u2: 91% in books.txt:3" in text and "secret" not in text


def test_without_texts_the_test_set_is_compared_with_itself(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    assert "u1: 100% like u4" in capsys.readouterr().out


def test_a_test_set_without_texts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\n1,yes\n2,no\n", "utf-8")
    assert main(["overlap", "classes", "--gold", str(gold)]) == 2
    assert "no text of five words" in capsys.readouterr().out
