"""Safety checks of a public site, before a process serves or scores anything."""

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connections


def require_safe() -> None:
    """Raises ImproperlyConfigured with every error that `check --deploy` would name.

    On one machine, where only that machine is served, nothing is asked.
    """
    if settings.LOCAL:
        return
    found = run_checks(include_deployment_checks=True)
    connections.close_all()
    errors = [one for one in found if one.level >= ERROR and not one.is_silenced()]
    if errors:
        said = "\n".join(f"{one.msg} {one.hint or ''} ({one.id})" for one in errors)
        raise ImproperlyConfigured(f"This site does not start:\n{said}")
