"""Django's name for what operators run and look at, and the checks of this machine."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register
from django.db import connections
from django.db.models.signals import pre_migrate

from scoring.sandbox import kernel, program
from scoring.sandbox.program import EVERYONE, GRANTED
from scoring.scorers import plugins

HINTS = {
    "seccomp": "Use Linux on x86_64 or aarch64, with seccomp; in a container, let its "
    "profile permit prctl.",
    "landlock": "Use Linux 5.13 or later with landlock among the names in "
    "/sys/kernel/security/lsm (boot parameter lsm=); in a container, let its profile "
    "permit the three calls that begin with landlock_.",
}
IDS = {"seccomp": "plumbline.W001", "landlock": "plumbline.W002"}


@register(Tags.security, deploy=True)
def sandbox(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """One warning for each part of the sandbox that this kernel lacks."""
    return [
        Warning(
            f"This kernel has no {part}: if a file took over one of the processes that "
            f"read uploads, {consequence}.",
            hint=HINTS[part],
            id=IDS[part],
        )
        for part, consequence in kernel.missing().items()
    ]


@register(Tags.security, deploy=True)
def sandbox_inline(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """An error where uploads are read without any sandbox, as tests do it."""
    if not settings.SANDBOX_INLINE:
        return []
    message = "SANDBOX_INLINE is set: strangers' files are read without the sandbox."
    return [Error(message, hint="Leave it out of the settings.", id="plumbline.E002")]


@register(Tags.security, deploy=True)
def scoring_programs(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A note on whose programs this site runs, or a warning where none can run."""
    allows = settings.PROGRAMS
    if allows in ("", "no", "off", "false", "0"):
        return []
    if allows not in (GRANTED, EVERYONE):
        message = f"PLUMBLINE_PROGRAMS is {allows!r}, so no scoring program runs."
        hint = f"Set it to {GRANTED!r} or {EVERYONE!r}, or leave it out."
        return [Warning(message, hint=hint, id="plumbline.W005")]
    if lost := program.lacks():
        message = f"No scoring program runs, for this kernel lacks {lost}."
        return [Warning(message, hint="Use Linux 6.2 or later.", id="plumbline.W004")]
    whose = {
        GRANTED: "organizers who were given the right in the admin site",
        EVERYONE: "every organizer, and anybody can organize a task",
    }[allows]
    message = f"Scoring programs run in the sandbox: those of {whose}."
    return [Info(message, id="plumbline.I002")]


@register("plugins", deploy=True)
def plug_ins(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Every plug-in by package; a warning for one that is left out, with the reason. It
    is no error, which would keep a site from starting for the sake of one scorer."""
    return [
        Warning(
            f"A plug-in is left out: {plugin}.",
            hint="Repair or remove the package. The site starts without its scorers.",
            id="plumbline.W003",
        )
        if plugin.fault
        else Info(f"Plug-in {plugin}.", id="plumbline.I001")
        for plugin in plugins()
    ]


class OperationsConfig(AppConfig):
    """An app for its commands, its checks, and records of backups and incidents."""

    name = "leaderboard.operations"
    label = "operations"

    def ready(self) -> None:
        # Registered here: they look at models.
        from leaderboard.operations import deployment_checks  # noqa: F401

        pre_migrate.connect(_take_time)


def _take_time(using: str, **_signal: Any) -> None:
    """The limit on queries is for pages and jobs: changing a large table takes longer.

    It is lifted for as long as the connection lasts, so also for what a restore looks
    at when its tables are those of this version.
    """
    connection = connections[using]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
