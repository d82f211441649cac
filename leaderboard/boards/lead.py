"""A sentence on who leads a board, how sure that is, and who cannot be told apart."""

from collections.abc import Collection, Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.boards.board_rows import RowColumns
from leaderboard.boards.rows import Row, with_few_decide
from scoring.statistics.ranks import SystemRank

MOST_NAMED = 3


def lead_sentence(rows: Sequence[Row], columns: RowColumns) -> str:
    """Empty where nobody is ranked. Whatever it claims are the verdicts of the board's
    tests, as they stand beside the ranks."""
    places = [place for place, rank in enumerate(columns.rank) if rank == 1]
    if not places or not (first := rows[places[0] : places[0] + 1]):
        return ""  # or withdrawn just now
    leader, score = first[0], first[0].sorted_by
    standings = [columns.standing_of(place) for place in places]
    values = {
        "teams": _named(rows, places),
        "others": _named(rows, _level_with(columns, standings)),
        "measure": score.measure.title,
        "score": score.printed
        if score.low is None
        else f"{score.printed} {score.interval}",
        "in_words": leader.in_words,
    }
    if len(places) > 1:
        values["score"] = score.printed
        values["lead"] = (
            _("%(teams)s share the first rank with %(measure)s %(score)s") % values
        )
        apart = _("%(lead)s, but the data do not tell them apart from %(others)s")
        return f"{apart % values if values['others'] else values['lead']}."
    standing = standings[0]
    values["lead"] = _("%(teams)s leads with %(measure)s %(score)s") % values
    if values["others"]:
        sentence = _("%(lead)s, but the data do not tell it apart from %(others)s")
    elif standing.low is None or not standing.others or standing.level:
        sentence = "%(lead)s: %(in_words)s"  # who is level was withdrawn just now
    else:
        sentence = (
            _("%(lead)s and is significantly better than every other complete system")
            if standing.untested
            else _("%(lead)s and is significantly better than every other system")
        )
        return f"{with_few_decide(sentence % values, standing)}."
    return f"{sentence % values}."


def _level_with(columns: RowColumns, standings: Iterable[SystemRank]) -> list[int]:
    """Places of the systems below that one of the leaders does not differ from."""
    ranks: set[int] = set()
    for standing in standings:
        for part in filter(None, standing.level_with.split(", ")):
            low, _dash, high = part.partition("-")
            ranks |= set(range(int(low), int(high or low) + 1))
    ranks.discard(1)
    tested = zip(columns.rank, columns.standing["low"], strict=True)
    return [
        place
        for place, (rank, low) in enumerate(tested)
        if rank in ranks and low is not None
    ]


def _named(rows: Sequence[Row], places: Collection[int]) -> str:
    """The first teams by name, and how many more there are; empty without any."""
    some = list(places) if len(places) <= MOST_NAMED else list(places)[: MOST_NAMED - 1]
    names = [row.team for place in some for row in rows[place : place + 1]]
    if more := len(places) - len(some):
        last = ngettext("%(n)d more system", "%(n)d more systems", more) % {"n": more}
        return _("%(names)s and %(last)s") % {"names": ", ".join(names), "last": last}
    *before, last = names or [""]
    if not before:
        return last
    return _("%(names)s and %(last)s") % {"names": ", ".join(before), "last": last}
