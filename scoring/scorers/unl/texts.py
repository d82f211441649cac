"""`unl-text`: natural language out of UNL graphs (seed 004, "In NLization")."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import Levenshtein

from scoring.answered import Answered
from scoring.counts import Counts
from scoring.errors import Findings, SetupError
from scoring.inspection import Inspection, ItemTable, Picture
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorer import DetailRows, Scorer, details_of
from scoring.scorers.unl import reader
from scoring.scorers.unl.examples import guessed_texts, spoiled_unl
from scoring.scorers.unl.outline import unl
from scoring.scorers.unl.reader import ORIGINAL, UNL, Sentence, Sentences
from scoring.scorers.unl.sentences import (
    ACCURACY,
    LANGUAGE,
    UnlGold,
    blind_of,
    counts_of,
    first,
    flags_of,
    kinds_of,
    language_of,
    not_returned,
    of_sentences,
    read_blind,
    read_system,
)
from scoring.source import Source, brief

MESSAGES = Messages(
    no_text=_("sentence '%(sentence)s' has no text in {%(language)s}."),
)

# A numeric UW has nine digits and never begins with 0: "012345678" is just a number.
UW_SYNTAX = re.compile(r"\(icl>|\.@\w|(?<![0-9])[1-9][0-9]{8}(?![0-9])|\[W\]")
LONGEST_COMPOSED = 6


# Longer answers are composed as they are where they are shown by themselves.
LONGEST_OWN = 500


@dataclass(frozen=True)
class TextGold(UnlGold):
    """Gold sentences and what may be answered for each, normalised."""

    texts: dict[str, tuple[str, ...]]


def read_gold(source: Source, options: Options) -> TextGold:
    """Read the expected texts. Raises SetupError for a sentence without a text in the
    task's language."""
    language = language_of(options)
    sentences = reader.read(source, SetupError)
    findings = Findings(source.name)
    texts = {}
    for name, sentence in sentences.items():
        texts[name] = tuple(map(normalise, sentence.texts(language)))
        if not any(texts[name]):
            message = MESSAGES("no_text", sentence=brief(name), language=language)
            findings.add("gold_text", message, line=sentence.line, unit=brief(name))
    findings.raise_if_any(SetupError)
    return TextGold(sentences, texts)


def collapse(text: str) -> str:
    return " ".join(text.split())


def normalise(text: str) -> str:
    """NFC, white space collapsed."""
    return unicodedata.normalize("NFC", collapse(text))


def answer_of(sentence: Sentence | None, language: str, longest: int) -> str:
    """The first text of an answer, normalised like the expected ones.

    Composing takes quadratic time on long runs of marks. A text more than six times as
    long as the longest expected one stays wrong however it composes (no character
    composes more than four), so it is left as it is.
    """
    texts = sentence.answers(language) if sentence else ()
    text = collapse(texts[0]) if texts else ""
    if len(text) > LONGEST_COMPOSED * longest:
        return text
    return unicodedata.normalize("NFC", text)


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """An answer beside what was expected; `why` says why it is not returned."""

    why: str
    answer: str
    expected: tuple[str, ...]

    @property
    def correct(self) -> bool:
        return not self.why and any(is_close(self.answer, t) for t in self.expected)

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
    """The verdict on every gold sentence, by its id."""
    language = language_of(options)
    for name, expected in gold.texts.items():
        sentence = system.get(name)
        answer = answer_of(sentence, language, max(map(len, expected)))
        why = "" if sentence else "missing sentence"
        yield name, TextVerdict(why or not_a_text(answer), answer, expected)


def not_a_text(answer: str) -> str:
    """The reason why an answer is no natural language; "" where it is."""
    if not answer:
        return "empty text"
    syntax = UW_SYNTAX.search(answer)
    return f"UW syntax: {syntax[0]}" if syntax else ""


def stand_in(published: UnlGold, system: Sentences, options: Options) -> TextGold:
    """The first text of every answer as the one that is expected."""
    language = language_of(options)
    texts: dict[str, tuple[str, ...]] = {
        name: (answer_of(system.get(name), language, LONGEST_OWN),)
        for name in published.sentences
    }
    return TextGold(published.sentences, texts)


def count(gold: TextGold, system: Sentences, options: Options) -> Counts:
    """One row per gold sentence."""
    rows = [verdict for _, verdict in verdicts(gold, system, options)]
    return counts_of(gold, rows, {"expected": np.ones(len(rows))})


@details_of("sentence", "correct", "returned", "distance", "length", "why", "text")
def details(gold: TextGold, system: Sentences, options: Options) -> DetailRows:
    """One row per gold sentence: verdict, reason, distance to the nearest text."""
    for name, verdict in verdicts(gold, system, options):
        numbers = (int(verdict.correct), int(not verdict.why), *verdict.nearest)
        yield name, *numbers, verdict.why, verdict.answer


def inspect(gold: TextGold, system: Sentences, options: Options) -> Inspection:
    """An item per sentence; its picture has the words that differ."""
    items = [verdict for _, verdict in verdicts(gold, system, options)]
    best = [verdict.best for verdict in items]
    return Inspection(
        np.array([len(text.split()) for text in best], dtype=np.int64),
        np.arange(len(items)),
        flags_of([kinds_of(verdict) for verdict in items]),
        lambda unit: _picture(best[unit], items[unit].answer),
    )


def _picture(expected: str, answer: str) -> Picture:
    pairs = list(_differences(expected.split(), answer.split()))
    rows = tuple((gold, system) for gold, system, _ in pairs)
    marks = tuple(kinds for _, _, kinds in pairs)
    table = ItemTable(("gold_text", "system_text"), rows, marks)
    return Picture(table, lines=((expected,), (answer,)))


def _differences(
    gold: Sequence[str], system: Sequence[str]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Words in a row that are the same, replaced, missing or too much."""
    names = {"replace": ("wrong",), "delete": ("missing",), "insert": ("exceeding",)}
    for step in Levenshtein.opcodes(gold, system):
        left = " ".join(gold[step.src_start : step.src_end])
        right = " ".join(system[step.dest_start : step.dest_end])
        yield left, right, names.get(step.tag, ())


def count_answers(asked: TextGold, system: Sentences, options: Options) -> Answered:
    """How the sentences are answered."""
    language = language_of(options)
    texts = {n: " ".join(sentence.answers(language)) for n, sentence in system.items()}
    answered = of_sentences(asked, texts, system, language)
    copied = sum(
        bool(texts[name].strip()) and texts[name].strip() in sentence.originals
        for name, sentence in system.items()
    )
    return replace(answered, copied=copied, column=f"{{{ORIGINAL}}}")


def remarks(gold: TextGold, system: Sentences, options: Options) -> list[str]:
    """Sentences not returned, and those with more texts than the one that counts."""
    notes = not_returned(verdicts(gold, system, options))
    language = language_of(options)
    several = [n for n, s in system.items() if len(s.answers(language)) > 1]
    if several:
        notes.append(f"several texts, the first counts: {first(several)}")
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
    title=_("UNL texts"),
    summary=_(
        "NLization: a returned text is correct when its Levenshtein distance from an "
        "expected text is below 30 percent of that text's length."
    ),
    formats=("UNL",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="f1",
    options=(LANGUAGE,),
    fixed_measures=ACCURACY,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=unl,
    count=count,
    details=details,
    blind=blind_of(lambda block: block.name == UNL),
    remarks=remarks,
    answered=count_answers,
    guess=guessed_texts,
    spoil=spoiled_unl,
    inspect=inspect,
    stand_in=stand_in,
    version=2,  # the original is no answer
)
