"""TREC's files: runs, relevance judgements (qrels) and lists of topics.

Fields are separated by spaces or tabs, one of them or several. They are found as
offsets into the bytes of the file, for all lines at once.
"""

import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Floats, Integers
from scoring.errors import Findings, ScoringError
from scoring.formats.field_prefixes import equal
from scoring.formats.fields import NEWLINE, Fields, join_fields
from scoring.messages import Messages, _
from scoring.scorers.retrieval.decimals import decimals
from scoring.source import Bytes, Source, brief, whole_lines

MESSAGES = Messages(
    long_topic=_("a topic of %(count)s bytes; expected at most %(most)s."),
    long_document=_("a document of %(count)s bytes; expected at most %(most)s."),
    most_lines=_("%(count)s lines; expected at most %(most)s."),
    columns=_("expected %(expected)s fields, '%(fields)s'; found %(count)s."),
    separate=_("Separate them by spaces or tabs, and write no space into a field."),
    lacking=_(
        "expected %(expected)s fields, '%(fields)s'; found %(count)s, without "
        "%(names)s."
    ),
    write_fields=_("Write all of them into each line, in this order."),
    swapped=_(
        "'%(text)s' stands in the place of the document: its fields are swapped."
    ),
    in_order=_("Write the fields in this order: %(fields)s."),
    spaces=_("the document has spaces in its name: '%(text)s'."),
    no_spaces=_("Write the id of the document, without spaces."),
    topic_spaces=_("the topic has spaces in its name: '%(text)s'."),
    repeated_document=_(
        "document '%(document)s' stands twice for topic '%(topic)s', "
        "first in line %(line)s."
    ),
    keep_one=_("Keep one of the two lines."),
    unknown_topic=_("unknown topic '%(topic)s'."),
    copy_topics=_("Copy the topics of the published file as they are written there."),
    most_documents=_(
        "%(count)s documents for topic '%(topic)s'; expected at most "
        "%(most)s. This is the first one too many."
    ),
    keep_best=_("Keep the best documents of each topic."),
    no_score=_("'%(text)s' is no score; expected a number, as in 12.5."),
    no_grade=_("'%(text)s' is no grade; expected a whole number up to %(most)s."),
    repeated_topic=_("topic '%(topic)s' stands twice."),
)

RUN = "topic Q0 document rank score tag", 6
QRELS = "topic 0 document grade", 4
MOST_LINES = 20_000_000
# Longer names are no names; arrays of them would fill the memory.
LONGEST = 500
BLOCK = 1 << 18
# Ranks count for nothing: a run that has them wrong has them wrong from the start.
LOOKED_AT, FEWEST_RANKS = 10_000, 3
SPACE = 32
# trec_eval holds a score in so many bits: scores that differ behind them are ties.
Singles = npt.NDArray[np.float32]
LARGEST_GRADE = 99
RANK = re.compile(rb"-|[+-]?[0-9]+(?:\.[0-9]*)?")
# What the fields of a run look like, in their order.
Q0 = (b"Q0", b"q0")
NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
FIELDS = [
    re.compile(form)
    for form in (
        *(rb"(?![Qq]0$).+", rb"[Qq]?0", rb"(?![Qq]0$).+", rb"[0-9]+"),
        *(NUMBER, rb"(?!%s$).+" % NUMBER),
    )
]
GRADE = re.compile(rb"[+-]?0*[0-9]{1,2}(?:\.0*)?")
COMMENT = re.compile(rb"(?m)^#(?:[ \t].*)?$")
# What the last column is called where judgements begin with names of columns.
GRADES = (b"grade", b"rel", b"relevance", b"relevancy", b"score", b"label")
BEIR = [b"query-id", b"corpus-id", b"score"]
BEFORE_DOCUMENT = re.compile(rb"(?m)^(\S+)[ \t]+")

Grades = dict[bytes, int]
Kind = type[ScoringError]


@dataclass(frozen=True)
class TrecRows:
    """Lines with all their fields, `n` of them, each with its number from 1.

    `ends` (n, 2 * columns) has the begin and the end of every field.
    """

    text: bytes
    lines: Integers
    ends: Integers

    def column(self, number: int) -> Fields:
        begins, ends = self.ends[:, 2 * number], self.ends[:, 2 * number + 1]
        return Fields(np.frombuffer(self.text, dtype=np.uint8), begins, ends)

    def pieces(self, number: int) -> list[bytes]:
        """The column's fields as bytes (n,)."""
        return join_fields(self.column(number)).split(b"\n")[:-1]

    def at(self, chosen: Flags | Integers) -> "TrecRows":
        return TrecRows(self.text, self.lines[chosen], self.ends[chosen])

    @cached_property
    def topics(self) -> tuple[list[bytes], Integers]:
        """Distinct topics in the order of the file, and the one of each line (n,)."""
        column = self.column(0)
        if not len(column):
            return [], np.zeros(0, dtype=np.int64)
        fresh = np.ones(len(column), dtype=np.bool_)
        np.logical_not(
            equal(column.at(slice(1, None)), column.at(slice(-1))), out=fresh[1:]
        )
        numbers: dict[bytes, int] = {}
        names = column.at(fresh).pieces()
        codes = np.array([numbers.setdefault(name, len(numbers)) for name in names])
        return list(numbers), codes[np.cumsum(fresh) - 1]


def _rows(
    source: Source, layout: tuple[str, int], kind: Kind
) -> tuple[TrecRows, Findings]:
    """The lines that have as many fields as the layout; what is wrong with others."""
    expected, columns = layout
    text = whole_lines(source.name, source.single(kind), kind)
    if b"#" in text:
        text = COMMENT.sub(b"", text)
    if layout == QRELS:
        text = _plain_judgements(text)
    findings = Findings(source.name)
    buffer = np.frombuffer(text, dtype=np.uint8)
    size = text.count(b"\n")
    if size > MOST_LINES:
        findings.add("size", MESSAGES("most_lines", count=size, most=MOST_LINES))
        findings.raise_if_any(kind)
    ends = _boundaries(buffer)
    starts = ends[:: 2 * columns]
    # Where lines begin with every so-many-th field, each has just so many.
    if (
        len(ends) == 2 * columns * size
        and not starts[0]
        and (buffer[starts[1:] - 1] == NEWLINE).all()
    ):
        rows = TrecRows(text, np.arange(1, size + 1), ends.reshape(size, 2 * columns))
        return _short_names(rows, findings), findings
    newlines = np.flatnonzero(buffer == NEWLINE)
    fields = np.diff(np.searchsorted(ends[::2], newlines), prepend=0)
    # A run's tag may be several words; of judgements each line has just its fields.
    fine = fields >= columns if layout == RUN else fields == columns
    odd, names = np.flatnonzero(~fine & (fields > 0)), list[str]()
    for row in odd[:FEWEST_RANKS] if layout == RUN else ():
        begin = newlines[row - 1] + 1 if row else 0
        names = names or _absent_fields(text[begin : newlines[row]])
    for row in findings.capped(odd):
        about = {"expected": columns, "fields": expected, "count": fields[row]}
        message, hint = MESSAGES("columns", **about), MESSAGES("separate")
        if names and fields[row] == columns - len(names):
            message = MESSAGES("lacking", **about, names=", ".join(names))
            hint = MESSAGES("write_fields")
        findings.add("columns", message, line=row + 1, hint=hint)
    longer = np.flatnonzero(fields > columns) if layout == RUN else fields[:0]
    place = np.arange(len(ends) // 2) - np.repeat(np.cumsum(fields) - fields, fields)
    read = np.repeat(fine, fields) & (place < columns)
    kept = ends.reshape(-1, 2)[read].reshape(-1, 2 * columns)
    rows = TrecRows(text, np.flatnonzero(fine) + 1, kept)
    if len(longer):
        long_rows = rows.at(np.isin(rows.lines, longer + 1))
        _note_spaces(long_rows, fields[longer], findings)
    return _short_names(rows, findings), findings


def _absent_fields(line: bytes) -> list[str]:
    """The fields that a line of a run has not, by what the others look like; nothing
    where nobody knows."""
    fields, names = line.split(), RUN[0].split()
    for places in combinations(range(len(names)), len(fields)):
        looks = (
            FIELDS[n].fullmatch(field) for n, field in zip(places, fields, strict=True)
        )
        begins = places[0] < 2 or len(places) == 1
        if begins and {3, 4} & {*places} and all(looks):
            return [name for n, name in enumerate(names) if n not in places]
    return []


def _note_spaces(rows: TrecRows, counts: Integers, findings: Findings) -> None:
    """Note lines of more fields whose fourth is no rank: their document has spaces
    where a rank follows soon."""
    ranks = rows.pieces(3)
    moved = _are_moved(rows)
    odd = np.array([moved or not RANK.fullmatch(r) for r in ranks], dtype=np.bool_)
    for row in findings.capped(np.flatnonzero(odd)):
        pair = rows.pieces(2)[row], ranks[row]
        message = MESSAGES("spaces", text=name_text(b" ".join(pair)))
        hint, line = MESSAGES("no_spaces"), int(rows.lines[row])
        if not any(RANK.fullmatch(rows.pieces(n)[row]) for n in (4, 5)):
            expected, columns = RUN
            about = {"expected": columns, "fields": expected, "count": counts[row]}
            message, hint = MESSAGES("columns", **about), MESSAGES("separate")
        if any(rows.pieces(n)[row] in Q0 for n in range(2, RUN[1])):
            words = rows.pieces(0)[row], rows.pieces(1)[row]
            message = MESSAGES("topic_spaces", text=name_text(b" ".join(words)))
            hint = MESSAGES("copy_topics")
        findings.add("columns", message, line=line, hint=hint)


def _are_moved(rows: TrecRows) -> bool:
    """Whether ranks and scores stand one field further, behind a document whose name
    ends with a number: what is read as scores rises from each line to the next."""
    first = rows.at(np.flatnonzero(rows.topics[1][:LOOKED_AT] == 0))
    ranks, scores = first.pieces(4), first.pieces(5)
    if len(ranks) < FEWEST_RANKS or not all(map(FIELDS[4].fullmatch, scores)):
        return False
    numbers = [int(rank) for rank in ranks if FIELDS[3].fullmatch(rank)]
    rising = all(before < after for before, after in pairwise(numbers))
    return rising and len(numbers) == len(ranks)


def _plain_judgements(text: bytes) -> bytes:
    """Judgements without a line of names, those of BEIR with the column that it leaves
    out. Lines keep their numbers."""
    first, _end, rest = text.partition(b"\n")
    names = [name.lower() for name in first.split()]
    if names == BEIR:
        return b"\n" + BEFORE_DOCUMENT.sub(rb"\1 0 ", rest)
    return b"\n" + rest if names[3:] and names[3] in GRADES else text


def _boundaries(buffer: Bytes) -> Integers:
    """Places where fields begin and end, by turns."""
    kind = np.int32 if len(buffer) < 2**31 else np.int64
    parts, before = [], np.uint8(NEWLINE)
    for start in range(0, len(buffer), BLOCK):
        block = buffer[start : start + BLOCK]
        apart = np.empty(len(block) + 1, dtype=np.bool_)
        apart[0], before = before <= SPACE, block[-1]
        np.less_equal(block, SPACE, out=apart[1:])
        parts.append((np.flatnonzero(apart[1:] != apart[:-1]) + start).astype(kind))
    return np.concatenate(parts)


def _short_names(rows: TrecRows, findings: Findings) -> TrecRows:
    """The lines whose topic and document have names of a size that names have."""
    fine = np.ones(len(rows.lines), dtype=np.bool_)
    for column, name in ((0, "topic"), (2, "document")):
        sizes = rows.column(column).sizes
        long = sizes > LONGEST
        for row in findings.capped(np.flatnonzero(long)):
            message = MESSAGES(f"long_{name}", count=sizes[row], most=LONGEST)
            findings.add("long_name", message, line=int(rows.lines[row]))
        fine &= ~long
    return rows if fine.all() else rows.at(fine)


@dataclass(frozen=True)
class Blocks:
    """Lines of each topic in a row.

    Those of `names[i]` lie from `starts[i]` to `starts[i + 1]`; lines in the order of
    the file were moved to `order`, None where they lay like this.
    """

    rows: TrecRows
    names: list[bytes]
    starts: Integers
    order: Integers | None

    @classmethod
    def of(cls, rows: TrecRows) -> "Blocks":
        names, codes = rows.topics
        order = None
        if (codes[1:] < codes[:-1]).any():
            order = np.argsort(codes, kind="stable")
            rows, codes = rows.at(order), codes[order]
        starts = np.searchsorted(codes, np.arange(len(names) + 1))
        return cls(rows, names, starts, order)

    def __iter__(self) -> Iterator[tuple[bytes, int, int]]:
        """Topics with begin and end."""
        pairs = pairwise(self.starts.tolist())
        return ((name, *ends) for name, ends in zip(self.names, pairs, strict=True))

    def refuse_repeated(self, documents: list[bytes], findings: Findings) -> None:
        """Note documents that stand twice for a topic."""
        for name, begin, end in self:
            ours = documents[begin:end]
            if len(set(ours)) == len(ours):
                continue
            first: dict[bytes, int] = {}
            lines = self.rows.lines[begin:end].tolist()
            for document, line in zip(ours, lines, strict=True):
                if (was := first.setdefault(document, line)) != line:
                    message = MESSAGES(
                        "repeated_document",
                        document=name_text(document),
                        topic=name_text(name),
                        line=was,
                    )
                    hint = MESSAGES("keep_one")
                    findings.add("repeated", message, line=line, hint=hint)


def name_text(name: bytes) -> str:
    return brief(name.decode())


@dataclass(frozen=True)
class Run:
    """Ranked documents of a system; `n` documents for `m` topics.

    Documents of a topic lie in a row, from `starts[i]` to `starts[i + 1]`, best first:
    by score, and equal scores by the bytes of the document's name, last first.
    `misranked` is a line whose rank says otherwise than its score, 0 where none was
    seen; `swapped`, that ranks seem to stand where scores do.
    """

    topics: tuple[str, ...]
    starts: Integers
    documents: list[bytes]
    scores: Singles
    name: str = ""
    misranked: int = 0
    swapped: bool = False
    other_tag: str = ""  # of the last line, where that is not the first one's

    @property
    def one_each(self) -> bool:
        """Whether the documents of each topic have one score."""
        first = self.starts[:-1]
        low, high = (
            part.reduceat(self.scores, first) for part in (np.minimum, np.maximum)
        )
        return bool((low == high).all())

    @property
    def ties(self) -> int:
        """How many documents have the score of the one before them."""
        same = self.scores[1:] == self.scores[:-1]
        same[self.starts[1:-1] - 1] = False
        return int(same.sum())

    def of_topic(self, place: int) -> slice:
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    @cached_property
    def places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.topics)}


def read_run(
    source: Source, depth: int, kind: Kind, known: frozenset[str] | None = None
) -> Run:
    """Run in TREC's format; ranks and tags in it are not used.

    Raises `kind` for what is no such file, scores that are no numbers, a document that
    stands twice for a topic, more than `depth` of them, and topics not `known`.
    """
    rows, findings = _rows(source, RUN, kind)
    scores = _scores(rows, findings)
    if not (fine := np.isfinite(scores)).all():
        rows, scores = rows.at(fine), scores[fine]
    blocks = Blocks.of(rows)
    scores = scores if blocks.order is None else scores[blocks.order]
    lines = blocks.rows.lines
    for name, begin, end in blocks:
        topic = name_text(name)
        if known is not None and name.decode() not in known:
            message = MESSAGES("unknown_topic", topic=topic)
            hint = MESSAGES("copy_topics")
            line = int(lines[begin])
            findings.add("unknown_topic", message, line=line, unit=topic, hint=hint)
        if end - begin > depth:
            message = MESSAGES(
                "most_documents", count=end - begin, topic=topic, most=depth
            )
            hint = MESSAGES("keep_best")
            line = int(lines[begin + depth])
            findings.add("depth", message, line=line, unit=topic, hint=hint)
    documents = blocks.rows.pieces(2)
    ends = blocks.rows.at(np.array([0, -1])).pieces(3) if documents else []
    if documents and all(
        document in Q0 or (document.isdigit() and not RANK.fullmatch(rank))
        for document, rank in zip((documents[0], documents[-1]), ends, strict=True)
    ):
        hint = MESSAGES("in_order", fields=RUN[0])
        message = MESSAGES("swapped", text=name_text(documents[0]))
        findings.add("swapped", message, line=int(lines[0]), hint=hint)
    else:
        blocks.refuse_repeated(documents, findings)
    findings.raise_if_any(kind)
    topics = tuple(name.decode() for name in blocks.names)
    misranked = _line_out_of_order(blocks, scores)
    swapped = _are_ranks(blocks, scores)
    first, last = (rows.at(np.array([place])).pieces(5) for place in (0, -1))
    tags = not all(map(FIELDS[4].fullmatch, (*first, *last)))  # and no numbers
    several = name_text(last[0]) if last != first and tags else ""
    run = Run(
        *(topics, blocks.starts, documents, scores, source.name, misranked, swapped),
        other_tag=several,
    )
    return _in_order_of_rank(run)


def _are_ranks(blocks: Blocks, scores: Singles) -> bool:
    """Whether the scores of the first topic count its documents, and the ranks do
    not."""
    _name, begin, end = next(iter(blocks), ("", 0, 0))
    size = end - begin
    if not FEWEST_RANKS <= size <= LOOKED_AT:
        return False
    counted = [[*range(first, first + size)] for first in (0, 1)]
    ranks = blocks.rows.at(np.arange(begin, end)).pieces(3)
    written = [[*map(b"%d".__mod__, numbers)] for numbers in counted]
    return scores[begin:end].tolist() in counted and ranks not in written


def _line_out_of_order(blocks: Blocks, scores: Singles) -> int:
    """A line that stands behind the one before it by rank, and before it by score: the
    first of those that are looked at, 0 for none."""
    before: tuple[int, float] | None = None
    for _name, begin, end in blocks:
        if begin >= LOOKED_AT:
            break
        size = min(end, LOOKED_AT)
        ranks = blocks.rows.at(np.arange(begin, size)).pieces(3)
        before = None
        for row, rank in enumerate(ranks, begin):
            if not rank.isdigit():
                return 0
            now = int(rank), float(scores[row])
            if before is not None and (now[0] - before[0]) * (now[1] - before[1]) > 0:
                return int(blocks.rows.lines[row])
            before = now
    return 0


def _scores(rows: TrecRows, findings: Findings) -> Singles:
    """The scores (n,), not finite where one is no number or too large."""
    column = rows.column(4)
    known = decimals(column)
    scores = _single(_plain(join_fields(column)) if known is None else known)
    if len(scores) == len(rows.lines) and np.isfinite(scores).all():
        return scores
    pieces = rows.pieces(4)
    scores = _single(np.array([_score(piece) for piece in pieces]))
    for row in findings.capped(np.flatnonzero(~np.isfinite(scores))):
        message = MESSAGES("no_score", text=name_text(pieces[row]))
        findings.add("score", message, line=int(rows.lines[row]))
    return scores


def _single(scores: Floats) -> Singles:
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def _plain(lines: bytes) -> Floats:
    """One number a line; too few where something else stands there."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(lines, sep="\n")
        except (ValueError, DeprecationWarning):
            return np.zeros(0)


def _score(piece: bytes) -> float:
    try:
        # Python would read 1_000, too.
        return math.nan if b"_" in piece else float(piece)
    except ValueError:
        return math.nan


def _in_order_of_rank(run: Run) -> Run:
    """The run with the documents of each topic in the order of their ranks."""
    scores, documents = run.scores, run.documents
    topic = np.repeat(np.arange(len(run.topics)), np.diff(run.starts))
    same_topic = topic[1:] == topic[:-1]
    if ((scores[1:] > scores[:-1]) & same_topic).any():
        order = np.lexsort((-scores, topic))
        scores = scores[order]
        documents = [documents[place] for place in order.tolist()]
    ties = np.flatnonzero(
        np.diff((scores[1:] == scores[:-1]) & same_topic, prepend=False, append=False)
    )
    if len(ties):
        documents = documents.copy()
    for begin, last in ties.reshape(-1, 2).tolist():
        documents[begin : last + 1] = sorted(documents[begin : last + 1], reverse=True)
    return replace(run, documents=documents, scores=scores)


def read_qrels(source: Source, kind: Kind) -> dict[str, Grades]:
    """Grades of judged documents, topic by topic. Raises `kind` for what is no such
    file, for grades that are no whole numbers and for documents judged twice."""
    rows, findings = _rows(source, QRELS, kind)
    pieces = rows.pieces(3)
    wrong = {piece for piece in set(pieces) if not GRADE.fullmatch(piece)}
    fine = np.array([piece not in wrong for piece in pieces], dtype=np.bool_)
    for row in findings.capped(np.flatnonzero(~fine)):
        message = MESSAGES("no_grade", text=name_text(pieces[row]), most=LARGEST_GRADE)
        findings.add("grade", message, line=int(rows.lines[row]))
    blocks = Blocks.of(rows.at(fine))
    documents = blocks.rows.pieces(2)
    blocks.refuse_repeated(documents, findings)
    findings.raise_if_any(kind)
    grades = [int(piece.split(b".")[0]) for piece in blocks.rows.pieces(3)]
    return {
        name.decode(): dict(zip(documents[begin:end], grades[begin:end], strict=True))
        for name, begin, end in blocks
    }


def read_topics(source: Source, kind: Kind) -> dict[str, str]:
    """Topics with what else stands in their lines, the text of a query for instance.

    One topic a line, its name first. Raises `kind` for one that is named twice.
    """
    text = whole_lines(source.name, source.single(kind), kind)
    findings = Findings(source.name)
    topics: dict[str, str] = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        name, *more = (part.decode() for part in line.split(maxsplit=1))
        if name in topics:
            message = MESSAGES("repeated_topic", topic=brief(name))
            findings.add("repeated", message, line=number)
        topics[name] = more[0].strip() if more else ""
    findings.raise_if_any(kind)
    return topics
