"""An archive's description for catalogues and reference managers.

Sources: DataCite metadata schema 4.5, Citation File Format 1.2.0.
"""

from datetime import datetime

import yaml
from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.tasks.citation import Author, Values, address_of, authors_of
from leaderboard.tasks.models import Task

DATACITE = "http://datacite.org/schema/kernel-4"


def datacite(task: Task, at: datetime) -> Values:
    """The results of a task as they were at a moment, for a deposit of its archive."""
    values: Values = {
        "schemaVersion": DATACITE,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Leaderboard"},
        "creators": [_creator(author) for author in authors_of(task)],
        "titles": [{"title": _title(task)}],
        "publisher": {"name": settings.SITE_URL.partition("://")[2]},
        "publicationYear": str(at.year),
        "dates": [{"date": at.date().isoformat(), "dateType": "Issued"}],
        "url": address_of(task),
        "language": "en",
    }
    if task.doi:
        values["doi"] = task.doi
    if task.summary:
        values["descriptions"] = [
            {"description": task.summary, "descriptionType": "Abstract"}
        ]
    if task.licence:
        values["rightsList"] = [{"rights": task.licence}]
    related = [(task.paper, "IsDocumentedBy"), (task.website, "IsDescribedBy")]
    values["relatedIdentifiers"] = [
        {
            "relatedIdentifier": address,
            "relatedIdentifierType": "URL",
            "relationType": relation,
        }
        for address, relation in related
        if address
    ]
    return values


def _title(task: Task) -> str:
    return _("Results of %(task)s") % {"task": task.title}


def _creator(author: Author) -> Values:
    if not author.family:
        return {"name": author.name, "nameType": "Organizational"}
    return {
        "name": author.name,
        "nameType": "Personal",
        "familyName": author.family,
        "givenName": author.given,
    }


def citation_file(task: Task, at: datetime) -> str:
    """CITATION.cff of the archive."""
    values: Values = {
        "cff-version": "1.2.0",
        "message": _("Please cite these results as follows."),
        "type": "dataset",
        "title": _title(task),
        "authors": [
            {"family-names": author.family, "given-names": author.given}
            if author.family
            else {"name": author.name}
            for author in authors_of(task)
        ],
        "date-released": at.date().isoformat(),
        "url": address_of(task),
    }
    if task.doi:
        values["doi"] = task.doi
    if task.summary:
        values["abstract"] = task.summary
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=88)
