"""Shared tasks: their phases, test sets, revisions of the gold, and people."""

from leaderboard.tasks.models.changes import AuditedQuerySet, Change
from leaderboard.tasks.models.people import (
    Extension,
    Follower,
    Invitation,
    Organizer,
    Participant,
    Participation,
)
from leaderboard.tasks.models.plugins import PluginScorer
from leaderboard.tasks.models.records import (
    Message,
    Notice,
    Snapshot,
)
from leaderboard.tasks.models.task import (
    Answer,
    AnyQuestion,
    Fact,
    GoldFile,
    GoldRevision,
    NamedBoard,
    OrderedPart,
    Phase,
    Question,
    RegistrationQuestion,
    Task,
    TestSet,
    answers_to,
    note_own_rows,
    raw_options,
)

__all__ = [
    "Answer",
    "AnyQuestion",
    "AuditedQuerySet",
    "Change",
    "Extension",
    "Fact",
    "Follower",
    "GoldFile",
    "GoldRevision",
    "Invitation",
    "Message",
    "NamedBoard",
    "Notice",
    "OrderedPart",
    "Organizer",
    "Participant",
    "Participation",
    "Phase",
    "PluginScorer",
    "Question",
    "RegistrationQuestion",
    "Snapshot",
    "Task",
    "TestSet",
    "answers_to",
    "note_own_rows",
    "raw_options",
]
