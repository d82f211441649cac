"""Tables of boards as pages draw them: columns, lines, cells, bars, and pages of them.

Each page of a long board has an address, with ranks and lines of the whole. A browser
lays out a table as one piece, so that rows out of sight cannot be left out as other
boxes can; a thousand rows of ten measures are two megabytes.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import chain
from math import ceil
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from django.db.models import BigAutoField, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.boards import board_rows
from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import CLUSTERED, axis_of_rows
from leaderboard.boards.expected import expected_scores
from leaderboard.boards.query import UnknownChoice
from leaderboard.boards.rows import RankChange, Row, badges_of, row_values
from leaderboard.results.score_bars import Axis, Bar
from leaderboard.results.scores import (
    FEW_DECIDE,
    Score,
    Scores,
    bracket,
    footnotes,
    printed,
    runs_in_words,
    score_texts,
)
from leaderboard.results.status import Badge
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Answer, AnyQuestion, Phase, Question
from leaderboard.tasks.policy import Reader
from leaderboard.web.cache import LruBySize
from leaderboard.web.statements import statement
from leaderboard.web.texts import wide_range
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers

Values = Mapping[str, Any]
# The place of the first number of a measure, whether it is a share, and its decimals
ScoreFormat = tuple[int, bool, int | None]
NUMBERS = len(Numbers._fields)
NO_KEY = "00000000-0000-0000-0000-000000000000"
SHORTEST = 6  # letters of a head, at least
FACT_LETTERS = 16  # of an answer, at most; the rest stands in the opened row
# Widths in rem: of ranks, bars and boxes together, of the ranges of ranks and their
# changes, of a letter of a head and what stands around it, of attempts and of dates,
# and of names by how long these are.
ALWAYS, RANGES, CHANGES = 22.8, 4.3, 3.4
LETTER, AROUND, ATTEMPTS, DATE = 0.55, 1.3, 5.5, 7.7
NAMES = ((22, "short", 12.0), (34, "usual", 16.0), (10**6, "long", 20.0))
# Letters of a score with its interval that have room beside the bar, and what a column
# with more of them takes; longer ones stand in two lines.
SCORE_LETTERS, LONG_SCORES = 19, 2.6
WITH_INTERVAL = 9.2  # of a value and what stands in brackets behind it
STEP, WIDEST = 3, 111
EVERYTHING = "all"
ABSENT_CELL = "\u2013"


class NumberCell(NamedTuple):
    """A printed score, safe in HTML as it is: no number has to be escaped."""

    value: SafeString
    interval: SafeString


@dataclass(eq=False)
class TableLine:
    """A row of a table: `row` is a row in JSON, live or frozen, the cells begin with
    what ranks.

    `line_above` says that everybody above differs from everybody from here on. A frozen
    row has no `bar` and no `address` of its system; `description` is that of a
    description of it, and `links` are answers with addresses that no column shows.
    `attempts` says "best of 12" where it is; `expected` is the score expected on new
    data, where that is asked for.
    """

    row: Values
    cells: Sequence[NumberCell]
    answers: Sequence[Answer | None]
    line_above: bool
    runs: str = ""
    description: str = ""
    address: str = ""
    bar: Bar | None = None
    change: RankChange | None = None
    links: Sequence[Answer] = ()
    team_page: str = ""
    attempts: str = ""
    expected: str = ""
    received_at: datetime = field(init=False)
    # Where it is more than the rank itself.
    rank_range: str = field(init=False)
    badges: Sequence[Badge] = field(init=False)
    # The texts beside the name of its system.
    marks: list[str] = field(init=False)
    # Imported from another site.
    brought: bool = field(init=False)
    # Of its names, and of the texts beside them.
    letters: int = field(init=False)
    # The data allow it the first rank.
    may_lead: bool = field(init=False)
    # The mark of a system that differs from some other by a few units.
    few_decide: str = field(init=False)
    # Those without a bar.
    plain_cells: Sequence[NumberCell] = field(init=False)
    # The score that ranks needs more room than usual beside its bar.
    long_score: bool = field(init=False)

    def __post_init__(self) -> None:
        row, at = self.row, self.row["received_at"]
        rank, (low, high) = row["rank"], row["rank_range"]
        self.received_at = datetime.fromisoformat(at) if isinstance(at, str) else at
        self.rank_range = "" if low == high else wide_range(rank, low, high)
        self.badges = badges_of(row)
        self.marks = [str(badge.title) for badge in self.badges]
        if self.runs:
            self.marks.append(self.runs)
        self.letters = len(" ".join((row["team"], row["system"], *self.marks)))
        self.brought = bool(row.get("brought"))
        self.may_lead = rank is not None and low == 1
        # Snapshots from before there was the member are without it.
        self.few_decide = FEW_DECIDE if row.get("few_units_decide") else ""
        self.plain_cells = self.cells[1:] if self.address else self.cells
        self.long_score = sum(map(len, self.cells[0])) > SCORE_LETTERS


@dataclass(frozen=True)
class MeasureColumn:
    """A measure of a board; `ranks` says that it is the one sorted by, `room` is as in
    `rooms_of`."""

    measure: Measure
    ranks: bool
    axis: Axis | None
    room: str = ""

    @property
    def direction(self) -> str:
        """The order of values down a column that is sorted by, in ARIA's words."""
        return "descending" if self.measure.higher_is_better else "ascending"

    @property
    def scale(self) -> tuple[str, ...]:
        """The ends of the axis of its bars; empty where none are drawn."""
        return self.axis.ends if self.ranks and self.axis else ()


@dataclass
class RankingTable:
    columns: Sequence[MeasureColumn]
    questions: Sequence[AnyQuestion]
    lines: Sequence[TableLine]
    expects: bool = False
    # Classes as in `rooms_of` of all columns behind the first, dates last.
    rooms: Sequence[str] = ()
    # The class that shows the intervals of all measures where there is more room.
    intervals: str = ""
    # The data leave some rank open; some rank has changed.
    ranged: bool = field(init=False)
    moved: bool = field(init=False)
    # How long names are, and scores beside bars, as words.
    names: str = field(init=False)
    scores: str = field(init=False)
    # The width of the columns that never give way, in rem.
    width: float = field(init=False)
    # Some row was brought along; all were, which is then said once.
    brought: bool = field(init=False)
    all_brought: bool = field(init=False)
    some_may_lead: bool = field(init=False)
    # The meaning of the marks in intervals and ranges.
    notes: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        lines = self.lines
        self.ranged = any(map(attrgetter("rank_range"), lines))
        self.moved = any(map(attrgetter("change"), lines))
        long_scores = any(map(attrgetter("long_score"), lines))
        self.scores = "long" if long_scores else "usual"
        longest = max(map(attrgetter("letters"), lines), default=0)
        _most, self.names, width = NAMES[bisect_left(NAMES, longest, key=itemgetter(0))]
        width += RANGES * self.ranged + CHANGES * self.moved
        self.width = ALWAYS + LONG_SCORES * long_scores + width
        self.brought = any(map(attrgetter("brought"), lines))
        self.all_brought = all(map(attrgetter("brought"), lines))
        self.some_may_lead = any(map(attrgetter("may_lead"), lines))
        self.notes = tuple(interval_notes(lines))

    @property
    def widest(self) -> str:
        """The class of the column that gives way first, but for attempts: rows that
        are opened say them."""
        return self.rooms[-1] if self.rooms else ""

    @property
    def head(self) -> Hashable:
        """The values that the head of the table prints beside those of its board."""
        return self.ranged, self.moved, self.columns[0].axis, tuple(self.rooms)


@dataclass(frozen=True)
class BoardPage:
    """Rows `first` to `last` of `of_all`; `number` is None where all are on it.

    `numbers` are those of all pages, none where one is enough.
    """

    of_all: int
    number: int | None
    first: int
    last: int
    numbers: range


def page_of(board: Board) -> BoardPage:
    """The page that `?page=` asks for, from 1, or "all"; the last for one beyond it,
    as rows go while somebody turns pages.

    Raises UnknownChoice for what is no page.
    """
    asked, total = board.query.page, len(board.rows)
    per_page = board_rows.PER_PAGE
    pages = -(-total // per_page)
    numbers = range(1, pages + 1 if pages > 1 else 0)
    if asked == EVERYTHING:
        return BoardPage(total, None, 1, total, numbers)
    number = int(asked or 1) if re.fullmatch("[0-9]{0,5}", asked) else 0
    if number == 0:
        raise UnknownChoice
    number = min(number, max(pages, 1))
    first, last = (number - 1) * per_page + 1, min(number * per_page, total)
    return BoardPage(total, number, first, last, numbers)


def columns(board: Board, axis: Axis | None) -> list[MeasureColumn]:
    """The measure that ranks first, beside the names; then the others in order."""
    ordered = sorted(board.measures, key=board.measure.__ne__)
    return [MeasureColumn(m, m == board.measure, axis) for m in ordered]


def axis_of(board: Board, measure: Measure | None = None) -> Axis | None:
    """The scale of a measure, by default of the one that ranks, in charts of a
    board."""
    return axis_of_rows(board.rows, (measure or board.measure).name)


def rooms_of(titles: Sequence[str], before: float) -> list[str]:
    """Classes of columns, in order, that take them away where there is less room;
    `before` is the width of what stands before them.

    Names are never cut: attempts and dates, which come last, give way first, then the
    columns before them. "room-72" goes where a table has less than 72 rem.
    """
    taken, rooms = before, []
    for width in (*map(width_of_head, titles), DATE, ATTEMPTS):
        taken += width
        rooms.append(f"room-{min(ceil(taken / STEP) * STEP, WIDEST)}")
    return [*rooms[:-2], rooms[-1], rooms[-2]]


def width_of_head(title: str) -> float:
    return AROUND + LETTER * max(len(title), SHORTEST)


def _longest(question: AnyQuestion, place: int, lines: Sequence[TableLine]) -> str:
    """The longest text in the column of a question, its head among them."""
    answers = (line.answers[place] for line in lines)
    texts = (answer.short[:FACT_LETTERS] for answer in answers if answer)
    return max((question.heading, *texts), key=len)


def room_for_intervals(rooms: Sequence[str], titles: Iterable[str]) -> str:
    """The class that shows the intervals of the measures with these titles.

    "intervals-96" does where it has 96 rem, which is room for all of its columns, too;
    empty where no page is so wide.
    """
    widest = max((int(room[5:]) for room in rooms), default=0)
    more = sum(max(WITH_INTERVAL - width_of_head(title), 0) for title in titles)
    needed = ceil((widest + more) / STEP) * STEP
    return f"intervals-{needed}" if needed <= WIDEST else ""


def ranking_table(board: Board, page: BoardPage | None = None) -> RankingTable:
    """The rows of a page, or all; what is common to all of them is found once."""
    on_page = slice(None) if page is None else slice(page.first - 1, page.last)
    rows = board.rows[on_page]
    if page and page.number:
        axis = board.rows.summary.axes[page.number - 1]
    else:
        axis = axis_of_rows(rows, board.measure.name)
    head = columns(board, axis)
    above = board.rows.above(on_page.start, CLUSTERED) if on_page.start else None
    before = above.standing.cluster if above else None
    expects = board.query.expected
    expected = expected_scores(board) if expects else {}
    lines = _lines(board, rows, before, head, expected)
    cells = zip(head, *map(attrgetter("cells"), lines), strict=False)
    titles = [
        max((column.measure.title, *map(itemgetter(0), of_lines)), key=len)
        for column, *of_lines in cells
    ][1:]
    titles += [_longest(q, place, lines) for place, q in enumerate(board.columns)]
    if expects:  # was asked for, so the measures before it give way to it
        titles.insert(0, _("Expected"))
    table = RankingTable(head, board.columns, lines, expects)
    classes = table.rooms = rooms_of(titles, table.width)
    if expects:
        classes.insert(len(head) - 1, classes.pop(0))
    placed = zip(head[1:], classes, strict=False)
    table.columns = [head[0], *[replace(c, room=r) for c, r in placed]]
    table.intervals = room_for_intervals(classes, [c.measure.title for c in head[1:]])
    return table


# Most rows are the same at the next look, and a hundred take long to make.
LINE_BYTES = 6_500  # of one with ten measures
_made: LruBySize[TableLine] = LruBySize(8 << 20, lambda _line: LINE_BYTES)


def _lines(
    board: Board,
    rows: Sequence[Row],
    cluster: int | None,
    head: Sequence[MeasureColumn],
    expected: Mapping[str, str],
) -> list[TableLine]:
    """The lines of these rows, with `cluster` above the first: those made before as
    they were made then. What all of them share is asked for once."""
    if not rows:
        return []
    absent = ABSENT_CELL if board.query.expected else ""
    axis, link, context = head[0].axis, Question.AnswerKind.LINK, rows[0].context
    links = [q for q in board.questions if q.kind == link and q not in board.columns]
    asked = [(q.name, q.kind, q.title, q.heading) for q in (*board.columns, *links)]
    several_runs = board.rows.summary.several_runs
    best_of = _("best of %(n)s") if board.best_of_several else ""
    of_row = rows[0].by_measure.columns
    ordered = [of_row[column.measure.name] for column in head]
    formats = [(start, m.percent, m.decimals) for start, m in ordered]
    _start, ranks = ordered[0]
    kind = ranks.name, ranks.of_file, ranks.stepwise, ranks.tested_from > 0
    # As text, which is hashed once for all rows.
    about = repr(
        (
            *(get_language(), kind, formats, axis, several_runs, best_of, len(links)),
            *(asked, board.disclosure, context.closes, context.later),
        )
    )
    lines: list[TableLine] = []
    above = list(lines_above([row.standing.cluster for row in rows], cluster))
    keys = [
        (about, lined, expected.get(row.submission, absent), *row.content())
        for row, lined in zip(rows, above, strict=True)
    ]
    made = _made.recall(keys)
    before, behind = _address_around_key()
    for row, lined, key in zip(rows, above, keys, strict=True):
        if line := made.get(key):
            lines.append(line)
            continue
        values = row_values(row)
        facts, address = values["facts"], f"{before}{row.submission}{behind}"
        line = TableLine(
            values,
            _cells(row.by_measure, formats),
            answers(board.columns, facts),
            lined,
            runs_in_words(row.runs, row.sorted_by.between_runs, True)
            if several_runs
            else "",
            address if values["description"] else "",
            address,
            axis.bar(row.by_measure.ends(ranks.name)) if axis else None,
            row.change,
            [a for a in answers(links, facts) if a is not None],
            row.team_page,
            best_of % {"n": values["entries"]}
            if best_of and values["entries"] > 1 and not values["baseline"]
            else "",
            expected.get(row.submission, absent),
        )
        _made.remember(key, line)
        lines.append(line)
    return lines


def score_cell(score: Score) -> NumberCell:
    return number_cell(*score.ends, score.few, score.decimals)


def number_cell(
    value: float | None,
    low: float | None,
    high: float | None,
    few: bool | None,
    decimals: tuple[int | None, int | None],
) -> NumberCell:
    """The cell of a number in the reader's language."""
    interval = bracket(value, low, high, decimals[1], few)
    return NumberCell(mark_safe(printed(value, decimals[0])), mark_safe(interval))


def _cells(scores: Scores, formats: Sequence[ScoreFormat]) -> Sequence[NumberCell]:
    """The cells of a row of scores."""
    cells = []
    for start, percent, decimals in formats:
        numbers = scores.numbers[start : start + NUMBERS]
        texts = score_texts(numbers, percent, decimals)
        cells.append(NumberCell(*map(mark_safe, texts)))
    return tuple(cells)


@cache
def _address_around_key() -> tuple[str, str]:
    """The address of a system's page before and after its key, resolved once."""
    start, _, end = reverse("system", args=[NO_KEY]).partition(NO_KEY)
    return start, end


def lines_above(
    clusters: Iterable[int | None], last: int | None = None
) -> Iterator[bool]:
    """Flags of rows, in order: everybody above differs from all from here on. `last`
    is the cluster of what stands above the first of them."""
    for cluster in clusters:
        yield cluster is not None and last is not None and cluster > last
        last = cluster or last


def answers(questions: Sequence[AnyQuestion], facts: Values) -> list[Answer | None]:
    """Answers in the columns of the questions, None where there is none."""
    values = ((question, facts.get(question.name)) for question in questions)
    return [None if value is None else Answer(q, value) for q, value in values]


def interval_notes(lines: Sequence[TableLine]) -> list[str]:
    """The meaning of the marks in the intervals and ranges of these lines."""
    cells = chain.from_iterable(map(attrgetter("cells"), lines))
    decide = map(attrgetter("few_decide"), lines)
    return footnotes(chain(map(attrgetter("interval"), cells), decide))


def own_submissions(request: HttpRequest, phase: Phase) -> list[str]:
    """Ids of the submissions to a phase by the teams of whoever asks.

    One query, none for anonymous readers.
    """
    if not request.user.is_authenticated:
        return []
    return [str(key) for key in _own_keys(person=request.user.pk, phase=phase.pk)]


@statement(person=BigAutoField(), phase=BigAutoField())
def _own_keys(person: int, phase: int) -> QuerySet:
    own = Submission.objects.by_person(Reader(person, True, False))
    return own.filter(phase=phase).values_list("pk", flat=True)


@dataclass(frozen=True)
class OwnRank:
    """The best ranked row of the reader's teams: `of_all` rows have a rank, and `page`
    is the page of the board that it stands on, None for the first; `range` is that of
    the rank where it is more than the rank itself."""

    row: Row
    of_all: int
    page: int | None
    range: str


def own_rank(board: Board, own: Collection[str]) -> OwnRank | None:
    """The best rank of the reader's `own` submissions; None where none has one."""
    best = board.best_of(own)
    if best is None:
        return None
    place, row = best
    page = place // board_rows.PER_PAGE + 1 if place >= board_rows.PER_PAGE else None
    low, high = row.standing.low, row.standing.high
    text = "" if low == high else wide_range(row.rank, low, high)
    return OwnRank(row, board.rows.summary.ranked, page, text)
