"""An archive's description for catalogues and reference managers.

Sources: DataCite metadata schema 4.5, Citation File Format 1.2.0, RO-Crate 1.1.
"""

import mimetypes
from collections.abc import Iterable
from datetime import datetime
from urllib.parse import quote

import yaml
from django.utils.translation import gettext as _

from leaderboard.extension.exports import Author, absolute, authors_of
from leaderboard.extension.models import Task

DATACITE = "http://datacite.org/schema/kernel-4"


def datacite(task: Task, at: datetime) -> dict[str, object]:
    """The results of a task as they were at a moment, for a deposit of its archive."""
    values: dict[str, object] = {
        "schemaVersion": DATACITE,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Leaderboard"},
        "creators": [_creator(author) for author in authors_of(task)],
        "titles": [{"title": _title(task)}],
        "publisher": {"name": publisher_of(task)},
        "publicationYear": str(at.year),
        "dates": [{"date": at.date().isoformat(), "dateType": "Issued"}],
        "url": absolute(task.get_absolute_url()),
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


def publisher_of(task: Task) -> str:
    """The publisher of the results: groups among the authors, else the organizers."""
    groups = [author.name for author in authors_of(task) if not author.family]
    organizers = _("Organizers of %(task)s") % {"task": task.title}
    return "; ".join(groups) or organizers


def _title(task: Task) -> str:
    return _("Results of %(task)s") % {"task": task.title}


def _creator(author: Author) -> dict[str, object]:
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
    values: dict[str, object] = {
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
        "url": absolute(task.get_absolute_url()),
    }
    if task.doi:
        values["doi"] = task.doi
    if task.summary:
        values["abstract"] = task.summary
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=88)


CRATE = "ro-crate-metadata.json"


def crate(task: Task, at: datetime, names: Iterable[str]) -> dict[str, object]:
    """The archive as an RO-Crate: its files, who made them, and when."""
    files = [_crate_file(name) for name in sorted(names)]
    authors = [_crate_author(author) for author in authors_of(task)]
    root: dict[str, object] = {
        "@id": "./",
        "@type": "Dataset",
        "name": _title(task),
        "description": task.summary or _title(task),
        "datePublished": at.isoformat(),
        "license": task.licence or _("Not stated by the organizers"),
        "url": absolute(task.get_absolute_url()),
        "author": [{"@id": author["@id"]} for author in authors],
        "publisher": {"@id": "#publisher"},
        "hasPart": [{"@id": file["@id"]} for file in files],
    }
    if task.doi:
        root["identifier"] = task.doi_address
    about = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    publisher = {
        "@id": "#publisher",
        "@type": "Organization",
        "name": publisher_of(task),
    }
    graph = [about, root, publisher, *authors, *files]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}


def _crate_author(author: Author) -> dict[str, object]:
    if not author.family:
        return {
            "@id": f"#{quote(author.name)}",
            "@type": "Organization",
            "name": author.name,
        }
    name = f"{author.given} {author.family}"
    return {
        "@id": f"#{quote(name)}",
        "@type": "Person",
        "name": name,
        "familyName": author.family,
        "givenName": author.given,
    }


def _crate_file(name: str) -> dict[str, str]:
    values = {"@id": quote(name), "@type": "File", "name": name}
    if kind := mimetypes.guess_type(name)[0]:
        values["encodingFormat"] = kind
    return values
