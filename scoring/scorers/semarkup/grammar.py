"""Lemmas and grammatical features: when they agree, and how far (seed 000)."""

from collections.abc import Mapping

YO, YE = "\u0451", "\u0435"


def alike_lemmas(system: str, gold: str) -> bool:
    """Lower-cased, U+0451 taken for U+0435, nothing else."""
    return system.lower().replace(YO, YE) == gold.lower().replace(YO, YE)


Categories = dict[str, str]


def categories(feats: str) -> Categories:
    """`A=b|C=d` as a dictionary (SCORING.md, `semarkup`, "FEATS").

    The last of a repeated key wins; a bare key has the value "", and "_" is the same.
    """
    found = {}
    for part in feats.split("|"):
        name, _, value = part.partition("=")
        if name not in ("", "_"):
            found[name] = "" if value == "_" else value
    return found


def feats_score(
    answered: Categories, wanted: Categories, weights: Mapping[str, float]
) -> float:
    """Weighted share of the gold's categories that the system has right, 0 to 1.

    It is divided by one more for each category beyond the number in the gold. With an
    empty gold it is 1 for an empty answer, else 0.
    """
    if not wanted:
        return 0.0 if answered else 1.0
    right = sum(
        [weights[name] for name, value in wanted.items() if answered.get(name) == value]
    )
    whole = sum([weights[name] for name in wanted])
    return right / whole / (1 + max(0, len(answered) - len(wanted)))
