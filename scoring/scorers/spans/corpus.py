"""Spans and tokens of all documents as columns, offsets in one common coordinate.

Documents are laid end to end with a gap between them, so that spans of different
documents never meet and every comparison is one array expression.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from scoring.counts import Integers
from scoring.errors import Problem, Refused, UsageError
from scoring.formats.codes import by_value
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorers.spans.annotations import (
    ONE_PIECE,
    Document,
    Gaps,
    Kind,
    odd_label,
    pieces_of,
)
from scoring.scorers.spans.weights import Weights

MESSAGES = Messages(
    {
        "many_sentences": _("%(labels)s labels in %(count)s sentences are too many"),
        "many_documents": _("%(labels)s labels in %(count)s documents are too many"),
        "two_classes": _("'%(label)s' is in two classes"),
        "alias": _("expected NAME=LABEL or NAME=LABEL[attribute=value]"),
        "conditions": _("expected conditions of the form attribute=value"),
        "class": _("expected CLASS=LABEL,LABEL"),
        "option": _("option '%(option)s' is '%(text)s'; %(reason)s"),
        "most_labels": _("more than %(most)s different labels"),
        "most_covered": _("the spans cover more than %(most)s tokens, counted singly"),
    }
)

ALIAS = re.compile(r"([^=\[\]]+)=([^=\[\]]+)(?:\[(.+)\])?")


@dataclass(frozen=True)
class Alias:
    """Another name of a label, where that bears all of `attributes`."""

    name: str
    label: str
    attributes: frozenset[tuple[str, str]]

    def fits(self, kind: Kind) -> bool:
        return self.label == kind[0] and self.attributes <= kind[1]


@dataclass(frozen=True)
class Naming:
    """Names that the task gives spans.

    `classes` maps labels to the name of their equivalence class; `tags` are the only
    labels scored, in the order given, all of them where it is empty.
    """

    aliases: tuple[Alias, ...]
    classes: dict[str, str]
    tags: tuple[str, ...]

    @property
    def attributes(self) -> frozenset[str]:
        """Names of the attributes that aliases look at."""
        pairs = (pair for alias in self.aliases for pair in alias.attributes)
        return frozenset(name for name, _ in pairs)

    def label(self, kind: Kind) -> str | None:
        """The effective label; None where it is not scored. The first alias wins."""
        fitting = (alias.name for alias in self.aliases if alias.fits(kind))
        name = next(fitting, kind[0])
        name = self.classes.get(name, name)
        return name if not self.tags or name in self.tags else None


def naming(options: Options) -> Naming:
    """Read the options `alias`, `equivalence` and `tags`. Raises UsageError naming an
    option that has not the form SCORING.md gives it."""
    classes: dict[str, str] = {}
    for text in options["equivalence"]:
        name, labels = _class(text)
        for label in labels:
            if classes.setdefault(label, name) != name:
                raise _usage("equivalence", MESSAGES("two_classes", label=label), text)
    aliases = tuple(_alias(text) for text in options["alias"])
    for tag in options["tags"]:
        _check_label("tags", tag, tag)
    return Naming(aliases, classes, tuple(dict.fromkeys(options["tags"])))


def _alias(text: str) -> Alias:
    match = ALIAS.fullmatch(text.strip())
    if not match:
        expected = MESSAGES("alias")
        raise _usage("alias", expected, text)
    name, label, conditions = (part and part.strip() for part in match.groups())
    _check_label("alias", name, text)
    pairs = [part.partition("=") for part in (conditions or "").split(",") if part]
    if any(not equals or not key.strip() for key, equals, _ in pairs):
        raise _usage("alias", MESSAGES("conditions"), text)
    attributes = frozenset((key.strip(), value.strip()) for key, _, value in pairs)
    return Alias(name, label, attributes)


def _class(text: str) -> tuple[str, Sequence[str]]:
    name, equals, members = text.partition("=")
    labels = [label.strip() for label in members.split(",") if label.strip()]
    if not equals or not name.strip() or not labels:
        raise _usage("equivalence", MESSAGES("class"), text)
    _check_label("equivalence", name.strip(), text)
    return name.strip(), labels


def _check_label(option: str, name: str, text: str) -> None:
    if reason := odd_label(name):
        raise _usage(option, reason, text)


def _usage(option: str, message: str, text: str) -> UsageError:
    return UsageError(
        Problem("option", MESSAGES("option", option=option, text=text, reason=message))
    )


# What a document is also called when the file name says nothing about it.
SINGLE = ""
MOST_LABELS = 250
MOST_CELLS = 2_000_000
MOST_COVERED = 5_000_000


@dataclass(frozen=True)
class Extents:
    """Pieces of text (n,), sorted by start: offsets in the common coordinate."""

    document: Integers
    start: Integers
    end: Integers

    def __len__(self) -> int:
        return len(self.start)

    def touched(self, start: Integers, end: Integers) -> tuple[Integers, Integers]:
        """A range of rows that holds all that each piece of text (m,) overlaps. Where
        pieces are nested the range may hold others too."""
        reach = np.maximum.accumulate(self.end) if len(self) else self.end
        low = np.searchsorted(reach, start, side="right")
        high = np.searchsorted(self.start, end, side="left")
        return low, np.maximum(low, high)


@dataclass(frozen=True)
class Pieces(Extents):
    """Pieces of spans (p,), sorted by start, with the row of the span of each."""

    owner: Integers


@dataclass(frozen=True)
class Spans(Extents):
    """Distinct spans in the order document, start, end, label (codes into `labels`),
    form (codes into `forms`, the gaps of spans in several pieces, 0 for one piece)."""

    label: Integers
    labels: tuple[str, ...]
    form: Integers
    forms: tuple[Gaps, ...]

    @cached_property
    def pieces(self) -> Pieces:
        """The pieces of all spans, most of which have one."""
        whole = np.flatnonzero(self.form == 0)
        document, start, end = self.document[whole], self.start[whole], self.end[whole]
        if len(whole) == len(self):
            return Pieces(document, start, end, whole)
        parted = np.flatnonzero(self.form).tolist()
        pieces = [
            (int(self.document[i]), *piece, i)
            for i in parted
            for piece in pieces_of(
                int(self.start[i]), int(self.end[i]), self.forms[int(self.form[i])]
            )
        ]
        more = np.array(pieces, dtype=np.int64).T
        columns = np.concatenate([np.stack((document, start, end, whole)), more], 1)
        return Pieces(*columns[:, np.lexsort(columns[[2, 1]])])

    @cached_property
    def sizes(self) -> Integers:
        """How many characters each span has."""
        pieces = self.pieces
        lengths = pieces.end - pieces.start
        sums = np.bincount(pieces.owner, lengths, minlength=len(self))
        return np.asarray(sums, dtype=np.int64)

    def at(self, rows: Integers) -> "Spans":
        """The spans of these rows, in their order."""
        document, start, end = self.document[rows], self.start[rows], self.end[rows]
        of_label, of_form = self.label[rows], self.form[rows]
        return Spans(document, start, end, of_label, self.labels, of_form, self.forms)

    def _with(self, labels: Sequence[str], forms: Sequence[Gaps]) -> "Spans":
        """These spans with codes into longer lists of labels and forms."""
        place = {label: i for i, label in enumerate(labels)}
        codes = np.array([place[label] for label in self.labels], dtype=np.int64)
        mapped = codes[self.label] if len(codes) else self.label
        places = {form: i for i, form in enumerate(forms)}
        shapes = np.array([places[form] for form in self.forms], dtype=np.int64)
        return replace(
            self,
            label=mapped,
            labels=tuple(labels),
            form=shapes[self.form],
            forms=tuple(forms),
        )


def alike(first: Spans, second: Spans, labels: Sequence[str]) -> tuple[Spans, Spans]:
    """Both sides with the same codes of these labels, and of the forms of both."""
    forms = sorted({*first.forms, *second.forms})
    return first._with(labels, forms), second._with(labels, forms)


@dataclass(frozen=True)
class SpanUnits:
    """Units that are counted: sentences where the format has them, else documents.

    `kind` is "sentence" or "document"; `starts` and `document` are (units,), in the
    order of the text. A document without a token is one unit, too.
    """

    kind: str
    names: tuple[str, ...]
    starts: Integers
    document: Integers

    def at(self, places: Integers) -> Integers:
        """The units in which these places of the common coordinate lie."""
        return np.searchsorted(self.starts, places, side="right") - 1

    @property
    def firsts(self) -> Integers:
        """1 for the first unit of each document, 0 for the others."""
        return np.diff(self.document, prepend=-1)

    @classmethod
    def of(cls, documents: Sequence[Document], bases: Integers) -> "SpanUnits":
        parted = [d.sentences for d in documents if d.sentences is not None]
        if len(parted) < len(documents):
            names = tuple(document.name for document in documents)
            return cls("document", names, bases, np.arange(len(documents)))
        parted = [part if len(part) else np.zeros(1, np.int64) for part in parted]
        sizes = [len(part) for part in parted]
        names = tuple(
            f"{name}:{number:06d}"
            for name, size in zip((d.name for d in documents), sizes, strict=True)
            for number in range(1, size + 1)
        )
        place = np.repeat(np.arange(len(documents)), sizes)
        return cls("sentence", names, np.concatenate(parted) + bases[place], place)


@dataclass(frozen=True)
class SpanReference:
    """Gold or blind documents: what a submission is paired and compared with.

    `names` call them, `bases` (documents,) is where each text begins in the common
    coordinate, `places` finds a document by the names that pairing accepts.
    `by_white_space` says that some document brought no tokens of its own;
    `written` how many spans the documents hold, scored or not; `groups` are labels of
    the documents by grouping.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    bases: Integers
    tokens: Extents
    spans: Spans
    places: Mapping[tuple[str, int], int]
    by_white_space: bool
    units: SpanUnits
    written: int
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weights: Weights | None = None

    @property
    def files(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class SpanAnswer:
    """A submission: its own file names, in the order of the reference's documents.

    `unscored` counts spans by labels that the task does not score, `odd` are lines, by
    file, of spans that are not written as the scheme asks. `counted` is the way in
    which offsets seem to have been counted, empty for the right one; `weights` are None
    where no text has a list of them. `cut` is the text of a span where most begin or
    end inside a word, `padded` where most begin or end with a space.
    """

    files: tuple[str, ...]
    spans: Spans
    unscored: Mapping[str, int] = field(default_factory=dict)
    odd: Mapping[str, Integers] = field(default_factory=dict)
    counted: str = ""
    weights: Weights | None = None
    cut: str = ""
    padded: str = ""


@dataclass
class Collector:
    """Takes the spans of one document after the other."""

    naming: Naming
    known: dict[str, int] = field(default_factory=dict)
    forms: dict[Gaps, int] = field(default_factory=lambda: {ONE_PIECE: 0})
    places: list[tuple[int, int]] = field(default_factory=list)
    parts: list[tuple[Integers, ...]] = field(default_factory=list)
    unscored: Counter[str] = field(default_factory=Counter)
    odd: dict[str, Integers] = field(default_factory=dict)
    # Of the last document: documents of one file may share their kinds.
    kinds: tuple[Kind, ...] | None = None
    of_kind: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def add(self, place: int, base: int, document: Document) -> None:
        """Note the scored spans of the document at `place`, which begins at `base`."""
        if document.kinds is not self.kinds:
            self._name(document)
        if document.odd is not None and len(document.odd):
            self.odd[document.file] = document.odd
        starts, ends, gaps = document.starts, document.ends, document.gaps
        codes = self.of_kind[document.codes]
        if len(codes) and codes.min() < 0:
            kept = np.flatnonzero(codes >= 0)
            for code, places in by_value(document.codes[codes < 0]):
                self.unscored[document.kinds[code][0]] += len(places)
            starts, ends, codes = starts[kept], ends[kept], codes[kept]
            gaps = None if gaps is None else [gaps[i] for i in kept.tolist()]
        form = np.zeros(len(codes), dtype=np.int64)
        if gaps is not None:
            form[:] = [self.forms.setdefault(own, len(self.forms)) for own in gaps]
        self.places.append((place, base))
        self.parts.append((starts, ends, codes, form))

    def _name(self, document: Document) -> None:
        """Number the labels of a document."""
        names = [self.naming.label(kind) for kind in document.kinds]
        numbers = [
            -1 if name is None else self.known.setdefault(name, len(self.known))
            for name in names
        ]
        if len(self.known) > MOST_LABELS:
            message = MESSAGES("most_labels", most=MOST_LABELS)
            raise Refused(Problem("labels", message, document.file))
        self.kinds, self.of_kind = document.kinds, np.array(numbers, dtype=np.int64)

    def spans(self) -> Spans:
        """The collected spans, sorted, exact duplicates once."""
        columns = zip(*self.parts, strict=True) if self.parts else ((),) * 4
        start, end, code, form = (
            np.concatenate([np.zeros(0, dtype=np.int64), *column]) for column in columns
        )
        where = np.array(self.places, dtype=np.int64).reshape(-1, 2)
        sizes = [len(part[0]) for part in self.parts]
        document, base = np.repeat(where, sizes, axis=0).T
        start, end = start + base, end + base
        labels = tuple(sorted(self.known))
        rank = {label: i for i, label in enumerate(labels)}
        ranks = np.array([rank[name] for name in self.known], dtype=np.int64)
        label = ranks[code] if len(ranks) else code
        order = np.lexsort((form, label, end, start))
        rows = np.stack((document, start, end, label, form))[:, order]
        fresh = np.any(np.diff(rows, axis=1, prepend=-1) != 0, axis=0)
        document, start, end, label, form = rows[:, fresh]
        return Spans(document, start, end, label, labels, form, tuple(self.forms))


def check_size(spans: Spans, tokens: Extents, units: SpanUnits, name: str) -> None:
    """Refuse what would cost far more than the file is large."""
    low, high = tokens.touched(spans.start, spans.end)
    message = ""
    if int((high - low).sum()) > MOST_COVERED:
        message = MESSAGES("most_covered", most=MOST_COVERED)
    size = len(units.names)
    if size * (len(spans.labels) + 1) > MOST_CELLS:
        message = MESSAGES(f"many_{units.kind}s", labels=len(spans.labels), count=size)
    if message:
        raise Refused(Problem("size", message, name))
