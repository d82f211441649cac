"""Judge models: of organizers of the task, and of accounts that one of them let in.

An account that asks and was not let in is put on a list, which organizers see.
"""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.extension.forms import Refusal
from leaderboard.extension.policy import Power, can
from leaderboard.extras.judging.models import Campaign, JudgeModels

MOST_ASKING = 100


def not_invited() -> Refusal:
    sentence = _("Judges have links of their own here: use yours.")
    return Refusal(sentence, code="not_invited")


def require(campaign: Campaign, user: Any) -> None:
    """Raises Refusal where no model of this account may judge.

    The common link lets none in where links are personal.
    """
    if campaign.by_invitation:
        raise not_invited()
    if can(user, campaign.phase.task, Power.EDIT):
        return
    rows = JudgeModels.objects.filter(campaign=campaign)
    if rows.filter(user=user).exclude(allowed_at=None).exists():
        return
    if rows.filter(allowed_at=None).count() < MOST_ASKING:
        JudgeModels.objects.get_or_create(campaign=campaign, user=user)
    sentence = _(
        "Judge models of your account have to be let in by the organizers: they see "
        "on the page of the campaign that you asked."
    )
    raise Refusal(sentence, code="not_invited")


def let_in(campaign: Campaign, key: str, by: Any) -> None:
    """Let in the account of a row, or with nobody as `by` no longer."""
    rows = JudgeModels.objects.filter(campaign=campaign)
    pk = int(key) if key.isascii() and key.isdecimal() and len(key) < 19 else 0
    if by is None:
        rows.filter(pk=pk).delete()
    else:
        rows.filter(pk=pk).update(allowed_at=timezone.now(), allowed_by=by)
