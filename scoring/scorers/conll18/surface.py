"""CoNLL-U as stretches of running text: tokens, multiword tokens and their words."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Integers
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats.fields import NEWLINE, join_fields
from scoring.messages import Messages, _
from scoring.scorers.treebanks import trees
from scoring.scorers.treebanks.conllu import FORM, ID, RANGE, ConlluTable
from scoring.scorers.treebanks.trees import Trees
from scoring.source import Source, brief, first_difference, text_of

MESSAGES = Messages(
    empty_form=_("the FORM is empty."),
    range=_("the range '%(range)s' does not cover words that follow it."),
    other_text=_("the text differs: found '%(text)s', expected '%(expected)s'."),
    short_text=_("the text ends before '%(expected)s'."),
    long_text=_("'%(text)s' comes after the end of the text."),
)

# The characters of Unicode category Zs in UTF-8: no part of the text that is compared.
SPACES = re.compile(
    rb" |\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
)
BETWEEN_WORDS = re.compile(rb"[\t\n]")
SHOWN = 20
# All FORMs are cut out, and more columns when words are compared.
EVERYTHING = replace(trees.PREFETCH, stops=True)
MOST_DIGITS = 9


@dataclass(frozen=True)
class RawText:
    """Published file of raw text: its characters without spaces."""

    name: str
    characters: bytes


@dataclass(frozen=True)
class Surface:
    """Trees, and the `t` tokens that their `n` words stand for.

    `characters` are the FORMs of the tokens in a row, as UTF-8 without spaces; `ends`
    (t,) are offsets into them; `rows` (t,) are rows of the table; `token_of` (n,) is
    the token of each word; `multiword` (t,) says which tokens are ranges.
    """

    trees: Trees
    characters: bytes
    ends: Integers
    rows: Integers
    token_of: Integers
    multiword: Flags

    @property
    def name(self) -> str:
        return self.trees.name

    @cached_property
    def begins(self) -> Integers:
        """Offset of each token's first character (t,)."""
        return np.concatenate(([0], self.ends[:-1]))

    @cached_property
    def first_words(self) -> Integers:
        """First word of each token and, one more, the number of words (t + 1,)."""
        if len(self.token_of) == len(self.ends):
            return np.arange(len(self.ends) + 1)
        return np.searchsorted(self.token_of, np.arange(len(self.ends) + 1))

    @cached_property
    def sentence_of(self) -> Integers:
        """Sentence of each token (t,)."""
        return self.trees.table.sentence_of[self.rows]

    @cached_property
    def first_tokens(self) -> Integers:
        """First token of each sentence (sentences,)."""
        return np.searchsorted(self.sentence_of, np.arange(len(self.trees.sizes)))

    @cached_property
    def sentence_begins(self) -> Integers:
        """Offset of each sentence's first character (sentences,)."""
        return self.begins[self.first_tokens]

    @cached_property
    def sentence_ends(self) -> Integers:
        """Offset behind each sentence's last character (sentences,)."""
        return np.append(self.sentence_begins[1:], self.ends[-1])

    def sentence_at(self, offsets: Integers) -> Integers:
        """The sentence that holds the character at each offset."""
        sizes = self.sentence_ends - self.sentence_begins
        numbers = np.arange(len(sizes), dtype=np.int32)
        return np.repeat(numbers, sizes)[offsets].astype(np.int64)


def read(source: Source, kind: type[ScoringError], single_root: bool) -> Surface:
    """Read trees and tokens. Raises `kind` for all that `trees.read` refuses, and for
    ranges that do not cover the words behind them, cycles and empty FORMs."""
    words = trees.read(source, kind, single_root, EVERYTHING)
    findings = Findings(source.name)
    rows = token_rows(words, findings)
    trees.check_cycles(words, findings)
    findings.raise_if_any(kind)
    text = without_spaces(join_fields(words.table.field(FORM, rows)))
    breaks = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == NEWLINE)
    ends = breaks - np.arange(len(rows))
    for token in findings.capped(np.flatnonzero(np.diff(ends, prepend=0) == 0)):
        line = int(words.table.lines[rows[token]])
        findings.add("empty_form", MESSAGES("empty_form"), line=line)
    findings.raise_if_any(kind)
    return Surface(
        trees=words,
        characters=text.replace(b"\n", b""),
        ends=ends,
        rows=rows,
        token_of=_last_before(rows, words.table.words),
        multiword=words.table.kinds[rows] == RANGE,
    )


def _last_before(rows: Integers, words: Integers) -> Integers:
    """Index into `rows` for each word: its own row, or that of the range above it."""
    if len(rows) == len(words) and (rows == words).all():
        return np.arange(len(words))
    return np.searchsorted(rows, words, side="right") - 1


def token_rows(words: Trees, findings: Findings) -> Integers:
    """Rows of all tokens: ranges, and the words that no range covers."""
    table = words.table
    ranges = np.flatnonzero(table.kinds == RANGE)
    if not len(ranges):
        return table.words
    # The number of words before a range is the row of its first word.
    first = np.searchsorted(table.words, ranges)
    sizes = _check_ranges(words, (ranges, first), findings)
    steps = np.zeros(len(table.words) + 1, dtype=np.int64)
    np.add.at(steps, first[sizes > 0], 1)
    np.add.at(steps, (first + sizes)[sizes > 0], -1)
    plain = table.words[np.cumsum(steps[:-1]) == 0]
    return np.sort(np.concatenate((plain, ranges)))


def _check_ranges(
    words: Trees, ranges: tuple[Integers, Integers], findings: Findings
) -> Integers:
    """Words in each range; 0 where the range is wrong."""
    table, (rows, first) = words.table, ranges
    low, high = _bounds(table, rows)
    inside = np.minimum(first, len(words.heads) - 1)
    here = words.sentence_of[inside] == table.sentence_of[rows]
    here &= (first < len(words.heads)) & (low == words.places[inside]) & (low <= high)
    here &= high <= words.sizes[words.sentence_of[inside]]
    sizes = np.where(here, high - low + 1, 0)
    here[1:] &= (first + sizes)[:-1] <= first[1:]
    for wrong in findings.capped(np.flatnonzero(~here)):
        text = table.texts(ID, rows[wrong : wrong + 1])[0]
        message = MESSAGES("range", range=brief(text, 40))
        findings.add("word_id", message, line=int(table.lines[rows[wrong]]))
    return np.where(here, sizes, 0)


def _bounds(table: ConlluTable, rows: Integers) -> tuple[Integers, Integers]:
    """First and last ID of each range; 10**9 for numbers of more digits."""
    coded = table.coded(ID, rows)
    ends = [text.split("-") for text in coded.values]
    numbers = np.array(
        [
            [int(n) if len(n) <= MOST_DIGITS else 10**MOST_DIGITS for n in e]
            for e in ends
        ]
    )
    return numbers[coded.codes, 0], numbers[coded.codes, 1]


def without_spaces(text: bytes) -> bytes:
    """Text without the characters of category Zs."""
    return text.replace(b" ", b"") if text.isascii() else SPACES.sub(b"", text)


def read_text(source: Source) -> RawText:
    """Read the published file: raw text, or CoNLL-U where its name says so. Raises
    SetupError."""
    if not source.name.endswith(".conllu"):
        text = text_of(source, SetupError).encode()
        return RawText(source.name, without_spaces(BETWEEN_WORDS.sub(b"", text)))
    words = trees.read_blind(source)
    findings = Findings(source.name)
    rows = token_rows(words, findings)
    findings.raise_if_any(SetupError)
    forms = without_spaces(join_fields(words.table.field(FORM, rows)))
    return RawText(source.name, forms.replace(b"\n", b""))


def pair(system: Surface, gold: Surface | RawText) -> None:
    """Check that both have the same characters.

    Raises Refused with the line of the token in which they part. What was expected
    is shown as running text, which the published file shows too.
    """
    if system.characters == gold.characters:
        return
    actual, expected = (
        side.characters.decode("utf-8", "ignore") for side in (system, gold)
    )
    place = first_difference(actual, expected)
    offset = len(actual[:place].encode())
    token = min(
        int(np.searchsorted(system.ends, offset, "right")), len(system.ends) - 1
    )
    has, wanted = (text[place : place + SHOWN] for text in (actual, expected))
    message = MESSAGES("other_text", text=has, expected=wanted)
    if not has:
        message = MESSAGES("short_text", expected=wanted)
    if not wanted:
        message = MESSAGES("long_text", text=has)
    line = int(system.trees.table.lines[system.rows[token]])
    raise Refused(Problem("text", message, system.name, line))
