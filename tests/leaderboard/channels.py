"""The ways on which an upload comes in: what the form refuses, the API refuses too."""

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Sum
from django.test import Client

from leaderboard.api import tokens
from leaderboard.submissions import uploads
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.teams.models import User
from tests.leaderboard.small import both, inline

PAGE = "/tasks/otters/test/submit/"
API = "/api/v1/tasks/otters/test/submissions/"
Answer = Any


def bearer(user: User, *scopes: str, **more: Any) -> Client:
    """A program with a token of that person; it keeps no cookies."""
    _token, text = tokens.make(user, "test", scopes or ("read",), **more)
    return Client(headers={"Authorization": f"Bearer {text}"})


@dataclass(frozen=True)
class Told:
    """The answer to an upload, and the rows of the database after it.

    `code` is that of the API, "" for what was accepted. `charged` are the attempts of
    all teams by kind.
    """

    status: int
    code: str
    text: str
    sent: Submission | None
    retry_after: str
    stored: int
    charged: dict[str, int]

    @property
    def accepted(self) -> bool:
        return self.sent is not None


@dataclass(frozen=True)
class Look:
    """Answers to somebody who has not sent anything yet."""

    may_submit: bool
    code: str
    text: str
    left: dict[str, int | None]


class Channel(ABC):
    """Everybody who sends is signed in the way of the channel, once."""

    address: str

    def __init__(self) -> None:
        self._clients: dict[Any, Client] = {}

    def client(self, user: User) -> Client:
        if user.pk not in self._clients:
            self._clients[user.pk] = self._signed_in(user)
        return self._clients[user.pk]

    def send(
        self,
        user: User,
        files: Mapping[str, bytes] | None = None,
        at: datetime | None = None,
        **fields: Any,
    ) -> Told:
        """Upload `files` by test set, perfect ones if there are none given.

        `at` is the moment at which the request begins, else it is now.
        """
        given = both() if files is None else files
        parts = {
            f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
            for name, data in given.items()
        }
        form = {"system": "otter-1", "key": uuid4().hex, **parts, **fields}
        if at is None:
            with inline:
                return self._told(self._post(self.client(user), form))
        with inline, patch.object(uploads, "shared_moment", lambda reading: at):
            return self._told(self._post(self.client(user), form))

    def look(self, user: User) -> Look:
        """The look of somebody before an upload."""
        return self._looked(self.client(user).get(self.address))

    def _told(self, answer: Answer) -> Told:
        counters = QuotaCounter.objects.filter(participation__isnull=False, used__gt=0)
        charged = counters.order_by().values_list("kind").annotate(Sum("used"))
        sent = self._sent(answer)
        return Told(
            status=answer.status_code,
            code="" if sent else self._code(answer),
            text=text_of(answer),
            sent=sent,
            retry_after=answer.get("Retry-After", ""),
            stored=Submission.objects.count(),
            charged=dict(charged),
        )

    @abstractmethod
    def _signed_in(self, user: User) -> Client: ...

    @abstractmethod
    def _post(self, client: Client, form: dict[str, Any]) -> Answer: ...

    @abstractmethod
    def _sent(self, answer: Answer) -> Submission | None: ...

    @abstractmethod
    def _code(self, answer: Answer) -> str: ...

    @abstractmethod
    def _looked(self, answer: Answer) -> Look: ...


class ByPage(Channel):
    """The form, in a browser."""

    address = PAGE

    def _signed_in(self, user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    def _post(self, client: Client, form: dict[str, Any]) -> Answer:
        # As somebody who means it: the page asks before the same files go twice.
        return client.post(PAGE, {"again": "on", **form})

    def _sent(self, answer: Answer) -> Submission | None:
        led_to = answer.get("Location", "")
        if not led_to.startswith("/submissions/"):
            return None
        return Submission.objects.get(pk=led_to.split("/")[-2])

    def _code(self, answer: Answer) -> str:
        if answer.status_code == 302:
            return "not_found"  # led to where one joins, see the test of that
        seen = answer.context or {}
        if "form" not in seen:
            codes = {400: "parse_error", 503: "unavailable", 507: "no_room"}
            return codes[answer.status_code]
        if seen["problems"]:
            ours = seen["problems"][0].code == "check_failed"
            return "check_failed" if ours else "unfit"
        if seen["form"].non_field_errors():
            found: str = seen["why_not"].code
            return found
        return "too_large" if answer.status_code == 413 else "invalid"

    def _looked(self, answer: Answer) -> Look:
        seen = answer.context
        why_not, left = seen["why_not"], seen["left"]
        return Look(
            may_submit=why_not is None and 0 not in (left.today, left.total),
            code=why_not.code if why_not else "",
            text=text_of(answer),
            left={"today": left.today, "total": left.total},
        )


class ByApi(Channel):
    """A program, with a token."""

    address = API

    def _signed_in(self, user: User) -> Client:
        return bearer(user, "submit")

    def _post(self, client: Client, form: dict[str, Any]) -> Answer:
        key = form.pop("key")
        return client.post(API, form, headers={"Idempotency-Key": key})

    def _sent(self, answer: Answer) -> Submission | None:
        if answer.status_code != 201:
            return None
        return Submission.objects.get(pk=answer.json()["id"])

    def _code(self, answer: Answer) -> str:
        assert answer["Content-Type"] == "application/problem+json"
        found: str = answer.json()["code"]
        return found

    def _looked(self, answer: Answer) -> Look:
        found = answer.json()
        code = found["code"] or ""
        return Look(found["may_submit"], code, text_of(answer), found["left"])


CHANNELS = {"page": ByPage, "api": ByApi}


def text_of(answer: Answer) -> str:
    return html.unescape(answer.content.decode())
