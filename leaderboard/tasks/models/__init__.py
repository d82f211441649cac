"""Shared tasks: their phases, test sets, revisions of the gold, and people."""

from leaderboard.tasks.models.changes import AuditedQuerySet, Change
from leaderboard.tasks.models.people import (
    Extension,
    Invitation,
    Merger,
    Organizer,
    Participant,
    Participation,
)
from leaderboard.tasks.models.plugins import PluginScorer
from leaderboard.tasks.models.records import (
    Delivery,
    ImportReport,
    Message,
    Notice,
    OutboxRow,
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
    raw_options,
)

__all__ = [
    "Answer",
    "AnyQuestion",
    "AuditedQuerySet",
    "Change",
    "Delivery",
    "Extension",
    "Fact",
    "GoldFile",
    "GoldRevision",
    "ImportReport",
    "Invitation",
    "Merger",
    "Message",
    "NamedBoard",
    "Notice",
    "OrderedPart",
    "Organizer",
    "OutboxRow",
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
    "raw_options",
]
