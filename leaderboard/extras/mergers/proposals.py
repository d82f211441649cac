"""Proposals of teams to become one: made, agreed to, declined by their leaders."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.tasks.models import Merger, Participation
from leaderboard.tasks.participation import leads
from leaderboard.teams.models import User, name_key
from leaderboard.teams.refusal import Refusal

Status = Participation.Status


def open_mergers(entry: Participation) -> QuerySet[Merger]:
    """Proposals that a team has a part in and that nobody ended."""
    mine = Q(stays=entry) | Q(leaves=entry)
    mergers = Merger.objects.filter(mine, done_at=None, declined_at=None)
    return mergers.select_related("stays__team", "leaves__team")


def agreed_by(entry: Participation) -> Q:
    """The condition that a leader of the team has agreed to a proposal."""
    stays = Q(stays=entry, stays_agreed__isnull=False)
    return stays | Q(leaves=entry, leaves_agreed__isnull=False)


def propose(
    entry: Participation, other_name: str, user: User, *, stays: bool
) -> Merger:
    """Ask another team of the task, as a leader of `entry`; `stays`: ours stays.

    Raises Refusal for a team that does not take part (or hides its name), and when
    it was asked already.
    """
    _require_leader(user, entry)
    if entry.status != Status.ACTIVE:
        raise Refusal(_("Your team does not take part at the moment."))
    others = Participation.objects.filter(
        task=entry.task_id, status=Status.ACTIVE, anonymous=False
    ).exclude(pk=entry.pk)
    other = others.filter(team__key=name_key(other_name)).first()
    if other is None:
        raise Refusal(_("No other team of that name takes part here."))
    if open_mergers(entry).filter(Q(stays=other) | Q(leaves=other)).exists():
        raise Refusal(_("You asked that team already, or it asked you."))
    first, second = (entry, other) if stays else (other, entry)
    merger = Merger(task_id=entry.task_id, stays=first, leaves=second)
    setattr(merger, _side(merger, entry), user)
    try:
        with transaction.atomic():
            merger.save()
    except IntegrityError:
        raise Refusal(_("You asked that team already, or it asked you.")) from None
    return merger


def agree(merger: Merger, entry: Participation, user: User) -> None:
    """A leader of one side says yes."""
    _require_leader(user, entry)
    _change(merger, entry, **{_side(merger, entry): user})


def decline(merger: Merger, entry: Participation, user: User) -> None:
    """A leader of either side ends a proposal."""
    _require_leader(user, entry)
    _change(merger, entry, declined_at=timezone.now())


def _change(merger: Merger, entry: Participation, **fields: Any) -> None:
    """Only what is said: the other side may be saying something at the same time."""
    if not open_mergers(entry).filter(pk=merger.pk).update(**fields):
        raise Refusal(_("That proposal is no longer open."))


def _side(merger: Merger, entry: Participation) -> str:
    return "stays_agreed" if merger.stays == entry else "leaves_agreed"


def _require_leader(user: User, entry: Participation) -> None:
    if not leads(user, entry):
        raise Refusal(_("Only a leader of the team can do that."))
