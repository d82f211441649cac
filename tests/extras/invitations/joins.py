"""Invitations by list in tests of the whole site."""

from tests.organize.matrix_access import PEOPLE
from tests.organize.routes import button, form

ROUTES = {
    "organize-invitations": form(PEOPLE, post={"addresses": "guest@example.org"}),
    "organize-invitations-change": button(
        PEOPLE, {"act": "withdraw"}, idle="nothing is taken back but what is ticked"
    ),
}
