"""Spans: both tables from bytes, against the reports of seqeval and nervaluate.

The peers' time has a plain parser's that makes lists of tags of the same bytes.
"""

import json
import random
import warnings
from itertools import accumulate
from pathlib import Path
from typing import Any

from nervaluate import Evaluator
from seqeval.metrics import classification_report

from benchmarks._timing import row
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

WNUT = Path(__file__).parents[2] / "shared" / "data" / "spans" / "wnut17"
TOKENS, MOST_WORDS, TEXTS = 23_000, 30, 400
LABELS = ("person", "location", "group", "product", "corporation", "work")


def files() -> tuple[bytes, bytes]:
    """Reference and submission: WNUT 2017 where it lies beside us, else made up."""
    if WNUT.exists():
        gold, system = (WNUT / f"{name}.conll" for name in ("gold", "uh_ritual"))
        return gold.read_bytes(), system.read_bytes()
    return made(1, TOKENS), made(2, TOKENS)


def made(seed: int, tokens: int) -> bytes:
    """IOB2 columns with a name in one of fifteen tokens; same tokens for every seed."""
    rng, lines, inside = random.Random(seed), [], ""
    for i in range(tokens):
        if i % MOST_WORDS == 0:
            lines, inside = [*lines, ""], ""
        if inside and rng.random() < 0.4:
            tag = f"I-{inside}"
        else:
            inside = rng.choice(LABELS) if rng.random() < 1 / 15 else ""
            tag = f"B-{inside}" if inside else "O"
        lines.append(f"word{i % 997}\t{tag}")
    return "\n".join([*lines[1:], ""]).encode()


def sentences(data: bytes) -> list[list[str]]:
    """Tags by sentence, as the peers take them."""
    blocks = data.decode().replace("\r\n", "\n").strip("\n").split("\n\n")
    return [
        [line.rpartition("\t")[2] for line in b.split("\n") if line] for b in blocks
    ]


def score(gold: bytes, system: bytes, form: str = "conll") -> Any:
    """Bytes in, both tables out."""
    scorer = get("spans")
    options = parse(scorer.options, {"format": [form]})
    reference = scorer.read_gold(Source.of_bytes("gold", gold), options)
    answer = scorer.read_system(Source.of_bytes("system", system), options, reference)
    return scorer.tables(scorer.count(reference, answer, options), options)


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    warnings.simplefilter("ignore")
    pair = files()
    texts = texts_with_offsets(5), texts_with_offsets(6)
    gold = sentences(pair[0])
    tags = sorted({tag[2:] for tags in gold for tag in tags if tag != "O"})

    def ours() -> None:
        score(*pair)

    def seqeval() -> None:
        classification_report(*map(sentences, pair), zero_division=0)

    def nervaluate() -> None:
        gold, system = map(sentences, pair)
        Evaluator(gold, system, tags=tags, loader="list").evaluate()

    words = f"{sum(map(len, gold))} tokens"
    return [
        row(
            f"tag and token tables, {words} of columns",
            ours,
            ("seqeval", seqeval),
            "8 x",
        ),
        row(
            f"all four modes, {words} of columns",
            ours,
            ("nervaluate", nervaluate),
            "8 x",
        ),
        row(
            f"all four modes, {TEXTS} texts of JSON Lines",
            lambda: score(*texts, "jsonl"),
            ("nervaluate", lambda: by_offsets(*texts)),
            "8 x",
        ),
    ]


def texts_with_offsets(seed: int) -> bytes:
    """Sixty words a text, eight of which begin a span; each seed has the same words."""
    words, spans, lines = random.Random(1), random.Random(seed), []
    for number in range(TEXTS):
        text = [f"word{words.randrange(997)}" for _ in range(60)]
        begins = [*accumulate((len(word) + 1 for word in text), initial=0)]
        extents = [
            (begins[at], begins[at + spans.choice((1, 1, 2))] - 1)
            for at in sorted(spans.sample(range(58), 8))
        ]
        own = [
            {"start": start, "end": end, "label": spans.choice(LABELS)}
            for start, end in extents
        ]
        record = {"id": f"t{number}", "text": " ".join(text), "spans": own}
        lines.append(json.dumps(record))
    return "\n".join(lines).encode()


def by_offsets(gold: bytes, system: bytes) -> object:
    """nervaluate's ends are inclusive."""
    sides = [
        [
            [span | {"end": span["end"] - 1} for span in json.loads(line)["spans"]]
            for line in data.decode().split("\n")
        ]
        for data in (gold, system)
    ]
    return Evaluator(*sides, tags=[*LABELS]).evaluate()
