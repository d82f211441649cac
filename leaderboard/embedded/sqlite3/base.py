"""SQLite that takes no larger numbers than other databases do.

It would store any number in any column, and a site that moves to PostgreSQL would lose
its rows. Django asks here how large one may be, for forms, bundles and queries alike.
"""

from django.db.backends.sqlite3 import base, operations


class DatabaseOperations(operations.DatabaseOperations):
    def integer_field_range(self, internal_type: str) -> tuple[int, int]:
        return self.integer_field_ranges[internal_type]


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
