"""Lines of a board's table as HTML: rank, names, badges and facts around the scores.

A page of all rows has thousands. The template engine takes a tenth of a millisecond
for each, these functions a fifth of that; what people have written is escaped here.
"""

from collections.abc import Iterable
from functools import cache
from html import escape

from django.template.defaultfilters import truncatechars
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.boards.rows import Row
from leaderboard.tasks.facts import Answer
from leaderboard.web.templatetags.moments import day

LINE = """
<tr class="{classes}">
<td class="rank"{title}>
{rank}
</td>
<th scope="row" class="system">
<span class="team">{team}</span>
<div class="name"><a class="quiet" href="{address}">{system}</a>
{badges}
{description}
</div>
</th>
{scores}
{facts}
<td class="number">{entries}</td>
<td class="date">{sent}</td>
</tr>
"""
SURE = '<span class="hidden-visually">, {}</span>'
RANGE = '<span class="interval">{}</span>'
UNRANKED = (
    '<span class="absent" aria-hidden="true">–</span>'
    '<span class="hidden-visually">{}</span>'
)
DESCRIPTION = '<a href="{}">{}<span class="hidden-visually"> · {}</span></a>'
BADGE = '<span class="badge{}">{}</span>'
NO_FACT = '<span class="absent">–</span>'
LINK = '<a href="{}" rel="nofollow ugc noopener">{}</a>'
LONGEST_LINK = 28
NOBODYS = "00000000-0000-0000-0000-000000000000"


def doubt(row: Row) -> str:
    """The range of the rank where it is more than the rank itself."""
    return "" if row.rank_range == str(row.rank) else row.rank_range


def line(row: Row, scores: str, answers: Iterable[Answer | None]) -> SafeString:
    """A row of the table; `scores` are its cells in the middle."""
    sure, system = escape(row.in_words), escape(row.system)
    address = _address().replace(NOBODYS, row.submission)
    html = LINE.format(
        classes=_classes(row),
        title=f' title="{sure}"' if sure else "",
        rank=_rank(row, sure),
        team=escape(row.team),
        address=address,
        system=system,
        badges=_badges(row) if row.badges else "",
        description=_description(address, system) if row.description else "",
        scores=scores,
        facts="".join(f'<td class="fact">{fact(one)}</td>' for one in answers),
        entries=row.entries,
        sent=day(row.received_at),
    )
    return SafeString(html)


@cache
def _address() -> str:
    """Found once: a page asks a hundred times."""
    return reverse("system", args=[NOBODYS])


def _classes(row: Row) -> str:
    below = " line-above" if row.line_above else ""
    return below if row.competes else f"baseline{below}"


def _rank(row: Row, sure: str) -> str:
    if not row.ranked:
        return UNRANKED.format(escape(_("not ranked")))
    beside = RANGE.format(doubt(row)) if doubt(row) else ""
    return f"{row.rank}{beside}{SURE.format(sure) if sure else ''}\n"


def _description(address: str, system: str) -> str:
    return DESCRIPTION.format(address, escape(_("Description")), system)


def _badges(row: Row) -> str:
    found = (
        (row.baseline, "", _("Baseline")),
        (row.organizers, "", _("Organizers' team")),
        (row.incomplete, " badge-incomplete", _("Incomplete")),
        (row.late_admitted, " badge-late", _("Late, admitted")),
        (row.after_end, " badge-late", _("After the end")),
        (row.runs > 1, " badge-runs", row.runs_in_words if row.runs > 1 else ""),
    )
    return "".join(
        f"{BADGE.format(kind, escape(title)) if holds else ''}\n"
        for holds, kind, title in found
    )


def fact(answer: Answer | None) -> SafeString:
    """What was said to one question of the fact sheet."""
    if answer is None:
        return SafeString(NO_FACT)
    if answer.is_link:
        short = truncatechars(answer.short, LONGEST_LINK)
        return SafeString(LINK.format(escape(answer.text), escape(short)))
    return SafeString(escape(answer.text))
