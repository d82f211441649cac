"""Entities and their mentions: CorefUD 1.0 in CoNLL-U, and the columns of CoNLL-2012.

In CoNLL-U a mention opens and closes in `Entity=` of MISC, `(e5-person-1-` and `e5)`;
`# global.Entity` names what stands between the dashes. Parts of a discontinuous mention
are `e5[1/2]` and `e5[2/2]`, and nodes that are not in the text have IDs as `4.1`. In
CoNLL-2012 the last column has `(5`, `5)` and `(5)`, separated by `|`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Problem, Refused, ScoringError
from scoring.messages import Messages, _
from scoring.scorers.treebanks import conllu, trees
from scoring.scorers.treebanks.conllu import (
    DEPS,
    EMPTY,
    FORM,
    ID,
    MISC,
    RANGE,
    ConlluTable,
)
from scoring.scorers.treebanks.lines import Prefetch
from scoring.scorers.treebanks.trees import Trees
from scoring.source import (
    ZIP_MARK,
    Source,
    brief,
    look_alike,
    normalise_bytes,
    whole_lines,
)

MESSAGES = Messages(
    no_begin=_("the line '#begin document' is missing above."),
    begin_hint=_("Copy the lines that begin with # as well."),
    header=_("mentions stand here, and no '# global.Entity' above says how."),
    header_hint=_(
        "Write '# global.Entity = eid-etype-head-other' above the first sentence."
    ),
    no_eid=_("'# global.Entity' names no field eid."),
    odd=_("'%(part)s' neither opens nor closes a mention."),
    odd_hint=_("Mentions are written as '(e5-person-1-' with 'e5)', or in one."),
    on_range=_("a mention stands on a line of a multiword token."),
    on_range_hint=_("Put it on the first of its words."),
    twice=_("the word has two attributes Entity."),
    no_id=_("'%(part)s' opens a mention without an entity."),
    not_open=_("'%(entity)s' closes here, and no mention of it is open."),
    not_closed=_("'%(entity)s' opens here, and is not closed in its sentence."),
    head=_(
        "the head of '%(entity)s' is '%(head)s'; expected a number from 1 to %(most)s."
    ),
    part=_("'%(part)s' is not the next part of a mention with gaps."),
    part_hint=_("Parts are numbered in order: e5[1/2], later e5[2/2]."),
    lacks_parts=_("'%(entity)s' has %(count)s of its %(total)s parts."),
    empty_id=_("the empty node '%(id)s' is out of place."),
    empty_hint=_("Behind word 4 stand 4.1, 4.2 and so on, in this order."),
    other_kind=_("this is %(kind)s; the task has %(expected)s."),
    few_columns=_("expected five columns or more, found %(count)s."),
    few_hint=_("The fourth is the word, the last has the mentions or a '-'."),
    no_words=_("no word found; expected %(kind)s."),
    crowded=_(
        "more than %(most)s mentions hold this word: so many cannot be compared."
    ),
    long=_("the mentions have too many words altogether."),
)

COREFUD, CONLL2012 = "CorefUD", "CoNLL-2012"
BEGIN = b"#begin document"
ROW_2012 = re.compile(rb"\S+\s+\d+\s+\d+\s+\S.*\s(?:-|[(\d][()\d|]*)\s*")
PREFETCH = Prefetch(numbers=(ID,), texts=(FORM,))
ENTITY = re.compile(rb"(?<=[\t|])Entity=([^\t\n|]*)")
# No character is looked at twice, whatever is lacking.
CHUNK = re.compile(r"\([^()]*\)?|[^()]+\)?|\)")
# An attribute that is written otherwise than read.
LIKE_ENTITY = re.compile(rb"(?i)[\t|]([^\t\n|]{,20}entity[=:][^\t\n|]*)")
PART = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]")
PART_2012 = re.compile(r"\s*part\s+([0-9]+)")
# Nodes that are not in the text are numbered behind their word: 4.1 to 4.4095.
ROOM = 1 << 12
MOST_AT_A_WORD = 64
MOST_NODES, MOST_PER_WORD = 2_000_000, 50
HEAD_FIELD = "head"


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: its nodes in order of the text, of which one is its head.

    Nodes are numbers that both sides share. `zero`: the head is not in the text.
    """

    entity: str
    sentence: int
    nodes: tuple[int, ...]
    head: int
    zero: bool
    line: int


@dataclass(frozen=True)
class Discourse:
    """The words of a file by sentences and documents, and the mentions in it.

    `forms` are all words, each followed by a newline; `sizes` (sentences,) are words of
    each, `lines` (words,) where they stand; `document_of` and `names` are of sentences.
    `dependencies` are those of heads that are not in the text; `headed` says whether
    the file tells heads. `like_entity` is the first attribute that is like Entity= and
    not that, of a file without a mention.
    """

    name: str
    kind: str
    forms: str
    sizes: Integers
    lines: Integers
    sentence_names: tuple[str, ...]
    documents: tuple[str, ...]
    document_of: Integers
    genres: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    dependencies: dict[int, frozenset[str]] = field(default_factory=dict)
    headed: bool = False
    like_entity: str = ""

    @cached_property
    def words(self) -> list[str]:
        return self.forms.split("\n")[:-1]

    @cached_property
    def first(self) -> Integers:
        """The first word of each sentence and, one more, the number of words."""
        return np.append(0, np.cumsum(self.sizes))

    def word(self, node: int, sentence: int) -> int:
        """The word of a node; of one that is not in the text the word before it."""
        return node // ROOM - sentence - 1


def has_columns(data: bytes) -> bool:
    """Whether a file begins as one of CoNLL-2012 does."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(BEGIN)


def may_have_columns(data: bytes) -> bool:
    """Whether a file is one of CoNLL-2012 that may have lost its first line."""
    lines = [line for line in data[:4096].split(b"\n") if line.strip()][:10]
    words = [line for line in lines if not line.startswith(b"#")]
    wide = bool(words) and all(len(word.split()) > 4 for word in words)
    # Rows of CoNLL-U begin with a number, and have their word behind it.
    other = all(line[:1].isdigit() and line.count(b"\t") == 9 for line in words)
    numbered = not other and all(map(ROW_2012.fullmatch, words))
    return has_columns(data) or (wide and (b"\n#end document" in data or numbered))


def read(source: Source, kind: type[ScoringError]) -> Discourse:
    """Raises `kind` for what is neither of both formats, and for mentions that are not
    well written, with the line of each."""
    data = source.single(kind)
    if data.startswith(ZIP_MARK):
        data = normalise_bytes(source.name, data, kind)
        source = Source.of_bytes(source.name, data)
    if has_columns(data):
        return _read_columns(source.name, data, kind)
    if may_have_columns(data):
        message, hint = MESSAGES("no_begin"), MESSAGES("begin_hint")
        raise kind(Problem("columns", message, source.name, 1, hint=hint))
    return _read_conllu(source, kind)


def pair_documents(system: Discourse, gold: Discourse) -> Discourse:
    """The system's file in the documents of the gold or the published file. Raises
    Refused with the first line where the words are others."""
    if system.kind != gold.kind:
        message = MESSAGES("other_kind", kind=system.kind, expected=gold.kind)
        raise Refused(Problem("other_format", message, system.name, 1))
    if system.forms != gold.forms or not np.array_equal(system.sizes, gold.sizes):
        raise Refused(_difference(system, gold))
    return replace(
        system,
        documents=gold.documents,
        document_of=gold.document_of,
        genres=gold.genres,
    )


def _difference(system: Discourse, gold: Discourse) -> Problem:
    """The first word that is another, or else the first sentence of another length."""
    shared = min(len(system.sizes), len(gold.sizes))
    unequal = np.flatnonzero(system.sizes[:shared] != gold.sizes[:shared])
    sentence = int(unequal[0]) if len(unequal) else shared
    size = int(system.sizes[:sentence].sum())
    has, wanted = 0, 0
    if sentence < shared:
        has, wanted = int(system.sizes[sentence]), int(gold.sizes[sentence])
        size += min(has, wanted)
    pairs = zip(system.words[:size], gold.words[:size], strict=True)
    for word, (form, expected) in enumerate(pairs):
        if form != expected:
            place = int(np.searchsorted(system.first, word, side="right")) - 1
            message = trees.MESSAGES(
                "form",
                word=word - int(system.first[place]) + 1,
                form=brief(form),
                expected=brief(expected),
            )
            line, unit = int(system.lines[word]), gold.sentence_names[place]
            hint = look_alike(form, expected)
            return Problem("form", message, system.name, line, unit=unit, hint=hint)
    if sentence < shared:
        message = trees.MESSAGES("words", count=has, expected=wanted)
        line, unit = int(system.lines[size - 1]), gold.sentence_names[sentence]
        return Problem("words", message, system.name, line, unit=unit)
    message = trees.MESSAGES(
        "sentences", count=len(system.sizes), expected=len(gold.sizes), same=shared
    )
    line = int(system.lines[min(size, len(system.lines) - 1)])
    return Problem("sentences", message, system.name, line)


@dataclass
class _Open:
    """An open mention: row of its first node, and what is known of it.

    `rows` are the nodes so far, `start` the row in which the part that is open began.
    """

    entity: str
    line: int
    start: int
    head: str = ""
    part: int = 1
    parts: int = 1
    rows: list[int] = field(default_factory=list)
    open: bool = True


@dataclass(frozen=True)
class _Written:
    """One row of the file with mentions: row of the node, line, pieces."""

    row: int
    sentence: int
    line: int
    chunks: list[str]


class _Reader:
    """Opens and closes mentions row by row, and notes what does not fit.

    `keys` (nodes,) are the numbers of nodes, `empty` those that are not in the text.
    """

    def __init__(self, keys: list[int], findings: Findings) -> None:
        self.keys, self.findings = keys, findings
        self.mentions: list[Mention] = []
        self.by_entity: dict[str, list[_Open]] = {}
        self.sentence = 0
        self.size = 0
        self.most = MOST_NODES + MOST_PER_WORD * len(keys)

    def read(self, written: Iterator[tuple[_Written, list[str]]]) -> None:
        """All rows; each comes with the names of fields between dashes."""
        for place, names in written:
            if place.sentence != self.sentence:
                self._end_sentence()
                self.sentence = place.sentence
            for chunk in place.chunks:
                self._chunk(chunk, place, names)
        self._end_sentence()

    def _chunk(self, chunk: str, place: _Written, names: list[str]) -> None:
        opens, closes = chunk.startswith("("), chunk.endswith(")")
        inner = chunk.strip("()")
        if not inner or not (opens or closes):
            self._note("odd", place.line, part=brief(chunk))
        elif not opens:
            self._close(inner, place)
        else:
            self._open(inner, place, names, closes)

    def _open(
        self, inner: str, place: _Written, names: list[str], closes: bool
    ) -> None:
        values = dict(zip(names, inner.split("-"), strict=False))
        entity, head = values.get("eid", ""), values.get(HEAD_FIELD, "")
        if not entity:
            self._note("no_id", place.line, part=brief(inner))
            return
        part, parts = 1, 1
        if entity.endswith("]"):
            match = PART.fullmatch(entity)
            if match is None:
                self._note("part", place.line, part=brief(entity))
                return
            entity, part, parts = match[1], int(match[2]), int(match[3])
        opened = self.by_entity.setdefault(entity, [])
        if part == 1 and parts >= 1:
            mention = _Open(entity, place.line, place.row, head, 1, parts)
            opened.append(mention)
        else:
            fits = (
                m
                for m in opened
                if not m.open and (m.part + 1, m.parts) == (part, parts)
            )
            following = next(fits, None)
            if following is None:
                self._note("part", place.line, part=brief(inner.split("-")[0]))
                return
            mention = following
            mention.start, mention.part, mention.open = place.row, part, True
            mention.head = head
        if closes:
            self._end_part(mention, place)

    def _close(self, inner: str, place: _Written) -> None:
        entity, part = inner, 0
        opened = self.by_entity.get(entity)
        match = PART.fullmatch(inner) if opened is None else None
        if match is not None:
            entity, part = match[1], int(match[2])
            opened = self.by_entity.get(entity)
        for mention in reversed(opened or []):
            # As deep as a mention of an entity in another of the same one.
            if mention.open and part in (0, mention.part):
                self._end_part(mention, place)
                return
        self._note("not_open", place.line, entity=brief(inner))

    def _end_part(self, mention: _Open, place: _Written) -> None:
        mention.rows += range(mention.start, place.row + 1)
        mention.open = False
        self.size += place.row + 1 - mention.start
        if self.size > self.most:
            message = MESSAGES("long")
            problem = Problem("mentions", message, self.findings.file, place.line)
            raise Refused(problem)
        if mention.part == mention.parts:
            self.by_entity[mention.entity].remove(mention)
            self._add(mention)

    def _add(self, mention: _Open) -> None:
        rows = mention.rows
        head = 1
        if mention.head and len(rows) > 1:
            fine = mention.head.isascii() and mention.head.isdecimal()
            head = int(mention.head) if fine and len(mention.head) < 10 else 0
            if not 1 <= head <= len(rows):
                self._note(
                    "head",
                    mention.line,
                    entity=brief(mention.entity),
                    head=brief(mention.head),
                    most=len(rows),
                )
                head = 1
        nodes = tuple(self.keys[row] for row in rows)
        chief = nodes[head - 1]
        self.mentions.append(
            Mention(
                mention.entity,
                self.sentence,
                nodes,
                chief,
                chief % ROOM > 0,
                mention.line,
            )
        )

    def _end_sentence(self) -> None:
        for entity, left in self.by_entity.items():
            for mention in left:
                if mention.open:
                    self._note("not_closed", mention.line, entity=brief(entity))
                else:
                    count, total = mention.part, mention.parts
                    message = MESSAGES(
                        "lacks_parts", entity=brief(entity), count=count, total=total
                    )
                    hint = MESSAGES("part_hint")
                    self.findings.add("mentions", message, line=mention.line, hint=hint)
        self.by_entity = {}

    def _note(self, problem: str, line: int, **values: str | int) -> None:
        hints = {"odd": "odd_hint", "part": "part_hint"}
        hint = MESSAGES(hints[problem]) if problem in hints else ""
        message = MESSAGES(problem, **values)
        self.findings.add("mentions", message, line=line, hint=hint)


def _read_conllu(source: Source, kind: type[ScoringError]) -> Discourse:
    words = trees.read_words(source, kind, PREFETCH)
    table, findings = words.table, Findings(source.name)
    nodes = np.flatnonzero(table.kinds != RANGE)
    keys = _keys(words, nodes, findings)
    findings.raise_if_any(kind)
    reader = _Reader(keys.tolist(), findings)
    headers = _headers(table, findings)
    _read_to_the_end(reader, _written(table, nodes, headers, findings), kind)
    _require_room(reader.mentions, findings)
    findings.raise_if_any(kind)
    documents, document_of = _documents(table)
    genres = conllu.genres(table)
    starts = np.searchsorted(document_of, np.arange(len(documents)))
    return Discourse(
        source.name,
        COREFUD,
        table.joined(FORM, table.words),
        words.sizes,
        words.lines,
        table.sentence_names,
        documents,
        document_of,
        tuple(genres[i] for i in starts.tolist()) if genres else (),
        tuple(reader.mentions),
        _dependencies(table, nodes, keys, reader.mentions),
        bool(headers) and all(HEAD_FIELD in names for names in headers.values()),
        "" if reader.mentions else _like_entity(table),
    )


def _like_entity(table: ConlluTable) -> str:
    like = LIKE_ENTITY.search(table.all_lines.text)
    return like[1].decode("utf-8", "replace") if like else ""


def _read_to_the_end(
    reader: _Reader,
    written: Iterator[tuple[_Written, list[str]]],
    kind: type[ScoringError],
) -> None:
    """Read on; a file that is too large to read is told as one of that kind."""
    try:
        reader.read(written)
    except Refused as refusal:
        raise kind(refusal.problems) from None


def _keys(words: Trees, nodes: Integers, findings: Findings) -> Integers:
    """A number for each node, which grow in the order of the text. In each sentence a
    place before the first word is for nodes that stand there."""
    table = words.table
    sentence = table.sentence_of[nodes]
    base = np.append(0, np.cumsum(words.sizes))[sentence] + sentence
    major, minor = np.maximum(table.ids[nodes], 0), np.zeros(len(nodes), np.int64)
    empty = np.flatnonzero(table.kinds[nodes] == EMPTY)
    for place, text in zip(empty.tolist(), table.texts(ID, nodes[empty]), strict=True):
        whole, _dot, rest = text.partition(".")
        short = len(whole) < 10 and len(rest) < 5
        major[place], minor[place] = (int(whole), int(rest)) if short else (-1, 0)
    keys = (base + major) * ROOM + minor
    before = np.concatenate(([-1], keys[:-1]))
    fresh = np.diff(sentence, prepend=-1) > 0
    least = np.where(fresh, base * ROOM, before)
    fine = (keys > least) & (minor < ROOM)
    fine[empty] &= (minor[empty] > 0) & (major[empty] <= _above(table, nodes, empty))
    for place in findings.capped(np.flatnonzero(~fine)):
        row = nodes[place : place + 1]
        message = MESSAGES("empty_id", id=brief(table.texts(ID, row)[0]))
        hint, line = MESSAGES("empty_hint"), int(table.lines[row[0]])
        findings.add("word_id", message, line=line, hint=hint)
    return np.asarray(keys)


def _above(table: ConlluTable, nodes: Integers, empty: Integers) -> Integers:
    """Words of the sentence above each empty node."""
    is_word = table.kinds[nodes] != EMPTY
    words = np.cumsum(is_word)
    sentence = table.sentence_of[nodes]
    start = np.searchsorted(sentence, sentence[empty])
    return np.asarray(words[empty] - words[start] + is_word[start])


def _headers(table: ConlluTable, findings: Findings) -> dict[int, list[str]]:
    """Names of fields by the sentence from which on they hold. GRP, of older files,
    numbers entities in each document anew."""
    headers = {}
    for sentence, text in table.keyed("global.Entity"):
        names = text.partition("=")[2].strip().replace("GRP", "eid").split("-")
        if "eid" not in names:
            line = table.first_line(sentence)
            findings.add("mentions", MESSAGES("no_eid"), line=line)
            names = ["eid", "etype", HEAD_FIELD, "other"]
        headers[sentence] = names
    return headers


def _written(
    table: ConlluTable,
    nodes: Integers,
    headers: dict[int, list[str]],
    findings: Findings,
) -> Iterator[tuple[_Written, list[str]]]:
    """The rows with mentions, each with the names of fields that hold there."""
    matches = [
        (match.start(), match[1]) for match in ENTITY.finditer(table.all_lines.text)
    ]
    offsets = np.array([offset for offset, _ in matches], dtype=np.int64)
    begins = table.all_lines.begins[table.token]
    rows = np.maximum(np.searchsorted(begins, offsets, side="right") - 1, 0)
    misc = table.field(MISC, rows)
    inside = (misc.begins <= offsets) & (offsets < misc.ends)
    places = np.searchsorted(nodes, rows)
    kinds, lines, sentences = table.kinds[rows], table.lines[rows], table.sentence_of
    starts, names, last = sorted(headers), None, -1
    told = 0
    for i in np.flatnonzero(inside).tolist():
        row, line = int(rows[i]), int(lines[i])
        sentence = int(sentences[row])
        while told < len(starts) and starts[told] <= sentence:
            names, told = headers[starts[told]], told + 1
        if row == last:
            findings.add("mentions", MESSAGES("twice"), line=line)
            continue
        last = row
        if kinds[i] == RANGE:
            hint = MESSAGES("on_range_hint")
            findings.add("mentions", MESSAGES("on_range"), line=line, hint=hint)
            continue
        if names is None:
            hint = MESSAGES("header_hint")
            findings.add("mentions", MESSAGES("header"), line=line, hint=hint)
            return
        chunks = CHUNK.findall(matches[i][1].decode())
        yield _Written(int(places[i]), sentence, line, chunks), names


def _documents(table: ConlluTable) -> tuple[tuple[str, ...], Integers]:
    labels = conllu.documents(table) or ("document 1",) * table.sentences
    names = tuple(dict.fromkeys(labels))
    place = {name: i for i, name in enumerate(names)}
    return names, np.array([place[label] for label in labels], dtype=np.int64)


def _dependencies(
    table: ConlluTable, nodes: Integers, keys: Integers, mentions: list[Mention]
) -> dict[int, frozenset[str]]:
    """The enhanced dependencies of heads that are not in the text, as written."""
    heads = np.array(sorted({m.head for m in mentions if m.zero}), dtype=np.int64)
    rows = nodes[np.searchsorted(keys, heads)]
    texts = table.texts(DEPS, rows) if len(rows) else []
    pairs = zip(heads.tolist(), texts, strict=True)
    return {
        head: frozenset(part for part in text.split("|") if ":" in part)
        for head, text in pairs
    }


def _require_room(mentions: list[Mention], findings: Findings) -> None:
    """Note a word that very many mentions hold: all pairs of them are compared."""
    sizes = [len(mention.nodes) for mention in mentions]
    nodes = np.fromiter(
        (node for mention in mentions for node in mention.nodes), np.int64, sum(sizes)
    )
    held, times = np.unique(nodes, return_counts=True)
    crowded = held[times > MOST_AT_A_WORD]
    if len(crowded):
        owner = np.repeat(np.arange(len(mentions)), sizes)
        last = mentions[int(owner[nodes == crowded[0]][-1])]
        message = MESSAGES("crowded", most=MOST_AT_A_WORD)
        findings.add("mentions", message, line=last.line)


NAMES_2012 = ["eid"]
WORD_2012, FEWEST = 3, 5


def _read_columns(name: str, data: bytes, kind: type[ScoringError]) -> Discourse:
    """The columns of CoNLL-2012, separated by white space; zeros are words there."""
    findings = Findings(name)
    columns = _Columns(findings)
    text = whole_lines(name, data, kind).decode()
    for line, row in enumerate(text.split("\n")[:-1], 1):
        columns.add(line, row)
    if not columns.forms and not findings.problems:
        raise kind(Problem("no_words", MESSAGES("no_words", kind=CONLL2012), name, 1))
    findings.raise_if_any(kind)
    sentence = np.array(columns.sentence, dtype=np.int64)
    keys = (np.arange(len(sentence)) + sentence + 1) * ROOM
    reader = _Reader(keys.tolist(), findings)
    _read_to_the_end(reader, ((place, NAMES_2012) for place in columns.written), kind)
    _require_room(reader.mentions, findings)
    findings.raise_if_any(kind)
    return columns.discourse(name, tuple(reader.mentions))


def _title(row: str) -> str:
    """The name of a document and, where there is one, the number of its part."""
    name, _, rest = row.removeprefix(BEGIN.decode()).partition(";")
    part = PART_2012.fullmatch(rest.rstrip())
    name = name.strip().removeprefix("(").removesuffix(")")
    return f"{name}; part {part[1]}" if part else name


class _Columns:
    """Lines of CoNLL-2012 as they come: words, sentences, documents, mentions."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.forms: list[str] = []
        self.lines: list[int] = []
        self.sentence: list[int] = []
        self.document_of: list[int] = []
        self.titles: list[str] = []
        self.written: list[_Written] = []
        self.fresh = True

    def add(self, line: int, row: str) -> None:
        if row.startswith("#"):
            if row.startswith(BEGIN.decode()):
                self.titles.append(_title(row))
            self.fresh = True
            return
        fields = row.split()
        if not fields:
            self.fresh = True
        elif len(fields) < FEWEST:
            message, hint = MESSAGES("few_columns", count=len(fields)), "few_hint"
            self.findings.add("columns", message, line=line, hint=MESSAGES(hint))
        else:
            self._word(line, fields[WORD_2012], fields[-1])

    def _word(self, line: int, form: str, mentions: str) -> None:
        if self.fresh:
            self.document_of.append(len(self.titles) - 1)
            self.fresh = False
        sentence = len(self.document_of) - 1
        if mentions not in "-_":
            chunks = [c for part in mentions.split("|") for c in CHUNK.findall(part)]
            self.written.append(_Written(len(self.forms), sentence, line, chunks))
        self.forms.append(form)
        self.lines.append(line)
        self.sentence.append(sentence)

    def discourse(self, name: str, mentions: tuple[Mention, ...]) -> Discourse:
        used = sorted(set(self.document_of))
        titles = [self.titles[i] or f"document {i + 1}" for i in used]
        unique = len(set(titles)) == len(titles)
        names = [
            title if unique else f"{title} ({i})" for i, title in enumerate(titles, 1)
        ]
        genres = [title.partition("/")[0] for title in titles]
        sizes = np.bincount(self.sentence, minlength=len(self.document_of))
        return Discourse(
            name,
            CONLL2012,
            "".join(form + "\n" for form in self.forms),
            sizes,
            np.array(self.lines, dtype=np.int64),
            tuple(f"{i:07d}" for i in range(1, len(sizes) + 1)),
            tuple(names),
            np.searchsorted(used, self.document_of),
            tuple(genres) if all("/" in title for title in titles) else (),
            mentions,
        )
