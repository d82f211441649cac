"""Croissant: the public data of a task, for tools that load data sets.

Source: the Croissant format 1.1 of MLCommons. It names the blind files that everybody
may have now, with their hashes; gold is no data of it.
"""

import mimetypes
from collections.abc import Iterator

from django.contrib.auth.models import AnonymousUser
from django.db.models import Max
from django.urls import reverse

from leaderboard.extension import policy
from leaderboard.extension.exports import absolute, canary_sentence, dataset
from leaderboard.extension.models import Task

# Terms of the format's own context, in which readers expect them all.
TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet "
    "format includes isLiveDataset jsonPath key md5 parentField path recordSet "
    "references regex repeated replace samplingRate separator source subField transform"
)
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in TERMS.split()},
}
CONFORMS = "http://mlcommons.org/croissant/1.1"


def describe(task: Task) -> dict[str, object]:
    """The task as a Croissant data set; its files are those of phases that opened."""
    about = dataset(task)
    about.pop("isAccessibleForFree")
    # What is written of a licence here is a name, of which the format takes the text.
    about["license"] = task.licence or "unspecified"
    citation = about.pop("citation", None)
    revisions = task.phases.aggregate(newest=Max("gold_revision__number"))
    return {
        **about,
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": task.title,
        "description": " ".join([about["description"], canary_sentence(task)]),
        "version": f"{revisions['newest'] or 1}.0.0",
        "datePublished": about["dateCreated"],
        "publisher": about["creator"],
        **({"citeAs": citation} if citation else {}),
        "distribution": list(_files(task)),
    }


def has_files(task: Task) -> bool:
    """Whether a phase has opened: from then on everybody may have its blind files."""
    return policy.sees_option_files(AnonymousUser(), task)


def _files(task: Task) -> Iterator[dict[str, object]]:
    """Each blind file once, by the first phase in which all may have it."""
    nobody = AnonymousUser()
    seen = set()
    for phase in task.phases.select_related("task").prefetch_related("test_sets"):
        if not policy.sees_blind_files(nobody, phase):
            continue
        for test_set in phase.test_sets.all():
            if test_set.pk in seen:
                continue
            seen.add(test_set.pk)
            name = test_set.public_name
            path = reverse("blind-file", args=[task.slug, phase.name, test_set.name])
            yield {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "description": test_set.title,
                "contentUrl": absolute(path),
                "encodingFormat": mimetypes.guess_type(name)[0] or "text/plain",
                "sha256": test_set.blind_sha256,
            }
