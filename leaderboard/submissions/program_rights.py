"""Rights to programs of organizers and code of teams, which the operator gives: to the
site, and to people; and the limits of their runs."""

from dataclasses import replace
from typing import Any

from django.conf import settings

from leaderboard.sandbox.program_environment import python
from leaderboard.tasks.models import Organizer, Task
from scoring.sandbox.program import EVERYONE, GRANTED
from scoring.sandbox.scoring_program import ProgramLimits, RunPlace

PERMISSION = "tasks.run_programs"


def may_run_programs(user: Any) -> bool:
    """Whether a task of this person may have programs run."""
    if settings.PROGRAMS == EVERYONE:
        return True
    return settings.PROGRAMS == GRANTED and user.has_perm(PERMISSION)


def may_have_program(task: Task) -> bool:
    """Whether somebody who may change the task may still have programs run."""
    if settings.PROGRAMS == EVERYONE:
        return True
    roles = (Organizer.Role.OWNER, Organizer.Role.EDITOR)
    organizers = Organizer.objects.filter(task=task, role__in=roles)
    people = organizers.select_related("user")
    return any(may_run_programs(person.user) for person in people)


def run_limits() -> ProgramLimits:
    """The limits of one run."""
    return ProgramLimits(
        cpu_seconds=settings.PROGRAM_CPU_SECONDS,
        wall_seconds=settings.PROGRAM_WALL_SECONDS,
        memory_bytes=settings.PROGRAM_MEMORY_MB << 20,
        folder_bytes=settings.PROGRAM_DISK_MB << 20,
        most_files=settings.PROGRAM_FILES,
        output_bytes=settings.PROGRAM_OUTPUT_BYTES,
    )


def trial_limits() -> ProgramLimits:
    """The limits of a run that somebody waits for."""
    usual = run_limits()
    return replace(
        usual,
        cpu_seconds=min(usual.cpu_seconds, settings.CHECK_WALL_SECONDS),
        wall_seconds=min(usual.wall_seconds, settings.CHECK_WALL_SECONDS),
    )


def code_place() -> RunPlace:
    """Where code of teams runs: by the runner that the operator declared, if any."""
    return replace(run_place(), runner=settings.CODE_RUNNER)


def run_place() -> RunPlace:
    """The interpreter of runs, and where they lie."""
    return RunPlace(python(), str(settings.DATA / "programs"))
