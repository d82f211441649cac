"""Sessions in the database, read by a statement whose SQL is made once."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.contrib.sessions.backends import db
from django.db.models import CharField, DateTimeField, QuerySet
from django.utils import timezone

from leaderboard.web.statements import statement

if TYPE_CHECKING:
    from django.contrib.sessions.base_session import AbstractBaseSession


@statement(key=CharField(), moment=DateTimeField())
def _sessions(key: str, moment: datetime) -> "QuerySet[AbstractBaseSession]":
    rows = SessionStore.get_model_class().objects.all()
    return rows.filter(session_key=key, expire_date__gt=moment)


class SessionStore(db.SessionStore):
    """Django's own, which puts the SQL together for each request. Its name is part of
    what sessions are signed with."""

    def _get_session_from_db(self) -> "AbstractBaseSession | None":
        rows = _sessions(key=self.session_key, moment=timezone.now())
        if not rows:
            self._session_key = None
        return next(iter(rows), None)
