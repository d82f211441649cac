"""Metadata of an archive are as DataCite and the Citation File Format ask for."""

from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from django.utils import timezone

from leaderboard.extras.archive.deposit import citation_file, datacite
from leaderboard.tasks.models import Task
from tests.organize.test_about import FIELDS

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]


@pytest.mark.parametrize("described", [True, False])
def test_the_description_of_a_deposit_fits_the_schema_of_datacite(
    task: Task, described: bool
) -> None:
    # It compiles the whole schema when it is imported.
    from datacite import schema45

    if described:
        fields = FIELDS | {"authors": FIELDS["authors"].split("\n")[:2]}
        Task.objects.filter(pk=task.pk).update(**fields, summary="Otters.")
        task.refresh_from_db()
    schema45.validator.validate(datacite(task, timezone.now()))


def test_a_citation_file_has_what_its_format_requires(
    task: Task, settings: Any
) -> None:
    settings.SITE_URL = "https://example.org"
    task.authors = ["Lovelace, Ada", "The Otter Society"]
    task.doi = "10.5555/otters.1"
    at = datetime(2031, 5, 2, 23, tzinfo=UTC)
    assert yaml.safe_load(citation_file(task, at)) == {
        "cff-version": "1.2.0",
        "message": "Please cite these results as follows.",
        "type": "dataset",
        "title": "Results of Otter Parsing",
        "authors": [
            {"family-names": "Lovelace", "given-names": "Ada"},
            {"name": "The Otter Society"},
        ],
        "abstract": task.summary,
        "date-released": "2031-05-02",
        "url": "https://example.org/tasks/otters/",
        "doi": "10.5555/otters.1",
    }
