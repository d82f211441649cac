"""Shared tasks: their phases, test sets, revisions of the gold, and people."""

from leaderboard.tasks.models.changes import AuditedQuerySet, Change
from leaderboard.tasks.models.people import (
    Invitation,
    Merger,
    Organizer,
    Participant,
    Participation,
)
from leaderboard.tasks.models.phases import Phase
from leaderboard.tasks.models.records import (
    Delivery,
    Message,
    Notice,
    OutboxRow,
    Snapshot,
)
from leaderboard.tasks.models.task import (
    GoldFile,
    GoldRevision,
    Task,
    TestSet,
    raw_options,
)

__all__ = [
    "AuditedQuerySet",
    "Change",
    "Delivery",
    "GoldFile",
    "GoldRevision",
    "Invitation",
    "Merger",
    "Message",
    "Notice",
    "Organizer",
    "OutboxRow",
    "Participant",
    "Participation",
    "Phase",
    "Snapshot",
    "Task",
    "TestSet",
    "raw_options",
]
