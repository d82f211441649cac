"""The three spreadsheets: formulas that come to the tables' values, and values."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.__main__ import main
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers.spans.spreadsheets import CellForm, letters, sheets
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.examples.spans import EXAMPLES
from tests.scoring.harbour import GOLD, SPANS, evaluate, source

SYSTEM = source({"PLACE": [[0, 10], [18, 22]], "SHIP": [[0, 4]]})
FORMS = [
    CellForm(v, s, e)
    for v in (False, True)
    for s in ",;"
    for e in ("one", "zero", "na")
]


class Number(float):
    """A cell as a spreadsheet has it: what cannot be divided is an error, here nan."""

    def __truediv__(self, other: float) -> "Number":
        return Number("nan") if other == 0 else Number(float(self) / other)

    def __mul__(self, other: float) -> "Number":
        return Number(float(self) * other)

    __rmul__ = __mul__


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    return then if condition else otherwise


FUNCTIONS = {
    "IF": choose,
    "SUM": lambda cells: Number(sum(cells)),
    "COUNT": lambda *cells: sum(cell == cell for cell in cells),
    "ISNUMBER": lambda cell: cell == cell,
}


def calculated(text: str, separator: str) -> dict[str, list[float]]:
    """Rows by tag, formulas worked out in the order of rows and columns."""
    header, *lines = csv.reader(text.splitlines())
    cells: dict[str, Number] = {}
    for line, row in enumerate(lines, 2):
        for place, cell in enumerate(row[1:], 1):
            cells[f"{letters(place)}{line}"] = worked_out(cell, separator, cells)
    return {
        row[0]: [cells[f"{letters(place)}{line}"] for place in range(1, len(header))]
        for line, row in enumerate(lines, 2)
    }


def worked_out(cell: str, separator: str, cells: dict[str, Number]) -> Number:
    if not cell.startswith("="):
        return Number("nan" if cell == "n/a" else cell)
    assert {",": ";", ";": ","}[separator] not in cell
    code = cell[1:].replace(separator, ",").replace('"n/a"', "NA").replace("=", "==")
    code = re.sub(r"([A-Z]+)(\d+):\1(\d+)", r"column('\1', \2, \3)", code)
    code = re.sub(r"\b([A-Z]+\d+)\b", r"cells['\1']", code)

    def column(letter: str, first: int, last: int) -> list[Number]:
        return [cells[f"{letter}{line}"] for line in range(first, last + 1)]

    names = {**FUNCTIONS, "cells": cells, "column": column, "NA": Number("nan")}
    return Number(eval(code, {"__builtins__": {}}, names))


@loop_over("form", FORMS, ids=str)
@loop_over("system", [SYSTEM, source({})], ids=("some", "none"))
def test_cells_come_to_the_values_of_the_tables(form: CellForm, system: Source) -> None:
    tables = evaluate(GOLD, system, empty=form.empty, tags="PLACE,SHIP,FOG").tables
    for name, level in (("bytag.csv", "tag"), ("bytoken.csv", "token")):
        found = calculated(sheets(tables, form)[name], form.separator)
        assert list(found) == ["FOG", "PLACE", "SHIP", "<all>"]
        for tag, cells in found.items():
            given = [
                float("nan") if v is None else v for v in tables[level][tag].values()
            ]
            assert cells == pytest.approx(given, nan_ok=True, abs=1e-12)


def test_formulas_are_live_and_say_what_they_divide() -> None:
    text = sheets(evaluate(GOLD, SYSTEM).tables, CellForm(separator=";"))["bytag.csv"]
    header, _, place, _, total = csv.reader(text.splitlines())
    assert header[:5] == ["tag", "test docs", "test toks", "match", "refclash"]
    row, last = (
        dict(zip(header, place, strict=True)),
        dict(zip(header, total, strict=True)),
    )
    assert row["match"] == "1"
    assert row["refonly"] == "=E3+F3"
    assert row["precision"] == "=IF(L3=0;1;D3/L3)"
    assert row["fmeasure"] == "=IF(M3+N3=0;0;2*M3*N3/(M3+N3))"
    assert last["match"] == "=SUM(D2:D4)"


def test_values_are_plain_numbers() -> None:
    text = sheets(evaluate(GOLD, SYSTEM).tables, CellForm(values=True))["bytoken.csv"]
    assert "=" not in text
    assert text.splitlines()[-1].startswith("<all>,1,4,")


def test_no_tags_leave_a_row_of_sums() -> None:
    empty = source({}, name="gold")
    text = sheets(evaluate(empty, source({})).tables, CellForm())["bytag.csv"]
    assert calculated(text, ",")["<all>"][2:6] == [0, 0, 0, 0]


def test_confidence_stands_right_behind_each_metric() -> None:
    result = evaluate(GOLD, SYSTEM)
    text = sheets(result.tables, CellForm(), result.measures)["bytoken.csv"]
    rows = list(csv.DictReader(text.splitlines()))
    names = list(rows[0])
    behind = names[names.index("precision") + 1 :][:3]
    assert behind == ["precision mean", "precision variance", "precision stddev"]
    found = result.measures["token_f1[PLACE]"]
    assert float(rows[1]["fmeasure mean"]) == found.mean
    found = result.measures["tag_blind_error_rate"]
    assert float(rows[-1]["tag_blind_error_rate stddev"]) == found.stddev
    assert rows[-1]["recall"].startswith("=IF(")


def test_a_label_cannot_smuggle_a_formula() -> None:
    evil = source({"=1+1": [[0, 4]], "+x": [[5, 10]]})
    text = sheets(evaluate(GOLD, evil).tables, CellForm())["bytag.csv"]
    tags = [row[0] for row in csv.reader(text.splitlines())]
    assert tags[1:3] == ["'+x", "'=1+1"]


def test_columns_go_on_after_z() -> None:
    assert [letters(i) for i in (0, 25, 26, 51, 52, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AZ",
        "BA",
        "ZZ",
        "AAA",
    ]


def written(folder: Path, source: Source) -> Path:
    for name, data in source.files.items():
        path = folder / source.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / source.name


def test_the_command_writes_three_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = EXAMPLES[1]
    files = [written(tmp_path, s) for s in (example.gold, example.systems[0])]
    out = tmp_path / "out" / "sheets"
    words = [
        "spreadsheets",
        "spans",
        "--gold",
        str(files[0]),
        "--system",
        str(files[1]),
    ]
    assert main([*words, "--out", str(out), "--separator", ";", "--confidence"]) == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "bytag.csv",
        "bytoken.csv",
        "details.csv",
    ]
    assert "bytoken.csv" in capsys.readouterr().out
    options = parse(SPANS.options, {})
    pair = read_pair(SPANS, example.gold, example.systems[0], options)
    tables = SPANS.tables(count(SPANS, pair, options), options)
    header = (out / "bytag.csv").read_text(encoding="utf-8").splitlines()
    assert len(header) == 2 + len(tables["tag"]) - 1
    details = (out / "details.csv").read_text(encoding="utf-8")
    assert details.startswith("file,type,reflabel,refstart,refend,hyplabel,hypstart")


def test_the_command_refuses_scorers_without_such_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "key"
    gold.write_text("sea.n sea.001 1\n", encoding="utf-8")
    words = ["--gold", str(gold), "--system", str(gold), "--out", str(tmp_path / "o")]
    assert main(["spreadsheets", "senseval", *words]) == 64
    assert "no tag and token tables" in capsys.readouterr().err
