"""wde and sttr: figures of treebanks, from their training files."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands.arguments import Commands
from scoring.errors import Problem, UsageError
from scoring.source import Source
from scoring.treebank import (
    Entropies,
    TypeTokenRatio,
    average,
    type_token_ratio,
    word_entropies,
)

Row = tuple[object, ...]


def add_treebanks(commands: Commands) -> None:
    for name, run, text in (
        ("wde", run_wde, "word dependency entropy of relations, and its average"),
        ("sttr", run_sttr, "standardised type/token ratio of treebanks"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("treebanks", nargs="+", metavar="NAME=FILE")
        command.add_argument(
            "--format", choices=("text", "json", "csv"), default="text"
        )
        command.set_defaults(run=run)


def _sources(called: argparse.Namespace) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for given in called.treebanks:
        name, equals, path = given.partition("=")
        if not (name and equals and path):
            raise _usage(f"expected NAME=FILE, found '{given}'")
        if name in found:
            raise _usage(f"the name '{name}' stands for two files")
        found[name] = Source.of_path(Path(path))
    return found


def _usage(message: str) -> UsageError:
    return UsageError(Problem("treebanks", message))


def run_wde(called: argparse.Namespace) -> int:
    found = {name: word_entropies(s) for name, s in _sources(called).items()}
    mean = average(found)
    # Relation and average first: the CSV can serve as weights of `attachment`.
    header: Row = ("relation", "weight", *found)
    if called.format == "json":
        treebanks = {name: _entropies(of) for name, of in found.items()}
        print(report.json_text({"treebanks": treebanks, "average": mean}))
        return 0
    print(_table([header, *_entropy_rows(found, mean)], called.format), end="")
    if called.format == "text":
        for name, of in found.items():
            print(f"{name}: {of.words} words, {of.vocabulary} distinct")
    return 0


def _entropies(found: Entropies) -> dict[str, object]:
    size = {"words": found.words, "vocabulary": found.vocabulary}
    return {**size, "wde": found.relations}


def _entropy_rows(found: dict[str, Entropies], mean: dict[str, float]) -> list[Row]:
    """From the smallest average to the largest; None where a relation is absent."""
    order = sorted(mean, key=lambda relation: (mean[relation], relation))
    return [
        (relation, mean[relation], *(e.relations.get(relation) for e in found.values()))
        for relation in order
    ]


def run_sttr(called: argparse.Namespace) -> int:
    found = {name: type_token_ratio(s) for name, s in _sources(called).items()}
    if called.format == "json":
        print(
            report.json_text({"treebanks": {n: _variety(v) for n, v in found.items()}})
        )
        return 0
    header: Row = ("treebank", "sttr", "chunks", "tokens")
    rows = [(n, v.ratio, v.chunks, v.tokens) for n, v in found.items()]
    print(_table([header, *rows], called.format), end="")
    return 0


def _variety(found: TypeTokenRatio) -> dict[str, float | int | None]:
    return {"sttr": found.ratio, "chunks": found.chunks, "tokens": found.tokens}


def _table(rows: list[Row], layout: str) -> str:
    if layout == "csv":
        return report.csv_text([[_undefined(cell) for cell in row] for row in rows])
    lines = report.aligned([tuple(_cell(value) for value in row) for row in rows])
    return "".join(f"{line}\n" for line in lines)


def _undefined(value: object) -> object:
    return "n/a" if value is None else value


def _cell(value: object) -> str:
    if value is None or isinstance(value, float):
        return report.shown(value)
    return str(value)
