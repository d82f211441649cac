"""Writes the data of the demonstration: `python -m benchmarks.ostrel [FOLDER]`.

Texts of test sets are gold as CoNLL-U; what the systems predict are a column for each,
"HEAD RELATION" by word.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.ostrel.cast import BASELINE, SYSTEMS
from benchmarks.ostrel.language import corpus
from benchmarks.ostrel.systems import Parser
from benchmarks.ostrel.variety import (
    HILL,
    LETTER,
    RECORD,
    RIVER,
    TALE,
    Genre,
    Variety,
)
from benchmarks.ostrel.weights import weights_csv
from leaderboard.demo.story import DATA, SUBMISSIONS, TASKS

TEXTS = Path(__file__).parent / "texts"
ALL = (TALE, LETTER, RECORD)
TRAINING_SENTENCES = 600
TRAINING_SEED = 1
EXAMPLE_LENGTH = range(9, 13)
# By task and test set: title, variety, genres, sentences and seed.
Recipe = tuple[str, Variety, tuple[Genre, ...], int, int]
RECIPES: Mapping[str, Mapping[str, Recipe]] = {
    "across-the-watershed": {
        "river": ("River Ostrel", RIVER, ALL, 450, 101),
        "hill": ("Hill Ostrel", HILL, ALL, 420, 102),
    },
    "river-parsing": {
        "dev": ("Development texts", RIVER, ALL, 320, 201),
        "test": ("Test texts", RIVER, ALL, 500, 202),
    },
    "hill-letters": {
        "dev": ("Tales and records", HILL, (TALE, RECORD), 280, 301),
        "letters": ("Letters", HILL, (LETTER,), 400, 302),
    },
}


def gold(slug: str, name: str) -> str:
    """CoNLL-U text of a test set."""
    _title, *recipe = RECIPES[slug][name]
    return corpus(name, *recipe)


def training(slug: str) -> list[str]:
    """Text of each variety outside the test sets, of the first one's genres."""
    recipes = list(RECIPES[slug].values())
    varieties = dict.fromkeys(recipe[1] for recipe in recipes)
    return [
        corpus("train", variety, recipes[0][2], TRAINING_SENTENCES, TRAINING_SEED)
        for variety in varieties
    ]


def description(slug: str) -> str:
    """The description in Markdown, with the sizes of this data and an example."""
    template = (TEXTS / f"{slug}.md").read_text(encoding="utf-8")
    filled = template.replace("{sizes}", sizes(slug))
    return filled.replace("{example}", example(training(slug)[0]))


def sizes(slug: str) -> str:
    """A Markdown table of the test sets."""
    rows = ["| test set | documents | sentences | words |", "|---|--:|--:|--:|"]
    for name, (title, _variety, _genres, sentences, _seed) in RECIPES[slug].items():
        text = gold(slug, name)
        documents, words = text.count("# newdoc id"), text.count("\t") // 9
        rows.append(f"| {title} | {documents} | {sentences} | {words:,} |")
    return "\n".join(rows)


def example(text: str) -> str:
    """The first sentence of handy length, aligned for reading, without its ids."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        words = [line.split("\t") for line in lines if line[0] != "#"]
        if len(words) in EXAMPLE_LENGTH:
            break
    says = next(line for line in lines if line.startswith("# text"))
    columns = [[row[at] for at in (0, 1, 2, 3, 6, 7)] for row in words]
    widths = [max(map(len, column)) for column in zip(*columns, strict=True)]
    rows = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in columns
    ]
    return "\n".join([says, *(row.rstrip() for row in rows)])


def predictions(gold: str, parsers: Sequence[Parser]) -> bytes:
    """A row of names, then a row for each word with what every parser predicts."""
    columns = [
        [" ".join(row.split("\t")[6:8]) for row in output.split("\n") if "\t" in row]
        for output in (parser.parse(gold) for parser in parsers)
    ]
    rows = [[parser.name for parser in parsers], *zip(*columns, strict=True)]
    text = "".join("\t".join(row) + "\n" for row in rows)
    return gzip.compress(text.encode(), 9, mtime=0)


def files(slug: str) -> dict[str, bytes]:
    """Every file in the folder of a task but its `task.yaml`, by name."""
    made = {
        "description.md": description(slug).encode(),
        "weights.csv": weights_csv(training(slug)).encode(),
    }
    sent: dict[str, dict[str, Parser]] = {}
    for entry in SUBMISSIONS:
        if entry.task.slug == slug:
            name = entry.system.name
            parser = BASELINE if name == BASELINE.name else SYSTEMS[name]
            for test_set in entry.test_sets:
                sent.setdefault(test_set, {})[name] = parser
    for name in RECIPES[slug]:
        text = gold(slug, name)
        made[f"gold/{name}.conllu"] = text.encode()
        if name in sent:
            parsers = list(sent[name].values())
            made[f"predictions/{name}.tsv.gz"] = predictions(text, parsers)
    return made


def main(folder: Path = DATA) -> None:
    for task in TASKS:
        for name, data in files(task.slug).items():
            path = folder / task.slug / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
