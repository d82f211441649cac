"""The trial of a stranger's bundle, a sandbox job: can it be read?

The one module that sets Django up itself: phases of a bundle are checked against the
fields of their model. No connection is opened.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import django

django.setup()

from leaderboard.sandbox.problems import as_json  # noqa: E402
from leaderboard.tasks.bundle import load  # noqa: E402
from scoring.errors import ScoringError  # noqa: E402
from scoring.formats.bundle import members  # noqa: E402
from scoring.source import Source  # noqa: E402


def problems(head: Mapping[str, Any], files: Sequence[bytes]) -> bytes:
    """What `load` says about the zip named in `head`."""
    try:
        load(Source(head["name"], members(Source.of_bytes(head["name"], files[0]))))
    except ScoringError as error:
        return as_json(error.problems)
    return as_json(())
