"""The texts of a test set by its units, and the texts that are compared with them."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from scoring.contamination.overlap import Block
from scoring.errors import Findings, Problem, Refused, ScoringError
from scoring.formats import bundle, records
from scoring.formats.answers import ID
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline
from scoring.scorer import Scorer
from scoring.scorers.spans import outline as of_spans
from scoring.scorers.treebanks import outline as of_treebanks
from scoring.source import Source, decode

MESSAGES = Messages(no_csv=_("not readable as CSV (%(error)s)."))
BLOCK = 1 << 19  # characters of other texts at a time
TREE = re.compile(r"(?:#[^\n]*\n)*1(?:-\d+|\.\d+)?\t[^\t\n]+\t")
MARKUP = re.compile(r"<[^<>]{0,2000}>")
# Beside a text of the same name they hold no text of their own.
STANDOFF = (".ann", ".conf")
# Scorers of files that name texts and hold none.
WITHOUT_TEXTS = ("metrics", "retrieval", "senseval", "table")
M2_SENTENCE = re.compile(r"^S (.*)$", re.M)
UNL_SENTENCE = re.compile(r"\[S:([^\[\]\n]*)\](.*?)\[/S\]", re.S)
UNL_FRAME = re.compile(r"\{/?\w+\}")


@dataclass
class UnitTexts:
    """Texts (n,) with the units that they are of, each text of a unit once; `names` are
    those of the units (m,)."""

    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    unit: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._units: dict[str, int] = {}
        self._known: set[tuple[int, str]] = set()

    def add(self, name: str, text: str) -> None:
        unit = self._units.setdefault(name, len(self._units))
        if unit == len(self.names):
            self.names.append(name)
        if text.strip() and (unit, text) not in self._known:
            self._known.add((unit, text))
            self.texts.append(text)
            self.unit.append(unit)


def texts_of(
    scorer: Scorer, options: Options, blind: Source, gold: Source
) -> UnitTexts:
    """The texts of inputs and answers of a test set by unit: sentences, cells of a
    table, documents or lines. Files that hold none give none."""
    unit_texts = UnitTexts()
    for source in (blind, gold) if scorer.name not in WITHOUT_TEXTS else ():
        for name, text in _source_texts(scorer, options, source):
            unit_texts.add(name, text)
    return unit_texts


def _source_texts(
    scorer: Scorer, options: Options, source: Source
) -> Iterator[tuple[str, str]]:
    members = bundle.members(source)
    if len(members) > 1:
        for name, data in _documents(members):
            yield name, " ".join(_strings_in(data.decode("utf-8", "replace")))
        return
    ((name, data),) = members.items()
    single = Source.of_bytes(name, data)
    text = decode(name, data)
    if TREE.match(text.lstrip("\n")):
        yield from _sentences(of_treebanks.trees(single, options))
        return
    if scorer.outline in (of_spans.tags, of_spans.spans) and not _is_markup(text):
        outline = scorer.outline(single, options)
        if outline.words:
            yield from _sentences(outline)
            return
    if (rows := _records(single)) is not None:
        yield from rows
        return
    if sentences := UNL_SENTENCE.findall(text):
        yield from ((own, UNL_FRAME.sub(" ", words)) for own, words in sentences)
        return
    if scorer.name == "edits" and (lines := M2_SENTENCE.findall(text)):
        yield from ((str(number), line) for number, line in enumerate(lines, 1))
        return
    if _is_markup(text) or text[:1] == "[":
        yield name, " ".join(_strings_in(text))
        return
    for number, line in enumerate(text.split("\n"), 1):
        yield str(number), line


def _sentences(outline: Outline) -> Iterator[tuple[str, str]]:
    for name, words in zip(outline.names, outline.words, strict=True):
        yield name, " ".join(words)


def _records(source: Source) -> list[tuple[str, str]] | None:
    """The texts in the columns of a table or of JSON Lines, by id; None for another
    file."""
    try:
        table = records.read(source, Findings(source.name), Refused)
    except ScoringError:
        return None
    called = table.called(ID)
    if called is None:
        return None
    return [
        (str(table.columns[called][row]), text)
        for row in range(len(table))
        for name, cells in table.columns.items()
        if name != called
        for text in _strings(cells[row])
    ]


def _documents(members: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Members of a zip by their names without an ending, but for those that only point
    into a text."""
    for path, data in members.items():
        if not path.lower().endswith(STANDOFF):
            yield PurePosixPath(path).name.partition(".")[0], data


def _is_markup(text: str) -> bool:
    """Whether a file is one document of XML or JSON; lines of JSON are records."""
    first = text.lstrip().partition("\n")[0]
    return first[:1] == "<" or (first[:1] == "{" and not first.endswith("}"))


def _strings_in(text: str) -> list[str]:
    """The texts of one document: strings of JSON, or what stands between tags."""
    if text.lstrip()[:1] in ("{", "["):
        strings = _json_texts(text)
        return [text] if strings is None else strings
    return [MARKUP.sub(" ", text)]


def _strings(value: Any) -> Iterator[str]:
    """All strings in a value of JSON, those of a nested one in their order."""
    waiting = [value]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            waiting += reversed(entry.values())
        elif isinstance(entry, list):
            waiting += reversed(entry)


def blocks(sources: Iterable[Source]) -> Iterator[Block]:
    """Texts of files in blocks of BLOCK characters: strings of JSON and JSON Lines,
    cells of CSV and TSV, else lines. A longer one is cut at blanks. Raises Refused for
    what is no text."""
    for source in sources:
        for name, data in bundle.members(source).items():
            lines: list[int] = []
            texts: list[str] = []
            size = 0
            for line, text in _cut(_lines(name, decode(name, data))):
                if size + len(text) > BLOCK and texts:
                    yield Block(name, texts, lines)
                    lines, texts, size = [], [], 0
                lines.append(line)
                texts.append(text)
                size += len(text) + 1
            if texts:
                yield Block(name, texts, lines)


def _lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Each text of a file, and the line it stands in. Raises Refused."""
    ending = PurePosixPath(name).suffix.lower()
    if ending == ".json" or text[:1] == "[":
        whole = _json_texts(text)
        if whole is not None:
            yield from ((1, own) for own in whole)
            return
    if ending == ".csv":
        yield from _cells(name, text)
        return
    for number, line in enumerate(text.split("\n"), 1):
        own = _json_texts(line) if text[:1] == "{" else None
        if own is None:
            own = line.split("\t") if ending == ".tsv" else [line]
        yield from ((number, string) for string in own)


def _json_texts(text: str) -> list[str] | None:
    """The strings in a text of JSON; None for what is none."""
    try:
        return list(_strings(json.loads(text)))
    except (ValueError, RecursionError):
        return None


def _cells(name: str, text: str) -> Iterator[tuple[int, str]]:
    reader = csv.reader(text.split("\n"))
    try:
        for cells in reader:
            yield from ((reader.line_num, cell) for cell in cells)
    except csv.Error as error:
        message = MESSAGES("no_csv", error=error)
        raise Refused([Problem("csv", message, name, reader.line_num)]) from None


def _cut(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Texts with those of more than BLOCK characters in pieces."""
    for line, text in texts:
        while len(text) > BLOCK:
            end = text.rfind(" ", 0, BLOCK) + 1 or BLOCK
            yield line, text[:end]
            text = text[end:]
        yield line, text


def places_of(canary: str, sources: Sequence[Source]) -> list[str]:
    """Places of a string in files, as "books.txt:12"; the first place of each."""
    places = []
    members = chain.from_iterable(bundle.members(source).items() for source in sources)
    for name, data in members:
        place = data.find(canary.encode())
        if place >= 0:
            line = data.count(b"\n", 0, place) + 1
            places.append(f"{name}:{line}")
    return places
