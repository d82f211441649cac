"""Rows of the site. Every field is read; a row is changed by the functions that the
other modules give, so that quotas, history and boards follow.

An extra's own models refer to these by name ("tasks.Task").
"""

from leaderboard.api.models import Scope
from leaderboard.mail.models import Mail
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Event,
    QuotaCounter,
    QuotaKind,
    StoredCounts,
    Submission,
    SubmittedFile,
    SystemDescription,
    TeamNote,
)
from leaderboard.tasks.models import (
    Answer,
    AnyQuestion,
    AuditedQuerySet,
    Change,
    GoldFile,
    Message,
    NamedBoard,
    Notice,
    OrderedPart,
    Organizer,
    Participant,
    Participation,
    Phase,
    Snapshot,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.teams.models import (
    Membership,
    Team,
    User,
    check_display_name,
    name_key,
)

# An extra reads tasks, what was sent to them, and who takes part.
__all__ = [
    "Answer",
    "AnyQuestion",
    "Evaluation",
    "EvaluationState",
    "GoldFile",
    "Membership",
    "NamedBoard",
    "Organizer",
    "Participant",
    "Participation",
    "Phase",
    "Snapshot",
    "Submission",
    "SubmittedFile",
    "Task",
    "Team",
    "TestSet",
    "User",
    "raw_options",
]
# What people wrote or were told is listed and erased by extras.
__all__ += ["Mail", "Message", "Notice", "SystemDescription", "TeamNote"]
# Extras show, copy and put back what the site recorded.
__all__ += ["Change", "Event", "QuotaCounter", "QuotaKind", "StoredCounts"]
# Rows and tokens of an extra are named, ordered and audited as the site's.
__all__ += [
    "AuditedQuerySet",
    "OrderedPart",
    "Scope",
    "check_display_name",
    "name_key",
]
