"""brat standoff: an .ann file beside every .txt file (SCORING.md, `spans`).

T lines are spans of one piece or several, A (and older M) lines their attributes;
events, relations, notes and normalisations are passed over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring.counts import Integers
from scoring.errors import MOST_PROBLEMS, Findings, Problem, Refused
from scoring.messages import Messages, _
from scoring.scorers.spans.annotations import (
    Document,
    Extent,
    Gaps,
    Kinds,
    ReaderOptions,
    bare,
    check_extents,
    check_quotes,
    in_pieces,
    integers,
    odd_label,
)
from scoring.source import brief, check_line_ends, decode

MESSAGES = Messages(
    pairs=_("expected pairs of %(ann)s and %(txt)s files"),
    alone=_("there is no %(file)s beside it"),
    span=_(
        "expected 'T1<tab>LABEL start end<tab>text', with several pieces as "
        "'start end;start end'"
    ),
    second=_("a second %(id)s"),
    attribute=_("expected 'A1<tab>Name T1' or 'A1<tab>Name T1 value'"),
    attribute_of=_("the attribute belongs to %(id)s, which there is not"),
    unknown_kind=_("unknown kind of line '%(kind)s'; expected T1, A1, ..."),
)

ANN, TXT, SETTINGS = ".ann", ".txt", ".conf"
PASSED_OVER = "ERN#*"
COSTS = ((b"\n", 2_000_000), (b"\t", 600_000))
PIECES = re.compile(r"[0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9}){0,99}")
FLAG = "true"


def read(members: Mapping[str, bytes], options: ReaderOptions) -> Iterator[Document]:
    """One document per pair of members, called by the name without its ending. Raises
    Refused with the line of a bad annotation, or for a member without its partner."""
    for pair in apart(members):
        stem = next(iter(pair)).removesuffix(ANN)
        yield _document(stem, pair, options)


def apart(members: Mapping[str, bytes]) -> list[Mapping[str, bytes]]:
    """Members in pairs, the annotations first; settings of brat are passed over. Raises
    Refused naming members without a partner."""
    names = [name for name in members if not name.endswith(SETTINGS)]
    problems = [problem for name in names if (problem := _alone(name, members))]
    if problems:
        raise Refused(problems[:MOST_PROBLEMS])
    stems = [name.removesuffix(ANN) for name in names if name.endswith(ANN)]
    return [{s + ANN: members[s + ANN], s + TXT: members[s + TXT]} for s in stems]


def _alone(name: str, members: Mapping[str, bytes]) -> Problem | None:
    partner = name[:-4] + (TXT if name.endswith(ANN) else ANN)
    if not name.endswith((ANN, TXT)):
        return Problem("member", MESSAGES("pairs", ann=ANN, txt=TXT), name)
    if partner not in members:
        return Problem("member", MESSAGES("alone", file=partner), name)
    return None


@dataclass
class Standoff:
    """The T lines of one file by id, with their attributes."""

    findings: Findings
    row_of: dict[str, int] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    extents: list[list[Extent]] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    attributes: list[dict[str, str]] = field(default_factory=list)

    def span(self, fields: list[str], line: int) -> None:
        label, pieces = _span(fields)
        if pieces is None or (message := odd_label(label)):
            message = MESSAGES("span")
            self.findings.add("annotation", message, line=line)
        elif fields[0] in self.row_of:
            self.findings.add("annotation", MESSAGES("second", id=fields[0]), line=line)
        else:
            self.row_of[fields[0]] = len(self.labels)
            self.labels.append(label)
            self.extents.append(pieces)
            self.covered.append(fields[2] if len(fields) > 2 else "")
            self.lines.append(line)
            self.attributes.append({})

    def attribute(self, fields: list[str], line: int) -> None:
        words = fields[1].split() if len(fields) > 1 else []
        if len(words) < 2:
            message = MESSAGES("attribute")
            self.findings.add("annotation", message, line=line)
        elif words[1] in self.row_of:
            value = " ".join(words[2:]) or FLAG
            self.attributes[self.row_of[words[1]]][words[0]] = value
        elif words[1].startswith("T"):
            message = MESSAGES("attribute_of", id=words[1][:20])
            self.findings.add("annotation", message, line=line)


def _span(fields: list[str]) -> tuple[str, list[Extent] | None]:
    """Label and pieces of a T line; no pieces where it is not of that form."""
    label, _space, places = (fields[1] if len(fields) > 1 else "").partition(" ")
    match = PIECES.fullmatch(places)
    if match is None:
        return "", None
    pieces = (piece.split(" ") for piece in places.split(";"))
    return label, [(int(start), int(end)) for start, end in pieces]


def _document(
    stem: str, members: Mapping[str, bytes], options: ReaderOptions
) -> Document:
    annotations = _annotations(stem + ANN, members[stem + ANN])
    text, shifts = _text(stem + TXT, members[stem + TXT], annotations)
    extents, gaps = _extents(annotations, shifts)
    kinds = Kinds(options)
    pairs = zip(annotations.labels, annotations.attributes, strict=True)
    codes = integers([kinds.code(label, attributes) for label, attributes in pairs])
    document = Document(
        *(stem, 0, text, extents[:, 0], extents[:, 1], codes, kinds.all()),
        also=stem + ANN,
        gaps=gaps,
    )
    check_extents(document, annotations.findings, integers(annotations.lines))
    if not annotations.findings.problems:
        quotes, lines = annotations.covered, annotations.lines
        check_quotes(document, quotes, lines, annotations.findings)
    annotations.findings.raise_if_any()
    return document


def _extents(
    annotations: Standoff, shifts: Integers | None
) -> tuple[Integers, list[Gaps] | None]:
    """Starts and ends (n, 2), and the gaps of spans where one has several pieces."""
    if all(len(pieces) == 1 for pieces in annotations.extents):
        extents = integers([pieces[0] for pieces in annotations.extents]).reshape(-1, 2)
        moved = 0 if shifts is None else np.searchsorted(shifts, extents)
        return extents - moved, None
    spans = []
    for pieces in annotations.extents:
        places = integers(pieces)
        if shifts is not None:
            places = places - np.searchsorted(shifts, places)
        spans.append(in_pieces((start, end) for start, end in places.tolist()))
    return integers([span[:2] for span in spans]), [span[2] for span in spans]


def _annotations(name: str, data: bytes) -> Standoff:
    annotations = Standoff(Findings(name))
    check_line_ends(name, data)
    text = decode(name, data) if data.strip(b"\xef\xbb\xbf \r\n") else ""
    rows = [(i, line.split("\t", 2)) for i, line in enumerate(text.split("\n"), 1)]
    for line, fields in rows:
        if fields[0].startswith("T"):
            annotations.span(fields, line)
        elif fields[0].strip() and fields[0][0] not in PASSED_OVER + "AM":
            message = MESSAGES("unknown_kind", kind=brief(fields[0], 20))
            annotations.findings.add("annotation", message, line=line)
    for line, fields in rows:
        if fields[0].startswith(("A", "M")):
            annotations.attribute(fields, line)
    annotations.findings.raise_if_any()
    return annotations


def _text(name: str, data: bytes, annotations: Standoff) -> tuple[str, Integers | None]:
    """The text with LF line ends, and the places of CRs that the offsets count.

    Offsets belong to the text as it was annotated. Whether that had CRLF is seen from
    the pieces of text that the annotations quote.
    """
    if data.strip(b"\xef\xbb\xbf \r\n\t"):
        text = decode(name, data)
    else:
        text = data.removeprefix(b"\xef\xbb\xbf").decode().replace("\r\n", "\n")
    if b"\r\n" not in data:
        return text, None
    raw = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    if _quotes_hold(text, annotations) or not _quotes_hold(raw, annotations):
        return text, None
    bytes_of = np.frombuffer(raw.encode("utf-32-le"), dtype=np.uint32)
    return text, np.flatnonzero((bytes_of[:-1] == 13) & (bytes_of[1:] == 10))


def _quotes_hold(text: str, annotations: Standoff) -> bool:
    return all(
        bare(" ".join(text[start:end] for start, end in pieces)) == bare(covered)
        for pieces, covered in zip(
            annotations.extents, annotations.covered, strict=True
        )
        if covered
    )
