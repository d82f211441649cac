"""Pages with a form, and what refuses what was sent."""

# Pages with a form look, lock and refuse as those of the site.
from leaderboard.organize.fields import MeasuresField
from leaderboard.organize.forms import FormPage, LockedPage, ShowsValues, refusals_in
from leaderboard.organize.parts import PartForm, PartsPage
from leaderboard.organize.scorer import MeasuresForm
from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import (
    form_page,  # A decorator of views: GET, HEAD and POST.
    form_response,
)
