"""A sentence on who leads a board, how sure that is, and who cannot be told apart."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.boards.board_rows import MOST_NAMED, BoardRows, BoardSummary
from leaderboard.boards.rows import with_few_decide


def lead_sentence(rows: BoardRows, summary: BoardSummary) -> str:
    """Empty where nobody is ranked. Whatever it claims are the verdicts of the board's
    tests, as they stand beside the ranks."""
    leaders = summary.leaders
    if not leaders or not (first := rows.at(leaders[:1])):
        return ""  # or withdrawn just now
    leader, sorted_by = first[0], first[0].context.sorted_by
    score, interval = leader.by_measure.texts(sorted_by)
    _value, low, _high = leader.by_measure.ends(sorted_by)
    values = {
        "teams": _names_of_teams(rows, leaders, summary.leading),
        "others": _names_of_teams(rows, summary.level_with, summary.level),
        "measure": leader.by_measure.columns[sorted_by][1].title,
        "score": score if low is None else f"{score} {interval}",
        "in_words": leader.in_words,
    }
    if summary.leading > 1:
        values["score"] = score
        values["lead"] = (
            _("%(teams)s share the first rank with %(measure)s %(score)s") % values
        )
        apart = _("%(lead)s, but the data do not tell them apart from %(others)s")
        return f"{apart % values if values['others'] else values['lead']}."
    standing = leader.standing
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


def _names_of_teams(rows: BoardRows, places: Sequence[int], in_all: int) -> str:
    """The first teams by name, and how many more there are; empty without any."""
    some = places if in_all <= MOST_NAMED else places[: MOST_NAMED - 1]
    names = [row.team for row in rows.at(some)]
    if more := in_all - len(some):
        last = ngettext("%(n)d more system", "%(n)d more systems", more) % {"n": more}
        return _("%(names)s and %(last)s") % {"names": ", ".join(names), "last": last}
    *before, last = names or [""]
    if not before:
        return last
    return _("%(names)s and %(last)s") % {"names": ", ".join(before), "last": last}
