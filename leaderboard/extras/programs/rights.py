"""Rights to bring a scoring program, which the operator gives."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.bundles import TaskPlan
from leaderboard.extension.models import User
from leaderboard.extension.programs import may_run_programs
from scoring.errors import Problem, SetupError
from scoring.scorers.program import PROGRAM

NOT_ALLOWED = gettext_lazy(
    "This site runs no scoring program for this task: ask its operator, who allows "
    "them for the site and for each organizer."
)


def require_right(user: User, before: TaskPlan, after: TaskPlan) -> None:
    """Raises SetupError for another program by somebody who may have none run.

    A draft with a program harms nobody: it does not run without somebody's right.
    """
    new = after.scoring.options.get(PROGRAM)
    changes = new is not None and new != before.scoring.options.get(PROGRAM)
    if changes and not may_run_programs(user):
        hint = _("Or take another scorer.")
        raise SetupError(Problem("program_rights", str(NOT_ALLOWED), hint=hint))
