"""Rows of the site. Every field is read; a row is changed by the functions that the
other modules give, so that quotas, history and boards follow.

An extra's own models refer to these by name ("tasks.Task").
"""

# An extra reads tasks, what was sent to them, and who takes part.
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks.models import (
    Answer,
    AnyQuestion,
    GoldFile,
    NamedBoard,
    Organizer,
    Participant,
    Participation,
    Phase,
    Snapshot,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.teams.models import Membership, Team, User

# What people wrote or were told is listed and erased by extras.
from leaderboard.mail.models import Mail
from leaderboard.submissions.models import SystemDescription, TeamNote
from leaderboard.tasks.models import Message, Notice

# Extras show, copy and put back what the site recorded.
from leaderboard.submissions.models import Event, QuotaCounter, QuotaKind, StoredCounts
from leaderboard.tasks.models import Change

# Rows and tokens of an extra are named, ordered and audited as the site's.
from leaderboard.api.models import Scope
from leaderboard.tasks.models import AuditedQuerySet, OrderedPart
from leaderboard.teams.models import check_display_name, name_key
