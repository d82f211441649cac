"""Asking one address as one person, and noting what the database was told to write."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from tests.organize.matrix_access import Target
from tests.organize.matrix_world import Objects, World
from tests.organize.pages import Page
from tests.organize.routes import Route
from tests.transactions import undone

# A visit may renew the visitor's session, store what it computed of a board, and be
# counted: that says nothing of the site's rows, or nothing that they do not say.
BOARDS = "submissions_storedstatistics|submissions_storedboard|submissions_boardrow"
NO_MATTER = f"django_session|{BOARDS}|teams_dailycount"
WRITES = re.compile(rf"\s*(INSERT|UPDATE|DELETE|REPLACE)\b(?!.*(?:{NO_MATTER}))", re.S)
LOGIN = ("/accounts/login/", "/admin/login/")
OWNERS = {"otters": "owner", "herons": "foreign", "newts": "foreign"}


def places(name: str) -> list[str]:
    """The places in the address of a route, in order."""
    (found,) = get_resolver().reverse_dict.getlist(name)
    return list(found[0][0][1])


@dataclass
class Asked:
    """An answer with the statements that wrote something on the way to it."""

    answer: HttpResponse
    written: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        """login and join for what leads there, else the status.

        To programs the way to sign in is told by a header.
        """
        place = self.answer.headers.get("Location", "")
        if self.answer.status_code == 401 and self.answer.has_header(
            "WWW-Authenticate"
        ):
            return "login"
        if self.answer.status_code == 302 and place.startswith(LOGIN):
            return "login"
        if self.answer.status_code == 302 and place.endswith("/join/"):
            return "join"
        return str(self.answer.status_code)


@contextmanager
def noting(written: list[str]) -> Iterator[None]:
    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if WRITES.match(sql):
            written.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield


def ask(client: Client, address: str, post: Mapping[str, Any] | None = None) -> Asked:
    """GET, or POST where there is something to send; nothing it did remains."""
    written: list[str] = []
    with undone(), noting(written):
        answer = client.get(address) if post is None else client.post(address, post)
        transaction.set_rollback(True)
    return Asked(answer, written)


def targets(
    name: str, route: Route, world: World, slugs: Sequence[str]
) -> Iterator[Target]:
    """Each object that the route can be asked for in these tasks.

    Where an address names a task and a row, a row of another task is asked for too.
    """
    wanted = places(name)
    chosen = [world.objects[slug] for slug in slugs]
    if "slug" in wanted:
        for objects in chosen:
            yield _target(name, route, objects)
        if mixed := _mixed(wanted, route, world):
            yield _target(name, route, mixed, exists=False)
    elif "pk" in wanted:
        for objects in chosen:
            yield from _submissions(name, route, objects)
    else:
        yield _target(name, route, world.objects["otters"])


def _target(
    name: str, route: Route, objects: Objects, exists: bool = True, **more: Any
) -> Target:
    values = {**objects.values, **more}
    named = {place: values.get(what, what) for place, what in route.named.items()}
    found = {**values, **named, **more}
    kwargs = {place: found[place] for place in places(name)}
    address = reverse(name, kwargs=kwargs) + route.query.format(**values)
    slug = objects.values["slug"] if "slug" in kwargs else ""
    return Target(address, slug, exists=exists)


def _mixed(wanted: list[str], route: Route, world: World) -> Objects | None:
    """The task of the cast with rows of another one, where the address names rows."""
    rows = [place for place in ("pk", "submission", "start") if place in wanted]
    if not rows:
        return None
    ours, theirs = world.objects["otters"], world.objects["herons"]
    foreign = {route.named[place]: theirs.values[route.named[place]] for place in rows}
    return Objects(ours.task, {**ours.values, **foreign})


def _submissions(name: str, route: Route, objects: Objects) -> Iterator[Target]:
    sent = objects.ended if name == "describe" else objects.submissions
    for sender, pk in sent.items():
        address = _target(name, route, objects, pk=pk).address
        yield Target(address, objects.values["slug"], sender)


@dataclass
class Sender:
    """Sender of a route's form, as the owner of the task sees it, changed."""

    world: World
    seen: dict[str, dict[str, object]] = field(default_factory=dict)

    def fields(self, route: Route, target: Target) -> dict[str, Any]:
        slug = target.slug or "otters"
        values = self.world.objects[slug].values
        sent = {k: _value(k, v, values) for k, v in (route.post or {}).items()}
        if not (route.form and target.exists):
            return sent
        if target.address not in self.seen:
            self.seen[target.address] = self._form(target)
        return {**self.seen[target.address], **sent}

    def _form(self, target: Target) -> dict[str, object]:
        """Empty where the one who may use the form does not see it just now."""
        path = target.address.split("?")[0]
        for role in (target.sender, OWNERS[target.slug or "otters"], "participant"):
            client = self.world.clients.get(role)
            if client is None:
                continue
            page = Page(target.address, client.get(target.address).content.decode())
            for form in page.forms:
                if form.method == "post" and form.action.split("?")[0] == path:
                    return form.filled({})
        return {}


def _value(key: str, value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, bytes):
        return SimpleUploadedFile(f"{key}.conllu", value)
    if isinstance(value, list):
        return [_value(key, one, values) for one in value]
    return value.format(**values)


def package_addresses(start: str) -> Iterator[str]:
    """Addresses of the packages below a part of the site, logging out aside."""
    for pattern in get_resolver().url_patterns:
        if isinstance(pattern, URLResolver) and str(pattern.pattern) == start:
            for route in _routes(pattern.url_patterns, f"/{start}"):
                found = re.sub(r"<[^>]*>", "1", re.sub(r"\(\?P<[^)]*\)", "1-1", route))
                if "logout" not in found:
                    yield re.sub(r"[\^$]", "", found)


def _routes(patterns: Any, start: str) -> Iterator[str]:
    for pattern in patterns:
        route = start + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route
