"""The public against the private part of the units: have attempts adapted to one?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.extension.boards import Board, Row
from leaderboard.extension.charts import (
    Chart,
    ChartColumn,
    axis,
    figure,
    hover,
    label,
    points,
    system_columns,
)
from leaderboard.extension.policy import Part
from leaderboard.extension.scores import Score, printed, with_sign
from leaderboard.extension.statistics import scores_for
from scoring.measures import Measure

HEIGHT, MOST_ENTRIES, MOST_NAMED = 480, 1000, 30


@dataclass(frozen=True)
class SplitEntry:
    """An entry of a team on both parts: its `number` of `of` that are shown."""

    row: Row
    number: int
    of: int
    public: Score
    private: Score

    @property
    def ends(self) -> tuple[float, float]:
        """Public and private score, as they are printed."""
        return self.public.value or 0.0, self.private.value or 0.0


def shows_both(board: Board) -> bool:
    """Whether the reader sees both parts: organizers, and all once it is revealed."""
    parts = board.disclosure.parts
    both = Part.PUBLIC in parts and Part.PRIVATE in parts
    return both and board.disclosure.everything


def parts_chart(entries: Board) -> Chart:
    """Every entry by its score on the public and on the private part."""
    measure = entries.measure
    entered = attempts(entries)
    drawn = entered[-MOST_ENTRIES:]
    rows = [entry.row for entry in drawn]
    ends = [entry.ends for entry in drawn]
    private = label(_("Private part"))
    texts = [
        f"{hover(entry.row, entry.public)}<br>"
        f"{private} {entry.private.printed} {entry.private.interval}<br>"
        f"{label(_place(entry))}"
        for entry in drawn
    ]
    trace = points(
        rows,
        texts,
        rows if len(rows) <= MOST_NAMED else (),
        x=[public for public, _private in ends],
        y=[private for _public, private in ends],
    )
    both = [value for pair in ends for value in pair]
    corners = [min(both, default=0.0), max(both, default=0.0)]
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": corners,
        "y": corners,
        "hoverinfo": "skip",
        "meta": {"part": "line"},
    }
    across, up = _("Public part"), _("Private part")
    return Chart(
        _("%(measure)s on the public and the private part")
        % {"measure": measure.title},
        f"{_note()} {gains_in_words(entered, measure)}".strip(),
        figure([diagonal, trace], HEIGHT, axis(across), axis(up)),
        (
            *system_columns(across, up, _("Difference")),
            ChartColumn(_("Attempt")),
        ),
        [
            (
                entry.row.team,
                entry.row.system,
                f"{entry.public.printed} {entry.public.interval}",
                f"{entry.private.printed} {entry.private.interval}",
                with_sign(entry.ends[0] - entry.ends[1], entry.public.decimals[0] or 0),
                _place(entry),
            )
            for entry in drawn
        ],
        len(entered) - len(drawn),
    )


def _note() -> str:
    return _(
        "Each point is an entry; on the line both parts agree. One part may be "
        "harder than the other, which moves all points alike. A team that adapts to "
        "the public part moves to the right of the others, attempt by attempt."
    )


def _place(entry: SplitEntry) -> str:
    return _("%(number)d of %(all)d") % {"number": entry.number, "all": entry.of}


def attempts(entries: Board) -> list[SplitEntry]:
    """The entries with a score on both parts, in order of receipt."""
    rows = sorted(entries.rows, key=lambda row: row.evaluation.last)
    on_parts = (_on(entries, rows, part) for part in (Part.PUBLIC, Part.PRIVATE))
    counts: dict[object, int] = {}
    numbers = []
    for row in rows:
        key = row.evaluation.stands_for
        counts[key] = counts.get(key, 0) + 1
        numbers.append(counts[key])
    return [
        SplitEntry(row, number, counts[row.evaluation.stands_for], public, private)
        for row, number, public, private in zip(rows, numbers, *on_parts, strict=True)
        if public.value is not None and private.value is not None
    ]


def _on(entries: Board, rows: Sequence[Row], part: Part) -> list[Score]:
    sample = replace(entries, part=part).sample_of([row.evaluation for row in rows])
    scores = scores_for(sample, (entries.measure,))
    return [by_measure[entries.measure.name] for by_measure in scores]


def gains_in_words(attempted: Sequence[SplitEntry], measure: Measure) -> str:
    """How much teams gained from their first entry to their best on the public part,
    on both parts; empty where no team sent several."""
    by_team: dict[object, list[SplitEntry]] = {}
    for entry in attempted:
        if entry.row.competes:
            by_team.setdefault(entry.row.evaluation.participation_id, []).append(entry)
    gains = list(map(_gain, _several(by_team), [measure] * len(by_team)))
    if not gains:
        return ""
    decimals = attempted[0].public.decimals[0]
    public, private = (sum(side) / len(gains) for side in zip(*gains, strict=True))
    sentence = ngettext(
        "From its first entry to its best on the public part, %(n)d team with several "
        "gained %(public)s there and %(private)s on the private part.",
        "From their first entries to their best on the public part, %(n)d teams with "
        "several gained %(public)s there and %(private)s on the private part (means).",
        len(gains),
    )
    values = {
        "n": len(gains),
        "public": printed(public, decimals),
        "private": printed(private, decimals),
    }
    return f"{sentence % values} " + _(
        "A small loss is the luck of choosing the best; a large one suggests "
        "adaptation."
    )


def _several(by_team: Mapping[object, list[SplitEntry]]) -> list[list[SplitEntry]]:
    return [entries for entries in by_team.values() if len(entries) > 1]


def _gain(entries: Sequence[SplitEntry], measure: Measure) -> tuple[float, float]:
    """The gains of a team on the public and the private part."""
    sign = 1 if measure.higher_is_better else -1
    first = entries[0].ends
    best = max((entry.ends for entry in entries), key=lambda ends: sign * ends[0])
    return sign * (best[0] - first[0]), sign * (best[1] - first[1])
