"""What is withheld of scores, and until when, in sentences for people."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.tasks.models import Phase

MINUTE = gettext_noop("j M Y, H:i")


def said(moment: datetime, phase: Phase) -> str:
    """ "2 Jun 2026, 14:00 Europe/Berlin": in the phase's own zone."""
    there = moment.astimezone(phase.zone)
    return f"{date_format(there, _(MINUTE))} {phase.time_zone}"


def blind(reveal: datetime | None, phase: Phase) -> str:
    if reveal is None:
        return _("Submissions are received and scored; no score is shown to anybody.")
    return _(
        "Submissions are received and scored; nobody sees a score before %(moment)s."
    ) % {"moment": said(reveal, phase)}


def frozen(since: datetime, reveal: datetime | None, phase: Phase) -> str:
    told = {"since": said(since, phase)}
    if reveal is None:
        return _("This board stands as of %(since)s.") % told
    return _(
        "This board stands as of %(since)s; what came later is shown from %(moment)s. "
        "Teams still see their own scores."
    ) % {**told, "moment": said(reveal, phase)}


def anonymous(end: datetime | None, phase: Phase) -> str:
    if end is None:
        return _("Teams may hide their names here: they stand as Anonymous.")
    return _(
        "Teams may hide their names until %(moment)s: they stand as Anonymous."
    ) % {"moment": said(end, phase)}


def best() -> str:
    return _("Only the best entry of each team is shown.")


def ladder() -> str:
    return _(
        "A team's new score is published only when it is clearly better than its last "
        "published one, and rounded to the step that counts as clear."
    )


def grid() -> str:
    return _("Scores and intervals are rounded to a grid, and ranks follow it.")


def split(phase: Phase) -> str:
    return _(
        "Scores come from the public part of the units, %(public)s; the private part, "
        "%(private)s, decides later."
    ) % shares(phase)


def units_closed(phase: Phase) -> str:
    return _(
        "Single units are not shown while the private part of “%(phase)s” is to decide."
    ) % {"phase": phase.title}


def private_decides(phase: Phase) -> str:
    return _(
        "The private part of the units, %(private)s, decides the ranking; until the "
        "reveal the public part, %(public)s, was shown."
    ) % shares(phase)


def shares(phase: Phase) -> dict[str, str]:
    private = phase.private_share or 0.0
    return {"public": f"{1 - private:.0%}", "private": f"{private:.0%}"}


def until(reveal: datetime | None, phase: Phase) -> str:
    if reveal is None:
        return _("This holds for good: the phase has no end.")
    return _("Everything is shown from %(moment)s.") % {"moment": said(reveal, phase)}
