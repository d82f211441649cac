"""SQLite that takes no larger numbers than other databases do.

It would store any number in any column, and a site that moves to PostgreSQL would lose
its rows. Django asks here how large one may be, for forms, bundles and queries alike.
"""

from typing import Any

from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.sqlite3 import base, operations


class DatabaseOperations(operations.DatabaseOperations):
    integer_field_range: Any = BaseDatabaseOperations.integer_field_range


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
