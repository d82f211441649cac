"""`unl-text`: natural language out of UNL graphs (seed 004, "In NLization")."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from scoring.counts import Counts
from scoring.errors import Findings, SetupError
from scoring.formats import unl
from scoring.formats.unl import UNL, Sentence, Sentences
from scoring.inspection import Inspection
from scoring.measures import Measure
from scoring.options import Options
from scoring.scorer import Cell, Details, Scorer
from scoring.scorers.unl import accuracy
from scoring.scorers.unl.accuracy import ACCURACY, LANGUAGE
from scoring.scorers.unl.details import ComparedSentence, inspect_texts
from scoring.scorers.unl.examples import guessed_texts, spoiled_unl
from scoring.source import Source, shown

# A numeric UW has nine digits and never begins with 0: "012345678" is just a number.
UW_SYNTAX = re.compile(r"\(icl>|\.@\w|(?<![0-9])[1-9][0-9]{8}(?![0-9])|\[W\]")
LONGEST_COMPOSED = 6


def measures(_columns: tuple[str, ...]) -> tuple[Measure, ...]:
    return ACCURACY


@dataclass(frozen=True)
class TextGold:
    """Gold sentences and what may be answered for each, normalised.

    A published file has sentences only.
    """

    sentences: Sentences
    texts: dict[str, tuple[str, ...]]


def read_gold(source: Source, options: Options) -> TextGold:
    """Read the expected texts. Raises SetupError for a sentence without a text in the
    task's language."""
    language = accuracy.language_of(options)
    sentences = unl.read(source, SetupError)
    findings = Findings(source.name)
    texts = {}
    for name, sentence in sentences.items():
        texts[name] = tuple(map(normalised, sentence.texts(language)))
        if not any(texts[name]):
            message = f"sentence '{shown(name)}' has no text in {{{language}}}."
            findings.add("gold_text", message, line=sentence.line, unit=shown(name))
    findings.raise_if_any(SetupError)
    return TextGold(sentences, texts)


def read_blind(source: Source, options: Options) -> TextGold:
    return TextGold(unl.read(source, SetupError), {})


def read_system(source: Source, options: Options, gold: TextGold) -> Sentences:
    return accuracy.read_answers(source, gold.sentences)


def blind(source: Source, _options: Options) -> Source:
    """The gold document without any text."""
    sentences = unl.read(source, SetupError)
    text = unl.write(sentences, lambda block: block.name == UNL)
    return Source.of_bytes(source.name, text.encode())


def collapsed(text: str) -> str:
    return " ".join(text.split())


def normalised(text: str) -> str:
    """NFC, white space collapsed."""
    return unicodedata.normalize("NFC", collapsed(text))


def answer_of(sentence: Sentence | None, language: str, longest: int) -> str:
    """The first text of an answer, normalised like the expected ones.

    Composing takes quadratic time on long runs of marks. A text more than six times as
    long as the longest expected one stays wrong however it composes (no character
    composes more than four), so it is left as it is.
    """
    texts = sentence.texts(language) if sentence else ()
    text = collapsed(texts[0]) if texts else ""
    if len(text) > LONGEST_COMPOSED * longest:
        return text
    return unicodedata.normalize("NFC", text)


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """`why` says why a sentence is not returned."""

    why: str
    answer: str
    expected: tuple[str, ...]

    @property
    def returned(self) -> bool:
        return not self.why

    @property
    def correct(self) -> bool:
        return self.returned and any(is_close(self.answer, t) for t in self.expected)

    @property
    def nearest(self) -> tuple[int, int]:
        """Levenshtein distance to the best expected text, and the length of that."""
        text = self.best
        return Levenshtein.distance(self.answer, text), len(text)

    @property
    def best(self) -> str:
        """The expected text that is nearest for its length, the first among equals."""
        return min(
            self.expected,
            key=lambda t: Levenshtein.distance(self.answer, t) / max(len(t), 1),
        )


def is_close(answer: str, expected: str) -> bool:
    """Distance strictly below 3/10 of the expected length, in whole numbers."""
    most = (3 * len(expected) - 1) // 10
    if most < 0:
        return False
    return Levenshtein.distance(answer, expected, score_cutoff=most) <= most


def verdicts(
    gold: TextGold, system: Sentences, options: Options
) -> Iterator[tuple[str, TextVerdict]]:
    """Every gold sentence with what became of it."""
    language = accuracy.language_of(options)
    for name, expected in gold.texts.items():
        sentence = system.get(name)
        answer = answer_of(sentence, language, max(map(len, expected)))
        why = "" if sentence else "missing sentence"
        yield name, TextVerdict(why or not_a_text(answer), answer, expected)


def not_a_text(answer: str) -> str:
    """Why an answer is no natural language; "" where it is."""
    if not answer:
        return "empty text"
    found = UW_SYNTAX.search(answer)
    return f"UW syntax: {found[0]}" if found else ""


def count(gold: TextGold, system: Sentences, options: Options) -> Counts:
    """One row per gold sentence."""
    found = [verdict for _, verdict in verdicts(gold, system, options)]
    items = {
        "correct": np.array([verdict.correct for verdict in found], dtype=np.float64),
        "returned": np.array([verdict.returned for verdict in found], dtype=np.float64),
        "expected": np.ones(len(found)),
    }
    return accuracy.counted(gold.sentences, items)


def details(gold: TextGold, system: Sentences, options: Options) -> Details:
    """One row per gold sentence: verdict, reason, distance to the nearest text."""
    columns = ("sentence", "correct", "returned", "distance", "length", "why", "text")
    return Details(columns, _rows(gold, system, options))


def _rows(
    gold: TextGold, system: Sentences, options: Options
) -> Iterator[tuple[Cell, ...]]:
    for name, verdict in verdicts(gold, system, options):
        numbers = (int(verdict.correct), int(verdict.returned), *verdict.nearest)
        yield name, *numbers, verdict.why, verdict.answer


def inspect(gold: TextGold, system: Sentences, options: Options) -> Inspection:
    compared = [
        ComparedSentence(one.why, one.correct, expected=one.best, answer=one.answer)
        for _, one in verdicts(gold, system, options)
    ]
    return inspect_texts(compared)


def remarks(gold: TextGold, system: Sentences, options: Options) -> list[str]:
    """Sentences not returned, and those with more texts than the one that counts."""
    language = accuracy.language_of(options)
    found = verdicts(gold, system, options)
    notes = accuracy.not_returned({name: v.why for name, v in found if v.why})
    several = [n for n, s in system.items() if len(s.texts(language)) > 1]
    if several:
        notes.append(f"several texts, the first counts: {accuracy.first(several)}")
    return notes


EXAMPLE = """\
[D:boats]
[S:1]
{en}
Green boats drift.
{/en}
[/S]
[S:2]
{en}
very calm
{/en}
[/S]
[/D]
"""

TEXT = Scorer(
    name="unl-text",
    title="UNL texts",
    summary="NLization: a returned text is correct when its Levenshtein distance from "
    "an expected text is below 30 % of that text's length.",
    formats=("UNL",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="f1",
    options=(LANGUAGE,),
    measures=measures,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    remarks=remarks,
    guess=guessed_texts,
    spoil=spoiled_unl,
    inspect=inspect,
)
