"""The format check itself, as a sandbox server runs it: no settings, no database."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.sandbox.problems import as_json
from leaderboard.submissions.packing import unpacked
from scoring import Problem, check
from scoring.scorers import all_scorers

# Here, in the server, once: what a child must load it would load for every file.
all_scorers()


def problems(head: Mapping[str, Any], files: Sequence[bytes]) -> bytes:
    """Findings as JSON. `head` is that of `Packed`, `files` what it refers to."""
    scorer, options, pairs = unpacked(head, files)
    found: list[Problem] = []
    for blind, sent in pairs:
        found.extend(check(scorer, blind, sent, options))
    return as_json(found)
