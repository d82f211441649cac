"""Signatures and records in tests of the whole site."""

from tests.organize.matrix_access import PUBLIC, TASK, TEAM
from tests.organize.routes import read

ROUTES = {
    "published-keys": read(PUBLIC),
    "record-head": read(TASK),
    "record-entries": read(TASK),
    "record-proof": read(TASK, query="?first=0"),
    "submission-receipts": read(TEAM),
    "signed-snapshot": read(TASK, named={"start": "start"}),
}
