"""What a task fixes for `semarkup`: taxonomy, lemma weights, weights of categories."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.errors import Problem, SetupError
from scoring.formats import taxonomy, weights
from scoring.formats.taxonomy import Taxonomy
from scoring.formats.text import shown
from scoring.options import Options

LIGHT_TAGS = ("ADP", "CCONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X")
LIGHT, HEAVY = 0.3, 0.7
# Grammemes per category of SynTagRus (SCORING.md, FeatsWeight).
SYNTAGRUS = {
    "Animacy": 2.0,
    "Aspect": 2.0,
    "Case": 8.0,
    "Degree": 3.0,
    "Gender": 3.0,
    "Mood": 3.0,
    "Number": 2.0,
    "Person": 3.0,
    "PronType": 6.0,
    "Tense": 3.0,
    "VerbForm": 4.0,
    "Voice": 3.0,
    **dict.fromkeys(("Abbr", "Foreign", "NumType", "Polarity"), 1.0),
    **dict.fromkeys(("Poss", "Reflex", "Typo", "Variant"), 1.0),
}


@dataclass(frozen=True)
class Rules:
    """`lemma` weighs tags, `feats` categories; a tag not listed weighs HEAVY."""

    taxonomy: Taxonomy
    lemma: Mapping[str, float]
    feats: Mapping[str, float]

    def lemma_weight(self, tag: str) -> float:
        return self.lemma.get(tag, HEAVY)


NO_RULES = Rules(taxonomy.EMPTY, {}, {})


def read(options: Options) -> Rules:
    """The files a task gives, and the shipped weights where it gives none.

    Raises SetupError for a file that cannot be used.
    """
    classes, lemma, feats = (
        options[name] for name in ("taxonomy", "lemma_weights", "feats_weights")
    )
    return Rules(
        taxonomy=taxonomy.read(classes) if classes else taxonomy.EMPTY,
        lemma=weights.read(lemma) if lemma else dict.fromkeys(LIGHT_TAGS, LIGHT),
        feats=_above_zero(feats.name, weights.read(feats)) if feats else SYNTAGRUS,
    )


def _above_zero(file: str, found: dict[str, float]) -> dict[str, float]:
    """A word whose categories all weigh nothing would have no score."""
    for name, weight in found.items():
        if weight == 0:
            message = f"the weight of '{shown(name)}' is 0; expected more."
            raise SetupError(Problem("weights", message, file))
    return found
