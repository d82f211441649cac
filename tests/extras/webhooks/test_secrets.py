"""What webhooks are told has no canary, and nothing of a private unit."""

import pytest

from leaderboard.extras.webhooks.models import WebhookDelivery
from tests.organize import canaries, private_part

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
def test_webhooks_are_told_without_a_canary() -> None:
    """Their pages and their log are crawled with all the others."""
    site = canaries.build()
    rows = WebhookDelivery.objects.filter(webhook__in=site.keys)
    told = {(row.webhook.user.email, row.event) for row in rows}
    assert ("ada@example.org", "submission.scored") in told
    assert ("cy@example.org", "board.changed") in told
    assert not [one for one in told if one[0][:2] == "cy" and "submission" in one[1]]
    assert canaries.canaries_in("\n".join(row.body for row in rows)) == set()


def test_webhooks_tell_nothing_of_a_private_unit() -> None:
    site = private_part.build()
    visit = private_part.crawl(site, "anonymous")
    rows = WebhookDelivery.objects.filter(webhook__in=site.keys)
    assert rows
    for row in rows.exclude(webhook__user__email="ada@example.org"):
        visit.look(f"{row.webhook.user.email} {row.event}", row.body)
    assert visit.found == {}
