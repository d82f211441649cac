"""fill: a table of judgements with the values of a model that you name.

It runs beside a site: `judgements pull` brings what waits, this counts, `judgements
push` sends the table. The model, its version and the digest of its file stand in the
column `judge`, so that the hash of the table on every receipt pins them.
"""

import argparse
import csv
import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.metadata import packages_distributions, version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TypeVar

from plumbline.exits import FINE, UNFIT, USAGE, Ended
from scoring.elsewhere import ID, JUDGE, LONGEST_JUDGE, PLACES
from scoring.errors import Findings, Refused
from scoring.formats import records
from scoring.source import Source

Row = Mapping[str, str]
# It takes answers and the rows of their units, and gives a number for each.
Model = Callable[[Sequence[str], Sequence[Row]], Sequence[float]]
Parser = TypeVar("Parser", bound=argparse.ArgumentParser)
DIGITS = 12


def add_fill(
    commands: "argparse._SubParsersAction[Parser]",
) -> None:
    command = commands.add_parser(
        "fill", help="a table of judgements by a model of yours, for organizers"
    )
    command.add_argument("waiting", type=Path, help="the zip of judgements pull")
    command.add_argument("table", type=Path, help="the table to write")
    command.add_argument(
        "--units",
        type=Path,
        required=True,
        help="a table with a row for each unit: id, and what the model needs",
    )
    command.add_argument("--column", required=True, help="the column to fill")
    command.add_argument("--answer", default="text", help="the column of the answers")
    ways = command.add_mutually_exclusive_group(required=True)
    ways.add_argument("--model", help="FILE.py:FUNCTION or MODULE:FUNCTION")
    ways.add_argument(
        "--command",
        nargs="+",
        help="a program: an object a line of id, answer and unit comes in, a number a "
        "line goes out",
    )
    command.add_argument("--version", default="", help="of the model")
    command.set_defaults(run=fill, offline=True)


def fill(called: argparse.Namespace) -> int:
    model, pin = _by_program(called) if called.command else _by_function(called)
    if len(pin) > LONGEST_JUDGE or not pin.isprintable():
        words = f"'{pin}' is longer than {LONGEST_JUDGE} characters: name it shorter"
        raise Ended(USAGE, words)
    rows = _rows(called.units.name, called.units.read_bytes())
    if any(ID not in row for row in rows):
        raise Ended(UNFIT, f"{called.units.name}: no column {ID}")
    units = {row[ID]: row for row in rows}
    number = 0
    if not zipfile.is_zipfile(called.waiting):
        raise Ended(USAGE, f"{called.waiting} is no zip of judgements pull")
    with (
        zipfile.ZipFile(called.waiting) as archive,
        called.table.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*PLACES, ID, JUDGE, called.column))
        for row in _rows("manifest.csv", archive.read("manifest.csv")):
            place = [row[name] for name in PLACES]
            data = archive.read(row["file"])
            for unit, value in _judge(model, row["file"], data, units, called.answer):
                writer.writerow((*place, unit, pin, repr(value)))
            number += 1
    print(f"{called.table}: {number} files by {pin}", file=sys.stderr)
    return FINE


def _rows(name: str, data: bytes) -> list[dict[str, str]]:
    """The rows of a table with ids. Raises Ended."""
    findings = Findings(name)
    try:
        table = records.read(Source.of_bytes(name, data), findings, Refused)
        findings.raise_if_any(Refused)
    except Refused as refusal:
        raise Ended(UNFIT, str(refusal)) from None
    cells = zip(*table.columns.values(), strict=True)
    return [
        {
            column: "" if cell is None else str(cell)
            for column, cell in zip(table.columns, row, strict=True)
        }
        for row in cells
    ]


def _judge(
    model: Model, name: str, data: bytes, units: Mapping[str, Row], answer: str
) -> Iterator[tuple[str, float]]:
    """Each unit of a submitted file with its value. Raises Ended."""
    rows = _rows(name, data)
    strange = [row.get(ID, "") for row in rows if row.get(ID) not in units]
    if strange or any(answer not in row for row in rows):
        what = f"no unit {strange[0]}" if strange else f"no column {answer}"
        raise Ended(UNFIT, f"{name}: {what} (--units, --answer)")
    given = [row[answer] for row in rows]
    try:
        values = [*map(float, model(given, [units[row[ID]] for row in rows]))]
    except (TypeError, ValueError) as error:
        raise Ended(UNFIT, f"{name}: the model gave no numbers: {error}") from None
    if len(values) != len(rows) or not all(map(math.isfinite, values)):
        words = f"{name}: expected {len(rows)} finite numbers of the model"
        raise Ended(UNFIT, f"{words}, it gave {len(values)}")
    yield from zip((row[ID] for row in rows), values, strict=True)


def _by_function(called: argparse.Namespace) -> tuple[Model, str]:
    """The function, and what pins it: its name, the version and its file's digest."""
    name, _, function = called.model.rpartition(":")
    path = Path(name)
    try:
        if path.suffix == ".py":
            spec = spec_from_file_location(path.stem, path)
            if spec is None or spec.loader is None:
                raise ImportError(name)
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = import_module(name)
        model: Model = getattr(module, function)
    except (ImportError, OSError, AttributeError, ValueError) as error:
        raise Ended(USAGE, f"no model {called.model}: {error}") from None
    top = name.partition(".")[0]
    packages = packages_distributions().get(top, ()) if path.suffix != ".py" else ()
    release = called.version or " ".join(f"{own} {version(own)}" for own in packages)
    file = getattr(module, "__file__", None)
    digest = _digest(Path(file)) if file else ""
    own = f"{path.name}:{function}" if path.suffix == ".py" else called.model
    return model, " ".join(part for part in (own, release, digest) if part)


def _by_program(called: argparse.Namespace) -> tuple[Model, str]:
    """The program, and what pins it: its words, the version, digests of its files."""

    def model(answers: Sequence[str], units: Sequence[Row]) -> list[float]:
        pairs = zip(answers, units, strict=True)
        lines = (json.dumps({ID: u[ID], "answer": a, "unit": u}) for a, u in pairs)
        text = "".join(f"{line}\n" for line in lines)
        done = subprocess.run(
            called.command, input=text, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode:
            words = f"{called.command[0]} ended with {done.returncode}"
            raise Ended(UNFIT, words)
        try:
            return [float(line) for line in done.stdout.split()]
        except ValueError as error:
            raise Ended(UNFIT, f"{called.command[0]}: {error}") from None

    files = [path for path in map(Path, called.command) if path.is_file()]
    words = " ".join(Path(word).name for word in called.command)
    digests = " ".join(_digest(path) for path in files if path.suffix)
    return model, " ".join(part for part in (words, called.version, digests) if part)


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:DIGITS]
