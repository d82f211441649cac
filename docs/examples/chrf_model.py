"""A model for `plumbline fill`: chrF of sacreBLEU, where others need a GPU.

It takes all answers of a file at once, with the row of each one's unit; a neural metric
takes them in one batch.
"""

from collections.abc import Mapping, Sequence

from sacrebleu.metrics import CHRF

METRIC = CHRF()


def chrf(answers: Sequence[str], units: Sequence[Mapping[str, str]]) -> list[float]:
    """One value from 0 to 1 for each answer."""
    references = [unit["reference"] for unit in units]
    pairs = zip(answers, references, strict=True)
    return [METRIC.sentence_score(own, [other]).score / 100 for own, other in pairs]
