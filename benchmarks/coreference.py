"""`coreference` on 25,000 and 100,000 words: time has to grow with the text.

Reading is included. The field's scorer is not on PyPI: where its repository is at hand,
run it on the files that this writes with `python -m benchmarks.coreference FOLDER`.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._timing import row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

SMALL, LARGE = 25_000, 100_000
SENTENCES = 100
MOST_ENTITIES = 300
TARGET = "at most 5 x"


def rows() -> list[dict[str, Any]]:
    small, large = (ours_on(*made(Random(1), size)) for size in (SMALL, LARGE))
    work = f"coreference, all measures, {SMALL:,} words"
    return [row(work, small, (f"{LARGE:,} words", large), TARGET)]


def made(dice: Random, words: int) -> tuple[Source, Source]:
    """Documents of 100 sentences, and a system that is wrong in a quarter of them."""
    gold, system = ([f"# global.Entity = {h}"] for h in ["eid-etype-head-other"] * 2)
    left, number = words, 0
    while left > 0:
        if number % SENTENCES == 0:
            for side in (gold, system):
                side.append(f"# newdoc id = d{number // SENTENCES}")
        size = dice.randint(8, 30)
        mentions = _mentions(dice, size)
        wrong = [
            (a, b, _entity(dice)) if dice.random() < 0.25 else (a, b, entity)
            for a, b, entity in mentions
            if dice.random() < 0.9
        ]
        forms = [f"w{dice.randint(0, 9999)}" for _ in range(size)]
        gold += _sentence(number, forms, mentions)
        system += _sentence(number, forms, wrong)
        number, left = number + 1, left - size
    return (
        Source.of_bytes("gold.conllu", ("\n".join(gold) + "\n").encode()),
        Source.of_bytes("system.conllu", ("\n".join(system) + "\n").encode()),
    )


def _entity(dice: Random) -> int:
    """Some entities have many mentions, most have few."""
    return min(int(dice.paretovariate(0.6)), MOST_ENTITIES)


def _mentions(dice: Random, size: int) -> list[tuple[int, int, int]]:
    mentions, start = [], 0
    while start < size:
        if dice.random() < 0.35:
            end = min(size - 1, start + dice.choice((0, 0, 0, 1, 1, 2, 3, 5)))
            mentions.append((start, end, _entity(dice)))
            start = end
        start += 1
    return mentions


def _sentence(
    number: int, forms: list[str], mentions: list[tuple[int, int, int]]
) -> list[str]:
    document = number // SENTENCES
    values = [""] * len(forms)
    for start, end, entity in mentions:
        name = f"d{document}e{entity}"
        values[start] += f"({name}-x-1-" + (")" if start == end else "")
        if start < end:
            values[end] += f"{name})"
    lines = [f"# sent_id = s{number}"]
    for place, (form, value) in enumerate(zip(forms, values, strict=True), 1):
        misc = f"Entity={value}" if value else "_"
        lines.append(f"{place}\t{form}\t_\t_\t_\t_\t0\t_\t_\t{misc}")
    return [*lines, ""]


def ours_on(gold: Source, system: Source) -> Callable[[], float]:
    scorer = get("coreference")
    options = parse(scorer.options, {"match": ["head"]})

    def work() -> float:
        counts = count(scorer, read_pair(scorer, gold, system, options), options)
        measure = scorer.measure("conll_f1", counts.columns)
        return float(measure.of(counts.totals, counts.columns))

    return work


if __name__ == "__main__":
    for source in made(Random(1), LARGE):
        Path(sys.argv[1], source.name).write_bytes(source.single())
