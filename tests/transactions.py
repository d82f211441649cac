"""Transactions of the tests themselves, which Django takes for those of a test case."""

from django.db import transaction
from django.db.transaction import Atomic


def undone() -> Atomic:
    """A transaction around what a test does, for whoever rolls it back."""
    block = transaction.atomic()
    block._from_testcase = True
    return block
