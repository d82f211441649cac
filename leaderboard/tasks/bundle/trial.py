"""The trial of a stranger's bundle, a job of the sandbox: can it be read?

The one job that sets Django up: phases of a bundle are checked against the fields of
their model. No connection is opened.
"""

from collections.abc import Sequence

import django
from django.apps import apps

if not apps.ready:
    django.setup()

from leaderboard.sandbox.codec import Request, Values
from leaderboard.tasks.bundle.files import PACKAGES
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.moving.conversion import manifest_name, moved
from scoring.formats.bundle import is_zip, members, unpacked, zipped
from scoring.source import Source

ANY_ENDING = ("",)


def trial(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Load the zip called `name`, for what is wrong with it.

    Of a bundle of another site the answer holds the one that was made of it, and the
    rows of the report.
    """
    name = request.values["name"]
    source = Source.of_bytes(name, request.files[0])
    if is_zip(source):
        files = unpacked(source, ANY_ENDING)
        if manifest_name(files):
            made = moved(files)
            load(made.source)
            rows = [one.row() for one in made.remarks]
            return {"remarks": rows}, [zipped(name, made.source.files).single()]
    load(Source(name, members(source, PACKAGES)))
    return {}, []
