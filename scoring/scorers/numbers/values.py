"""Values of gold and system: read, checked, published, guessed, spoiled."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from scoring.counts import Floats
from scoring.errors import Findings
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.formats.numerals import is_number, what_is_wrong
from scoring.options import Options
from scoring.source import Source, brief

LAYOUT = Layout("value", plain=True)


@dataclass(frozen=True)
class Values:
    """A number for each item (n,) of one file, in the order of the gold."""

    answers: Answers
    numbers: Floats

    def __len__(self) -> int:
        return len(self.answers)


def read_gold(source: Source, options: Options) -> Values:
    """Raises SetupError with every line that is wrong."""
    return _values(answers.read_gold(source, LAYOUT.of(options), _note_odd))


def read_blind(source: Source, _options: Options) -> Values:
    """The items alone. Raises SetupError."""
    return Values(answers.read_blind(source, LAYOUT), np.zeros(0))


def asked_and_answered(published: Values, system: Values, _options: Options) -> Values:
    """The answer's numbers, with what was asked."""
    inputs = published.answers.inputs
    return replace(system, answers=replace(system.answers, inputs=inputs))


def read_system(source: Source, _options: Options, gold: Values) -> Values:
    """Raises Refused with every line that is wrong."""
    found = answers.read_system(source, LAYOUT, gold.answers, note=_note_odd)
    return _values(found)


def _values(found: Answers) -> Values:
    # Adding 0 makes -0 a plain 0: the two are equal.
    numbers = np.array([*map(float, found.texts)], dtype=np.float64) + 0.0
    return Values(found, numbers)


def _note_odd(found: Answers, findings: Findings) -> None:
    """Note what is no number; that an answer is empty has been noted."""
    texts = [text.strip() for text in found.texts]
    odd = [place for place, text in enumerate(texts) if text and not is_number(text)]
    for place in findings.capped(np.array(odd, dtype=np.int64)):
        message, hint = what_is_wrong(texts[place])
        unit = brief(found.ids[int(found.item_of[place])])
        line = found.line_of(place)
        findings.add("number", message, line=line, unit=unit, hint=hint)


def blind(gold: Source, options: Options) -> Source:
    """The published file: ids and inputs. Raises SetupError."""
    return answers.blind(gold, LAYOUT.of(options))


def guess(files: Mapping[str, bytes], _options: Options) -> dict[str, bytes]:
    """An example submission: numbers from 0 to 1 that hang on the ids alone."""

    def any_number(name: str) -> str:
        return str(zlib.crc32(name.encode()) % 101 / 100)

    return answers.guess(files, LAYOUT, any_number)


def spoil(texts: Mapping[str, str], share: float, random: Random) -> dict[str, str]:
    """Copies of gold in which a share of the items has another item's value."""
    return answers.spoil(texts, share, random, LAYOUT)
