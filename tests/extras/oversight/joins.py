"""Oversight of submissions in tests of the whole site."""

from tests.organize.matrix_access import PEOPLE, SEE
from tests.organize.routes import button, read

REASON = {"act": "disqualify", "reason": "Gold.", "sure": "1"}
ROUTES = {
    "organize-submissions": read(SEE),
    "organize-submission-acts": button(PEOPLE, {**REASON, "row": "{member}"}),
    "organize-decisions": read(PEOPLE),
    "organize-team-acts": button(PEOPLE, {**REASON, "row": "{team}"}),
    "organize-failures": read(SEE),
}
