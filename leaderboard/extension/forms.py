"""Pages with a form, and what refuses what was sent."""

from leaderboard.organize.forms import FormPage, LockedPage, refusals_told
from leaderboard.organize.people import REASON_LENGTH
from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import form_page

__all__ = [
    "REASON_LENGTH",
    "FormPage",
    "LockedPage",
    "Refusal",
    "form_page",
    "refusals_told",
]
