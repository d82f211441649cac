"""Pages of judgements in tests of the whole site."""

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
# What a scope opens, by route and method.
WRITES = {
    ("api-judgements", "GET"): "organize",
    ("api-judgements", "POST"): "organize",
    ("api-judgement-files", "GET"): "organize",
}
