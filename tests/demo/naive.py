"""A slow and plain reading of CoNLL-U, to hold the demo data against."""

import math

Counts = list[tuple[int, int]]


def blocks(text: str) -> list[list[list[str]]]:
    """Sentences as lists of words, words as lists of cells."""
    return [
        [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        for block in text.strip("\n").split("\n\n")
    ]


def right(gold: list[str], system: list[str]) -> bool:
    labels = gold[7].split(":")[0], system[7].split(":")[0]
    return gold[6] == system[6] and labels[0] == labels[1]


def las_counts(gold: str, system: str) -> Counts:
    """For each sentence: right words and all words, punctuation left out."""
    counts = []
    for ours, theirs in zip(blocks(gold), blocks(system), strict=True):
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a[7] != "punct"]
        counts.append((sum(right(a, b) for a, b in pairs), len(pairs)))
    return counts


def ratio(counts: Counts) -> float:
    return sum(hits for hits, _ in counts) / sum(words for _, words in counts)


def standard_error(counts: Counts) -> float:
    """The standard error of the ratio, with sentences as the units (linearized)."""
    share = ratio(counts)
    residuals = math.fsum((hits - share * words) ** 2 for hits, words in counts)
    return math.sqrt(residuals) / sum(words for _, words in counts)


def paired_error(first: Counts, second: Counts) -> float:
    """The standard error of the difference of two systems on the same sentences."""
    shares = ratio(first), ratio(second)
    residuals = math.fsum(
        (a - shares[0] * words - b + shares[1] * words) ** 2
        for (a, words), (b, _) in zip(first, second, strict=True)
    )
    return math.sqrt(residuals) / sum(words for _, words in first)
