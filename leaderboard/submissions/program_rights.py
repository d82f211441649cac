"""Rights to programs of organizers and code of teams, which the operator gives: to the
site, and to people; and the limits of their runs."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from django.conf import settings

from leaderboard.sandbox import client
from leaderboard.sandbox.jobs.programs import request_of
from leaderboard.sandbox.program_environment import python
from leaderboard.tasks.models import Organizer, Task
from scoring.sandbox import scoring_program, team_code
from scoring.sandbox.codec import Values
from scoring.sandbox.fork import JobFailed, Limits, Supervision
from scoring.sandbox.program import EVERYONE, GRANTED, SandboxIncomplete
from scoring.sandbox.scoring_program import (
    FinishedRun,
    ProgramLimits,
    RunPlace,
)
from scoring.sandbox.team_code import FinishedCode
from scoring.source import Source

PERMISSION = "tasks.run_programs"
SPARE_SECONDS = 300.0  # for reading the zips, beside the run's own limit


def may_run_programs(whose: Any) -> bool:
    """Whether a task of this person, or this task, may have programs run: whether
    somebody who may change it still may."""
    if settings.PROGRAMS == EVERYONE:
        return True
    if not isinstance(whose, Task):
        return settings.PROGRAMS == GRANTED and whose.has_perm(PERMISSION)
    roles = (Organizer.Role.OWNER, Organizer.Role.EDITOR)
    organizers = Organizer.objects.filter(task=whose, role__in=roles)
    people = organizers.select_related("user")
    return any(may_run_programs(person.user) for person in people)


def run_limits(seconds: float | None = None) -> ProgramLimits:
    """The limits of one run, which may have no more `seconds` than these."""
    limits = ProgramLimits(
        cpu_seconds=settings.PROGRAM_CPU_SECONDS,
        wall_seconds=settings.PROGRAM_WALL_SECONDS,
        memory_bytes=settings.PROGRAM_MEMORY_MB << 20,
        folder_bytes=settings.PROGRAM_DISK_MB << 20,
        most_files=settings.PROGRAM_FILES,
        output_bytes=settings.PROGRAM_OUTPUT_BYTES,
    )
    if seconds is None:
        return limits
    return replace(
        limits,
        wall_seconds=min(limits.wall_seconds, seconds),
        cpu_seconds=min(limits.cpu_seconds, ceil(seconds)),
    )


def code_place() -> RunPlace:
    """The place where code of teams runs: the runner of the operator, if any."""
    return replace(run_place(), runner=settings.CODE_RUNNER)


def run_place() -> RunPlace:
    """The interpreter of runs, and where they lie."""
    return RunPlace(python(), str(settings.DATA / "programs"))


def run_program(
    sources: tuple[Source, Source, Source],
    name: str,
    watch: Supervision | None,
    publishes: bool,
    folder: str,
) -> FinishedRun:
    """A run of a scoring program as `scoring_program.run` says, by a worker."""
    limits, place = run_limits(), run_place()
    return scoring_program.run(sources, name, limits, place, watch, publishes, folder)


def run_code(
    sent: Source,
    given: Source,
    limits: ProgramLimits,
    watch: Supervision | None,
    ingestion: Source | None,
    folder: str,
) -> FinishedCode:
    """A run of a team's code as `team_code.run` says, by a worker. Raises JobFailed
    where the fault is ours."""
    place = code_place()
    try:
        return team_code.run(sent, given, limits, place, watch, ingestion, folder)
    except SandboxIncomplete as lack:
        raise JobFailed(str(lack)) from None


def run_trial(
    job: str, sources: Sequence[Source], folder: str = "", name: str = ""
) -> tuple[Values, list[bytes]]:
    """A run of a program ("programs.run_program") or of code
    ("programs.run_code") that somebody waits for, done
    by a sandbox server: what it answers. Raises JobFailed and QueueFull."""
    limits = run_limits(settings.CHECK_WALL_SECONDS)
    place = code_place() if job == "programs.run_code" else run_place()
    request = request_of(sources, limits, place, folder, name)
    waits = Limits(60, limits.wall_seconds + SPARE_SECONDS, 1 << 30)
    return client.run(job, request, waits)
