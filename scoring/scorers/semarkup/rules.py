"""Rules of `semarkup` (seed 000): weights, agreement of lemmas and features."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.errors import Findings, Problem, SetupError
from scoring.formats.json_errors import json_error
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorers.semarkup import taxonomy
from scoring.scorers.semarkup.taxonomy import Taxonomy
from scoring.source import Source, brief, text_of

MESSAGES = Messages(
    zero=_("the weight of '%(name)s' is 0; expected more."),
    twice=_("'%(name)s' is weighted twice."),
    weight=_("the weight of '%(name)s' is no number from 0 to %(most)s."),
    no_json=_("not JSON: %(error)s"),
    unreadable=_("not JSON that can be read"),
    object=_('expected an object such as {"Case": 8, "Gender": 3}'),
)

YO, YE = "\u0451", "\u0435"


def alike_lemmas(system: str, gold: str) -> Flags:
    """Lower-cased, U+0451 taken for U+0435, nothing else; a lemma a line."""
    pairs = zip(_lower_lemmas(system), _lower_lemmas(gold), strict=True)
    return np.array([lemma == wanted for lemma, wanted in pairs], dtype=np.bool_)


def _lower_lemmas(lemmas: str) -> list[str]:
    """Lemmas lowered at once: a line end does not change how its neighbours are."""
    return lemmas.lower().replace(YO, YE).split("\n")[:-1]


Categories = dict[str, str]


def categories(texts: Iterable[str]) -> list[Categories]:
    """Each `A=b|C=d` as a dictionary (SCORING.md, `semarkup`, "FEATS"). The last of a
    repeated key wins; a bare key has the value "", and "_" is the same."""
    known = _Pairs()
    parsed = [dict(map(known.__getitem__, text.split("|"))) for text in texts]
    for own in parsed:
        own.pop("", None)
    return parsed


class _Pairs(dict[str, tuple[str, str]]):
    """Category and value by what is written; "" for what is no category."""

    def __missing__(self, text: str) -> tuple[str, str]:
        name, _, value = text.partition("=")
        self[text] = "" if name == "_" else name, "" if value == "_" else value
        return self[text]


class Features:
    """The categories of some distinct FEATS, one after the other.

    `sizes` (texts,) are their numbers, `whole` (texts,) what they weigh together;
    `items` and `weights` (sum of sizes,) are what each is, as a code of category and
    value, and what it weighs.
    """

    def __init__(
        self, parsed: Sequence[Categories], weights: Mapping[str, float]
    ) -> None:
        pairs = [pair for own in parsed for pair in own.items()]
        known: dict[tuple[str, str], int] = {}
        codes = [known.setdefault(pair, len(known)) for pair in pairs]
        self.sizes = np.array([len(own) for own in parsed], dtype=np.int64)
        self.begins = np.cumsum(self.sizes) - self.sizes
        self.of = np.repeat(np.arange(len(parsed)), self.sizes)
        self.items = np.array(codes, dtype=np.int64)
        weighed = [weights.get(name, 0.0) for name, _ in known]
        self.weights = np.array(weighed, dtype=np.float64)[self.items]
        self.whole = np.bincount(self.of, self.weights, len(parsed))


def feats_scores(feats: Features, answers: Integers, golds: Integers) -> Floats:
    """Weighted share of the gold's categories that the system has right, 0 to 1.

    `answers` and `golds` (n,) are places in `feats`. A share is divided by one more
    for each category beyond the number in the gold. With an empty gold it is 1 for an
    empty answer, else 0.
    """
    sizes = feats.sizes[golds]
    # All categories of the first gold FEATS, then of the second, ...
    pair_of = np.repeat(np.arange(len(golds)), sizes)
    steps = np.arange(len(pair_of)) - (np.cumsum(sizes) - sizes)[pair_of]
    place = feats.begins[golds][pair_of] + steps
    span = 1 + feats.items.max(initial=0)
    has = feats.of * span + feats.items
    right = np.isin(answers[pair_of] * span + feats.items[place], has)
    # Summed in the order in which they are written.
    earned = np.bincount(pair_of, right * feats.weights[place], len(golds))
    share = earned / np.where(sizes > 0, feats.whole[golds], 1)
    many = feats.sizes[answers]
    share = share / (1 + np.maximum(0, many - sizes))
    empty = (many == 0).astype(np.float64)
    return np.asarray(np.where(sizes > 0, share, empty), dtype=np.float64)


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
    """Weights of a task: `lemma` of tags, HEAVY if not listed; `feats`, categories."""

    taxonomy: Taxonomy
    lemma: Mapping[str, float]
    feats: Mapping[str, float]

    def lemma_weight(self, tag: str) -> float:
        return self.lemma.get(tag, HEAVY)


NO_RULES = Rules(taxonomy.EMPTY, {}, {})


def read(options: Options) -> Rules:
    """The files a task gives, and the shipped weights where it gives none. Raises
    SetupError for a file that cannot be used."""
    classes, lemma, feats = (
        options[name] for name in ("taxonomy", "lemma_weights", "feats_weights")
    )
    return Rules(
        taxonomy=taxonomy.read(classes) if classes else taxonomy.EMPTY,
        lemma=read_weights(lemma) if lemma else dict.fromkeys(LIGHT_TAGS, LIGHT),
        feats=_above_zero(feats.name, read_weights(feats)) if feats else SYNTAGRUS,
    )


def _above_zero(file: str, weights: dict[str, float]) -> dict[str, float]:
    """A word whose categories all weigh nothing would have no score."""
    for name, weight in weights.items():
        if weight == 0:
            message = MESSAGES("zero", name=brief(name))
            raise SetupError(Problem("weights", message, file))
    return weights


MOST_WEIGHT = 1000.0


def read_weights(source: Source) -> dict[str, float]:
    """Names and their weights, 0 to 1000. Raises SetupError for anything but an object
    of numbers, or a repeated name."""
    pairs = _load(source)
    findings = Findings(source.name)
    weights: dict[str, float] = {}
    for name, value in pairs:
        if name in weights:
            findings.add("weights", MESSAGES("twice", name=brief(name)))
        elif not _is_weight(value):
            message = MESSAGES("weight", name=brief(name), most=f"{MOST_WEIGHT:g}")
            findings.add("weights", message)
        else:
            weights[name] = float(value)
    findings.raise_if_any(SetupError)
    return weights


def _is_weight(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= MOST_WEIGHT


def _load(source: Source) -> list[tuple[str, Any]]:
    text = text_of(source, SetupError)
    try:
        # Pairs, not a dictionary: a repeated name must not vanish.
        pairs = json.loads(text, object_pairs_hook=list)
    except json.JSONDecodeError as error:
        place = error.lineno, error.colno
        message = MESSAGES("no_json", error=json_error(error))
        raise _setup_error(source, message, *place) from None
    except (RecursionError, ValueError):
        raise _setup_error(source, MESSAGES("unreadable")) from None
    # An array of the file stays a list too, but only pairs are tuples.
    if text.lstrip()[:1] != "{":
        raise _setup_error(source, MESSAGES("object"))
    return list(pairs)


def _setup_error(
    source: Source, message: str, line: int | None = None, column: int | None = None
) -> SetupError:
    return SetupError(Problem("weights", message, source.name, line, column))
