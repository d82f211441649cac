"""SENSEVAL answers: `lexelt instance tag[/weight] ...` with weights as written."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from scoring.counts import Floats, Integers
from scoring.errors import Findings, Problem, Refused
from scoring.messages import Messages, _
from scoring.scorers.senseval.reader import (
    MOST_CACHED,
    SenseLines,
    blocks,
    brief,
    intern_texts,
    with_lexelts,
    without_lexelts,
)
from scoring.source import Source, text_of

MESSAGES = Messages(
    too_many_lines=_(
        "more than %(most)s lines found; so many make no sense for this task."
    ),
    too_many_tags=_(
        "more than %(most)s tags found; so many make no sense for this task."
    ),
    no_tag=_("no tag in '%(text)s'; expected tag/weight."),
    no_weight=_(
        "'%(weight)s' is no weight of tag '%(tag)s'; expected a number "
        "of 0 or more, as in 'bank:1/0.7'."
    ),
    weighted=_("Write senses, each with a weight behind a slash or without."),
    most_tags=_("%(count)s tags found; expected at most %(most)s."),
)

MOST_TAGS = 250
MOST_LINES = 1_000_000
LINES_PER_INSTANCE = 10
MOST_TAGS_AT_ALL = 1_000_000
TAGS_PER_INSTANCE = 100
MISSING = math.nan

Trouble = tuple[str, str]


@dataclass(frozen=True)
class SenseAnswers:
    """Some answer lines, `a` of them.

    `lines` (a,) count from 1, `names` (a,) are "lexelt instance", `sizes` (a,) the
    numbers of guesses; `tags` and `weights` are those of all guesses in a row, MISSING
    where none is written. A line without tags has no guesses.
    """

    lines: Integers
    names: list[str]
    sizes: Integers
    tags: list[str]
    weights: Floats


class GuessCache:
    """Guesses read so far, as written: the tag and the weight of each."""

    def __init__(self) -> None:
        self.plain: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.weights: dict[str, float] = {}

    def forget(self) -> None:
        """Memory grows with what is kept, not with the file."""
        if max(len(self.plain), len(self.tags)) > MOST_CACHED:
            self.plain.clear()
            self.tags.clear()
            self.weights.clear()

    def read(self, written: list[str]) -> dict[str, Trouble]:
        """Read what is new; code and message of what is wrong."""
        troubles: dict[str, Trouble] = {}
        numbers: dict[str, float | None] = {"": None}
        for text in set(written).difference(self.tags):
            tag, slash, weight = text.partition("/")
            if weight not in numbers:
                numbers[weight] = number(weight)
            value = numbers[weight] if slash else MISSING
            if value is None or not tag:
                troubles[text] = _trouble(text)
            else:
                self.tags[text] = self.plain.setdefault(tag, tag)
                self.weights[text] = value
        return troubles


def read(
    source: Source, findings: Findings, instances: int, *, bare: bool = False
) -> Iterator[SenseAnswers]:
    """The answers of a file, block by block; what is wrong goes to `findings`. `bare`
    ones have no lexelt before the instance.

    Raises Refused when the file as a whole cannot be read, or has more lines or tags
    than could make sense for that many instances.
    """
    text = text_of(source, Refused)
    if text.count("\n") > MOST_LINES + LINES_PER_INSTANCE * instances:
        raise _too_many("lines", MOST_LINES + LINES_PER_INSTANCE * instances, source)
    left = most = MOST_TAGS_AT_ALL + TAGS_PER_INSTANCE * instances
    cache = GuessCache()
    expected = "instance tag[/weight] ..."
    if bare:
        text = with_lexelts(text)
    else:
        expected = f"lexelt {expected}"
    for whole in blocks(text, findings):
        block = whole.at_least(2, f"'{expected}'", findings)
        tags = block.tags
        left -= len(tags)
        if left < 0:
            raise _too_many("tags", most, source)
        answers = _answers(block, tags, cache, findings)
        if bare:
            answers = replace(answers, names=without_lexelts(answers.names))
        yield answers


def _too_many(what: str, most: int, source: Source) -> Refused:
    message = MESSAGES(f"too_many_{what}", most=most)
    return Refused(Problem(f"too_many_{what}", message, source.name))


def _answers(
    block: SenseLines, tags: list[str], cache: GuessCache, findings: Findings
) -> SenseAnswers:
    cache.forget()
    weighed = "/" in "".join(tags)
    troubles = cache.read(tags) if weighed else {}
    if troubles or block.sizes.max(initial=0) > MOST_TAGS + 2:
        block = _fine(block, troubles, findings)
        tags = block.tags
    weights = np.full(len(tags), MISSING)
    if not weighed:
        tags = [*intern_texts(tags, cache.plain)]
    else:
        numbers = map(cache.weights.__getitem__, tags)
        weights = np.fromiter(numbers, dtype=np.float64, count=len(tags))
        tags = [*map(cache.tags.__getitem__, tags)]
    return SenseAnswers(block.lines, block.names, block.sizes - 2, tags, weights)


def _trouble(written: str) -> Trouble:
    tag, _, weight = written.partition("/")
    if not tag:
        return "tag", MESSAGES("no_tag", text=brief(written))
    return "weight", (MESSAGES("no_weight", weight=brief(weight), tag=brief(tag)))


def number(text: str) -> float | None:
    """A plain decimal number from 0 up; None for anything else."""
    # float() would also read "1_000" and the digits of other scripts.
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _fine(
    block: SenseLines, troubles: dict[str, Trouble], findings: Findings
) -> SenseLines:
    """The block without lines that hold trouble; the first of each line is reported."""
    kept = []
    for line, fields in zip(block.lines.tolist(), block.fields, strict=True):
        tags = fields[2:]
        trouble = next((troubles[tag] for tag in tags if tag in troubles), None)
        if len(tags) > MOST_TAGS:
            message = MESSAGES("most_tags", count=len(tags), most=MOST_TAGS)
            trouble = "tags", message
        if trouble:
            unit = brief(f"{fields[0]} {fields[1]}")
            hint = MESSAGES("weighted")
            findings.add(*trouble, line=line, unit=unit, hint=hint)
        kept.append(trouble is None)
    return block.where(np.array(kept, dtype=np.bool_))
