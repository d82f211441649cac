"""Rights to scoring programs, which the operator gives: to the site, and to people."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.bundles import TaskPlan
from leaderboard.extension.models import Organizer, Task, User
from leaderboard.extension.programs import EVERYONE, GRANTED
from scoring.errors import Problem, SetupError
from scoring.scorers.program import PROGRAM

PERMISSION = "tasks.run_programs"
NOT_ALLOWED = gettext_lazy(
    "This site runs no scoring program for this task: ask its operator, who allows "
    "them for the site and for each organizer."
)


def may_run_programs(user: Any) -> bool:
    """Whether a task of this person may have a scoring program."""
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


def require_right(user: User, before: TaskPlan, after: TaskPlan) -> None:
    """Raises SetupError for another program by somebody who may have none run.

    A draft with a program harms nobody: it does not run without somebody's right.
    """
    new = after.scoring.options.get(PROGRAM)
    changes = new is not None and new != before.scoring.options.get(PROGRAM)
    if changes and not may_run_programs(user):
        hint = _("Or take another scorer.")
        raise SetupError(Problem("program_rights", str(NOT_ALLOWED), hint=hint))
