"""The authors to be cited for a task, and its page as search engines read it.

Source: schema.org/Dataset.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.tasks.models import Task
from leaderboard.web.addresses import absolute

Values = dict[str, Any]


@dataclass(frozen=True)
class Author:
    """A person with both names, or a group with the one it has."""

    name: str
    family: str = ""
    given: str = ""

    @classmethod
    def read(cls, line: str) -> "Author":
        """An author, read from "Family, Given" or from the name of a group."""
        family, comma, given = (part.strip() for part in line.partition(","))
        if not (comma and family and given):
            return cls(line)
        return cls(line, family, given)


def authors_of(task: Task) -> list[Author]:
    """The authors to be cited; where nobody is named, the organizers as a group."""
    if not task.authors:
        return [Author(_("Organizers of %(task)s") % {"task": task.title})]
    return [Author.read(line) for line in task.authors]


def dataset(task: Task) -> Values:
    """The task's page as a schema.org Dataset, for search engines."""
    values: Values = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": task.title,
        "description": task.summary or task.title,
        "url": absolute(task.get_absolute_url()),
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
