"""What is known of a person, for the person: plain values that become JSON.

Scores are not among them: what may be seen of those is on their pages, and depends on
the rules of the phase.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator

from leaderboard.api.models import Token, Webhook
from leaderboard.submissions.models import Submission, SystemDescription
from leaderboard.tasks.models import Change, Delivery, Organizer, Participant
from leaderboard.teams.models import Membership, User

ACCOUNT = (
    "email",
    "name",
    "date_joined",
    "last_login",
    "language",
    "wants_letters",
    "wants_results",
    "is_staff",
)
SENT = (
    "id",
    "phase__task__slug",
    "phase__name",
    "participation__team__name",
    "system",
    "description",
    "facts",
    "received_at",
    "accepted_at",
    "withdrawn_at",
    "late",
    "picked",
    "team_note__text",
    "team_note__tags",
)
FILE = ("test_set__name", "run", "name", "sha256", "size")


def portrait(user: User) -> dict[str, Any]:
    """All rows about the person, each with its fields by name."""
    return {
        "account": {name: getattr(user, name) for name in ACCOUNT},
        "addresses": _rows(EmailAddress, user, "email", "verified", "primary"),
        "second_factors": _rows(Authenticator, user, "type", "created_at"),
        "tokens": _rows(
            Token, user, "name", "start", "scopes", "created_at", "used_at"
        ),
        "webhooks": _rows(Webhook, user, "url", "events", "created_at"),
        "teams": _rows(Membership, user, "team__name", "role", "joined_at"),
        "takes_part": _rows(
            Participant, user, "task__slug", "participation__team__name", "left_at"
        ),
        "organizes": _rows(Organizer, user, "task__slug", "role"),
        "submissions": list(_submissions(user)),
        "descriptions": list(
            SystemDescription.objects.filter(by=user).values(
                "submission", "title", "link", "text", "file_name", "sha256", "at"
            )
        ),
        "letters": _rows(
            Delivery, user, "letter__subject", "letter__at", "sent_at", "error"
        ),
        "changes": list(
            Change.objects.filter(actor=user).values(
                "timestamp", "object_repr", "action", "changes", "remote_addr", "way"
            )
        ),
    }


def _rows(model: Any, user: User, *fields: str) -> list[dict[str, Any]]:
    return list(model._base_manager.filter(user=user).order_by("pk").values(*fields))


def _submissions(user: User) -> Any:
    sent = Submission.objects.filter(sender=user).order_by("received_at")
    rows = {row["id"]: {**row, "files": []} for row in sent.values(*SENT)}
    files = Submission.objects.filter(sender=user, files__isnull=False)
    names = {f"files__{name}": name for name in FILE}
    for row in files.values("id", *names):
        rows[row.pop("id")]["files"].append({names[k]: v for k, v in row.items()})
    return rows.values()
