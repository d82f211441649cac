"""Rows of the site that are of one person alone, of the core and of every extra.

They go with the account, and stand in the copy that a person may have of their data.
"""

from leaderboard.web.extras import PersonalRows, of_every_extra

CORE = (
    PersonalRows("addresses", "account.EmailAddress", ("email", "verified", "primary")),
    PersonalRows(
        "identities",
        "socialaccount.SocialAccount",
        ("provider", "uid", "date_joined"),
    ),
    PersonalRows("second_factors", "mfa.Authenticator", ("type", "created_at")),
    PersonalRows(
        "tokens", "api.Token", ("name", "start", "scopes", "created_at", "used_at")
    ),
    # Copies of answers of the API, whose contents are in the copy by themselves.
    PersonalRows("answers", "api.KeptAnswer", ()),
    PersonalRows(
        "creation_requests",
        "teams.CreationRequest",
        ("about", "at", "answer", "reason", "answered_at"),
    ),
    PersonalRows("organizes", "tasks.Organizer", ("task__slug", "role")),
    PersonalRows("follows", "tasks.Follower", ("task__slug", "at")),
    PersonalRows("team_invitations", "teams.TeamInvitation", (), user="by"),
    PersonalRows("invitations", "tasks.Invitation", (), user="", address="email"),
    # In the copy by itself, with subjects.
    PersonalRows("mail", "mail.Mail", (), address="address"),
)


def personal_rows() -> list[PersonalRows]:
    """Rows of one person; of extras also those left out, whose
    tables are there all the same. Without fields they are in no copy."""
    return [*CORE, *of_every_extra(PersonalRows)]
