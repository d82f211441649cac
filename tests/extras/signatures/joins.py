"""Signatures and records in tests of the whole site."""

from leaderboard.extras.signatures.verified import BRINGING
from leaderboard.tasks.policy import Power
from tests.organize.matrix_access import PUBLIC, TASK, TEAM, Rule, powers, speaks
from tests.organize.routes import form, read

BRINGS = Rule(
    BRINGING,
    lambda role, to: speaks(role, to) or Power.EDIT in powers(role, to.slug),
)
RULES = (BRINGS,)
ROUTES = {
    "published-keys": read(PUBLIC),
    "record-head": read(TASK),
    "record-entries": read(TASK),
    "record-proof": read(TASK, query="?first=0"),
    "submission-receipts": read(TEAM),
    "verified-elsewhere": form(
        BRINGS, {}, idle="a zip of another site has to be there"
    ),
    "signed-snapshot": read(TASK, named={"start": "start"}),
}
