"""Boards in templates: tables, choices that an address makes, charts and exports."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from operator import attrgetter
from secrets import token_hex
from sys import getsizeof
from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.http import QueryDict
from django.template import Context
from django.template.loader import get_template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from leaderboard.boards import render
from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import BoardRows
from leaderboard.boards.charts.figures import Chart
from leaderboard.boards.choices import PART_TITLES, Chosen, choices_in_force
from leaderboard.boards.exports.formats import (
    ExportFormat,
    FormatGroup,
    all_formats,
)
from leaderboard.boards.query import FACT, LEAST, MOST, level_name
from leaderboard.boards.snapshots import address_of
from leaderboard.tasks.models import AnyQuestion, Phase, Snapshot
from leaderboard.tasks.policy import CountingRule, Part, Power, powers_of
from leaderboard.web.cache import LruBySize
from leaderboard.web.charts.picture import in_page
from leaderboard.web.extras import BoardLink, ExportMenuPart, joined, links_at

register = template.Library()
register.filter("table", render.ranking_table)
register.filter("address", address_of)
register.simple_tag(partial(links_at, "snapshot"), name="snapshot_links")
register.filter(level_name)

NUMBER, TEXT = '<td class="number">{}</td>', "<td>{}</td>"
TEAM = '<a class="quiet" href="{}">{}</a>'
# Names of one board's measures and test sets say nothing on another.
GOES_WITH = {"board": ("measure", "test_set", "show")}
IN_SIGHT = ("board", "measure", "test_set")
MOST_LISTED = 20  # labels of a grouping that a list holds; more are searched
ONE_EACH = {
    CountingRule.BEST: gettext_lazy("Best of each team"),
    CountingRule.LAST: gettext_lazy("Last of each team"),
    CountingRule.CHOSEN: gettext_lazy("Chosen by each team"),
}


@register.simple_tag(takes_context=True)
def ranking_rows(
    context: Context,
    table: render.RankingTable,
    live: bool,
    compared: bool,
    own: Collection[str],
    own_rank: render.OwnRank | None = None,
) -> SafeString:
    """The lines of a ranking; `live` with bars, `compared` with boxes to tick, those
    of the reader's `own` submissions marked, and the best ranked one kept in sight: if
    it stands on another page of the board, before or behind the lines of this one."""
    values = {"live": live, "compared": bool(compared), "own": own or ()}
    if own_rank:
        values["pinned"] = own_rank.row.submission
        if (own_rank.page or 1) != (context["sheet"].number or own_rank.page or 1):
            table = _with_own_line(table, context["board"], own_rank, context["sheet"])
    values["table"] = table
    if live:
        board = context.get("board")
        values["linked"] = board is None or board.disclosure.everything
        values["chosen"] = _address_without(context["request"].GET, "page")
        return mark_safe(_print_lines(table, values))
    return mark_safe(get_template(LINES, using="jinja2").render(values))


# Most rows are the same at the next look, and printing a hundred takes long. In UTF-8
# they take half of the room: text with one dash takes two bytes for each letter.
KEY_BYTES = render.LINE_BYTES  # of the line that is kept beside its text
_rows: LruBySize[bytes] = LruBySize(12 << 20, lambda text: getsizeof(text) + KEY_BYTES)
LINES = "boards/_rows.jinja"
_pictures: LruBySize[SafeString] = LruBySize(4 << 20, getsizeof)
BETWEEN = token_hex()  # stands in no text that anybody could enter


def _print_lines(table: render.RankingTable, values: Mapping[str, Any]) -> str:
    """The lines of a live table; those printed before as they were printed then."""
    about = repr(
        (
            *(get_language(), table.ranged, table.moved, table.all_brought),
            *(table.rooms, [column.measure.title for column in table.columns]),
            *(values["compared"], values["linked"], values["chosen"]),
            [question.kind for question in table.questions],
        )
    )
    own, pinned = values["own"], values.get("pinned")
    keys = [
        (about, submission in own, submission == pinned, line)
        for line in table.lines
        for submission in [line.row["submission"]]
    ]
    printed = _rows.recall(keys)
    new = [key for key in keys if key not in printed]
    if new:
        some = {"lines": [line for *_, line in new], "between": BETWEEN}
        rows = get_template(LINES, using="jinja2")
        texts = rows.render({**values, **some}).split(BETWEEN)[1:]
        for key, text in zip(new, texts, strict=True):
            printed[key] = text.encode()
            _rows.remember(key, printed[key])
    return b"".join(map(printed.__getitem__, keys)).decode()


def _with_own_line(
    table: render.RankingTable,
    board: Board,
    best: render.OwnRank,
    page: render.BoardPage,
) -> render.RankingTable:
    """The table with the reader's best line too, where that is on another page."""
    lines, own = table.lines, best.row
    if not lines:
        return table
    (line,) = render.ranking_table(replace(board, rows=BoardRows([own]))).lines
    axis = table.columns[0].axis
    line = replace(line, bar=axis.bar(own.sorted_by.ends) if axis else None)
    before = (best.page or 1) < (page.number or 1)
    return replace(table, lines=[line, *lines] if before else [*lines, line])


@register.filter
def room(table: Any, place: int) -> str:
    """The class of a column of a live board, counted from the last, that takes it away
    where there is less room."""
    rooms = getattr(table, "rooms", ())
    return rooms[-place] if rooms else ""


@register.simple_tag
def chart_picture(
    figure: dict[str, Any], title: str, note: str, number: int
) -> SafeString:
    """The picture of a figure, for wide and for narrow pages, drawn once for all that
    it depends on."""
    name = f"chart-{number}"
    of = [figure, title, note, name, get_language()]
    key = sha256(json.dumps(of, cls=DjangoJSONEncoder).encode()).digest()
    picture = _pictures.recall([key]).get(key)
    if picture is None:
        picture = mark_safe(in_page(figure, title, note, name))
        _pictures.remember(key, picture)
    return picture


@register.filter
def pages_of_extras(board: Board, user: Any) -> list[BoardLink]:
    """Pages about a board that extras add for its reader."""
    task = board.phase.task
    powers, spans = powers_of(user, task), board.spans_test_sets
    asked = ["", *map(attrgetter("kind"), board.questions)]
    return [
        page
        for page in joined(BoardLink)
        if (spans or not page.spans)
        and page.asks in asked
        and (not page.power or Power[page.power] in powers)
        and (not page.relation or getattr(task, page.relation).exists())
    ]


@register.filter
def rows_address(snapshot: Snapshot) -> str:
    return address_of(snapshot, "snapshot-rows")


@register.filter
def part_title(part: Part) -> str:
    return str(PART_TITLES[part])


@register.filter
def one_each(board: Board) -> str:
    """Words for the entry of a team that stands there, where not all do."""
    return str(ONE_EACH[CountingRule(board.disclosure.counts)])


@register.simple_tag(takes_context=True)
def droppable(
    context: Context, board: Board, apart: Collection[str] = IN_SIGHT
) -> list[tuple[Chosen, str]]:
    """Choices that the reader's address makes, each with the address without it.

    A page may force others by itself, and follow none that are `apart`: by default
    those that stand on the board anyway.
    """
    query = context["request"].GET
    if not query:
        return []
    return [
        (choice, _address_without(query, choice.parameter))
        for choice in choices_in_force(board, apart)
        if choice.parameter in query
    ]


def _address_without(query: QueryDict, parameter: str) -> str:
    left = (parameter, "page", *GOES_WITH.get(parameter, ()))
    pairs = [(key, values) for key, values in query.lists() if key not in left]
    return "?" + urlencode(pairs, doseq=True)


@register.filter
def without(query: QueryDict, name: str) -> list[tuple[str, str]]:
    """Parameters of an address that a form of one other parameter carries along."""
    return [pair for pair in _pairs(query) if pair[0] not in (name, "page")]


@register.filter
def without_columns(query: QueryDict) -> list[tuple[str, str]]:
    """Parameters of an address that the form of columns carries along."""
    chosen = ("column", "columns", "show", "expected", "page")
    return [pair for pair in _pairs(query) if pair[0] not in chosen]


@register.filter
def without_filters(query: QueryDict) -> list[tuple[str, str]]:
    """Parameters of an address that the form of answers to filter by carries along."""
    return [pair for pair in without(query, "page") if not pair[0].startswith(FACT)]


def _pairs(query: QueryDict) -> Iterator[tuple[str, str]]:
    return ((key, value) for key, values in query.lists() for value in values)


@register.simple_tag(takes_context=True)
def without_columns_address(context: Context) -> str:
    """The address of the board with the columns that it has by itself."""
    return "?" + urlencode(without_columns(context["request"].GET))


@register.simple_tag(takes_context=True)
def without_filters_address(context: Context) -> str:
    """The address of the board with all rows: no answers to filter by, no search."""
    left = without_filters(context["request"].GET)
    return "?" + urlencode([pair for pair in left if pair[0] != "q"])


@dataclass(frozen=True)
class FilterField:
    """A field of the filter form; one with `choices` is a list to choose from."""

    name: str
    label: str
    value: str
    kind: str
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        return self.name.replace(".", "-")


@register.filter
def filter_fields(board: Board) -> list[FilterField]:
    """Questions that rows can be filtered by, filled with what was chosen."""
    chosen = {condition.key: condition.wanted for condition in board.filters}
    return [
        FilterField(FACT + key, label, chosen.get(key, ""), question.kind, choices)
        for question in board.questions
        for key, label, choices in _fields(question)
    ]


def _fields(question: AnyQuestion) -> Iterator[tuple[str, str, tuple]]:
    name, title = question.name, question.heading
    if question.kind == "number":
        yield f"{name}.{LEAST}", _("%s, from") % title, ()
        yield f"{name}.{MOST}", _("%s, to") % title, ()
    elif question.kind == "choice":
        yield name, title, tuple((choice, choice) for choice in question.choices)
    elif question.kind in ("yes_no", "link"):
        yield name, title, (("yes", _("yes")), ("no", _("no")))
    else:
        yield name, _("%s, contains") % title, ()


@register.filter
def choosable(
    slices: Mapping[str, Sequence[str]],
) -> list[tuple[list[tuple[str, Sequence[str]]], bool]]:
    """Groupings of the slices for forms: those of few labels in one list to choose
    from, the fewest first, and each of many, searched for by name."""
    ordered = sorted(slices.items(), key=lambda group: len(group[1]))
    listed = [group for group in ordered if len(group[1]) <= MOST_LISTED]
    many = [([group], True) for group in ordered if len(group[1]) > MOST_LISTED]
    return ([(listed, False)] if listed else []) + many


@register.filter
def day_in(moment: datetime, phase: Phase) -> str:
    """The day of a moment in the zone of a phase, as a date field takes it."""
    return f"{moment.astimezone(phase.zone):%Y-%m-%d}"


@register.simple_tag
def today_in(phase: Phase) -> str:
    return day_in(timezone.now(), phase)


@register.filter
def table_rows(chart: Chart, board: Board) -> SafeString:
    """A row for each line, its first cell the heading of the row.

    Teams of the board are links to their results. The template engine takes long for
    up to a thousand rows.
    """
    cells = [NUMBER if column.number else TEXT for column in chart.head[1:]]
    row = f'<tr><th scope="row">{{}}</th>{"".join(cells)}</tr>'
    links = {
        row.team: format_html(TEAM, row.team_page, row.team)
        for row in board.rows
        if row.team_page
    }
    teams = [column.team for column in chart.head]
    lines = (
        [
            links.get(cell, cell) if team else cell
            for cell, team in zip(line, teams, strict=True)
        ]
        for line in chart.lines
    )
    return format_html_join("\n", row, lines)


@dataclass(frozen=True)
class ExportGroup:
    """Formats under a heading of the export menu, and templates that extras add."""

    group: FormatGroup
    formats: Sequence[ExportFormat]
    parts: Sequence[str]


@register.simple_tag
def export_groups() -> list[ExportGroup]:
    """Formats in the order of the menu."""
    formats = all_formats().values()
    return [
        ExportGroup(
            group,
            [form for form in formats if form.group == group],
            [part.template for part in joined(ExportMenuPart) if part.group == group],
        )
        for group in FormatGroup
    ]
