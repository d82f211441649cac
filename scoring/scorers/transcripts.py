"""Transcripts of speech against what was said: word, character and match error rates.

Words are aligned by edit distance, as jiwer aligns them; with several references the
one with the fewest edits counts.
"""

import math
import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from random import Random
from unicodedata import category, normalize

import numpy as np
from rapidfuzz.distance import Levenshtein

from scoring.counts import Counts, Floats
from scoring.formats.answers import Answers
from scoring.inspection import Inspection
from scoring.measures import Measure, ratio, simple_share
from scoring.messages import _
from scoring.options import Option, Options
from scoring.picks import another
from scoring.scorer import Details
from scoring.scorers.texts import references
from scoring.scorers.texts.inspection import WORD, Alignment, TextInspection

LONGEST = 100_000
ANY_WORD = "the"
KEEP = "keep"
OPERATIONS = ("hits", "substitutions", "deletions", "insertions")
EDITS = ("replace", "delete", "insert")
WORDS = tuple(f"word_{name}" for name in OPERATIONS)
CHARACTERS = tuple(f"character_{name}" for name in OPERATIONS)
WRONG, ALL = "segments_wrong", "segments"

OPTIONS = (
    Option("lowercase", "ignore case", "flag"),
    Option("punctuation", "punctuation marks", "choice", KEEP, (KEEP, "drop")),
    references.UNICODE_FORM,
    *references.OPTIONS,
)

# Errors may be more than there are words.
RATE, SHARE = (0.0, math.inf), (0.0, 1.0)

Pieces = Callable[[str], Sequence[str]]


def length(
    hits: Floats, substitutions: Floats, deletions: Floats, _insertions: Floats
) -> Floats:
    """Words (characters) of the reference."""
    return hits + substitutions + deletions


def error_rate(
    hits: Floats, substitutions: Floats, deletions: Floats, insertions: Floats
) -> Floats:
    """Edits per word (character) of the reference; without any the insertions."""
    words = length(hits, substitutions, deletions, insertions)
    edits = substitutions + deletions + insertions
    return np.asarray(edits / np.maximum(words, 1))


def match_errors(
    hits: Floats, substitutions: Floats, deletions: Floats, insertions: Floats
) -> tuple[Floats, Floats]:
    """Edits, and places of the alignment."""
    edits = substitutions + deletions + insertions
    return edits, hits + edits


def match_error_rate(*counts: Floats) -> Floats:
    edits, places = match_errors(*counts)
    return np.asarray(edits / np.maximum(places, 1))


def information_preserved(
    hits: Floats, substitutions: Floats, deletions: Floats, insertions: Floats
) -> Floats:
    """Share of hits in the reference, times their share in the transcript; 1 where both
    have no words."""
    said = hits + substitutions + deletions
    heard = hits + substitutions + insertions
    both = hits / np.maximum(said, 1) * (hits / np.maximum(heard, 1))
    return np.where(said + heard == 0, 1.0, both)


def information_lost(*counts: Floats) -> Floats:
    return np.asarray(1 - information_preserved(*counts))


MEASURES = (
    Measure(
        "wer",
        "WER",
        WORDS,
        error_rate,
        _("(substitutions + deletions + insertions) / words of the reference"),
        higher_is_better=False,
        bounds=RATE,
        sizes=length,
    ),
    Measure(
        "cer",
        "CER",
        CHARACTERS,
        error_rate,
        _(
            "(substitutions + deletions + insertions) / characters of the reference, "
            "spaces among them"
        ),
        higher_is_better=False,
        bounds=RATE,
        sizes=length,
    ),
    Measure(
        "mer",
        "MER",
        WORDS,
        match_error_rate,
        _("substitutions, deletions and insertions / those and hits"),
        higher_is_better=False,
        share=match_errors,
    ),
    Measure(
        "wil",
        "WIL",
        WORDS,
        information_lost,
        "1 - WIP",
        higher_is_better=False,
        bounds=SHARE,
    ),
    Measure(
        "wip",
        "WIP",
        WORDS,
        information_preserved,
        _("hits / words of the reference x hits / words of the transcript"),
        bounds=SHARE,
    ),
    Measure(
        "ser",
        "SER",
        (WRONG, ALL),
        ratio,
        _("segments with a wrong word / segments"),
        higher_is_better=False,
        share=simple_share,
    ),
)


def count(gold: Answers, system: Answers, options: Options) -> Counts:
    """One row per segment: hits and edits of words and of characters."""
    sides = [texts_to_compare(column, options) for column in _columns(gold, system)]
    words, _ = _best(sides, str.split)
    characters, _ = _best(sides, str)
    wrong = words[:, 1:].sum(axis=1) > 0
    table = np.column_stack([words, characters, wrong, np.ones(len(gold))])
    columns = (*WORDS, *CHARACTERS, WRONG, ALL)
    return Counts(tuple(gold.ids), columns, table, gold.groups)


def _columns(gold: Answers, system: Answers) -> list[Sequence[str | None]]:
    return [system.texts, *references.columns(gold)]


def texts_to_compare(
    column: Sequence[str | None], options: Options
) -> list[str | None]:
    """Texts as they are compared, without white space at their ends."""
    form, drop = options["unicode_form"], options["punctuation"] != KEEP
    marks = _punctuation(column) if drop else None
    prepared: list[str | None] = []
    for text in column:
        if text is not None:
            text = text if form == references.AS_IS else normalize(form, text)
            text = text.lower() if options["lowercase"] else text
            text = marks.sub("", text) if marks else text
            text = text.strip()
        prepared.append(text)
    return prepared


def _punctuation(column: Sequence[str | None]) -> re.Pattern[str] | None:
    """The marks of punctuation that these texts have; None without any."""
    used = set().union(*(text for text in column if text))
    marks = [c for c in sorted(used) if category(c).startswith("P")]
    return re.compile(f"[{re.escape(''.join(marks))}]") if marks else None


def _best(
    sides: Sequence[Sequence[str | None]], pieces: Pieces
) -> tuple[Floats, list[int]]:
    """Hits and edits (segments, 4) with the reference that needs the fewest edits, the
    first of equal ones, and its place."""
    table, places = np.zeros((len(sides[0]), len(OPERATIONS))), []
    codes: dict[str, int] = {}
    for row, (text, *others) in enumerate(zip(*sides, strict=True)):
        own = _comparable(pieces(text or ""), codes)
        choices = {
            place: operations(_comparable(pieces(other), codes), own)
            for place, other in enumerate(others)
            if other is not None
        }
        best = min(choices, key=lambda place: sum(choices[place][1:]))
        table[row] = choices[best]
        places.append(best)
    return table, places


def _comparable(pieces: Sequence[str], known: dict[str, int]) -> str | list[int]:
    """Characters as they are, and words by their numbers."""
    if isinstance(pieces, str):
        return pieces
    return [known.setdefault(piece, len(known)) for piece in pieces]


def operations(reference: str | list[int], own: str | list[int]) -> list[int]:
    """How many hits, substitutions, deletions and insertions."""
    if reference == own:
        return [len(own), 0, 0, 0]
    edits = Levenshtein.editops(reference, own).as_list()
    kinds = [*map(itemgetter(0), edits)]
    substitutions, deletions, insertions = map(kinds.count, EDITS)
    hits = len(reference) - substitutions - deletions
    return [hits, substitutions, deletions, insertions]


def details(gold: Answers, system: Answers, options: Options) -> Details:
    """One row per segment: the texts, the edits and the measures of the segment."""
    counts = count(gold, system, options)
    edits = counts.table[:, : len(WORDS)].astype(np.int64)
    values = dict(zip(OPERATIONS, edits.T, strict=True))
    values |= {
        measure.name: measure.of(counts.table, counts.columns) for measure in MEASURES
    }
    columns = {name: column.tolist() for name, column in values.items()}
    return references.details(gold, system, columns)


def inspect(gold: Answers, system: Answers, options: Options) -> Inspection:
    """The alignment of the words, as it is counted."""
    sides = [texts_to_compare(column, options) for column in _columns(gold, system)]
    _, places = _best(sides, str.split)
    own, *others = sides
    alignments = [
        Alignment(_with_spaces(others[place][row]), _with_spaces(own[row]), WORD)
        for row, place in enumerate(places)
    ]
    return TextInspection(alignments).inspection()


def _with_spaces(text: str | None) -> str:
    return " ".join((text or "").split())


def _misheard(own: str, known: Sequence[str], random: Random) -> str:
    """The text with a word of another one in the place of its last."""
    heard = (another(known, own, random) or ANY_WORD).split()
    return " ".join([*own.split()[:-1], *heard[:1], ANY_WORD])


EXAMPLE = """\
id,text
rec-001,the ferry leaves at noon
rec-002,nobody waved
rec-003,
"""

SCORER = references.scorer(
    LONGEST,
    ANY_WORD,
    _misheard,
    name="transcripts",
    title=_("Transcripts"),
    summary=_(
        "Transcripts of speech against one or more references: word, character and "
        "match error rates, with substitutions, deletions and insertions."
    ),
    example=EXAMPLE,
    units=("segment", "document"),
    headline="wer",
    options=OPTIONS,
    fixed_measures=MEASURES,
    count=count,
    details=details,
    inspect=inspect,
    version=3,  # 2: columns text2, text3; 3: ids before the lines
)
