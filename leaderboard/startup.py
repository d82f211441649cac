"""Checks that must hold before a process serves or scores anything."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from django.apps import apps
from django.conf import settings
from django.core.checks import ERROR, Tags, run_checks
from django.core.checks.registry import registry
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, connections
from django.db.migrations.recorder import MigrationRecorder

SHOWN = 5  # migrations that are named
DEPLOYMENT = "deployment"  # tag of checks that no process makes when it starts


def require_safe(pages: bool = True) -> None:
    """Raises ImproperlyConfigured with the errors that `check --deploy` would name.

    Of a site on one machine, where only that machine is served, tables alone are asked
    for. What only an operator's own check asks is left out (other services, and example
    values), and addresses where the process serves no pages.
    """
    if newer := newer_tables():
        connections.close_all()
        raise ImproperlyConfigured(newer)
    if settings.LOCAL:
        return
    tags = registry.tags_available(deployment_checks=True) - {DEPLOYMENT}
    tags -= set() if pages else {Tags.urls}
    messages = run_checks(tags=sorted(tags), include_deployment_checks=True)
    connections.close_all()
    errors = [
        message
        for message in messages
        if message.level >= ERROR and not message.is_silenced()
    ]
    if errors:
        sentences = "\n".join(
            f"{message.msg} {message.hint or ''} ({message.id})" for message in errors
        )
        raise ImproperlyConfigured(f"This site does not start:\n{sentences}")


def newer_tables() -> str:
    """A sentence where a newer version has changed the tables; else an empty one.

    A database that does not answer, or has no tables, is told of by others.
    """
    migrations = {
        app.label: migrations_of(f"{app.name}.migrations")
        for app in apps.get_app_configs()
        if app.name.startswith(f"{__package__}.")
    }
    try:
        # Names alone: to load every migration would cost each start a second.
        applied = MigrationRecorder(connection).applied_migrations()
    except DatabaseError:
        return ""
    unknown = sorted(
        f"{app}.{name}"
        for app, name in applied
        if app in migrations and name not in migrations[app]
    )
    if not unknown:
        return ""
    names = ", ".join(unknown[:SHOWN]) + ", ..." * (len(unknown) > SHOWN)
    return (
        f"The tables of this database were changed by a newer version of Plumbline "
        f"({names}), which this version does not know: install the newer version "
        "again, or restore the backup that was made before the upgrade."
    )


def migrations_of(package: str) -> set[str]:
    """Names of the migrations that the code has."""
    if find_spec(package) is None:
        return set()
    return {module.name for module in iter_modules(import_module(package).__path__)}
