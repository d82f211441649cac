"""A visitor who opens every address that the site has or names, and notes canaries."""

import io
import json
import re
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, reverse

from leaderboard.web.access import own_routes
from tests.organize.canaries import CANARIES, SCORES, Aviary
from tests.organize.matrix import MATRIX
from tests.organize.matrix_access import Target
from tests.organize.matrix_asking import places
from tests.organize.pages import Page

MOST = 2500  # a guard: with chart and formats of each board there are some 2,160
# Made of the release alone
RELEASED = ("/docs/", "/scorers/", "/api/docs/", "/api/v1/schema/")
NAMES = ("north", "words.txt")
TASK = re.compile(r"(?<=/tasks/)[^/]+")
FORMAT = re.compile(r"(?<=/(?:board|chart)\.)[a-z.-]+$|(?<=/exports/)[a-z.-]+/$")
# What a curious reader types behind an address; the first ones behind a submission's.
TYPED = (
    "part=status",
    "revision=2",
    "as=public",
    "part=private",
    "part=all",
    "entries=all",
    "measure=uas",
    "test_set=north",
    "slice=length:1-10",
    "revision=1",
    "board=heads",
    "fact.cost=kanariefact",
    "phase=dark",
    "level=99&part=private",
    "at=2030-01-01",
    "part=private&slice=length:1-10",
    "revision=2&board=heads&entries=all",
)
BOARDS = (
    ("otters", "test"),
    ("otters", "dark"),
    ("otters", "half"),
    ("kites", "test"),
)
REFUSING = ("otters", "owls")  # one that everybody sees, and a draft
PHASES = ("test", "dark", "half")
OTHERS = (
    "/",
    "/tasks/owls/test/board/",
    "/api/v1/tasks/owls/test/board/",
    "/tasks/otters/organize/history/",
    "/tasks/otters/organize/people/",
    "/api/v1/tasks/",
)


@dataclass
class Crawl:
    """`found`: addresses by the canary that they show.

    Every visitor opens every address of the site's own; `curious` ones also those with
    parameters, which multiply. What a script fetches is asked of every path, and with
    every choice of every route. Pages that are made of the release alone are the same
    for all: one visitor opens them, with `released`.
    """

    skipped: ClassVar = ("/static/", "/accounts/logout", "/admin/")

    client: Client
    curious: bool = True
    released: bool = False
    found: dict[str, list[str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    statuses: dict[int, int] = field(default_factory=dict)
    waiting: deque[str] = field(default_factory=deque)
    kinds: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    parts: set[tuple[str, ...]] = field(default_factory=set)

    def open(self, addresses: Iterable[str]) -> "Crawl":
        """These and whatever they lead to."""
        self.waiting.extend(addresses)
        while self.waiting:
            address = self.waiting.popleft()
            if address in self.seen or address.startswith(self.skipped):
                continue
            if not self.curious and "?" in address:
                continue
            if not self.released and address.startswith(RELEASED):
                continue
            self.seen.add(address)
            assert len(self.seen) < MOST, f"no end of addresses: {address}"
            self._visit(address)
        return self

    def _visit(self, address: str) -> None:
        answer = self.client.get(address)
        self.note(address, answer)
        self.waiting.extend(filter(self._is_new_kind, leads(address, answer)))
        if "HX-Request" not in answer.headers.get("Vary", ""):
            return
        path, _, query = address.partition("?")
        parts = {(path,), (answer.resolver_match.view_name, query)}
        if parts - self.parts:
            self.parts |= parts
            self.note(address, self.client.get(address, headers={"HX-Request": "true"}))

    def _is_new_kind(self, address: str) -> bool:
        """Choices and formats multiply: of a page of one task one of each is enough."""
        path, query = urlsplit(address)[2:4]
        names = tuple(sorted(dict(parse_qsl(query, keep_blank_values=True))))
        # Formats of a board are all made of its rows, those of a chart of its picture.
        shared = FORMAT.sub("", path)
        if not names and shared == path:
            return True
        key = (TASK.sub("", shared if names else path), names)
        if len(names) > 1 or key in self.kinds:
            return False
        self.kinds.add(key)
        return True

    def note(self, address: str, answer: HttpResponse) -> None:
        assert answer.status_code < 500 or address == "/readyz", address
        number = answer.status_code
        self.statuses[number] = self.statuses.get(number, 0) + 1
        shown = text_of(address, answer)
        for name, canary in CANARIES.items():
            if canary in shown and is_shown(name, canary, shown):
                self.found.setdefault(name, []).append(address)


def is_shown(name: str, canary: str, shown: str) -> bool:
    """Whether a canary stands in a text; a score not inside another number, as the
    places of a chart are."""
    if name not in SCORES:
        return True
    return bool(re.search(rf"(?<![\d.]){re.escape(canary)}", shown))


def text_of(address: str, answer: HttpResponse) -> str:
    """All that came: headers, body, members of a zip; not what the reader typed."""
    body = b"".join(answer) if answer.streaming else answer.content
    parts = [str(dict(answer.headers)).encode(), body]
    if zipfile.is_zipfile(io.BytesIO(body)):
        with zipfile.ZipFile(io.BytesIO(body)) as packed:
            parts += [name.encode() + packed.read(name) for name in packed.namelist()]
    text = b"\n".join(parts).decode(errors="replace")
    typed = urlsplit(address).query
    return (
        re.sub(r"fact\.cost(?:=|%3D)kanariefact", "", text)
        if "kanarie" in typed
        else text
    )


def leads(address: str, answer: HttpResponse) -> Iterator[str]:
    """Addresses of this site that an answer names."""
    kind = "" if answer.streaming else answer.headers.get("Content-Type", "")
    found: list[str] = [answer.headers.get("Location", "")]
    if kind.startswith("text/html"):
        page = Page(address, answer.content.decode())
        found += page.links
        for form in page.forms:
            found += form.addresses() if form.method == "get" else []
    elif kind.startswith("application/jsonl"):
        found += texts([json.loads(line) for line in answer.content.splitlines()])
    elif kind.startswith("application/json"):
        found += texts(json.loads(answer.content))
    for one in found:
        parts = urlsplit(one)
        if one and parts.netloc in ("", "testserver") and parts.path.startswith("/"):
            yield parts.path + (f"?{parts.query}" if parts.query else "")


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value that looks like an address."""
    if isinstance(value, str) and value.startswith(("/", "http")):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def starts(site: Aviary, role: str) -> list[str]:
    """Every route with what may stand in it, and with parameters typed by hand."""
    plain = list(dict.fromkeys(addresses(site, role)))
    boards = [
        f"{start}/{task}/{phase}/board/"
        for start in ("/tasks", "/api/v1/tasks")
        for task, phase in BOARDS
        if task in site.tasks
    ]
    own = [
        f"/submissions/{one.pk}/?{typed}" for one in site.sent for typed in TYPED[:4]
    ]
    typed = [f"{a}?{one}" for a in boards for one in TYPED]
    typed += [f"{a}?{one}" for a in OTHERS for one in TYPED[:4]]
    pairs = [
        f"{start}/{phase}/{what}/?system={one.pk}&system={two.pk}&entries=all"
        for start in ("/tasks/otters", "/api/v1/tasks/otters")
        for what in ("compare", "across")
        for phase, one, two in zip(PHASES, site.sent, site.sent[3:], strict=False)
    ]
    return [*plain, *own, *typed, *pairs]


def addresses(site: Aviary, role: str = "") -> Iterator[str]:
    """Of a route that refuses this reader one of each kind of task and submission."""
    for route in own_routes():
        line, wanted = MATRIX[str(route.name)], places(str(route.name))
        if line.get == 405:
            continue
        rule = line.reading or line.access
        refused = role and not rule.lets_in(role, Target("", "otters", role))
        slugs = [one for one in site.tasks if not refused or one in REFUSING]
        for slug in slugs if "slug" in wanted else ("",):
            several = [choices(site, slug, one) for one in wanted]
            if refused and wanted == ["pk"]:
                several = [[*{one.phase_id: one.pk for one in site.sent}.values()]]
            elif refused:
                several = [one[:1] for one in several]
            for values in product(*several):
                with suppress(NoReverseMatch):  # no slug has a dot
                    yield reverse(route.name, args=values)


def choices(site: Aviary, slug: str, place: str) -> list[Any]:
    """Values that may stand in one place of an address."""
    if place == "slug":
        return [slug]
    if place == "phase":
        phases = [phase.name for phase in site.tasks[slug].phases.all()]
        return phases if slug == "otters" else phases[:1]
    if place == "name":
        return list(NAMES)
    if place in ("format", "form"):
        return ["csv"]  # pages lead to the others
    numbers = {
        "number": [1, 2],
        "token": ["nothing"],
        "start": ["0" * 16],
        "key": site.keys,
        "ending": ["csv"],
        "unit": [1],
    }
    if place in numbers:
        return numbers[place]
    rows = [one.pk for one in site.sent]
    return [1] if place == "pk" and slug else rows
