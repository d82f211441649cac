"""Systems that an address names: of `?system=`, and those pinned in all charts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.query import UnknownChoice
from leaderboard.boards.rows import Row
from leaderboard.web.charts.picture import Figure

PIN = "pin"
MOST_SYSTEMS = 8
MOST_LINKED = 200  # what is drawn closer together is hit by chance


@dataclass(frozen=True)
class Pins:
    """The pinned rows, in the order of the address. Pins of what the reader's board
    does not show are left out, so that a filter does not break an address."""

    rows: Sequence[Row]
    address: QueryDict
    board: Board

    @classmethod
    def of(
        cls, address: QueryDict, board: Board, entries: Callable[[], Board]
    ) -> "Pins":
        """`entries` has every entry that is shown; it is asked for if it must be."""
        asked = list(dict.fromkeys(address.getlist(PIN)))[:MOST_SYSTEMS]
        known = {row.submission: row for row in board.rows}
        if not known.keys() >= set(asked) and board.disclosure.everything:
            known |= {row.submission: row for row in entries().rows}
        return cls([known[key] for key in asked if key in known], address, board)

    @property
    def keys(self) -> list[str]:
        return [row.submission for row in self.rows]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each pin, from 1, by its submission and by its team."""
        places: dict[str, int] = {}
        for place, row in enumerate(self.rows, 1):
            places[row.submission] = place
            places.setdefault(row.team, place)
        return places

    @property
    def full(self) -> bool:
        return len(self.rows) >= MOST_SYSTEMS

    def toggled(self, submission: str) -> str:
        """The address with this one pinned, or not any more; empty where all places
        are taken."""
        keys = self.keys
        if submission in keys:
            keys.remove(submission)
        elif self.full:
            return ""
        else:
            keys.append(submission)
        query = self.address.copy()
        query.setlist(PIN, keys)
        return f"?{query.urlencode()}"

    @property
    def chips(self) -> list[tuple[Row, str]]:
        """Each with the address without it."""
        return [(row, self.toggled(row.submission)) for row in self.rows]

    def linked(self, figure: Figure) -> Figure:
        """The figure with the address that each of its systems leads to, by the names
        of teams too."""
        drawn = sum(len(trace["meta"].get("of", ())) for trace in figure["data"])
        if drawn > MOST_LINKED:
            return figure
        by_team = {row.team: row.submission for row in reversed(self.board.rows)}

        def links(keys: Collection[str]) -> list[str]:
            return [self.toggled(by_team.get(key, key)) for key in keys]

        traces = [
            {**trace, "meta": {**trace["meta"], "links": links(trace["meta"]["of"])}}
            if "of" in trace["meta"]
            else trace
            for trace in figure["data"]
        ]
        layout = dict(figure["layout"])
        if "meta" in layout:
            layout["meta"] = {**layout["meta"], "links": links(layout["meta"]["of"])}
        return {"data": traces, "layout": layout}


def without_links(figure: Figure) -> Figure:
    """The figure as the script takes it, which pins nothing."""
    layout = figure["layout"]
    traces = [
        {**trace, "meta": _without_links(trace["meta"])} for trace in figure["data"]
    ]
    if "meta" in layout:
        layout = {**layout, "meta": _without_links(layout["meta"])}
    return {"data": traces, "layout": layout}


def _without_links(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in meta.items() if key != "links"}


def named_submissions(board: Board, asked: Sequence[str]) -> list[str]:
    """Submissions of the rows that are asked for by their id, by the name of a system
    or as team/system; others as they came.

    Of a team's entries of one name it is the first on the board. Raises UnknownChoice
    for a name that systems of several teams have.
    """
    known = {row.submission for row in board.rows_of(asked)}
    return [text if text in known else _by_name(board, text) for text in asked]


def _by_name(board: Board, text: str) -> str:
    if not (wanted := text.strip().casefold()):
        return text
    rows = [
        row
        for row in board.rows
        if wanted in (row.system.casefold(), f"{row.team}/{row.system}".casefold())
    ]
    if len({row.team for row in rows}) > 1:
        sentence = _("Systems of several teams are called so: name one as team/system.")
        raise UnknownChoice(sentence)
    return rows[0].submission if rows else text
