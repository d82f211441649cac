"""Reading both sides: format, pairing by name, texts compared."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from scoring.counts import Integers
from scoring.errors import (
    MOST_PROBLEMS,
    Problem,
    Refused,
    ScoringError,
    SetupError,
)
from scoring.formats import brat, bundle, columns, mat_json, xml_inline
from scoring.formats.spans import (
    Costs,
    Document,
    Reader,
    ReaderOptions,
    check_costs,
    check_depth,
    white_space_tokens,
)
from scoring.options import Options
from scoring.scorers.spans.corpus import (
    SINGLE,
    Collector,
    Extents,
    SpanAnswer,
    SpanReference,
    SpanUnits,
    check_size,
)
from scoring.scorers.spans.labels import naming
from scoring.scorers.spans.pairing import DocumentPairing
from scoring.source import Source

Members = Mapping[str, bytes]


def one_each(members: Members) -> list[Members]:
    return [{name: data} for name, data in members.items()]


@dataclass(frozen=True)
class SpanFormat:
    """How members fall into documents that are read, and refused, by themselves.

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
}
ENDINGS = {".json": "mat-json", ".xml": "xml-inline", ".ann": "brat"}
AUTO = "auto"
BEGINS_JSON, BEGINS_XML = re.compile(rb'\s*\{\s*["}]'), re.compile(rb"\s*<[?!A-Za-z_]")


def format_by_name(members: Members) -> str:
    """What the names of the members say; empty where they say nothing."""
    for ending, name in ENDINGS.items():
        if any(member.lower().endswith(ending) for member in members):
            return name
    return ""


def format_by_content(members: Members) -> str:
    data = next(iter(members.values()), b"").removeprefix(b"\xef\xbb\xbf")
    if BEGINS_JSON.match(data):
        return "mat-json"
    whole = BEGINS_XML.match(data) and data.rstrip().endswith(b">")
    return "xml-inline" if whole else "conll"


def gold_format(members: Members, options: Options) -> str:
    """The reference's own format, which may differ from the submissions'."""
    given = "" if options["format"] == AUTO else options["format"]
    return format_by_name(members) or given or format_by_content(members)


def read_gold(source: Source, options: Options) -> SpanReference:
    """The reference; its files' names decide their format before `format` does.

    Raises SetupError naming the document, UsageError for options.
    """
    try:
        members = bundle.members(source)
        kind = FORMATS[gold_format(members, options)]
        return _reference(source, kind, members, options)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def _reference(
    source: Source, kind: SpanFormat, members: Members, options: Options
) -> SpanReference:
    check_costs(members, kind.costs, source.name)
    named = naming(options)
    asked = ReaderOptions(named.attributes, options["scheme"])
    problems: list[Problem] = []
    documents = list(_each(kind, members, asked, problems))
    _raise(problems, Refused)
    if not documents:
        raise Refused(Problem("empty", "there is no document", source.name))
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
    )


def _each(
    kind: SpanFormat, members: Members, asked: ReaderOptions, problems: list[Problem]
) -> Iterator[Document]:
    """Every document that can be read; what is wrong with the others is noted."""
    for part in kind.apart(members):
        try:
            for document in kind.read(part, asked):
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
    parts = [
        white_space_tokens(d.text) if d.tokens is None else d.tokens for d in documents
    ]
    place = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    extents = np.concatenate(parts) + bases[place][:, None]
    start, end = extents[:, 0], extents[:, 1]
    if np.any(start[1:] < start[:-1]):
        order = np.lexsort((end, start))
        start, end = start[order], end[order]
    return Extents(place, np.ascontiguousarray(start), np.ascontiguousarray(end))


def _places(documents: list[Document], source: Source) -> dict[tuple[str, int], int]:
    """Where a document stands, by its names; by any name in a file of its own."""
    places = {}
    alone = len({document.file for document in documents}) == 1
    for i, document in enumerate(documents):
        names = {document.file, document.also or document.file}
        if alone:
            names.add(SINGLE)
        places.update({(name, document.part): i for name in names})
    return places


def read_system(source: Source, options: Options, gold: SpanReference) -> SpanAnswer:
    """The submission, paired with the reference's (or the blind) documents.

    Raises Refused for unreadable, missing and extra documents and other texts.
    """
    members = bundle.members(source)
    name = options["format"]
    if name == AUTO:
        name = format_by_name(members) or format_by_content(members)
    kind = FORMATS[name]
    check_costs(members, kind.costs, source.name)
    named = naming(options)
    asked = ReaderOptions(named.attributes, options["scheme"], tokens=False)
    pairing = DocumentPairing(gold, options, bundle.is_single(source))
    collected = Collector(named)
    problems: list[Problem] = []
    for document in _each(kind, members, asked, problems):
        place = pairing.place(document, problems)
        if place is not None:
            collected.add(place, int(gold.bases[place]), document)
    if not problems:
        problems = pairing.missing(source.name)
    _raise(problems, Refused)
    spans = collected.spans()
    check_size(spans, gold.tokens, gold.units, source.name)
    return SpanAnswer(tuple(pairing.found[i] for i in range(len(gold.names))), spans)
