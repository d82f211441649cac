"""Pages with a form, and what refuses what was sent."""

from leaderboard.organize.fields import MeasuresField
from leaderboard.organize.forms import FormPage, LockedPage, ShowsValues, refusals_in
from leaderboard.organize.parts import PartForm, PartsPage
from leaderboard.organize.scorer import MeasuresForm
from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import UploadField, form_page, form_response

# Pages with a form look, lock and refuse as those of the site.
__all__ = [
    "FormPage",
    "LockedPage",
    "MeasuresField",
    "MeasuresForm",
    "PartForm",
    "PartsPage",
    "Refusal",
    "ShowsValues",
    "UploadField",
    "form_page",  # A decorator of views: GET, HEAD and POST.
    "form_response",
    "refusals_in",
]
