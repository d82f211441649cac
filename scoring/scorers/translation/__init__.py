"""Translations against references, as sacreBLEU scores them: BLEU, chrF, chrF++, TER.

sacreBLEU's tokenizers and its search for shifts are used; n-grams are counted for all
segments at once. The figures are functions of sums over segments, as there. Two things
differ: an empty text beside other references of a segment is no reference, and TER is
undefined, not 0, where neither side has a word.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from scoring.counts import Counts
from scoring.formats import answers
from scoring.formats.answers import Answers
from scoring.inspection import Inspection
from scoring.libraries import import_library
from scoring.measures import Measure
from scoring.messages import _
from scoring.options import Option, Options
from scoring.scorer import Details
from scoring.scorers.texts import references
from scoring.scorers.texts.inspection import TextInspection
from scoring.scorers.translation import bleu, chrf, ter

NAME = "translation"
LONGEST = 20_000
TOKENIZERS = ("13a", "intl", "char", "zh", "none")
ANY_WORD = "the"
REFERENCES = ("segments", "references", "references_squared")

OPTIONS = (
    Option("tokenize", "sacreBLEU's tokenizer, for BLEU", "choice", "13a", TOKENIZERS),
    Option("lowercase", "ignore case in BLEU, chrF and chrF++", "flag"),
    Option("chrf_whitespace", "count spaces as characters in chrF", "flag"),
    Option(
        "ter",
        "count TER, which takes long for segments of hundreds of words",
        "flag",
        True,
    ),
    Option("ter_normalized", "tokenize for TER as Tercom does", "flag"),
    Option("ter_no_punct", "leave punctuation out of TER", "flag"),
    Option("ter_asian_support", "split Asian characters for TER", "flag"),
    Option("ter_case_sensitive", "heed case in TER", "flag"),
    *references.OPTIONS,
)

SHARE = (0.0, 1.0)

MEASURES = (
    Measure(
        "bleu",
        "BLEU",
        bleu.COLUMNS,
        bleu.score,
        _(
            "brevity penalty x geometric mean of clipped precisions of 1 to 4 words "
            "(sacreBLEU, smoothing exp)"
        ),
        bounds=SHARE,
    ),
    Measure(
        "chrf",
        "chrF",
        chrf.CHRF,
        chrf.score,
        _("F2 of mean precision and recall of 1 to 6 characters (sacreBLEU's chrF2)"),
        bounds=SHARE,
    ),
    Measure(
        "chrfpp",
        "chrF++",
        chrf.CHRFPP,
        chrf.score,
        _("as chrF, with 1 and 2 words (sacreBLEU's chrF2++)"),
        bounds=SHARE,
    ),
    Measure(
        "ter",
        "TER",
        ter.COLUMNS,
        ter.score,
        _("edits and shifts to the closest reference / mean length of the references"),
        higher_is_better=False,
        bounds=(0.0, math.inf),
        sizes=ter.length,
    ),
)


def count(gold: Answers, system: Answers, options: Options) -> Counts:
    """One row per segment: what sacreBLEU sums up. Raises UsageError without it."""
    others = references.columns(gold)
    texts = system.texts
    metrics = _metrics(options)
    number = np.sum([[text is not None for text in c] for c in others], axis=0)
    edits = ter.columns_without_ter(len(gold))
    if options["ter"]:
        edits = ter.statistics(texts, others, metrics["TER"].tokenizer)
    if options["lowercase"]:
        texts = [text.lower() for text in texts]
        others = [[text and text.lower() for text in column] for column in others]
    table = np.concatenate(
        [
            bleu.statistics(texts, others, metrics["BLEU"].tokenizer),
            chrf.statistics(texts, others, whitespace=options["chrf_whitespace"]),
            np.stack([*edits.values()], axis=1),
            np.stack([number**0, number, number**2], axis=1),
        ],
        axis=1,
    )
    columns = (*bleu.COLUMNS, *chrf.COLUMNS, *edits, *REFERENCES)
    return Counts(tuple(gold.ids), columns, table.astype(np.float64), gold.groups)


def _metrics(options: Options) -> Mapping[str, Any]:
    """sacreBLEU's own metrics with these options, for tokenizers and signatures."""
    metrics = import_library(NAME, "sacrebleu.metrics")
    lower, spaces = options["lowercase"], options["chrf_whitespace"]
    of_characters = {"lowercase": lower, "whitespace": spaces}
    of_edits = ("normalized", "no_punct", "asian_support", "case_sensitive")
    return {
        "BLEU": metrics.BLEU(lowercase=lower, tokenize=options["tokenize"]),
        "chrF2": metrics.CHRF(**of_characters),
        "chrF2++": metrics.CHRF(word_order=chrf.WORDS, **of_characters),
        "TER": metrics.TER(**{name: options[f"ter_{name}"] for name in of_edits}),
    }


def signatures(counts: Counts, options: Options) -> list[str]:
    """The signatures that sacreBLEU prints beside each of its scores.

    Sums tell whether all segments have the same number of references: then the mean of
    the squares is the square of the mean.
    """
    segments, total, squares = map(counts.total, REFERENCES)
    number = -1
    if segments * squares == total**2:
        number = round(total / max(segments, 1))
    signatures = []
    for name, metric in _metrics(options).items():
        if name == "TER" and not options["ter"]:
            continue
        metric.num_refs = number
        signatures.append(f"{name}|{metric.get_signature().format()}")
    return signatures


def details(gold: Answers, system: Answers, options: Options) -> Details:
    """One row per segment: the texts, and the measures of the segment alone."""
    counts = count(gold, system, options)
    values = {
        measure.name: measure.of(counts.table, counts.columns) for measure in MEASURES
    }
    columns = {name: column.tolist() for name, column in values.items()}
    return references.details(gold, system, columns)


def inspect(gold: Answers, system: Answers, _options: Options) -> Inspection:
    """Words that differ from the closest reference."""
    sides = system.texts, references.columns(gold)
    return TextInspection.of_closest(*sides).inspection()


def _mistranslation(own: str, known: Sequence[str], random: Random) -> str:
    """The text with its first and second half exchanged, and a word of another text."""
    words, others = own.split(), random.choice(known).split()
    half = len(words) // 2
    return " ".join([*words[half:], *others[:1], *words[:half][:-1]])


EXAMPLE = """\
id,text
1,The ferry leaves the harbour at noon.
2,"Nobody waved, and the gulls kept quiet."
3,We reefed the mainsail before the wind rose.
"""

SCORER = references.scorer(
    LONGEST,
    ANY_WORD,
    _mistranslation,
    name=NAME,
    version=3,  # 2: BLEU without logarithms; 3: ids before lines
    title=_("Translation"),
    summary=_(
        "Translations or other texts against one or more references: BLEU, chrF, "
        "chrF++ and TER as sacreBLEU counts them."
    ),
    example=EXAMPLE,
    units=("segment", "document"),
    headline="bleu",
    options=OPTIONS,
    fixed_measures=MEASURES,
    count=count,
    details=details,
    signatures=signatures,
    inspect=inspect,
    answered=lambda asked, system, _options: replace(
        answers.count_answers(asked, system), other_words=True
    ),
    requires=("sacrebleu",),
)
