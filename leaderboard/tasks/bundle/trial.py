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
from scoring.formats.bundle import members
from scoring.source import Source


def trial(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Load the zip called `name`, for what is wrong with it."""
    name = request.values["name"]
    load(Source(name, members(Source.of_bytes(name, request.files[0]), PACKAGES)))
    return {}, []
