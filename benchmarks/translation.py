"""`translation` on 3,000 segments against sacreBLEU: scores, and resamples of them.

sacreBLEU keeps the tokens of the last 65,536 sentences; so both sides find those of
the run before.
"""

from collections.abc import Callable
from itertools import accumulate
from random import Random
from typing import Any

from benchmarks._timing import row
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan, estimates

SEGMENTS, FEW, WORDS, LONGEST = 3_000, 300, 8_000, 45
LETTERS = "etaoinsrhldcumfpgwybvkжшяé"
PLAN = Plan(1000, 1)
BOTH = ("bleu", "chrf")

Texts = list[str]


def rows() -> list[dict[str, Any]]:
    """Counting and resampling, each against sacreBLEU's way to the same numbers."""
    from sacrebleu.metrics import BLEU, CHRF, TER

    system, references = made(Random(1))
    some, others = system[:FEW], references[:FEW]
    few = counted(some, others)
    two, four = [BLEU(), CHRF()], [BLEU(), CHRF(), CHRF(word_order=2), TER()]
    for name, metric in zip(("bleu", "chrf", "chrfpp", "ter"), four, strict=True):
        ours = get("translation").measure(name).of(few.totals, few.columns)
        theirs = metric.corpus_score(some, [others]).score
        if abs(100 * float(ours) - theirs) > 1e-9:
            raise ValueError(f"{name}: {ours} and {theirs}")
    return [
        row(
            f"translation, {FEW} segments: file to counts of all four",
            lambda: counted(some, others),
            ("sacrebleu", by_sacrebleu(four, some, others)),
            1,
        ),
        row(
            f"1000 resamples of {SEGMENTS:,} segments, from lines: BLEU and chrF",
            lambda: resampled(counted(system, references, ter="false")),
            (
                "sacrebleu, n_bootstrap=1000",
                by_sacrebleu(two, system, references, PLAN.resamples),
            ),
            50,
        ),
    ]


def made(dice: Random) -> tuple[Texts, Texts]:
    """Sentences of made-up words, the frequent ones short; a fair system."""
    words = [
        "".join(dice.choices(LETTERS, k=1 + int(dice.gammavariate(4, 1.2))))
        for _ in range(WORDS)
    ]

    # As often as words of that rank in running text, with some 5 % for the first.
    rate = list(accumulate(1 / (rank + 2) for rank in range(WORDS)))

    def word() -> str:
        return dice.choices(words, cum_weights=rate)[0]

    def changed(sentence: list[str]) -> list[str]:
        near = [w if dice.random() < 0.75 else word() for w in sentence]
        if dice.random() < 0.4:
            cut = dice.randrange(len(near))
            near = near[cut:] + near[:cut]
        return near

    first = [[word() for _ in range(dice.randint(4, LONGEST))] for _ in range(SEGMENTS)]
    second = map(changed, first)
    return [" ".join(s) + "." for s in second], [" ".join(s) + "." for s in first]


def counted(system: Texts, references: Texts, ter: str = "true") -> Counts:
    scorer = get("translation")
    gold, answer = (
        Source.of_bytes(name, "\n".join(texts).encode())
        for name, texts in (("gold.txt", references), ("system.txt", system))
    )
    options = parse(scorer.options, {"ter": [ter]})
    return count(scorer, read_pair(scorer, gold, answer, options), options)


def by_sacrebleu(
    metrics: list[Any], system: Texts, references: Texts, resamples: int = 1
) -> Callable[[], object]:
    def run() -> object:
        return [
            m.corpus_score(system, [references], n_bootstrap=resamples) for m in metrics
        ]

    return run


def resampled(counts: Counts) -> object:
    scorer = get("translation")
    return estimates(counts, tuple(map(scorer.measure, BOTH)), PLAN)
