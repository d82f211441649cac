"""One system over test sets: where there are enough of them."""

import pytest
from django.test import Client

from leaderboard.tasks.models import Participation, Phase
from tests.leaderboard.small import both, scored

pytestmark = pytest.mark.django_db


def test_two_test_sets_are_too_few_to_look_across(
    phase: Phase, entry: Participation, client: Client
) -> None:
    scored(phase, entry, both())
    assert client.get("/tasks/otters/test/across/").status_code == 404
    address = "/api/v1/tasks/otters/test/across/"
    for system, why in (("", "three test sets or more"), ("zzz", "no system of that")):
        answer = client.get(address, {"system": system})
        assert answer.status_code == 404
        assert why in answer.json()["detail"]
