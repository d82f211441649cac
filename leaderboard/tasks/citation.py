"""A task as catalogues and reference managers want it: DataCite, CFF, schema.org.

Sources: DataCite metadata schema 4.5, Citation File Format 1.2.0, schema.org/Dataset.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml
from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.tasks.models import Task

Values = dict[str, Any]
DATACITE = "http://datacite.org/schema/kernel-4"


@dataclass(frozen=True)
class Author:
    """A person with both names, or a group with the one it has."""

    name: str
    family: str = ""
    given: str = ""

    @classmethod
    def read(cls, line: str) -> "Author":
        """From "Family, Given", or the name of a group."""
        family, comma, given = (part.strip() for part in line.partition(","))
        if not (comma and family and given):
            return cls(line)
        return cls(line, family, given)


def authors_of(task: Task) -> list[Author]:
    """Those who are to be cited; where nobody is named, the organizers as a group."""
    if not task.authors:
        return [Author(_("Organizers of %(task)s") % {"task": task.title})]
    return [Author.read(line) for line in task.authors]


def address_of(task: Task) -> str:
    """The page of the task, with the site's own address before it."""
    return f"{settings.SITE_URL}{task.get_absolute_url()}"


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


def dataset(task: Task) -> Values:
    """The task's page as a schema.org Dataset, for search engines."""
    values: Values = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": task.title,
        "description": task.summary or task.title,
        "url": address_of(task),
        "dateCreated": task.created_at.date().isoformat(),
        "creator": [
            {
                "@type": "Person",
                "name": f"{author.given} {author.family}",
                "familyName": author.family,
                "givenName": author.given,
            }
            if author.family
            else {"@type": "Organization", "name": author.name}
            for author in authors_of(task)
        ],
        "isAccessibleForFree": True,
        "measurementTechnique": task.scorer_name,
        "variableMeasured": [measure.title for measure in task.measures],
    }
    if task.doi:
        values["identifier"] = task.doi_address
    if task.licence:
        values["license"] = {"@type": "CreativeWork", "name": task.licence}
    if task.paper:
        values["citation"] = task.paper
    if task.website:
        values["sameAs"] = task.website
    return values
