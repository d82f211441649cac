"""Times and UUIDs of thousands of rows, read without what is asked of a single one."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import ExpressionWrapper, F, Field, Func


class PlainTime(Field):
    """A time for reading alone. SQLite keeps all in UTC and does not say so; Django
    asks of each whether it does, which takes longer than to sort them."""

    def from_db_value(self, value: datetime | None, *_: object) -> datetime | None:
        aware = value is None or value.tzinfo is not None
        return value if aware else value.replace(tzinfo=UTC)


class PlainUUID(Field):
    """A UUID for reading alone, parsed once where the database keeps it as text."""

    def get_db_converters(self, connection: Any) -> list[Any]:
        if connection.features.has_native_uuid_field:
            return []
        return super().get_db_converters(connection)

    def from_db_value(self, value: UUID | str, *_: object) -> UUID:
        return _parsed(value) if isinstance(value, str) else value


_parsed = lru_cache(1 << 14)(UUID)


class InUTC(Func):
    """A time as the database keeps it. PostgreSQL's driver reads one with a zone in
    Python, piece by piece, and one without in C."""

    template = "%(expressions)s"
    output_field = PlainTime()

    def as_postgresql(self, *asked: Any, **more: Any) -> Any:
        return self.as_sql(*asked, template=f"{self.template} AT TIME ZONE 'UTC'")


def plain_time(column: str) -> InUTC:
    return InUTC(F(column))


def plain_uuid(column: str) -> ExpressionWrapper:
    return ExpressionWrapper(F(column), PlainUUID())
