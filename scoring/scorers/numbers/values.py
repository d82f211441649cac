"""Values of gold and system: read, checked, published, guessed, spoiled."""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from scoring.counts import Floats
from scoring.errors import Findings
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.source import Source, brief

MESSAGES = Messages(
    {
        "too_large": _("'%(text)s' is larger than %(most)s."),
        "scale": _("Write values of a scale that people use."),
        "no_number": _("'%(text)s' is no number."),
        "point": _("Write decimals with a point, as in 0.5."),
        "finite": _("Every item needs a finite number; for want of one, give a mean."),
        "number": _("Write a number as in 3, -0.25 or 1.5e-3."),
    }
)

LAYOUT = Layout("value", plain=True)
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|#?n/?a|none|null)", re.IGNORECASE)
LARGEST = 1e100


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
    odd = [
        place
        for place, text in enumerate(texts)
        if text and not (NUMBER.fullmatch(text) and abs(float(text)) <= LARGEST)
    ]
    for place in findings.capped(np.array(odd, dtype=np.int64)):
        message, hint = _wrong(texts[place])
        unit = brief(found.ids[int(found.item_of[place])])
        line = found.line_of(place)
        findings.add("number", message, line=line, unit=unit, hint=hint)


def _wrong(text: str) -> tuple[str, str]:
    """What is wrong with a text, and what helps."""
    if NUMBER.fullmatch(text):
        message = MESSAGES("too_large", text=brief(text), most=f"{LARGEST:.0e}")
        return message, MESSAGES("scale")
    message = MESSAGES("no_number", text=brief(text))
    if COMMA.fullmatch(text):
        return message, MESSAGES("point")
    if NOT_FINITE.fullmatch(text):
        return (
            message,
            MESSAGES("finite"),
        )
    return message, MESSAGES("number")


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
