"""Documents of both sides: formats, pairing by name, texts compared, blind files."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

import numpy as np

from scoring.counts import Integers
from scoring.errors import (
    MOST_PROBLEMS,
    Findings,
    Problem,
    Refused,
    ScoringError,
    SetupError,
    UsageError,
)
from scoring.formats import bundle
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorers.spans import brat, columns, mat_json, offsets, xml_inline
from scoring.scorers.spans.annotations import (
    Costs,
    Document,
    Reader,
    ReaderOptions,
    check_costs,
    check_depth,
    check_spans,
    white_space_tokens,
)
from scoring.scorers.spans.column_lines import column_of, with_tag
from scoring.scorers.spans.corpus import (
    SINGLE,
    Collector,
    Extents,
    SpanAnswer,
    SpanReference,
    SpanUnits,
    check_size,
    naming,
)
from scoring.scorers.spans.offset_counts import OffsetCounts
from scoring.scorers.spans.weights import Weights
from scoring.source import Source, brief, first_difference

MESSAGES = Messages(
    unknown_document=_("there is no such document in the reference"),
    second=_("a second document for %(document)s"),
    missing=_("document %(document)s is missing"),
    text=_(
        "the text differs from the reference at character %(place)s: "
        "expected %(expected)s, found %(found)s"
    ),
    strict=_("option 'strict' needs the scheme iob2 or bioes"),
    no_tag=_("no span of the reference has a tag that is scored: %(tags)s"),
    option_tags=_("See the option tags; aliases and equivalence name spans before it."),
    no_document=_("there is no document"),
    ann_name=_("'%(name)s' ends in .txt; annotations of brat end in .ann."),
    ann=_("Name it as the .txt file of the task, with .ann in place of .txt."),
    no_weights=_("no text of the reference has a list '%(name)s'."),
    option_weights=_(
        "The option weights names the list, of JSON Lines alone, in which weights "
        "of characters stand."
    ),
    repeated=_("id '%(document)s' stands in line %(line)s already."),
    no_text=_("document %(document)s has no text."),
)


class DocumentPairing:
    """Finds the reference's document of each document of a submission."""

    def __init__(self, gold: SpanReference, options: Options, single: bool) -> None:
        self.gold = gold
        self.off: str = options["ref_suffix_off"]
        self.on: str = options["ref_suffix_on"]
        self.single = single
        self.names_of: dict[int, str] = {}

    def names(self, document: Document) -> list[str]:
        """Names that the document may have in the reference."""
        own = [document.file, document.also] if document.also else [document.file]
        if self.off or self.on:
            own = [
                n.removesuffix(self.off) + self.on for n in own if n.endswith(self.off)
            ]
        return [*own, SINGLE] if self.single else own

    def place(self, document: Document, problems: list[Problem]) -> int | None:
        """The place of a document; None, with a problem, if texts or names differ."""
        keys = [(document.id, RECORD)]
        if not document.id:
            keys = [(name, document.part) for name in self.names(document)]
        place = next((self.gold.places[k] for k in keys if k in self.gold.places), None)
        if place is None or place in self.names_of:
            what = MESSAGES("unknown_document")
            if place is not None:
                what = MESSAGES("second", document=self.gold.names[place])
            where = document.file, document.line
            problem = Problem("extra", what, *where, unit=document.name)
            problems.append(problem)
            return None
        self.names_of[place] = document.name
        text = self.gold.texts[place]
        if not document.has_text:
            findings = Findings(document.file)
            check_spans(replace(document, text=text), findings)
            problems.extend(findings.problems)
            return None if findings.problems else place
        if document.text != text:
            problems.append(difference(document, text))
            return None
        return place

    def is_of_another_number(self, problems: Sequence[Problem]) -> bool:
        """Whether the reference is one file, whose name says nothing, and none of
        several has its name."""
        unnamed = any(name == SINGLE for name, _part in self.gold.places)
        extra = {problem.file for problem in problems if problem.code == "extra"}
        return unnamed and not self.names_of and len(extra) > 1

    def missing(self, file: str) -> list[Problem]:
        findings = Findings(file)
        for i, name in enumerate(self.gold.names):
            if i not in self.names_of:
                findings.add("missing", MESSAGES("missing", document=name), unit=name)
        return findings.problems


SHOWN = 20


def difference(document: Document, text: str) -> Problem:
    """The problem of a text that leaves the reference's, which all may read."""
    place = first_difference(document.text, text)
    shown = document.text[place : place + SHOWN], text[place : place + SHOWN]
    message = MESSAGES(
        "text", place=place, expected=repr(shown[1]), found=repr(shown[0])
    )
    line = _line(document, place)
    return Problem("text", message, document.file, line, unit=document.name)


def _line(document: Document, place: int) -> int | None:
    if document.line is not None:
        return document.line
    if document.lines is None or document.tokens is None or not len(document.lines):
        return None
    row = int(np.searchsorted(document.tokens[:, 1], place, side="left"))
    return int(document.lines[min(row, len(document.lines) - 1)])


Members = Mapping[str, bytes]


def one_each(members: Members) -> list[Members]:
    return [{name: data} for name, data in members.items()]


@dataclass(frozen=True)
class SpanFormat:
    """Format of documents, and how members fall into parts read by themselves.

    `costs` says how much of which mark there may be in all of them together.
    """

    read: Reader
    costs: Costs
    apart: Callable[[Members], list[Members]] = one_each


FORMATS = {
    "mat-json": SpanFormat(mat_json.read, mat_json.COSTS),
    "xml-inline": SpanFormat(xml_inline.read, xml_inline.COSTS),
    "conll": SpanFormat(columns.read, columns.COSTS),
    "brat": SpanFormat(brat.read, brat.COSTS, brat.apart),
    "jsonl": SpanFormat(offsets.read, offsets.COSTS),
}
ENDINGS = {".jsonl": "jsonl", ".json": "mat-json", ".xml": "xml-inline", ".ann": "brat"}
AUTO = "auto"
# Formats in which people, or their programs, write offsets.
OF_OFFSETS = ("mat-json", "brat", "jsonl")
# In place of a document's number in a file, for one that is found by its id.
RECORD = -1
BEGINS_JSON, BEGINS_XML = re.compile(rb'\s*\{\s*["}]'), re.compile(rb"\s*<[?!A-Za-z_]")


def format_by_name(members: Members) -> str:
    """Format that the names of the members tell; empty where they tell none.

    JSON Lines are often called .json, too.
    """
    for member in members:
        if member.lower().endswith(".ann.txt"):
            message, hint = MESSAGES("ann_name", name=brief(member)), MESSAGES("ann")
            raise Refused(Problem("member", message, member, hint=hint))
    for ending, name in ENDINGS.items():
        called = [member for member in members if member.lower().endswith(ending)]
        if called and ending == ".json" and offsets.begins(members[called[0]]):
            return "jsonl"
        if called:
            return name
    return ""


def format_by_content(members: Members) -> str:
    data = next(iter(members.values()), b"").removeprefix(b"\xef\xbb\xbf")
    if BEGINS_JSON.match(data):
        return "jsonl" if offsets.begins(data) else "mat-json"
    whole = BEGINS_XML.match(data) and data.rstrip().endswith(b">")
    return "xml-inline" if whole else "conll"


def is_strict(options: Options) -> bool:
    """Whether only spans that are written as the scheme asks count. Raises UsageError
    for a scheme that does not say so."""
    if options["strict"] and options["scheme"] not in ("iob2", "bioes"):
        message = MESSAGES("strict")
        raise UsageError(Problem("option", message))
    return bool(options["strict"])


def require_options(options: Options) -> None:
    """Raises UsageError for names of labels and for a scheme that cannot be used."""
    naming(options)
    is_strict(options)
    column_of(options)


def gold_format(members: Members, options: Options) -> str:
    """The reference's own format, which may differ from the submissions'."""
    given = "" if options["format"] == AUTO else options["format"]
    return format_by_name(members) or given or format_by_content(members)


def read_gold(source: Source, options: Options) -> SpanReference:
    """The reference as `read_blind` reads it. Raises SetupError also where it has spans
    and none of them a tag that is to be scored."""
    reference = read_blind(source, options)
    if reference.written and not reference.spans.labels:
        tags = brief(", ".join(options["tags"]))
        message = MESSAGES("no_tag", tags=tags)
        hint = MESSAGES("option_tags")
        raise SetupError(Problem("tags", message, source.name, hint=hint))
    if options["weights"] and reference.weights is None:
        message = MESSAGES("no_weights", name=brief(options["weights"]))
        hint = MESSAGES("option_weights")
        raise SetupError(Problem("weights", message, source.name, hint=hint))
    return reference


def read_blind(source: Source, options: Options) -> SpanReference:
    """The reference; its files' names decide their format before `format` does. Raises
    SetupError naming the document, UsageError for options."""
    try:
        members = bundle.documents(source)
        kind = FORMATS[gold_format(members, options)]
        return _reference(source, kind, members, options)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def _reference(
    source: Source, kind: SpanFormat, members: Members, options: Options
) -> SpanReference:
    check_costs(members, kind.costs, source.name)
    named = naming(options)
    reader_options = ReaderOptions(
        named.attributes,
        options["scheme"],
        strict=is_strict(options),
        column=column_of(options),
        weights=options["weights"],
    )
    problems: list[Problem] = []
    documents = list(_each(kind, members, reader_options, problems))
    _raise(problems, Refused)
    if not documents:
        raise Refused(Problem("empty", MESSAGES("no_document"), source.name))
    _check_records(documents)
    sizes = np.array([len(document.text) + 1 for document in documents])
    bases = np.cumsum(sizes) - sizes
    collected = Collector(named)
    for i, document in enumerate(documents):
        collected.add(i, int(bases[i]), document)
    spans, tokens = collected.spans(), _tokens(documents, bases)
    units = SpanUnits.of(documents, bases)
    check_size(spans, tokens, units, source.name)
    return SpanReference(
        tuple(document.name for document in documents),
        tuple(document.text for document in documents),
        bases,
        tokens,
        spans,
        _places(documents, source),
        any(document.tokens is None for document in documents),
        units,
        sum(len(document.starts) for document in documents),
        _groups(documents),
        _weights({i: document.weights for i, document in enumerate(documents)}, bases),
    )


def _check_records(documents: list[Document]) -> None:
    """Raise Refused for records of the reference that are called alike or lack a
    text."""
    problems, lines = [], dict[str, int | None]()
    for document in documents:
        if document.id and document.id in lines:
            message = MESSAGES(
                "repeated", document=document.id, line=lines[document.id]
            )
            problems.append(Problem("repeated", message, document.file, document.line))
        elif document.id and not document.has_text:
            message = MESSAGES("no_text", document=document.id)
            problems.append(Problem("text", message, document.file, document.line))
        lines[document.id] = document.line
    _raise(problems, Refused)


def _groups(documents: list[Document]) -> dict[str, tuple[str, ...]]:
    """Labels of documents by grouping, where all of them have one."""
    names = dict.fromkeys(name for document in documents for name in document.groups)
    return {
        name: tuple(document.groups[name] for document in documents)
        for name in names
        if all(name in document.groups for document in documents)
    }


def _weights(parts: Mapping[int, Weights | None], bases: Integers) -> Weights | None:
    """The weights of all texts, by their places; None where none has a list of them."""
    given = {place: part for place, part in parts.items() if part is not None}
    if not given:
        return None
    return Weights.of_texts([*given.values()], bases[[*given]])


def _each(
    kind: SpanFormat,
    members: Members,
    reader_options: ReaderOptions,
    problems: list[Problem],
) -> Iterator[Document]:
    """Every document that can be read; what is wrong with the others is noted."""
    for part in kind.apart(members):
        try:
            for document in kind.read(part, reader_options):
                check_depth(document)
                yield document
        except Refused as refusal:
            problems.extend(refusal.problems)
        if len(problems) >= MOST_PROBLEMS:
            return


def _raise(problems: list[Problem], kind: type[ScoringError]) -> None:
    if problems:
        raise kind(problems[: MOST_PROBLEMS + 1])


def _tokens(documents: list[Document], bases: Integers) -> Extents:
    """The tokens of all documents; by white space, of all texts at once, where a
    document has none of its own."""
    bare = np.array([document.tokens is None for document in documents])
    texts = [document.text for document in documents if document.tokens is None]
    begins = np.cumsum([0, *(len(text) + 1 for text in texts)])
    extents = white_space_tokens("\n".join(texts)) if texts else np.zeros((0, 2), int)
    borders = np.searchsorted(extents[:, 0], begins)
    place = np.repeat(np.flatnonzero(bare), np.diff(borders))
    extents += np.repeat(bases[bare] - begins[:-1], np.diff(borders))[:, None]
    if not bare.all():
        own = [(i, d.tokens) for i, d in enumerate(documents) if d.tokens is not None]
        sizes = [len(tokens) for _i, tokens in own]
        more = np.repeat([i for i, _tokens in own], sizes)
        theirs = np.concatenate([tokens for _i, tokens in own]) + bases[more][:, None]
        place, extents = np.append(place, more), np.concatenate((extents, theirs))
        order = np.lexsort((extents[:, 1], extents[:, 0]))
        place, extents = place[order], extents[order]
    start, end = extents[:, 0], extents[:, 1]
    return Extents(place, np.ascontiguousarray(start), np.ascontiguousarray(end))


def _places(documents: list[Document], source: Source) -> dict[tuple[str, int], int]:
    """Places of documents by their names; by any name in a file of its own."""
    places: dict[tuple[str, int], int] = {}
    alone = len({document.file for document in documents}) == 1
    for i, document in enumerate(documents):
        if document.id:
            places[document.id, RECORD] = i
            continue
        names = {document.file, document.also or document.file}
        if alone:
            names.add(SINGLE)
        places.update({(name, document.part): i for name in names})
    return places


def read_system(source: Source, options: Options, gold: SpanReference) -> SpanAnswer:
    """The submission, paired with the reference's (or the blind) documents. Raises
    Refused for unreadable, missing and extra documents and other texts."""
    members = bundle.documents(source)
    name = options["format"]
    if name == AUTO:
        name = format_by_name(members) or format_by_content(members)
    kind = FORMATS[name]
    check_costs(members, kind.costs, source.name)
    named = naming(options)
    reader_options = ReaderOptions(
        named.attributes,
        options["scheme"],
        tokens=False,
        strict=is_strict(options),
        column=column_of(options),
        weights=options["weights"],
    )
    # The name of the only file, also of one in a zip, says nothing about its document.
    alone = bundle.is_single(source) or (bundle.is_zip(source) and len(members) == 1)
    pairing = DocumentPairing(gold, options, alone)
    collected, counts = Collector(named), OffsetCounts()
    problems: list[Problem] = []
    weights: dict[int, Weights | None] = {}
    for document in _each(kind, members, reader_options, problems):
        place = pairing.place(document, problems)
        if place is not None:
            collected.add(place, int(gold.bases[place]), document)
            if name in OF_OFFSETS:
                counts.add(gold.texts[place], document)
            weights[place] = document.weights
    if bundle.is_zip(source) and pairing.is_of_another_number(problems):
        problems = [bundle.not_one_file(source.name, members)]
    if not problems:
        problems = pairing.missing(source.name)
    _raise(problems, Refused)
    spans = collected.spans()
    check_size(spans, gold.tokens, gold.units, source.name)
    names = tuple(pairing.names_of[i] for i in range(len(gold.names)))
    unscored, odd = collected.unscored, collected.odd
    weighted = _weights(weights, gold.bases)
    cut = "" if counts.way else counts.cut_word
    way, padded = counts.way, counts.padded_word
    return SpanAnswer(names, spans, unscored, odd, way, weighted, cut, padded)


def blind(gold: Source, options: Options) -> Source:
    """Gold members with texts and tokens only. Raises SetupError where the gold
    cannot be read."""
    try:
        members = bundle.documents(gold)
        name = gold_format(members, options)
        files = _hidden(name, members, options)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    return Source(gold.name, files)


def ideal(gold: Source, options: Options) -> Source:
    """Columns as tokens and tags alone, where the options name that of the tags; else
    the gold. Raises SetupError where it cannot be read."""
    column = column_of(options)
    try:
        members = bundle.documents(gold)
        if not column or gold_format(members, options) != "conll":
            return gold
        files = {f: with_tag(f, data, None, column) for f, data in members.items()}
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    return Source(gold.name, files)


def _hidden(
    name: str, members: Mapping[str, bytes], options: Options
) -> dict[str, bytes]:
    if name == "conll":
        column = column_of(options)
        return {f: with_tag(f, data, "O", column) for f, data in members.items()}
    if name == "brat":
        return {f: b"" if f.endswith(".ann") else d for f, d in members.items()}
    reader_options = ReaderOptions(scheme=options["scheme"])
    if name == "jsonl":
        return {
            file: offsets.written(
                [*offsets.read({file: data}, reader_options)], options["weights"]
            )
            for file, data in members.items()
        }
    write = as_json if name == "mat-json" else as_xml
    documents = FORMATS[name].read(members, reader_options)
    return {document.file: write(document) for document in documents}


def as_json(document: Document) -> bytes:
    sets = []
    if document.tokens is not None:
        annots = document.tokens.tolist()
        sets.append({"type": "lex", "attrs": [], "annots": annots})
    value = {"signal": document.text, "asets": sets, "metadata": {}, "version": 2}
    return json.dumps(value, ensure_ascii=False).encode()


def as_xml(document: Document) -> bytes:
    """Tokens as elements; those within another token go without one of their own."""
    text, pieces, done = document.text, [], 0
    for start, end in _extents(document.tokens):
        if start >= done:
            pieces += [
                _escape(text[done:start]),
                f"<lex>{_escape(text[start:end])}</lex>",
            ]
            done = end
    pieces.append(_escape(text[done:]))
    return f"<doc>{''.join(pieces)}</doc>".encode()


def _extents(tokens: Integers | None) -> list[list[int]]:
    return [] if tokens is None else sorted(tokens.tolist())


def _escape(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
