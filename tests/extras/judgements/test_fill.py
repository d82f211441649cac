"""`plumbline fill`: a table by a model, from the zip that waits to the scored row."""

import csv
import io
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from sacrebleu.metrics import CHRF

from plumbline.__main__ import main
from plumbline.exits import UNFIT, USAGE
from scoring.engine import Job, count_file
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over

MODEL = Path(__file__).resolve().parents[3] / "docs" / "examples" / "chrf_model.py"
UNITS = "id,reference\ns1,the ferry lands here\ns2,mind the ropes\n"
ANSWERS = {"s1": "the ferry is here", "s2": "mind the ropes"}
MANIFEST = "submission,test_set,run,file,sha256\nx1,signs,1,files/x1/signs.csv,\n"
PROGRAM = """\
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(len(row["answer"]) / len(row["unit"]["reference"]))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    rows = "".join(f"{unit},{text}\n" for unit, text in ANSWERS.items())
    with zipfile.ZipFile(tmp_path / "waiting.zip", "w") as archive:
        archive.writestr("manifest.csv", MANIFEST)
        archive.writestr("files/x1/signs.csv", f"id,text\n{rows}")
    (tmp_path / "units.csv").write_text(UNITS)
    (tmp_path / "judge.py").write_text(PROGRAM)
    return tmp_path


def table_of(home: Path, *more: str) -> list[dict[str, str]]:
    table = home / "table.csv"
    called = ["fill", str(home / "waiting.zip"), str(table), "--column", "overlap"]
    assert main([*called, "--units", str(home / "units.csv"), *more]) == 0
    return list(csv.DictReader(io.StringIO(table.read_text())))


def test_a_model_of_a_package_fills_a_table_that_is_scored(home: Path) -> None:
    rows = table_of(home, "--model", f"{MODEL}:chrf", "--version", version("sacrebleu"))
    first = CHRF().sentence_score(ANSWERS["s1"], ["the ferry lands here"]).score / 100
    assert [float(row["overlap"]) for row in rows] == [pytest.approx(first), 1.0]
    assert [(row["submission"], row["id"]) for row in rows] == [
        ("x1", "s1"),
        ("x1", "s2"),
    ]
    scorer = get("table")
    options = parse(scorer.options, {"measure": ["overlap = mean(overlap)"]})
    gold = scorer.read_gold(Source.of_bytes("gold.csv", b"id\ns1\ns2\n"), options)
    # The site takes the columns that say whose values they are away.
    lines = "".join(f"{r['id']},{r['judge']},{r['overlap']}\n" for r in rows)
    table = Source.of_bytes("table.csv", f"id,judge,overlap\n{lines}".encode())
    counts = count_file(Job(scorer, options), gold, table).as_numbers()
    assert any(value == pytest.approx(1 + first) for value in counts.values())


def test_the_model_is_pinned_in_every_row(home: Path) -> None:
    (pin,) = {row["judge"] for row in table_of(home, "--model", f"{MODEL}:chrf")}
    name, digest = pin.split(" ")
    assert (name, len(digest)) == ("chrf_model.py:chrf", 12)
    other = home / "chrf_model.py"
    other.write_bytes(MODEL.read_bytes() + b"# changed\n")
    (pin,) = {row["judge"] for row in table_of(home, "--model", f"{other}:chrf")}
    assert pin.split(" ")[1] != digest


def test_a_module_of_a_package_is_pinned_by_its_version(home: Path) -> None:
    rows = table_of(home, "--model", "tests.extras.judgements.test_fill:lengths")
    assert float(rows[1]["overlap"]) == len(ANSWERS["s2"])


def lengths(answers: list[str], _units: object) -> list[int]:
    return [len(answer) for answer in answers]


def test_a_program_reads_lines_and_prints_numbers(home: Path) -> None:
    program = [sys.executable, str(home / "judge.py")]
    rows = table_of(home, "--version", "v7", "--command", *program)
    assert float(rows[1]["overlap"]) == 1.0
    assert " judge.py v7 " in rows[0]["judge"]


@loop_over(
    "case",
    [
        (["--model", "nowhere:here"], USAGE),
        (["--model", f"{MODEL}:missing"], USAGE),
        (["--model", f"{MODEL}:chrf", "--answer", "label"], UNFIT),
        (["--model", "builtins:zip"], UNFIT),
        (["--command", "false"], UNFIT),
        (["--command", "echo", "high"], UNFIT),
        (["--command", "echo", "nan"], UNFIT),
        (["--command", "echo", "1"], UNFIT),
    ],
)
def test_a_model_that_gives_no_numbers_ends_with_a_code(
    home: Path, case: tuple[list[str], int]
) -> None:
    more, code = case
    called = ["fill", str(home / "waiting.zip"), str(home / "table.csv")]
    units = ["--column", "overlap", "--units", str(home / "units.csv")]
    assert main([*called, *units, *more]) == code
