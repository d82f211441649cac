"""Generated texts and answers against references: ROUGE, exact match, F1, similarity.

Each figure is the mean over texts of the value with the best reference: ROUGE as
rouge-score has it, exact match and token F1 by the rules of SQuAD's script.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from unicodedata import normalize

import numpy as np

from scoring.counts import Counts, Floats, fixed_point
from scoring.errors import Problem, SetupError
from scoring.formats.answers import Answers
from scoring.inspection import Inspection
from scoring.measures import mean_of_fractions, share_measure
from scoring.messages import Messages, Wording, _
from scoring.options import Option, Options
from scoring.picks import another
from scoring.scorer import Details
from scoring.scorers.texts import overlap, references, simplification
from scoring.scorers.texts.inspection import TextInspection
from scoring.scorers.texts.words import rouge_words
from scoring.source import Source

MESSAGES = Messages(
    no_source=_("there is no input 'source', which SARI compares with (option sari)."),
    name_source=_(
        "Call the column with the texts that were to be simplified 'source', and "
        "let it stand among the inputs."
    ),
)
LONGEST = 100_000
ANY_WORD = "yes"
TEXTS = "texts"

OPTIONS = (
    Option(
        "tokenizer",
        "words of ROUGE: runs of a-z and 0-9 as rouge-score takes them, which leave "
        "nothing of other alphabets, or letters and digits of any script",
        "choice",
        "rouge",
        ("rouge", "unicode"),
    ),
    Option("stems", "cut endings off English words for ROUGE (Porter)", "flag"),
    Option(
        "normalisation",
        "for exact match and F1: lower case without punctuation and English articles "
        "(squad), without punctuation only (words), or the text as it stands",
        "choice",
        "squad",
        ("squad", "words", "none"),
    ),
    Option(
        "sari",
        "SARI, of simplifications: the gold has what was to be simplified in the input "
        "source",
        "flag",
    ),
    Option("gleu", "Google's GLEU, of words by the tokenizer 13a of BLEU", "flag"),
    references.UNICODE_FORM,
    *references.OPTIONS,
)

TITLES = {
    "rouge1": ("ROUGE-1", _("F of words in common")),
    "rouge2": ("ROUGE-2", _("F of pairs of words in common")),
    "rougeL": ("ROUGE-L", _("F of the longest common subsequence of words")),
    "exact_match": ("Exact match", _("1 for a text that equals a reference")),
    "f1": ("F1", _("F of words in common, by SQuAD's rules")),
    "similarity": ("Similarity", _("1 - edits / characters of the longer text")),
}
PARTS = (
    (
        "_precision",
        "P",
        _("mean over texts: precision of the reference with the best F"),
    ),
    ("_recall", "R", _("mean over texts: recall of the reference with the best F")),
)
OVER_TEXTS = _("mean over texts: %(formula)s")
RIGHT_OR_WRONG = ("exact_match",)
MEASURES = (
    *(
        (share_measure if name in RIGHT_OR_WRONG else mean_of_fractions)(
            name, title, (name, TEXTS), Wording(OVER_TEXTS, {"formula": Wording(text)})
        )
        for name, (title, text) in TITLES.items()
    ),
    *(
        mean_of_fractions(
            f"{name}{end}",
            f"{TITLES[name][0]} {letter}",
            (f"{name}{end}", TEXTS),
            formula,
        )
        for name in ("rouge1", "rouge2", "rougeL")
        for end, letter, formula in PARTS
    ),
    *simplification.MEASURES,
    replace(
        share_measure(
            "gleu",
            "GLEU",
            overlap.GLEU,
            _(
                "n-grams of 1 to 4 words in common / those of the longer text, with "
                "the best reference of each (option gleu)"
            ),
        ),
        fractions=True,
    ),
)


def read_gold(source: Source, options: Options) -> Answers:
    """Texts with their references. Raises SetupError with all that is wrong."""
    gold = references.read_gold(source, options)
    if options["sari"] and references.SOURCE not in gold.inputs:
        hint = MESSAGES("name_source")
        raise SetupError(Problem("header", MESSAGES("no_source"), gold.name, hint=hint))
    return gold


def count(gold: Answers, system: Answers, options: Options) -> Counts:
    """One row per text: its values with the best reference, exact as fixed point."""
    values = _values(gold, system, options)
    columns: dict[str, Floats] = {TEXTS: np.ones(len(gold))}
    for name, column in values.items():
        columns |= fixed_point(name, column)
    if options["gleu"]:
        columns |= overlap.gleu(*_sides(gold, system, options), simplification.tokens)
    sources = gold.inputs.get(references.SOURCE)
    # An answer that stands in for the gold comes without what was asked.
    if options["sari"] and sources is not None:
        columns |= simplification.counts(sources, *_sides(gold, system, options))
    return Counts.of_rows(gold.ids, columns, gold.groups)


def _values(gold: Answers, system: Answers, options: Options) -> dict[str, Floats]:
    own, others = _sides(gold, system, options)
    words = rouge_words(options["tokenizer"], stems=options["stems"])
    return {
        **overlap.rouge(own, others, words),
        **overlap.answers(own, others, options["normalisation"]),
        **overlap.similarity(own, others),
    }


def _sides(
    gold: Answers, system: Answers, options: Options
) -> tuple[list[str], list[list[str | None]]]:
    """The system's texts and the columns of references, in one normal form."""
    own, others = system.texts, references.columns(gold)
    form = options["unicode_form"]
    if form == references.AS_IS:
        return own, others
    folded = [[text and normalize(form, text) for text in c] for c in others]
    return [normalize(form, text) for text in own], folded


def remarks(gold: Answers, system: Answers, options: Options) -> list[str]:
    """References without a word that ROUGE would see, and answers unlike theirs."""
    unlike = references.remarks(gold, system, options)
    words = rouge_words(options["tokenizer"], stems=False)
    others = references.columns(gold)
    texts = [text for column in others for text in column if text and text.strip()]
    unseen = sum(not words(text) for text in texts)
    if not unseen or options["tokenizer"] != "rouge":
        return unlike
    return [
        *unlike,
        f"{unseen} of {len(texts)} references have no word of a-z and 0-9, which is "
        "all that ROUGE sees: option tokenizer",
    ]


def details(gold: Answers, system: Answers, options: Options) -> Details:
    """One row per text: the texts and their values."""
    values = _values(gold, system, options)
    columns = {name: column.tolist() for name, column in values.items()}
    return references.details(gold, system, columns)


def inspect(gold: Answers, system: Answers, options: Options) -> Inspection:
    """Words that differ from the closest reference."""
    return TextInspection.of_closest(*_sides(gold, system, options)).inspection()


def _of_another(own: str, known: Sequence[str], random: Random) -> str:
    return another(known, own, random) or f"{own} {ANY_WORD}"


EXAMPLE = """\
id,text
q1,the lighthouse keeper
q2,at noon
q3,
"""

SCORER = references.scorer(
    LONGEST,
    ANY_WORD,
    _of_another,
    name="texts",
    title=_("Texts"),
    summary=_(
        "Generated texts or answers to questions against one or more references: "
        "ROUGE-1, ROUGE-2 and ROUGE-L, exact match, token F1, edit similarity, "
        "GLEU, and SARI of simplifications."
    ),
    example=EXAMPLE,
    units=("text", "document"),
    headline="rougeL",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=read_gold,
    count=count,
    details=details,
    remarks=remarks,
    inspect=inspect,
    requires=("nltk", "sacrebleu"),
    # 2: text as it stands keeps its white space; columns text2, text3; 4: GLEU
    version=4,
)
