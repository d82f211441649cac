"""The time at which a signed-in reader was here before, as far as their session
knows."""

from datetime import datetime, timedelta

from django.http import HttpRequest

KEY = "visit"
APART = timedelta(minutes=30)  # what comes sooner is still the same visit
NOTED = timedelta(minutes=5)  # how often the end of a visit is written down


def last_visit(request: HttpRequest, moment: datetime) -> datetime | None:
    """The end of the visit before this one; None for whoever was not here in this
    session, and for anonymous readers."""
    if not request.user.is_authenticated:
        return None
    moments = request.session.get(KEY, {})
    seen, before = _moment(moments.get("seen")), _moment(moments.get("before"))
    since = None if seen is None else moment - seen
    if since is None or since > APART:
        before = seen
    if since is None or since > NOTED:
        request.session[KEY] = {
            "seen": moment.isoformat(),
            "before": before and before.isoformat(),
        }
    return before


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
