"""SENSEVAL files: keys, answers and lists, one instance per line.

Lines end at LF; fields are split at any white space; `!!` starts a comment. A file is
read block by block, so that memory grows with what is kept and not with the file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import Findings, SetupError
from scoring.formats.text import text_of
from scoring.source import Source

PIECE = 1 << 16
LONGEST_LINE = 100_000
MOST_SHOWN = 80
BOM = b"\xef\xbb\xbf"

Row = tuple[int, list[str]]


@dataclass(frozen=True)
class Key:
    """`n` instances with `k` senses in all; a blind file has no senses.

    `names` (n,) are "lexelt instance", unique; `tags` (k,) are the senses, none twice
    in one instance; `instance_of` (k,) is the row of each, ascending.
    """

    names: tuple[str, ...]
    tags: tuple[str, ...]
    instance_of: Integers

    @cached_property
    def lexelts(self) -> tuple[str, ...]:
        """The lexelt of each instance, shape (n,)."""
        return tuple(name.partition(" ")[0] for name in self.names)

    @property
    def sizes(self) -> Integers:
        """Senses of each instance, shape (n,)."""
        return np.bincount(self.instance_of, minlength=len(self.names))

    def keep(self, instances: npt.NDArray[np.bool_]) -> "Key":
        """Only the instances where the mask (n,) says so."""
        if instances.all():
            return self
        place = np.cumsum(instances) - 1
        kept = instances[self.instance_of]
        return Key(
            tuple(self.names[i] for i in np.flatnonzero(instances)),
            tuple(self.tags[i] for i in np.flatnonzero(kept)),
            place[self.instance_of[kept]],
        )

    def keep_tags(self, tags: npt.NDArray[np.bool_]) -> "Key":
        """Only the senses where the mask (k,) says so, and no emptied instance."""
        chosen = tuple(self.tags[i] for i in np.flatnonzero(tags))
        fewer = Key(self.names, chosen, self.instance_of[tags])
        return fewer.keep(fewer.sizes > 0)


def shown(text: str) -> str:
    """A piece of a file as messages print it: short and printable."""
    short = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
    return "".join(c if c.isprintable() else "�" for c in short)


def list_text(source: Source) -> str:
    """The text of a list, which may be empty.

    Raises SetupError when there is not one file or it is not UTF-8.
    """
    if len(source.files) == 1 and not source.single().removeprefix(BOM).strip():
        return ""
    return text_of(source, SetupError)


@dataclass(frozen=True)
class Block:
    """Some lines of a file, blank ones left out: their numbers and their fields."""

    lines: Sequence[int]
    fields: list[list[str]]

    @property
    def names(self) -> list[str]:
        """ "lexelt instance" of every line; each needs two fields."""
        return [f"{fields[0]} {fields[1]}" for fields in self.fields]

    def where(self, chosen: Sequence[bool]) -> "Block":
        rows = [row for row, kept in enumerate(chosen) if kept]
        return Block([self.lines[i] for i in rows], [self.fields[i] for i in rows])

    def at_least(self, fewest: int, expected: str, findings: Findings) -> "Block":
        """Without the lines of too few fields, which go to `findings`."""
        if min(map(len, self.fields), default=fewest) >= fewest:
            return self
        enough = [len(fields) >= fewest for fields in self.fields]
        for line, fine in zip(self.lines, enough, strict=True):
            if not fine:
                findings.add("fields", f"expected {expected}.", line=line)
        return self.where(enough)


def blocks(text: str, findings: Findings) -> Iterator[Block]:
    """All lines that are not blank, comments taken off.

    A line beyond all measure is a finding and left out.
    """
    first = 1
    for piece in _pieces(text):
        lines = piece.split("\n")
        if "!!" in piece:
            lines = [line.partition("!!")[0] for line in lines]
        if len(piece) > LONGEST_LINE:
            _drop_long_lines(lines, first, findings)
        fields = [line.split() for line in lines]
        block = Block(range(first, first + len(lines)), fields)
        yield block if all(fields) else block.where(list(map(bool, fields)))
        first += len(lines)


def rows(text: str, findings: Findings) -> Iterator[Row]:
    """The lines of `blocks` one by one: number and fields."""
    for block in blocks(text, findings):
        yield from zip(block.lines, block.fields, strict=True)


def _pieces(text: str) -> Iterator[str]:
    """The text cut at line ends into pieces of about PIECE characters."""
    size = len(text) - text.endswith("\n")
    start = 0
    while start < size:
        end = text.find("\n", start + PIECE, size)
        end = size if end < 0 else end
        yield text[start:end]
        start = end + 1


def _drop_long_lines(lines: list[str], first: int, findings: Findings) -> None:
    for place, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            message = f"the line has more than {LONGEST_LINE} characters."
            findings.add("long_line", message, line=first + place)
            lines[place] = ""


def read_key(source: Source) -> Key:
    """Read lines of `lexelt instance tag ...`; a repeated tag counts once.

    Raises SetupError with the line for an instance that comes twice, a line without
    a tag, and a tag with a slash, which no answer could name.
    """
    findings = Findings(source.name)
    lines, names = list[int](), list[str]()
    tags, sizes = list[str](), list[int]()
    for whole in blocks(text_of(source, SetupError), findings):
        block = whole.at_least(3, "'lexelt instance tag ...' with a tag", findings)
        written = [fields[2:] for fields in block.fields]
        senses = [one if len(one) == 1 else [*dict.fromkeys(one)] for one in written]
        lines += block.lines
        names += block.names
        sizes += map(len, senses)
        tags += chain.from_iterable(senses)
        _refuse_slashes(block.lines, senses, findings)
    unique = _unique(lines, names, findings)
    findings.raise_if_any(SetupError)
    return Key(unique, tuple(tags), np.repeat(np.arange(len(sizes)), sizes))


def _refuse_slashes(
    lines: Sequence[int], tags: list[list[str]], findings: Findings
) -> None:
    if "/" not in "".join(chain.from_iterable(tags)):
        return
    for line, senses in zip(lines, tags, strict=True):
        if any("/" in sense for sense in senses):
            message = "a tag holds a slash; expected senses without weights."
            findings.add("tag", message, line=line)


def read_instances(source: Source) -> Key:
    """Read a blind file: `lexelt instance`, whatever follows is passed over.

    Raises SetupError with the line for an instance that comes twice.
    """
    findings = Findings(source.name)
    lines, names = list[int](), list[str]()
    for whole in blocks(list_text(source), findings):
        block = whole.at_least(2, "'lexelt instance'", findings)
        lines += block.lines
        names += block.names
    unique = _unique(lines, names, findings)
    findings.raise_if_any(SetupError)
    return Key(unique, (), np.zeros(0, dtype=np.int64))


def _unique(lines: list[int], names: list[str], findings: Findings) -> tuple[str, ...]:
    """The names; those that come twice go to `findings`."""
    if len(set(names)) == len(names):
        return tuple(names)
    first: dict[str, int] = {}
    for line, name in zip(lines, names, strict=True):
        if first.setdefault(name, line) != line:
            message = f"instance '{shown(name)}' has line {first[name]} already."
            findings.add("duplicate", message, line=line, unit=shown(name))
    return tuple(first)


def read_senses(source: Source) -> frozenset[str]:
    """Read a list of senses, split at any white space; an empty file has none.

    Raises SetupError.
    """
    findings = Findings(source.name)
    read = list(rows(list_text(source), findings))
    findings.raise_if_any(SetupError)
    return frozenset(sense for _, fields in read for sense in fields)


def read_instance_list(source: Source) -> frozenset[str]:
    """Read a list of "lexelt instance" or instance alone; an empty file has none.

    Raises SetupError with the line of an entry of more than two fields.
    """
    findings = Findings(source.name)
    entries = set()
    for line, fields in rows(list_text(source), findings):
        if len(fields) > 2:
            message = "expected 'lexelt instance' or the instance alone."
            findings.add("fields", message, line=line)
        entries.add(" ".join(fields))
    findings.raise_if_any(SetupError)
    return frozenset(entries)
