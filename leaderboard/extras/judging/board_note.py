"""Remarks of boards on the judgements behind them, as they were put there."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from leaderboard.extension.models import Phase
from leaderboard.extras.judging.models import Campaign


def sentences(phase: Phase) -> Iterator[str]:
    """Sentences on each campaign whose votes are on the board."""
    if not phase.task.takes_judgements:
        return
    rows = Campaign.objects.filter(phase=phase).exclude(published_at=None)
    for campaign in rows.order_by("created_at", "pk"):
        text = _("%(title)s: %(votes)s judgements by %(judges)s people.")
        values = {
            "title": campaign.title,
            "votes": campaign.published_votes,
            "judges": campaign.published_judges,
        }
        parts = [text % values]
        if number := campaign.published_left_out:
            parts.append(_("Left out, of excluded judges: %(n)s.") % {"n": number})
        if number := campaign.published_by_models:
            parts.append(_("Left out, of judge models: %(n)s.") % {"n": number})
        if number := campaign.published_own_teams:
            words = _("Left out, on answers of a judge’s own team: %(n)s.")
            parts.append(words % {"n": number})
        yield " ".join(parts)
