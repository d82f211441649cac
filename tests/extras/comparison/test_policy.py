"""Comparisons are shown where the policy shows details."""

import pytest
from django.test import Client

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from tests.organize.conftest import everything_inline, sent  # noqa: F401
from tests.organize.disclosing import API, salted, unrevealed
from tests.organize.test_policy_channels import EXPECTED

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", EXPECTED)
def test_pairs_are_compared_where_details_are_shown(
    name: str,
    phase: Phase,
    sent: list[Submission],  # noqa: F811
) -> None:
    fields, _public, _own, details, _receipts = EXPECTED[name]
    salted(phase)
    unrevealed(phase, **{"private_share": None, **fields})
    pair = {"system": [str(one.pk) for one in sent[:2]]}
    compared = Client().get(f"{API}/compare/", pair).status_code
    assert compared == (200 if details else 404)
