"""`senseval` on some 4,000 instances, reading included, against plain Python.

The key and runs of SENSEVAL-3 where they lie beside the checkout, made up elsewhere.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._timing import row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

INSTANCES, TARGET = 4_000, "10 ms"
REAL = Path(__file__).parents[2] / "shared" / "data" / "senseval3"

Chains = dict[str, list[tuple[int, str]]]
Guesses = list[tuple[str, float]]
Files = dict[str, Source]


def rows() -> list[dict[str, Any]]:
    """Paired timings of the mixed grain, with single guesses and with weighted ones."""
    files = real() if REAL.exists() else made(Random(1))
    return [row_of(files, "mixed", answers) for answers in ("single", "weighted")]


def row_of(files: Files, grain: str, answers: str) -> dict[str, Any]:
    ours, peer = ours_on(files, grain, answers), peer_on(files, grain, answers)
    if abs(ours() - peer()) > 1e-6:
        raise ValueError(f"{ours()} and {peer()}")
    work = f"senseval, {grain}, {answers} guesses, {INSTANCES:,} instances"
    return row(work, ours, ("plain Python", peer), TARGET)


def real() -> Files:
    names = {
        "key": "EnglishLS.test.key",
        "map": "EnglishLS.sensemap",
        "single": "sys_d.txt",
        "weighted": "ensemble_weighted.txt",
    }
    return {name: Source.of_path(REAL / file) for name, file in names.items()}


def made(dice: Random) -> Files:
    """Sixty words of two to eight senses, some under others; a fair system."""
    senses = {f"w{i}.n": dice.randint(2, 8) for i in range(60)}
    lines: dict[str, list[str]] = {name: [] for name in ("key", "single", "weighted")}
    for number in range(INSTANCES):
        word = dice.choice(list(senses))
        ours = [f"{word}%{sense}" for sense in range(senses[word])]
        name = f"{word} {word}.{number:05}"
        right, guess, other = dice.choice(ours), dice.choice(ours), dice.choice(ours)
        also = f" {other}" if dice.random() < 0.08 else ""
        first = right if dice.random() < 0.6 else guess
        lines["key"].append(f"{name} {right}{also}")
        lines["single"].append(f"{name} {first}")
        lines["weighted"].append(f"{name} {first}/{dice.randint(2, 5)} {other}/1")
    lines["map"] = [
        f"{word}%{sense}" + (f" 2 {word}%0" if 0 < sense < 3 else "")
        for word, size in senses.items()
        for sense in range(size)
    ]
    texts = {name: "\n".join(some) + "\n" for name, some in lines.items()}
    return {name: Source.of_bytes(name, text.encode()) for name, text in texts.items()}


def ours_on(files: Files, grain: str, answers: str) -> Callable[[], float]:
    scorer = get("senseval")
    raw = {"granularity": [grain], "sensemap": [files["map"]]}
    options = parse(scorer.options, raw)

    def run() -> float:
        pair = read_pair(scorer, files["key"], files[answers], options)
        return count(scorer, pair, options).total("score")

    return run


def peer_on(files: Files, grain: str, answers: str) -> Callable[[], float]:
    def run() -> float:
        chains = read_map(files["map"])
        guessed = {name: weighed(tags) for name, tags in fields(files[answers])}
        return sum(
            instance_score(set(key), guessed[name], chains, grain)
            for name, key in fields(files["key"])
            if name in guessed
        )

    return run


def fields(source: Source) -> list[tuple[tuple[str, str], list[str]]]:
    split = [line.split() for line in source.single().decode().split("\n")]
    return [((f[0], f[1]), f[2:]) for f in split if len(f) > 2]


def read_map(source: Source) -> Chains:
    chains = {}
    for line in source.single().decode().split("\n"):
        if split := line.split():
            pairs = zip(split[1::2], split[2::2], strict=True)
            chains[split[0]] = [(int(factor), parent) for factor, parent in pairs]
    return chains


def weighed(tags: list[str]) -> Guesses:
    split = [tag.partition("/") for tag in tags]
    loose = any(not slash for _, slash, _ in split)
    weights = [1.0 if loose else float(weight) for _, _, weight in split]
    whole = max(1.0, sum(weights))
    return [(s[0], weight / whole) for s, weight in zip(split, weights, strict=True)]


def instance_score(
    key: set[str], guesses: Guesses, chains: Chains, grain: str
) -> float:
    if grain == "coarse":
        key = {top(sense, chains) for sense in key}
        guesses = [(top(sense, chains), weight) for sense, weight in guesses]
    score = 0.0
    for guess, weight in guesses:
        score += weight * min(1, sum(credit(guess, k, chains, grain) for k in key))
    return min(1, score)


def top(sense: str, chains: Chains) -> str:
    chain = chains.get(sense)
    return chain[-1][1] if chain else sense


def credit(guess: str, key: str, chains: Chains, grain: str) -> float:
    if guess == key:
        return 1
    if grain != "mixed":
        return 0
    branches = 1
    for factor, parent in chains.get(key, []):
        branches *= factor
        if parent == guess:
            return 1 / branches
    return float(any(parent == key for _, parent in chains.get(guess, [])))
