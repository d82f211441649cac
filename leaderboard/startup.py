"""Safety checks of a public site, before a process serves or scores anything."""

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.core.checks.registry import registry
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

DEPLOYMENT = "deployment"  # tag of checks that no process makes when it starts


def require_safe() -> None:
    """Raises ImproperlyConfigured with the errors that `check --deploy` would name.

    On one machine, where only that machine is served, nothing is asked. Nor is what
    only an operator's own check asks: other services, and example values.
    """
    if settings.LOCAL:
        return
    tags = registry.tags_available(deployment_checks=True) - {DEPLOYMENT}
    found = run_checks(tags=sorted(tags), include_deployment_checks=True)
    connections.close_all()
    errors = [one for one in found if one.level >= ERROR and not one.is_silenced()]
    if errors:
        said = "\n".join(f"{one.msg} {one.hint or ''} ({one.id})" for one in errors)
        raise ImproperlyConfigured(f"This site does not start:\n{said}")
