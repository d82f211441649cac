"""Every cell of the database, to look for what must not be kept."""

import json
from collections.abc import Iterator
from typing import Any

from django.db import connection


def dump() -> Iterator[tuple[str, str]]:
    """Every cell of every table as the database gives it, with the column's name."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description or ()]
            for row in cursor.fetchall():
                for name, value in zip(names, row, strict=True):
                    yield f"{table}.{name}", written(value)


def written(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def cells_with(*words: str) -> set[str]:
    return {
        column
        for column, text in dump()
        if any(word.casefold() in text.casefold() for word in words)
    }
