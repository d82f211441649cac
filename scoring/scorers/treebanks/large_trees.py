"""Dependency trees of files that are too large to be held as columns of all lines.

They are read in parts of whole sentences. Of each part heads and relations are kept, in
a few bytes a word; the rest is read again, a part at a time, by who asks for it. What
is wrong with a file or a pair is told by reading it as a whole, unless that has more
lines than are read at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from scoring.counts import Integers, narrow
from scoring.errors import Refused, ScoringError
from scoring.formats.codes import Coded, places_of
from scoring.formats.fields import Fields
from scoring.scorers.treebanks import conllu, lines, trees
from scoring.scorers.treebanks.conllu import (
    GROUPING_KEYS,
    Comments,
    ConlluTable,
    Labels,
)
from scoring.scorers.treebanks.trees import PREFETCH, Trees
from scoring.source import BOM, Bytes, Source, whole_lines

LARGE, PART = 1 << 25, 1 << 23
# Of a file in parts; one that is read as a whole may have `lines.MOST_LINES`.
MOST_LINES = 32_000_000


class _NotInPartsError(Exception):
    """The parts of a file would not be read as they are in the whole."""


def read(source: Source, kind: type[ScoringError], single_root: bool = False) -> Trees:
    """Read words with heads as `trees.read` does, those of a large file in parts."""
    data = source.single(kind)
    if len(data) > LARGE:
        text = whole_lines(source.name, data, kind)
        try:
            return LargeTrees(source.name, text, kind, single_root)
        except _NotInPartsError:
            pass
        except ScoringError:
            if text.count(b"\n") > lines.MOST_LINES:
                raise
    return trees.read(source, kind, single_root)


def pair(system: Trees, gold: Trees) -> None:
    """Check that both have the same words in the same sentences, as `trees.pair`."""
    if isinstance(system, LargeTrees) and isinstance(gold, LargeTrees):
        try:
            return _pair_parts(system, gold)
        except Refused:
            if (
                max(side.text.count(b"\n") for side in (system, gold))
                > lines.MOST_LINES
            ):
                raise
    return trees.pair(system, gold)


def _pair_parts(system: "LargeTrees", gold: "LargeTrees") -> None:
    for part in system.parts:
        same = gold.sentences_of(part.sentences, part.sentences + part.size)
        if same is not None:
            with part.whole():
                trees.pair_words(system.read_again(part), same)
    trees.pair_sentences(system, gold)


@dataclass(frozen=True)
class FilePart:
    """The `size` sentences of text[begin:end]. So many `words`, `sentences` and `lines`
    come before them."""

    begin: int
    end: int
    size: int
    words: int
    sentences: int
    lines: int

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Problems of the part get their lines in the file. Units are not named."""
        try:
            yield
        except ScoringError as error:
            problems = [
                replace(
                    problem, line=problem.line and problem.line + self.lines, unit=""
                )
                for problem in error.problems
            ]
            raise type(error)(problems) from None


@dataclass
class _Columns:
    """The columns that are kept of the parts that were read."""

    parts: list[FilePart] = field(default_factory=list)
    heads: list[Integers] = field(default_factory=list)
    codes: list[Integers] = field(default_factory=list)
    sizes: list[Integers] = field(default_factory=list)
    starts: list[Integers] = field(default_factory=list)
    own_heads: list[Integers] = field(default_factory=list)
    comments: list[Integers] = field(default_factory=list)
    relations: dict[str, int] = field(default_factory=dict)
    words: int = 0
    sentences: int = 0
    lines: int = 0

    def add(self, begin: int, end: int, read: Trees) -> None:
        table, size = read.table, len(read.sizes)
        before = self.words, self.sentences, self.lines
        self.parts.append(FilePart(begin, end, size, *before))
        self.heads.append(narrow(read.heads))
        places = places_of(read.relations, self.relations, str)
        self.codes.append(narrow(places)[read.relations.codes])
        self.sizes.append(narrow(read.sizes))
        starts = table.all_lines.begins[table.token[table.first]]
        self.starts.append(starts.astype(np.int64) + begin)
        self.own_heads.append(read.own_heads + self.words)
        keyed = table.said.on_keys(GROUPING_KEYS)
        fields = table.comment_fields.at(keyed)
        where = table.comment_sentence[keyed] + self.sentences
        comments = fields.begins + begin, fields.ends + begin, where
        self.comments.append(np.stack(comments))
        self.words += len(read.heads)
        self.sentences += size
        self.lines += len(table.all_lines.begins)


class LargeTrees(Trees):
    """The words of a large file. `starts` (sentences,) are the offsets of the lines of
    their first words in `text`."""

    label: str
    text: bytes
    parts: list[FilePart]
    starts: Integers

    def __init__(
        self, name: str, text: bytes, kind: type[ScoringError], single_root: bool
    ) -> None:
        """Raises `kind` for what is wrong in a part."""
        kept = _Columns()
        for begin, end in _cuts(text):
            with FilePart(begin, end, 0, 0, 0, kept.lines).whole():
                part = trees.read(_piece(name, text, begin, end), kind, single_root)
            if (
                end < len(text)
                and (part.table.comment_sentence >= len(part.sizes)).any()
            ):
                raise _NotInPartsError
            kept.add(begin, end, part)
            if kept.lines > MOST_LINES:
                raise _NotInPartsError
        self.__dict__.update(
            label=name,
            text=text,
            parts=kept.parts,
            starts=np.concatenate(kept.starts),
            heads=np.concatenate(kept.heads),
            sizes=np.concatenate(kept.sizes).astype(np.int64),
            own_heads=np.concatenate(kept.own_heads),
            relations=Coded(np.concatenate(kept.codes), list(kept.relations)),
            said=_comments(text, kept),
        )

    @property
    def name(self) -> str:
        return self.label

    @cached_property
    def table(self) -> ConlluTable:
        return conllu.read(self.label, self.text, prefetch=PREFETCH)

    @cached_property
    def names(self) -> Labels:
        return conllu.unique_names(self.said.labels("sent_id"))

    def line(self, row: int) -> int:
        part = [part for part in self.parts if part.words <= row][-1]
        return self.read_again(part).line(row - part.words) + part.lines

    def first_line(self, sentence: int) -> int:
        part = [part for part in self.parts if part.sentences <= sentence][-1]
        return self.read_again(part).first_line(sentence - part.sentences) + part.lines

    def read_again(self, part: FilePart) -> Trees:
        """The words of a part."""
        source = _piece(self.label, self.text, part.begin, part.end)
        return trees.read_words(source, Refused)

    def sentences_of(self, first: int, last: int) -> Trees | None:
        """The words of some sentences; None where there are no such sentences."""
        starts = self.starts[first : last + 1].tolist()
        if not starts:
            return None
        end = starts[-1] if len(starts) > last - first else len(self.text)
        return trees.read_words(_piece(self.label, self.text, starts[0], end), Refused)


def _piece(name: str, text: bytes, begin: int, end: int) -> Source:
    return Source.of_bytes(name, text[begin:end])


def _cuts(text: bytes) -> Iterator[tuple[int, int]]:
    """Ends of the parts of a file: behind a blank line."""
    begin = 0
    while begin < len(text):
        end = text.rfind(b"\n\n", begin, begin + PART) + 2
        if end == 1:
            end = text.find(b"\n\n", begin + PART) + 2
        # What blank lines are left are no part.
        if end == 1 or (len(text) - end < PART and text[end:].isspace()):
            end = len(text)
        if begin and text.startswith(BOM, begin):
            raise _NotInPartsError  # it would be taken off
        yield begin, end
        begin = end


def _comments(text: bytes, kept: _Columns) -> Comments:
    begins, ends, where = np.concatenate(kept.comments, axis=1)
    buffer: Bytes = np.frombuffer(text, dtype=np.uint8)
    return Comments(Fields(buffer, begins, ends), where, kept.sentences)
