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

__all__ = [
    "Answer",
    "AnyQuestion",
    "AuditedQuerySet",
    "Change",
    "Evaluation",
    "EvaluationState",
    "Event",
    "GoldFile",
    "Mail",
    "Membership",
    "Message",
    "NamedBoard",
    "Notice",
    "OrderedPart",
    "Organizer",
    "Participant",
    "Participation",
    "Phase",
    "QuotaCounter",
    "QuotaKind",
    "Scope",
    "Snapshot",
    "StoredCounts",
    "Submission",
    "SubmittedFile",
    "SystemDescription",
    "Task",
    "Team",
    "TeamNote",
    "TestSet",
    "User",
    "check_display_name",
    "name_key",
    "raw_options",
]
