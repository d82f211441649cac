"""Checks of `check --deploy` that ask what the site depends on, and its settings.

Processes do not ask them when they start: a database that is away for a minute, or a
scorer that is missing, must not keep the rest of the site from starting.
"""

import json
import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Warning, register
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Q
from django.utils import timezone

from leaderboard.startup import DEPLOYMENT, newer_tables
from leaderboard.submissions.broker import broker
from leaderboard.tasks.models import Phase
from scoring.scorers import all_scorers

SECONDS = 5
# Nobody has these: they are for examples (RFC 2606, RFC 6761).
RESERVED = ("example.org", "example.com", "example.net", "example", "invalid")
EXAMPLE = Path(settings.BASE_DIR, "deploy", "env.example")
PASSWORD = "PASSWORD"  # as deploy/env.example writes it
# An address for documentation (RFC 5737), which no client has
NOBODY = "192.0.2.77"
SHOWN = 5


@register(DEPLOYMENT, deploy=True)
def placeholders(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """An error for each setting that still has the value of the example."""
    if settings.LOCAL:
        return []
    return [
        Error(
            f"{name} has a value that is only an example: {value}.",
            hint="Write your own into the settings (/etc/plumbline/env).",
            id="plumbline.E003",
        )
        for name, value in _placeholders()
    ]


@register(DEPLOYMENT, deploy=True)
def misspelt_settings(app_configs: object, **options: object) -> list[CheckMessage]:
    """A warning for each variable whose name is nearly that of a setting."""
    if not EXAMPLE.is_file():
        return []
    names = re.findall(r"^#?([A-Z0-9_]+)=", EXAMPLE.read_text("utf-8"), re.MULTILINE)
    near = {
        name: get_close_matches(re.sub(r"_OIDC_\d+_", "_OIDC_", name), names, 1, 0.9)
        for name in sorted(os.environ)
        if name.startswith("PLUMBLINE_")
    }
    return [
        Warning(
            f"{name} is no setting: nothing reads it.",
            hint=f"Did you mean {meant[0]}?",
            id="plumbline.W011",
        )
        for name, meant in near.items()
        if meant and meant[0] != re.sub(r"_OIDC_\d+_", "_OIDC_", name)
    ]


def _placeholders() -> Iterator[tuple[str, str]]:
    for host in settings.ALLOWED_HOSTS:
        if _is_reserved(host):
            yield "PLUMBLINE_HOSTS", host
    url = urlsplit(settings.SITE_URL).hostname or ""
    if _is_reserved(url) and url not in settings.ALLOWED_HOSTS:
        yield "PLUMBLINE_URL", url
    if _is_reserved(settings.EMAIL_HOST):
        yield "PLUMBLINE_SMTP_HOST", settings.EMAIL_HOST
    # Its default, which mail servers refuse
    reserved = ("localhost",) if settings.EMAIL_HOST else ()
    for name, addresses in (
        ("PLUMBLINE_MAIL_FROM", [settings.DEFAULT_FROM_EMAIL]),
        ("PLUMBLINE_OPERATORS", settings.OPERATORS),
    ):
        for address in addresses:
            host = address.rpartition("@")[2].rstrip("> ")
            if _is_reserved(host) or host in reserved:
                yield name, address
    if settings.DATABASES["default"].get("PASSWORD") == PASSWORD:
        yield "DATABASE_URL", f"the password {PASSWORD}"
    if urlsplit(settings.RABBIT_URL).password == PASSWORD:
        yield "RABBIT_URL", f"the password {PASSWORD}"


def _is_reserved(host: str) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in RESERVED)


@register(DEPLOYMENT, deploy=True)
def database(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A warning if the database does not answer, or may lose what it confirmed.

    An error if its tables are those of a newer version.
    """
    if newer := newer_tables():
        return [Error(newer, id="plumbline.E005")]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            if connection.vendor == "postgresql":
                cursor.execute("SHOW synchronous_commit")
                if cursor.fetchone()[0] == "off":
                    return [_unsafe_commit()]
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return [
            Warning(
                f"The database does not answer: {_line(error)}",
                hint="Start it, or correct DATABASE_URL.",
                id="plumbline.W006",
            )
        ]
    if not waiting:
        return []
    message = f"{len(waiting)} migrations of the database are still to be applied."
    return [Info(message, hint="Run the command migrate.", id="plumbline.I003")]


def _unsafe_commit() -> CheckMessage:
    return Warning(
        "synchronous_commit of PostgreSQL is off: a crash loses submissions that were "
        "confirmed.",
        hint="Set it to on, its default.",
        id="plumbline.W007",
    )


@register(DEPLOYMENT, deploy=True)
def queue(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A warning if neither Redis nor RabbitMQ answers."""
    if settings.LOCAL or broker.answers():
        return []
    message = "The broker (Redis or RabbitMQ) does not answer."
    hint = "Start it, or correct REDIS_URL or RABBIT_URL. Until then scoring is slower."
    return [Warning(message, hint=hint, id="plumbline.W008")]


@register(DEPLOYMENT, deploy=True)
def mail_server(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """An error without a mail server, for then anybody signs up with any address, and
    learns whether it has an account; a warning if it cannot be used now: connects,
    signs in, and sends nothing."""
    if settings.LOCAL:
        return []
    if not settings.EMAIL_HOST:
        message = (
            "There is no mail server: nobody confirms an address, and signing up tells "
            "whether an address has an account."
        )
        hint = "Set PLUMBLINE_SMTP_HOST and what follows it."
        return [Error(message, hint=hint, id="plumbline.E006")]
    if _is_reserved(settings.EMAIL_HOST):  # refused already
        return []
    server = get_connection(timeout=SECONDS)
    try:
        server.open()
        server.close()
    except Exception as error:  # of smtplib, ssl and socket, and any of a server's
        where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        message = f"The mail server {where} cannot be used: {_line(error)}"
        hint = "Correct PLUMBLINE_SMTP_HOST and what follows it."
        return [Warning(message, hint=hint, id="plumbline.W009")]
    return []


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **names: Any) -> None:
        return None


@register(DEPLOYMENT, deploy=True)
def proxy_headers(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A warning for each header that the proxy does not pass on, or takes from anybody.

    The site is asked at its public address. Before its first start nobody answers
    there, which is no fault.
    """
    host = urlsplit(settings.SITE_URL).hostname or ""
    if settings.LOCAL or _is_reserved(host):
        return []
    url = f"{settings.SITE_URL}/readyz"
    headers = {"X-Forwarded-For": NOBODY, "X-Forwarded-Proto": "http"}
    try:
        status, body = _fetch(url, headers)
        if status in (502, 504):  # the proxy's own, while the web server is starting
            raise OSError(f"it answers {status}")
        seen = json.loads(body)["request"] if status in (200, 503) else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{url} could not be asked: {_line(error)}"
        hint = (
            "Check again once web server and proxy run: their headers are tried then."
        )
        return [Info(message, hint=hint, id="plumbline.I004")]
    return [
        Warning(fault, hint=hint, id="plumbline.W010")
        for fault, hint in _faults(url, status, seen)
    ]


def _fetch(url: str, headers: dict[str, str]) -> tuple[int, bytes]:
    request = Request(url, headers=headers)
    try:
        with build_opener(_Stay).open(request, timeout=SECONDS) as answer:
            return answer.status, answer.read(100_000)
    except HTTPError as answer:
        return answer.code, answer.read(100_000)
    except URLError as error:
        raise OSError(error.reason) from None


def _faults(url: str, status: int, seen: Any) -> Iterator[tuple[str, str]]:
    if seen is None:
        hint = "Let the proxy pass the header Host on, as the files in deploy/ do."
        yield f"{url} answers {status}.", hint if status == 400 else "See its log."
        return
    if not seen["secure"] and url.startswith("https:"):
        yield (
            "The proxy does not say that a request came by https.",
            "Let it set X-Forwarded-Proto itself, as the files in deploy/ do.",
        )
    if not seen["forwarded"]:
        yield (
            "The proxy does not say from which address a request came: attempts to "
            "sign in are limited for all clients together.",
            "Let it set X-Forwarded-For, as the files in deploy/ do.",
        )
    elif seen["client"] == NOBODY:
        yield (
            "The proxy believes what a client says of its address: attempts to sign in "
            "are not limited.",
            "Let it replace X-Forwarded-For, as the files in deploy/ do.",
        )


@register(DEPLOYMENT, deploy=True)
def missing_scorers(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """An error for each missing scorer of a task with an open or coming phase."""
    try:
        going_on = Phase.objects.filter(Q(closes=None) | Q(closes__gt=timezone.now()))
        used = going_on.order_by("task__scorer_name", "task__slug")
        pairs = list(used.values_list("task__scorer_name", "task__slug").distinct())
    except DatabaseError:  # no tables yet: no tasks either
        return []
    installed = all_scorers()
    tasks: dict[str, list[str]] = {}
    for scorer, slug in pairs:
        if scorer not in installed:
            tasks.setdefault(scorer, []).append(slug)
    return [
        Error(
            f"The scorer {scorer} is not installed, or its plug-in is broken. It is "
            f"used by {len(slugs)} open tasks: {', '.join(slugs[:SHOWN])}.",
            hint="Install or repair its package (plumbline.W003 says what is broken).",
            id="plumbline.E004",
        )
        for scorer, slugs in tasks.items()
    ]


def _line(error: Exception) -> str:
    """An error's message in one line, without the password of a database."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300]
