"""The look at a task's scoring program before it runs, done in the sandbox."""

import hashlib
from collections.abc import Sequence

from django.core.cache import cache
from django.utils.translation import gettext as _

from leaderboard.extension import sandbox
from leaderboard.extension.bundles import TaskPlan
from leaderboard.extension.programs import Inventory, inventory
from leaderboard.extension.sandbox import QueueFull
from leaderboard.extras.programs.remarks import ProgramRemark
from scoring.errors import Refused
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import JobFailed
from scoring.scorers.program import PROGRAM
from scoring.scorers.program.look import FATAL
from scoring.source import Source
from scoring.version import RELEASE

CACHED_SECONDS = 7 * 24 * 3600
MOST_IN_A_SENTENCE = 3


def look_at(program: Source) -> list[ProgramRemark] | None:
    """Remarks on a program as it would run now; None where nobody could look."""
    packages = inventory()
    key = _key(program, packages)
    rows = cache.get(key)
    if rows is None:
        values = {"modules": sorted(packages.modules), "version": packages.version}
        request = Request({**values, "name": program.name}, [program.single()])
        try:
            answer, _files = sandbox.run("programs.look_at_program", request)
        except (JobFailed, QueueFull, Refused):
            return None  # nothing waits for this: what stops a run is told then
        rows = answer["rows"]
        cache.set(key, rows, CACHED_SECONDS)
    return ProgramRemark.of_rows(rows)


def _key(program: Source, packages: Inventory) -> str:
    about = repr((program.sha256, packages.version, sorted(packages.modules), RELEASE))
    return f"program-look:{hashlib.sha256(about.encode()).hexdigest()}"


def fatal(remarks: Sequence[ProgramRemark]) -> list[ProgramRemark]:
    """The findings that keep the program from running."""
    return [remark for remark in remarks if remark.code in FATAL]


def program_of_plan(plan: TaskPlan) -> Source | None:
    """The program of a task that has one."""
    if not plan.scoring.scorer.runs_program:
        return None
    given = next(iter(plan.scoring.options.get(PROGRAM, ())), None)
    return given if isinstance(given, Source) else None


def warning_of(plan: TaskPlan) -> str:
    """One sentence if the plan's program cannot run as it is; else empty."""
    program = program_of_plan(plan)
    wrong = fatal((program and look_at(program)) or [])
    if not wrong:
        return ""
    some = " ".join(map(str, wrong[:MOST_IN_A_SENTENCE]))
    sentence = _("The scoring program cannot run here as it is. {problems}")
    return sentence.format(problems=some)
