"""The trial of uploaded gold, a sandbox job: no settings, no database."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leaderboard.sandbox.problems import storable
from leaderboard.submissions import packing
from leaderboard.tasks.manifest import as_one_file
from leaderboard.tasks.trial import unit_of, units_of
from scoring.engine import Job
from scoring.errors import ScoringError
from scoring.source import Source

WORK = "leaderboard.organize.gold_trial:tried"


def unpacked(
    head: Mapping[str, Any], files: Sequence[bytes]
) -> tuple[Job, list[tuple[Source, Source]]]:
    """The job and the pairs of sources of `Packed`, with a `unit`."""
    scorer, options, pairs = packing.unpacked(head, files)
    return Job(scorer, options, head["unit"]), pairs


def as_problems(error: ScoringError) -> dict[str, Any]:
    return {"problems": [storable(one).as_dict() for one in error.problems]}


def tried(head: Mapping[str, Any], files: Sequence[bytes]) -> bytes:
    """A line of JSON, `problems` or `units`, `unit` and `name`; then the blind file.

    The one pair is blind file and gold, or the gold twice: then one is made of it.
    """
    try:
        job, ((first, gold),) = unpacked(head, files)
        blind = first if head["own"] else as_one_file(_made(job, gold))
        unit = unit_of(job, gold)
        units = units_of(replace(job, unit=unit), gold, blind)
    except ScoringError as error:
        return json.dumps(as_problems(error)).encode() + b"\n"
    line = json.dumps({"units": units, "unit": unit, "name": blind.name}).encode()
    return line + b"\n" + blind.single()


def _made(job: Job, gold: Source) -> Source:
    # Read first: what is wrong with the gold is said better there.
    job.scorer.read_gold(gold, job.options)
    return job.scorer.blind(gold, job.options)
