"""The error browser of several runs and of measures that are no sums; links to it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.extras.units import test_items
from tests.leaderboard import test_rank_correlation
from tests.leaderboard.small import both, scored
from tests.leaderboard.test_runs import three_runs
from tests.organize.disclosing import text_of
from tests.organize.marked_items import SYSTEMS, bundle

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


def test_a_unit_of_the_organizers_list_leads_to_its_page(
    ada: User, client: Client
) -> None:
    test_items.send(create_task(bundle(), ada), SYSTEMS)
    client.force_login(ada)
    first, *_others = test_items.rows_of(text_of(client, test_items.PAGE))
    (address,) = re.findall(r'href="(/submissions/[^"]+)"', first)
    assert "u07" in text_of(client, address.replace("&amp;", "&"))


def test_errors_are_offered_as_soon_as_there_is_a_score(
    phase: Phase, entry: Participation, ben: User, client: Client
) -> None:
    done = scored(phase, entry, both()).get_absolute_url()
    client.force_login(ben)
    assert f"{done}errors/" in text_of(client, f"{done}?part=status")
