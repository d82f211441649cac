"""The error browser of entries of several runs, and of a measure that is no sum."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard import test_rank_correlation
from tests.leaderboard.test_runs import three_runs
from tests.organize.disclosing import text_of

pytestmark = pytest.mark.django_db


def test_the_errors_are_those_of_the_first_run(
    phase: Phase, entry: Participation, ben: User, client: Client
) -> None:
    phase.most_runs = 3
    phase.save()
    sent = three_runs(phase, entry)
    phase.closes = timezone.now() - timedelta(days=1)
    phase.save()
    client.force_login(ben)
    assert "this shows the first" in text_of(client, f"/submissions/{sent.pk}/errors/")


@pytest.mark.parametrize("unit", ["item", "document"])
def test_a_unit_has_no_value_of_a_rank_correlation(
    unit: str, ada: User, client: Client
) -> None:
    made = test_rank_correlation.task(ada, unit)
    sent = test_rank_correlation.entered(made)["near"]
    client.force_login(ada)
    page = text_of(client, f"/submissions/{sent.pk}/errors/")
    assert "a single one has no value" in page
    assert client.get(f"/submissions/{sent.pk}/errors/3/").status_code == 200
