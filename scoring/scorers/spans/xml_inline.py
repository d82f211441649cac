"""Text with inline XML tags: the root is a wrapper, every other element a span.

`lex` elements are tokens; zone, SEGMENT, VOTE and untaggable are not content
(SCORING.md, `spans`). Entities and document type declarations are refused.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from scoring.counts import Integers
from scoring.errors import Findings, Problem, Refused
from scoring.messages import Messages, _
from scoring.scorers.spans.annotations import (
    NOT_CONTENT,
    TOKEN,
    Document,
    Kinds,
    ReaderOptions,
    check_extents,
    integers,
    odd_label,
)
from scoring.source import decode

MESSAGES = Messages(
    zero_byte=_("not well-formed XML: a zero byte; expected text in UTF-8"),
    no_xml=_("not well-formed XML: %(error)s"),
    declarations=_("document type and entity declarations are not accepted"),
)

LINE_ENDS = re.compile(r"[\r\n]")
COSTS = ((b"<", 2_000_000), (b"=", 600_000))


def read(members: Mapping[str, bytes], options: ReaderOptions) -> Iterator[Document]:
    """One document per member. Raises Refused with the line of malformed XML or of an
    element without text."""
    for name, data in members.items():
        yield _document(name, data, options)


@dataclass
class Target:
    """Collects text and extents while the parser runs through the file.

    `open` are the elements around the current place, as row numbers: NO_ROW for
    those that are not spans, `-2 - i` for token i.
    """

    kinds: Kinds
    findings: Findings
    parser: Any = None
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    open: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)
    # Lines of the file by those of the parser, for which a lone CR ends one.
    file_lines: list[int] = field(default_factory=list)

    def line(self) -> int:
        """The line of the file that the parser is in."""
        return self.line_of(self.parser.CurrentLineNumber)

    def line_of(self, number: int) -> int:
        """The line of the file for one of the parser."""
        return self.file_lines[number - 1] if self.file_lines else number

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition("}")[2]
        if not self.open or tag in NOT_CONTENT:
            self.open.append(NO_ROW)
        elif tag == TOKEN:
            self.open.append(-2 - len(self.tokens))
            self.tokens.append((self.size, self.size))
        else:
            self._begin(tag, attributes)

    def _begin(self, label: str, attributes: dict[str, str]) -> None:
        line = self.line()
        if message := odd_label(label):
            self.findings.add("label", message, line=line)
        self.open.append(len(self.starts))
        self.starts.append(self.size)
        self.ends.append(self.size)
        self.codes.append(self.kinds.code(label, attributes))
        self.lines.append(line)

    def end(self, _tag: str) -> None:
        row = self.open.pop()
        if row >= 0:
            self.ends[row] = self.size
        elif row != NO_ROW:
            self.tokens[-2 - row] = (self.tokens[-2 - row][0], self.size)

    def data(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)

    def close(self) -> str:
        return "".join(self.pieces)


NO_ROW = -1


def _document(name: str, data: bytes, options: ReaderOptions) -> Document:
    target = Target(Kinds(options), Findings(name))
    text = _parse(name, decode(name, data), target)
    target.findings.raise_if_any()
    document = Document(
        name,
        0,
        text,
        integers(target.starts),
        integers(target.ends),
        integers(target.codes),
        target.kinds.all(),
        _tokens(target),
    )
    check_extents(document, target.findings, integers(target.lines))
    target.findings.raise_if_any()
    return document


def _parse(name: str, text: str, target: Target) -> str:
    if (at := text.find("\0")) >= 0:  # the parser would guess at UTF-16
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        message = MESSAGES("zero_byte")
        raise Refused(Problem("xml", message, name, line, column, unit=name))
    if "\r" in text:
        ends = (mark == "\n" for mark in LINE_ENDS.findall(text))
        target.file_lines = [*accumulate(ends, initial=1)]
    parser: Any = DefusedXMLParser(target=target, forbid_dtd=True)
    target.parser = parser.parser
    # Straight to the target: the layer between makes lists and copies for each tag.
    target.parser.ordered_attributes = False
    target.parser.StartElementHandler = target.start
    target.parser.EndElementHandler = target.end
    try:
        parser.feed(text)
        return str(parser.close())
    except ParseError as error:
        line, column = error.position
        message = MESSAGES("no_xml", error=error.msg)
        line = target.line_of(line)
        problem = Problem("xml", message, name, line, column + 1, unit=name)
    except DefusedXmlException:
        line = target.line()
        message = MESSAGES("declarations")
        problem = Problem("xml", message, name, line, unit=name)
    raise Refused(problem)


def _tokens(target: Target) -> Integers | None:
    """Extents of the `lex` elements; those without text are no tokens."""
    extents = [extent for extent in target.tokens if extent[0] < extent[1]]
    return integers(extents).reshape(-1, 2) if target.tokens else None
