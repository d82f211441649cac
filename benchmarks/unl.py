"""`unl-text` against plain Python: a pattern for the format, a textbook distance."""

import random
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks._timing import row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

SENTENCES, TARGET = 1000, 20
NOISE = 0.05
LETTERS = "aeinorstlmdgéü"
SENTENCE = re.compile(r"\[S:(\w+)\].*?\{en\}(.*?)\{/en\}", re.DOTALL)
UW_SYNTAX = re.compile(r"\(icl>|\.@\w|(?<!\d)[1-9]\d{8}(?!\d)|\[W\]")

Counts = dict[str, float]


def rows() -> list[dict[str, Any]]:
    """Paired timings: median of the ratios of alternating runs."""
    texts = material(random.Random(1))
    ours, peer = ours_on(*texts), peer_on(*texts)
    if ours() != peer():
        raise ValueError(f"{ours()} and {peer()}")
    work = f"unl-text, {SENTENCES:,} sentences"
    return [row(work, ours, ("plain Python", peer), TARGET)]


def material(dice: random.Random) -> tuple[str, str]:
    """Expected texts, and answers with changed letters, some far off."""
    vocabulary = [
        "".join(dice.choices(LETTERS, k=dice.randint(1, 10))) for _ in range(2000)
    ]
    gold, system = [], []
    for number in range(SENTENCES):
        words = " ".join(dice.choices(vocabulary, k=dice.randint(3, 25)))
        noise = dice.choice((0, NOISE, NOISE, 8 * NOISE))
        answer = "".join(
            dice.choice(LETTERS) if dice.random() < noise else letter
            for letter in words
        )
        if dice.random() < NOISE:
            answer += " 301400500.@plus"
        for side, text in ((gold, words), (system, answer)):
            side.append(f"[S:{number}]\n{{en}}\n{text}\n{{/en}}\n[/S]\n")
    return "".join(gold), "".join(system)


def ours_on(gold: str, system: str) -> Callable[[], Counts]:
    scorer = get("unl-text")
    sides = [Source.of_bytes("x.unl", text.encode()) for text in (gold, system)]

    def work() -> Counts:
        options = parse(scorer.options, {})
        return count(scorer, read_pair(scorer, *sides, options), options).as_numbers()

    return work


def peer_on(gold: str, system: str) -> Callable[[], Counts]:
    def work() -> Counts:
        expected, answers = (dict(SENTENCE.findall(text)) for text in (gold, system))
        returned = correct = 0
        for name, text in expected.items():
            wanted, answer = normal(text), normal(answers.get(name, ""))
            if answer and not UW_SYNTAX.search(answer):
                returned += 1
                correct += 10 * levenshtein(answer, wanted) < 3 * len(wanted)
        counts = {"correct": correct, "returned": returned, "expected": len(expected)}
        return {name: float(number) for name, number in counts.items()}

    return work


def normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def levenshtein(first: Sequence[str], second: Sequence[str]) -> int:
    """Two rows of the table at a time."""
    above = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        row = [i]
        for j, b in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
        above = row
    return above[-1]
