"""Rows of a reader's own teams, marked on a board that is cached for all readers."""

import re
from collections.abc import Mapping
from typing import TypedDict

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.render import PER_PAGE
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase

# Where the sentence on the reader's own rank goes, and a row of the table until the
# end of its team's name.
PLACE = '<p id="own-rank" hidden></p>'
ROW = r'(id="row-{}"\s+class=")(.*?<span class="team">.*?</span>)'


class RankedRow(TypedDict):
    """A row's place among all: its rank, the range of the rank, and its page.

    A plain dictionary, because the cache gives nothing else back as it was.
    """

    rank: int
    range: str
    page: int
    of_all: int


def place() -> SafeString:
    return mark_safe(PLACE)


def ranked_rows(board: Board) -> dict[str, RankedRow]:
    """The ranked rows of a board by submission."""
    of_all = sum(row.ranked for row in board.rows)
    return {
        row.submission: {
            "rank": row.rank,
            "range": row.rank_range,
            "page": place // PER_PAGE + 1,
            "of_all": of_all,
        }
        for place, row in enumerate(board.rows)
        if row.rank is not None
    }


def own_submissions(request: HttpRequest, phase: Phase) -> list[str]:
    """Keys of the submissions to a phase by the teams of whoever asks. One query."""
    own = Submission.objects.by_person(request.user).filter(phase=phase)
    return [str(key) for key in own.values_list("pk", flat=True)]


def marked(
    section: str, request: HttpRequest, phase: Phase, ranks: Mapping[str, RankedRow]
) -> str:
    """The section of a board with the reader's own rows marked, and their best rank."""
    if not request.user.is_authenticated:
        return section
    own = own_submissions(request, phase)
    for key in own:
        section = marked_row(section, key)
    best = min(
        (key for key in own if key in ranks),
        key=lambda key: ranks[key]["rank"],
        default=None,
    )
    if best is None:
        return section
    return section.replace(PLACE, _sentence(request, best, ranks[best]), 1)


def marked_row(section: str, key: str) -> str:
    """The section with the row of that submission marked as the reader's own."""
    badge = format_html(' <span class="badge badge-own">{}</span>', _("You"))
    row = re.compile(ROW.format(key), re.DOTALL)
    return row.sub(lambda found: f"{found[1]}own {found[2]}{badge}", section, count=1)


def _sentence(request: HttpRequest, key: str, row: RankedRow) -> str:
    query = request.GET.copy()
    query.pop("page", None)
    if row["page"] > 1:
        query["page"] = str(row["page"])
    choices = f"?{query.urlencode()}" if query else ""
    address = f"{request.path}{choices}#row-{key}"
    text = _("You: rank %(rank)s of %(of_all)s") % row
    if row["range"] and row["range"] != str(row["rank"]):
        text += " · " + _("range %(range)s") % row
    return format_html('<p id="own-rank"><a href="{}">{}</a></p>', address, text)
