"""Jobs of the sandbox server of a web process: no settings, no database."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.submissions import format_check, kit_examples, zips

WORK = "leaderboard.submissions.confined:work"
KINDS = {
    "check": format_check.problems,
    "unpack": zips.work,
    "examples": kit_examples.work,
}


def work(head: Mapping[str, Any], files: Sequence[bytes]) -> bytes:
    """One job, of the kind that `head` names; a check where it names none."""
    return KINDS[head.get("kind", "check")](head, files)
