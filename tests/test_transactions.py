"""A test that commits leaves the tables as it found them."""

from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from leaderboard.extras.signatures.models import SiteKey
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team
from tests.cast import person
from tests.leaderboard.small import both, bundle, scored
from tests.transactions import KEPT, instead_of_flush

pytestmark = [pytest.mark.thorough, pytest.mark.databases("constraints")]


def filled_tables() -> Iterator[str]:
    names = connection.introspection.django_table_names(only_existing=True)
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f'SELECT count(*) FROM "{name}"')
            if cursor.fetchone()[0]:
                yield name


@pytest.mark.django_db(transaction=True)
def test_rows_go_and_what_a_migration_makes_is_there_again(no_queue: None) -> None:
    before = set(filled_tables())
    ada, ben = person("ada"), person("ben")
    ada.user_permissions.add(Permission.objects.first())
    task = create_task(bundle(), ada)
    scored(task.phases.get(), join(task, Team.found("Bens", ben)), both())
    assert Submission.objects.exists() and set(filled_tables()) > before
    kinds = list(ContentType.objects.order_by("pk").values_list("pk", "model"))
    flush = Mock()
    instead_of_flush(flush)(None)
    assert set(filled_tables()) == before
    assert before >= {model._meta.db_table for model in (*KEPT, SiteKey)}
    assert list(ContentType.objects.order_by("pk").values_list("pk", "model")) == kinds
    flush.assert_not_called()


@pytest.mark.parametrize("model", KEPT)
@pytest.mark.django_db
def test_where_a_test_took_away_what_is_kept_all_is_flushed(model: type) -> None:
    model.objects.last().delete()
    flush = Mock()
    instead_of_flush(flush)("case")
    flush.assert_called_once_with("case")
