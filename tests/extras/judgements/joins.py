"""Pages of judgements in tests of the whole site."""

from leaderboard.extras.judgements import models
from tests.organize.matrix_access import EDIT
from tests.organize.routes import Route, form, read

NONE = "the task takes no judgements"
TABLE = {"table": b"id"}
ROUTES = {
    "organize-judgements": read(EDIT),
    "organize-judgements-phase": form(EDIT, post=TABLE, idle=NONE),
    "organize-judgements-files": read(EDIT),
    "organize-judgements-sample": read(EDIT),
    "api-judgements": Route(EDIT.signed_in, TABLE, get=404, idle=NONE),
    "api-judgement-files": read(EDIT.signed_in),
}
# App and models of which history is kept.
WATCHED = ("submissions", models.WATCHED)
# What a scope opens, by route and method.
WRITES = {
    ("api-judgements", "GET"): "organize",
    ("api-judgements", "POST"): "organize",
    ("api-judgement-files", "GET"): "organize",
}
