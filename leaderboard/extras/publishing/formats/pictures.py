"""SVG pictures of a board: scores with their intervals, and a badge of one system.

Texts are cut to fit and places computed here, in whole pixels, so that none reads like
a score; templates/publishing draws them.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.exports import ExportTable, one_line
from leaderboard.extension.formats import (
    ExportFormat,
    FormatGroup,
    TableLine,
    Values,
    fitting,
    width_of,
)
from leaderboard.extension.scores import Axis, Ends
from leaderboard.extras.publishing.formats import rank

# Colours of the site's style sheet: a picture knows no variables.
LIGHT = {
    "page": "#ffffff",
    "text": "#17212a",
    "muted": "#54616d",
    "line": "#dbe1e5",
    "strong": "#7d8a95",
    "accent": "#0b5f6b",
}
# Colours on a dark ground.
DARK = {
    "page": "#10161b",
    "text": "#e6ebef",
    "muted": "#a0adb8",
    "line": "#2b353e",
    "strong": "#75828e",
    "accent": "#6cc7d2",
}

# Of the picture, as templates/publishing/picture.svg has them too.
WIDTH, EDGE, NAME, VALUE, BAR = 1200, 48, 148, 620, 772
ROW, HEAD, FOOT = 36, 132, 84
BAR_WIDTH = WIDTH - EDGE - BAR
MOST_ROWS = 16  # more would not be read from the back of a room

BADGE_FONT, BADGE_PADDING, BADGE_TEXT = 12, 9, 220
BEST = "best"
KIND = "image/svg+xml"


def board_picture(
    table: ExportTable,
    colours: Mapping[str, str] = LIGHT,
    place: int = 0,
    most_rows: int = MOST_ROWS,
) -> str:
    """Each system's score of the measure at that place of the table's measures."""
    lines = table.lines[:most_rows]
    measure = table.measures[place]
    scores = [_score(line, measure) for line in lines]
    # Around ranked, complete systems: others are far off and would squeeze it.
    typical = [
        score
        for score, line in zip(scores, lines, strict=True)
        if line.row["rank"] is not None and line.row["complete"]
    ]
    axis = Axis.around(typical) or Axis.around(scores)
    rows = [
        {
            "top": HEAD + ROW * number,
            "line_above": line.line_above,
            "rank": rank(line),
            "rank_range": line.rank_range + line.few_decide,
            "cell": line.cells[place],
            "colour": colours["strong" if line.row["baseline"] else "accent"],
            "bar": _bar(axis, score) if axis else None,
            **_names(line),
        }
        for number, (line, score) in enumerate(zip(lines, scores, strict=True))
    ]
    about = [
        measure["title"],
        _("%(level)s intervals") % {"level": f"{table.data['level']:.0%}"},
        table.synthetic_note,
    ]
    source = " ".join([*table.few_decide_note, table.source_note])
    if len(table.lines) > len(lines):
        more = _("And %(number)s more.") % {"number": len(table.lines) - len(lines)}
        source = f"{more} {source}"
    room = WIDTH - 2 * EDGE
    height = HEAD + ROW * max(len(rows), 1) + FOOT
    return _draw(
        "picture",
        width=WIDTH,
        height=height,
        title=one_line(f"{table.title} · {measure['title']}"),
        colours=colours,
        heading=fitting(table.title, 30, room),
        about=fitting(" · ".join(filter(None, about)), 18, room),
        choices=fitting(table.choices, 16, BAR - EDGE),
        ends=axis.ends if axis else None,
        rows=rows,
        empty=_("No scores yet"),
        foot=height - FOOT,
        source=fitting(source, 14, room),
        address=fitting(table.address, 14, room),
    )


def _score(line: TableLine, measure: Values) -> Ends:
    """A score as an axis takes it: shares times 100, None for n/a."""
    score = line.row["scores"][measure["name"]]
    factor = 100 if measure["percent"] else 1
    value, low, high = (
        None if score[end] is None else score[end] * factor
        for end in ("value", "low", "high")
    )
    return value, low, high


def _names(line: TableLine) -> dict[str, str]:
    """Team and system share one text: the second begins where the first ends."""
    room = VALUE - NAME - 96
    team = fitting(line.row["team"], 18, room * 0.6)
    badges = ", ".join(line.marks)
    system = line.row["system"] + (f" ({badges})" if badges else "")
    return {
        "team": team,
        "system": fitting(system, 16, room - width_of(team, 18) - 10),
    }


def _bar(axis: Axis, score: Ends) -> dict[str, Any] | None:
    bar = axis.bar(score)
    if bar is None:
        return None
    start, width, point = (
        float(share.removesuffix("%")) / 100 * BAR_WIDTH
        for share in (bar.start, bar.width, bar.point)
    )
    return {
        "beyond": bar.beyond,
        "below": bar.below,
        "start": round(BAR + start),
        "width": round(width),
        "mark": round(BAR + point - 2),
    }


def badge(table: ExportTable, system: str = BEST) -> str:
    """Rank and score of a submission, or of the best one that is ranked, in words:
    "#2 of 7 · LAS 85.31 [84.60, 86.02] · otter-1"; the rank with its range, then
    choices.
    """
    ranked = [line for line in table.lines if line.row["rank"] is not None]
    if system in ("", BEST):
        named = ranked
    else:
        named = [line for line in table.lines if line.row["submission"] == system]
    if not named:
        return text_badge(table.task.title, _("not on this board"))
    line = named[0]
    cell = line.cells[0]
    score = f"{table.measures[0]['title']} {cell.value} {cell.interval}"
    parts = [
        score.rstrip(),
        fitting(line.row["system"], BADGE_FONT, BADGE_TEXT / 2),
    ]
    if table.choices:
        parts.append(table.choices)
    if line.row["rank"] is not None:
        place = {"rank": line.rank_range or rank(line), "count": len(ranked)}
        parts.insert(0, _("#%(rank)s of %(count)s") % place)
    return text_badge(table.task.title, " · ".join(parts))


def text_badge(left: str, right: str) -> str:
    """Two fields side by side; both colours are legible on any page."""
    left = fitting(left, BADGE_FONT, BADGE_TEXT)
    right = fitting(right, BADGE_FONT, 3 * BADGE_TEXT)
    first, second = (
        width_of(text, BADGE_FONT) + 2 * BADGE_PADDING for text in (left, right)
    )
    return _draw(
        "badge",
        width=round(first + second),
        height=22,
        title=f"{left}: {right}",
        accent=LIGHT["accent"],
        left={"text": left, "width": round(first), "middle": round(first / 2)},
        right={
            "text": right,
            "x": round(first),
            "width": round(second),
            "middle": round(first + second / 2),
        },
    )


def _draw(template: str, **context: object) -> str:
    svg = render_to_string(f"publishing/{template}.svg", context)
    # The two that are neither control characters nor XML.
    return svg.replace("\ufffe", " ").replace("\uffff", " ")


FORMATS = (
    ExportFormat(
        "svg",
        gettext_lazy("Picture"),
        KIND,
        partial(board_picture, colours=LIGHT),
        position=70,
        group=FormatGroup.PAGE,
        attached=False,
    ),
    ExportFormat(
        "dark.svg",
        gettext_lazy("Picture, dark"),
        KIND,
        partial(board_picture, colours=DARK),
        position=71,
        group=FormatGroup.PAGE,
        attached=False,
    ),
)
