"""The board as of a moment: what had come by then, under the gold then in force.

What was withdrawn or disqualified since is left out of it, and names and fact sheets
are today's: history is no way around a decision.
"""

from copy import copy
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.contrib.contenttypes.models import ContentType
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from leaderboard.boards.choices import UnknownChoice
from leaderboard.tasks.models import Change, GoldRevision, Phase

REVISION = "gold_revision"
LONGEST = 40


def moment_of(text: str, zone: ZoneInfo) -> datetime | None:
    """The end of a day in the phase's zone, or a time; None for now and later.

    Raises UnknownChoice for what is no date.
    """
    if not text:
        return None
    found = _read(text[:LONGEST], zone)
    return None if found >= timezone.now() else found


def _read(text: str, zone: ZoneInfo) -> datetime:
    try:
        day = parse_date(text)
        if day is not None:
            last = datetime.combine(day, time.min, zone) + timedelta(days=1)
            return (last - timedelta(microseconds=1)).astimezone(UTC)
        # A plus sign that nobody escaped has become a space.
        moment = parse_datetime(text.replace(" ", "+") if "T" in text else text)
        if moment is None:
            raise UnknownChoice(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UnknownChoice(text) from None


def under(phase: Phase, moment: datetime) -> Phase:
    """The phase under the gold revision that it showed then; it must not be saved.

    A revision that was asked for by its number stays. From the history of changes:
    what the next change replaced was in force. At most three queries.
    """
    if getattr(phase, "live_revision", None) is not None:
        return phase
    then = _replaced_after(phase, moment)
    if then is None or then == phase.gold_revision_id:
        return phase
    same = copy(phase)
    same.gold_revision = GoldRevision.objects.get(pk=then, task=phase.task_id)
    return same


def _replaced_after(phase: Phase, moment: datetime) -> int | None:
    changes = Change.objects.filter(
        task_pk=phase.task_id,
        content_type=ContentType.objects.get_for_model(Phase),
        object_id=phase.pk,
        action=Change.Action.UPDATE,
        timestamp__gt=moment,
        changes__has_key=REVISION,
    )
    found = changes.order_by("timestamp", "pk").values_list("changes", flat=True)
    changed = found.first()
    return None if changed is None else int(changed[REVISION][0])
