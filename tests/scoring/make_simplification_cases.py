"""Expected SARI of random texts, from another program; no part of the suite.

    git clone https://github.com/feralvam/easse /tmp/easse
    PYTHONPATH=/tmp/easse python tests/scoring/make_simplification_cases.py

writes `simplification_cases.json` beside this file: what `compute_macro_sari` of
`easse.sari` makes of `compute_ngram_stats`, which is easse's default since 0.2.4, of
words by sacreBLEU's tokenizer 13a in lower case. `case` makes the texts, so that only
results are stored.
"""

from pathlib import Path
from random import Random

CASES = 300
STORED = Path(__file__).with_name("simplification_cases.json")
WORDS = (
    *("the", "The", "gull", "gulls", "sleeps", "sleeps.", "1,000", "don't", "(old)"),
    *("\u0447\u0430\u0439", "\u00c9t\u00e9", "\u2026", "&amp;", "x"),
)


def case(seed: int) -> tuple[list[str], list[str], list[list[str]]]:
    """Sources, simplifications and as many references of each; of one text to six, some
    empty, some equal to their source or to a reference."""
    dice = Random(seed)
    size, number = dice.choice([1, 1, 2, 6]), dice.choice([1, 2, 3])

    def text(least: int = 0) -> list[str]:
        return [dice.choice(WORDS) for _ in range(dice.choice([least, 1, 3, 9]))]

    def other_words(words: list[str]) -> list[str]:
        """Words of a text, some of them lost, others replaced, some said again."""
        kept = [word for word in words if dice.random() < 0.8]
        kept = [w if dice.random() < 0.8 else dice.choice(WORDS) for w in kept]
        return kept + kept[:1] * dice.choice([0, 0, 1])

    sources = [text(1) for _ in range(size)]
    references = [
        [other_words(source) or ["x"] for _ in range(number)] for source in sources
    ]
    system = [
        dice.choice(
            [other_words(source), other_words(others[0]), others[0], source, text(), []]
        )
        for source, others in zip(sources, references, strict=True)
    ]
    return (
        [*map(" ".join, sources)],
        [*map(" ".join, system)],
        [[*map(" ".join, others)] for others in references],
    )


def sari(seed: int) -> float:
    from easse.sari import compute_macro_sari, compute_ngram_stats
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    def split(texts: list[str]) -> list[str]:
        return [*map(Tokenizer13a(), map(str.lower, texts))]

    sources, system, references = case(seed)
    columns = [split([*column]) for column in zip(*references, strict=True)]
    stats = compute_ngram_stats(split(sources), split(system), columns)
    return float(compute_macro_sari(*stats)) / 100


if __name__ == "__main__":
    figures = ",\n".join(repr(sari(seed)) for seed in range(CASES))
    STORED.write_text(f"[\n{figures}\n]\n", "utf-8")
