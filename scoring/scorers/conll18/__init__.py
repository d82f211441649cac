"""The 13 scores of the CoNLL 2018 shared task (SCORING.md, `conll18`).

Tokens, sentences and words need not be the gold's: they are compared as stretches of
the same text, and words are paired before anything else is compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts
from scoring.errors import Problem, Refused, ScoringError, SetupError
from scoring.measures import (
    Measure,
    f1_measure,
    f1_or_zero,
    ratio_or_zero,
    share_measure,
)
from scoring.messages import Messages, Wording, _
from scoring.oddities import in_capitals
from scoring.options import Option, Options, Raw, parse
from scoring.scorer import Scorer, Tables
from scoring.scorers.conll18 import enhanced, surface
from scoring.scorers.conll18.counts import count
from scoring.scorers.conll18.details import details, inspect
from scoring.scorers.conll18.outline import running_text
from scoring.scorers.conll18.surface import RawText, Surface
from scoring.scorers.treebanks import trees
from scoring.scorers.treebanks.blind import blind_text
from scoring.scorers.treebanks.conllu import FORM, LEMMA
from scoring.scorers.treebanks.examples import guessed_trees, spoiled_trees
from scoring.source import Source, brief

MESSAGES = Messages(
    capitals=_("lemmas are in capitals, such as '%(text)s', and words are not."),
)
MOST_LEMMAS = 1000  # that are looked at


@dataclass(frozen=True, slots=True)
class ConllScore:
    """One of the 13 scores; `among` says what it counts: tokens, words, ..."""

    name: str
    title: str
    among: str
    right: str


SCORES = (
    ConllScore("tokens", "Tokens", "tokens", _("same characters")),
    ConllScore("sentences", "Sentences", "sentences", _("same characters")),
    ConllScore("words", "Words", "words", _("paired")),
    ConllScore("upos", "UPOS", "words", _("paired, same UPOS")),
    ConllScore("xpos", "XPOS", "words", _("paired, same XPOS")),
    ConllScore("ufeats", "UFeats", "words", _("paired, same universal features")),
    ConllScore(
        "alltags", "AllTags", "words", _("paired, same UPOS, XPOS, universal features")
    ),
    ConllScore(
        "lemmas", "Lemmas", "words", _("paired, same LEMMA or none in the gold")
    ),
    ConllScore("uas", "UAS", "words", _("paired, and so are their heads")),
    ConllScore("las", "LAS", "words", _("as UAS, same relation without subtype")),
    ConllScore("clas", "CLAS", "content", _("as LAS, content relations only")),
    ConllScore(
        "mlas", "MLAS", "content", _("as CLAS, same UPOS, features, function words")
    ),
    ConllScore("blex", "BLEX", "content", _("as CLAS, same LEMMA or none in the gold")),
)

COUNTED = {
    "tokens": _("tokens"),
    "sentences": _("sentences"),
    "words": _("words"),
    "content": _("content words"),
    "edges": _("enhanced dependencies"),
}

# Of tasks with enhanced graphs only.
ENHANCED = (
    ConllScore("elas", "ELAS", "edges", _("between paired words, same relation")),
    ConllScore("eulas", "EULAS", "edges", _("as ELAS, relations without subtypes")),
)


def _f1_of(score: ConllScore) -> Measure:
    columns = (score.name, f"{score.among}_system", f"{score.among}_gold")
    values = {"right": Wording(score.right), "words": _title_of(score)}
    formula = Wording(
        _("2 x right / %(words)s of system and gold; right: %(right)s"), values
    )
    return f1_measure(score.name, score.title, columns, formula, f1_or_zero)


def _parts(score: ConllScore) -> Iterator[Measure]:
    for part, side, formula in (
        ("precision", "system", _("right / %(words)s of the system")),
        ("recall", "gold", _("right / %(words)s of the gold")),
    ):
        yield share_measure(
            f"{score.name}_{part}",
            f"{score.title} {part[0].upper()}",
            (score.name, f"{score.among}_{side}"),
            Wording(formula, {"words": _title_of(score)}),
            ratio_or_zero,
        )


def _title_of(score: ConllScore) -> Wording:
    return Wording(COUNTED[score.among])


def _measures(scores: Sequence[ConllScore]) -> tuple[Measure, ...]:
    """F1 of every score, then precision and recall of every score; 0/0 is 0."""
    parts = (measure for score in scores for measure in _parts(score))
    return (*map(_f1_of, scores), *parts)


MEASURES = _measures(SCORES)


def enhanced_measures(raw: Raw) -> tuple[Measure, ...]:
    """The measures of a task with enhanced graphs; none where it has its usual ones."""
    return _measures((*SCORES, *ENHANCED)) if parse(OPTIONS, raw)["enhanced"] else ()


def tables(counts: Counts, _options: Options) -> Tables:
    """Counts of each score, and the accuracy on paired words."""
    counted = [
        measure for measure in (*SCORES, *ENHANCED) if measure.name in counts.columns
    ]
    return {"scores": {score.name: _row(score, counts) for score in counted}}


def _row(score: ConllScore, counts: Counts) -> dict[str, float | None]:
    right = counts.total(score.name)
    row: dict[str, float | None] = {
        "correct": right,
        "gold": counts.total(f"{score.among}_gold"),
        "system": counts.total(f"{score.among}_system"),
        "aligned": None,
        "aligned_accuracy": None,
    }
    if score.among in ("words", "content"):
        row["aligned"] = aligned = counts.total(score.among)
        row["aligned_accuracy"] = right / aligned if aligned else None
    return row


OPTIONS = (
    Option("roots", "roots per sentence", "choice", "single", ("single", "any")),
    Option(
        "enhanced", "score the enhanced graphs in DEPS, too: ELAS and EULAS", "flag"
    ),
)


def read_gold(source: Source, options: Options) -> Surface:
    return _read(source, SetupError, options)


def _read(source: Source, kind: type[ScoringError], options: Options) -> Surface:
    words = surface.read(source, kind, options["roots"] == "single")
    if options["enhanced"]:
        enhanced.check(words, kind)
    return words


def read_blind(source: Source, _options: Options) -> RawText:
    return surface.read_text(source)


def read_system(source: Source, options: Options, gold: Surface | RawText) -> Surface:
    system = _read(source, Refused, options)
    surface.pair(system, gold)
    return system


def notes(system: Surface, options: Options) -> list[Problem]:
    """Remarks on trees, and on dependencies that a word has twice."""
    graphs = enhanced.notes(system) if options["enhanced"] else []
    odd = trees.odd_columns(system.trees) + _lemmas_in_capitals(system.trees)
    return trees.notes(system.trees) + odd + graphs


def _lemmas_in_capitals(words: trees.Trees) -> list[Problem]:
    """A remark on lemmas that are in capitals alone where the words are not."""
    rows = np.arange(min(len(words.heads), MOST_LEMMAS))
    lemmas, forms = (words.field(column, rows).texts() for column in (LEMMA, FORM))
    loud = in_capitals(lemmas)
    if loud is None or in_capitals(forms) is not None:
        return []
    return [Problem("capitals", MESSAGES("capitals", text=brief(loud[1], 40)))]


EXAMPLE = """\
# sent_id = 1
1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_
1\tcan\tcan\tAUX\t_\tVerbForm=Fin\t3\taux\t_\t_
2\tnot\tnot\tPART\t_\tPolarity=Neg\t3\tadvmod\t_\t_
3\tswim\tswim\tVERB\t_\tVerbForm=Inf\t0\troot\t_\t_
"""

SCORER = Scorer(
    name="conll18",
    title="CoNLL 2018",
    summary=_(
        "From raw text to trees: tokens, sentences, words, tags, lemmas and "
        "dependencies, whatever the tokenisation."
    ),
    formats=("CoNLL-U",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="las",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=running_text,
    notes=notes,
    remarks=lambda gold, system, _options: trees.left_empty(gold.trees, system.trees),
    answered=lambda asked, system, options: trees.count_answers(
        asked, system.trees, options
    ),
    labels=lambda read, options: trees.labels(read.trees, options),
    count=count,
    details=details,
    blind=blind_text,
    tables=tables,
    guess=guessed_trees,
    spoil=spoiled_trees,
    inspect=inspect,
    declared=enhanced_measures,
    version=2,  # a dependency of the gold is matched once
)
