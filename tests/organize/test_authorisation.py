"""Every route, asked by everybody, for what is theirs and for what is not."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from shutil import rmtree
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.core.files.storage import storages
from django.db import transaction
from django.db.models import AutoField, BinaryField, DateTimeField, Q, UUIDField
from django.http import Http404
from django.urls import resolve
from django.utils.dateparse import parse_datetime

from leaderboard.web import pages
from leaderboard.web.access import Access, check_routes, mark_of, own_routes
from tests.cast import built_once
from tests.joined import joined
from tests.organize.matrix import MATRIX
from tests.organize.matrix_access import BY_MARK, Rule, Target
from tests.organize.matrix_asking import (
    Asked,
    Sender,
    ask,
    noting,
    package_addresses,
    targets,
)
from tests.organize.matrix_world import build
from tests.organize.routes import Route
from tests.transactions import undone

ROLES = (
    "anonymous",
    "stranger",
    "participant",
    "rival",
    "reviewer",
    "editor",
    "owner",
    "foreign",
    "administrator",
)
# To others herons is no more foreign than otters. Marks are asked of everybody in all.
DISTANT = ("otters", "newts")
ASKED = {
    **dict.fromkeys(("participant", "owner"), ("otters", "herons", "newts")),
    **dict.fromkeys(("rival", "reviewer", "editor"), ("otters",)),
}
# Of what everybody may open these get the page of a participant, an owner or a
# stranger; in tasks of others, and beside all tasks, the participant's.
ALIKE = {
    "otters": ("rival", "editor", "foreign"),
    "": ("rival", "reviewer", "editor", "owner", "foreign"),
}
ALIKE_ELSEWHERE = ("owner",)
# What says no: to whom may do it none of these is answered.
REFUSALS = ("400", "403", "404", "405", "login", "join")


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Sender]:
    """Built once: every request is rolled back."""
    with built_once(django_db_blocker):
        yield Sender(build())


@pytest.fixture
def sender(built: Sender, db: None) -> Iterator[Sender]:
    yield built
    # Files are not undone with the rows, and what one test publishes others would read.
    rmtree(storages["archives"].path(""), ignore_errors=True)


def test_every_route_has_its_line_and_every_line_its_route() -> None:
    names = [str(route.name) for route in own_routes()]
    assert sorted(names) == sorted(MATRIX)


def test_every_route_is_marked_as_its_line_says() -> None:
    marks = {str(route.name): mark_of(route) for route in own_routes()}
    rules = {name: route.reading or route.access for name, route in MATRIX.items()}
    wrong = [
        f"{name} is for {marks[name].people}, not {rule.mark.people}"
        for name, rule in rules.items()
        if not same_people(marks[name], rule.mark)
    ]
    assert wrong == []


def same_people(mark: Any, other: Access) -> bool:
    return bool((mark.people, mark.gate) == (other.people, other.gate))


def test_a_route_without_a_mark_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_routes() == []
    monkeypatch.delattr(pages.about, "access")
    (error,) = check_routes()
    assert error.is_serious() and "about" in error.msg


# The signed link is the proof, or nothing but the language of a session changes.
WITHOUT_TOKEN = {"messages-off", "results-off", "set-language"}


def test_what_is_sent_from_a_page_needs_its_token() -> None:
    """Django asks all but marked views for it, and the API where a session signs in."""
    free = {
        str(route.name)
        for route in own_routes()
        if getattr(route.callback, "csrf_exempt", False)
        and not hasattr(route.callback, "cls")
    }
    assert free == WITHOUT_TOKEN


def by_access(rule: Rule) -> list[str]:
    """One route of pages with that rule, and one of the API."""
    names = [name for name, route in MATRIX.items() if route.access == rule]
    api = [name for name in names if name.startswith("api-")]
    return [*[name for name in names if name not in api][:1], *api[:1]]


def named(rule: Rule) -> str:
    return f"{rule.mark.people}, signed in" if rule.login else rule.mark.people


RULES = [*BY_MARK, *(rule for rules in joined("RULES") for rule in rules)]


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_a_mark_lets_in_whom_its_rule_names(sender: Sender, rule: Rule) -> None:
    """Asked of the mark itself, so that everybody can be asked."""
    (name, route) = next(
        (name, route)
        for name, route in MATRIX.items()
        if same_people(rule.mark, (route.reading or route.access).mark)
    )
    for target in targets(name, route, sender.world, ("otters", "herons", "newts")):
        view = resolve(target.address.split("?")[0])
        for role, user in sender.world.people.items():
            if (rule.login and user is None) or not target.exists:
                continue  # the gate, or the view, says no
            try:
                rule.mark.find(user or AnonymousUser(), **view.kwargs)
                let_in = True
            except Http404:
                let_in = False
            expected = rule.otherwise != "404" or rule.lets_in(role, target)
            assert let_in == expected, (role, target)


@pytest.mark.parametrize(
    "rule", dict.fromkeys(route.access for route in MATRIX.values()), ids=named
)
def test_views_let_in_from_the_threshold_of_their_rule_on(
    sender: Sender, rule: Rule
) -> None:
    """By HTTP: who is just below, and who is just let in; `make test-all` asks all."""
    wrong = []
    for name in by_access(rule):
        route = MATRIX[name]
        for target in targets(name, route, sender.world, ("otters", "newts")):
            for role in at_threshold(rule, target):
                wrong += [f"{name}: {w}" for w in check(sender, role, route, target)]
    assert wrong == []


def at_threshold(rule: Rule, target: Target) -> list[str]:
    """The roles before and after each change of the answer; one where all get it."""
    let_in = [rule.lets_in(role, target) for role in ROLES]
    chosen = {
        role
        for i in range(1, len(ROLES))
        if let_in[i - 1] != let_in[i]
        for role in ROLES[i - 1 : i + 1]
    }
    return sorted(chosen) or ["stranger"]


@pytest.mark.thorough
@pytest.mark.parametrize("role", ROLES)
def test_everybody_gets_in_where_the_matrix_says_so_and_nowhere_else(
    sender: Sender, role: str
) -> None:
    wrong = []
    for name, route in MATRIX.items():
        for target in targets(name, route, sender.world, ASKED.get(role, DISTANT)):
            if is_as_another(role, route, target):
                continue
            wrong += [f"{name}: {said}" for said in check(sender, role, route, target)]
    assert wrong == []


def is_as_another(role: str, route: Route, target: Target) -> bool:
    """Whether everybody who signed in gets in, and another role is asked the same."""
    if role not in ALIKE.get(target.slug, ALIKE_ELSEWHERE):
        return False
    rules = {route.access, route.reading or route.access}
    return all(rule.lets_in(one, target) for rule in rules for one in ROLES[1:])


def check(sender: Sender, role: str, route: Route, target: Target) -> Iterator[str]:
    """Faults of the answer to one reader at one address.

    A method that a route does not have is tried by those who get in, and by a stranger.
    """
    let_in = route.access.lets_in(role, target)
    tries = let_in or role == "stranger"
    wanted = on_get(role, route, target)
    if route.get != 405 or tries:
        got = ask(sender.world.clients[role], target.address)
        if got.said != wanted:
            yield f"GET {target.address} is {got.said} and not {wanted}"
        if got.written:
            yield f"GET {target.address} wrote: {got.written[0]}"
    sends = not let_in
    if route.post is None:
        sends = tries and target.slug in ("", "otters")
    if sends:
        yield from refused(sender, role, route, target, wanted)


def refused(
    sender: Sender, role: str, route: Route, target: Target, got: str
) -> Iterator[str]:
    """Faults when something is sent by somebody who may not."""
    fields = sender.fields(route, target)
    sent = ask(sender.world.clients[role], target.address, fields)
    if not on_post(sent, got, role, route, target):
        yield f"POST {target.address} ({target.sender}) is {sent.said}"
    if sent.written:
        yield f"POST {target.address} wrote: {sent.written[0]}"


def on_get(role: str, route: Route, target: Target) -> str:
    if route.get == 405:
        return "405"
    access = route.reading or route.access
    if access.lets_in(role, target):
        return str((target.slug == "newts" and route.draft) or route.get)
    return access.instead(role, target)


def on_post(sent: Asked, got: str, role: str, route: Route, target: Target) -> bool:
    """Whether it is the right refusal."""
    if route.post is None:
        return sent.said in ("405", got)
    if route.reading is not None:
        return sent.said in ("200", "login")
    return sent.said == route.access.instead(role, target)


SENT = [name for name, route in MATRIX.items() if route.post is not None]


def senders(sender: Sender, name: str) -> list[tuple[str, Target]]:
    """Roles that may send something there, and where."""
    route = MATRIX[name]
    return [
        (role, target)
        for target in targets(name, route, sender.world, ("otters",))
        for role in ROLES
        if route.access.lets_in(role, target)
    ]


def sampled() -> list[Any]:
    """All that takes what is sent; more than one of each rule are thorough."""
    by_rule = {MATRIX[name].access: name for name in reversed(SENT)}
    return [
        name
        if name in by_rule.values()
        else pytest.param(name, marks=pytest.mark.thorough)
        for name in SENT
    ]


@pytest.mark.parametrize("name", sampled())
def test_what_may_be_sent_does_something(sender: Sender, name: str) -> None:
    """Otherwise that it does nothing for others would say nothing."""
    route = MATRIX[name]
    for role, target in senders(sender, name):
        client = sender.world.clients[role]
        sent = ask(client, target.address, sender.fields(route, target))
        assert sent.said not in REFUSALS and sent.answer.status_code < 500, role
        if route.idle or sent.written:
            break
    assert bool(route.idle) != bool(sent.written)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SENT)
def test_what_may_be_sent_is_taken_from_all_who_may(sender: Sender, name: str) -> None:
    route = MATRIX[name]
    for role, target in senders(sender, name)[1:]:
        client = sender.world.clients[role]
        sent = ask(client, target.address, sender.fields(route, target))
        assert sent.said not in REFUSALS and sent.answer.status_code < 500, role


@pytest.mark.parametrize(
    "role",
    [
        role if role == "owner" else pytest.param(role, marks=pytest.mark.thorough)
        for role in ROLES
        if role != "administrator"
    ],
)
def test_the_admin_site_lets_nobody_else_in(sender: Sender, role: str) -> None:
    """Login and logout are allauth's; what is between leads there."""
    client = sender.world.clients[role]
    for address in package_addresses("admin/"):
        got, sent = ask(client, address), ask(client, address, {"_save": "1"})
        if "login" not in address and "logout" not in address:
            assert {got.said, sent.said} <= {"login", "404"}, address
        assert not sent.written, address


@pytest.mark.parametrize("role", ["anonymous", "stranger"])
def test_pages_of_accounts_change_nothing_without_a_filled_in_form(
    sender: Sender, role: str
) -> None:
    client = sender.world.clients[role]
    for address in package_addresses("accounts/"):
        got, sent = ask(client, address), ask(client, address, {})
        assert got.answer.status_code < 500 and sent.answer.status_code < 500, address
        assert not got.written and not sent.written, address


# --- Fields that a form does not have: nothing is assigned that is only sent along. ---

OURS = ("teams", "tasks", "submissions", "api", "account", "mfa")
LONG_AGO = "2001-01-01T00:00:00Z"
ON = (
    "is_staff",
    "is_superuser",
    "is_active",
    "verified",
    "primary",
    "draft",
    "late",
    "baseline",
    "picked",
    "whole_board",
    "unlimited",
    "participation",
    "stands_for",
    "participation_id",
    "team_id",
)
PEOPLE = ("user", "user_id", "sender", "sender_id", "by", "owner")
MOMENTS = ("received_at", "arrived_at", "at", "created_at", "live_at")
ADDED = {
    **dict.fromkeys(ON, "1"),
    **dict.fromkeys(PEOPLE, "{owner}"),
    **dict.fromkeys(MOMENTS, LONG_AGO),
    "state": "scored",
    "status": "disqualified",
    "decision": "admit",
    "alias": "1",
    "daily_limit": "999",
    "total_limit": "999",
    "quota": "999",
    "used": "0",
    "salt": "0",
    "secret": "0",
    "key_hash": "0",
    "private_share": "0.9",
    "results": "0",
    "gold_revision": "1",
    "gold_revision_id": "1",
    "board_version": "999",
    "ranks": "1",
    "withdrawn_at": LONG_AGO,
    "disqualified_at": LONG_AGO,
    "declared_at": LONG_AGO,
}
DRAWN = (
    "hash",
    "secret",
    "salt",
    "nonce",
    "key",
    "digest",
    "token",
    "sha256",
    "start",
    "fingerprint",
    "data",
)
# They tell of the other rows, with the time.
TOLD = ("Change", "KeptAnswer", "Notice")
# What differs from one sending to the next, and what the clock says.
RANDOM = (AutoField, UUIDField, BinaryField, DateTimeField)


def rows(written: list[str]) -> dict[str, list[str]]:
    """Every row of the tables that were written but for what is random or of the
    clock."""
    found = {}
    for model in models(written):
        if model.__name__ not in TOLD:
            names = [f.attname for f in model._meta.concrete_fields if _is_stable(f)]
            found[model.__name__] = sorted(map(repr, model.objects.values_list(*names)))
    return found


def models(written: list[str]) -> Iterator[Any]:
    """Ours whose tables such statements name."""
    said = "".join(written)
    for model in apps.get_models():
        if model._meta.app_label in OURS and f'"{model._meta.db_table}"' in said:
            yield model


def _is_stable(field: Any) -> bool:
    target = field.target_field if field.is_relation else field
    if isinstance(target, UUIDField if field.is_relation else RANDOM):
        return False
    return not any(word in field.name for word in DRAWN)


def times(written: list[str]) -> int:
    """How many rows have a moment that is the one that was sent along."""
    when = parse_datetime(LONG_AGO)
    return sum(
        model.objects.filter(reduce(or_, (Q((name, when)) for name in names))).count()
        for model in models(written)
        if (names := [f.attname for f in model._meta.concrete_fields if _is_moment(f)])
    )


def _is_moment(field: Any) -> bool:
    return isinstance(field, DateTimeField)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SENT)
def test_what_a_form_does_not_have_is_not_assigned(sender: Sender, name: str) -> None:
    """Each row ends as it does without the fields that were sent along."""
    route = MATRIX[name]
    role, target = senders(sender, name)[0]
    client = sender.world.clients[role]
    owner = sender.world.people["owner"]
    after = []
    written: list[str] = []
    for more in ({"nothing": "1"}, ADDED):
        fields = sender.fields(route, target)
        more = {k: v.format(owner=owner.pk) for k, v in more.items()}
        with undone(), noting(written):
            answer = client.post(target.address, more | fields)
            assert answer.status_code < 500
            assert times(written) == 0
            after.append((answer.status_code, rows(written)))
            transaction.set_rollback(True)
    (plain, without), (added, found) = after
    assert plain == added
    # As it was where the first did not write
    for table, before in (rows(written) | without).items():
        assert found[table] == before, table
