"""Parts of organizers' forms: refusals, and care for changes of others."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.tasks.access import task_locked
from leaderboard.tasks.models import Task
from leaderboard.teams.refusal import Refusal
from scoring.errors import Problem, ScoringError

SEEN = "seen"


@contextmanager
def task_to_change(request: HttpRequest, task: Task) -> Iterator[Task]:
    """The task; where a form was sent as it is now, under its lock."""
    if request.method != "POST":
        yield task
        return
    with task_locked(task) as locked:
        yield locked


@contextmanager
def refusals_in(form: Any, field: str | None = None) -> Iterator[None]:
    """Let a Refusal become an error of the form, at the field.

    Problems of files and settings become `form.problems`, which the page lists.
    """
    try:
        yield
    except Refusal as refusal:
        if form.is_bound:
            form.add_error(field, str(refusal))
        else:  # sent by a button beside it
            form.problems = [Problem(refusal.code, str(refusal))]
    except ScoringError as error:
        form.problems = error.problems


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Let a Refusal become a message on the next page."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, str(refusal))


class ShowsValues:
    """For forms that replace values: the page sends back a digest of those it showed.

    A form is made anew from the values of now when it is sent, under the lock of the
    task (`tasks/access.py`). Where they are others than those on the page it is
    refused once; the page of the refusal shows them as seen. Without the digest, as a
    program may send it, nothing is compared.
    """

    data: Any
    is_bound: bool
    _digest = ""

    def shows(self, values: Any) -> None:
        """Remember what stands there now; called while the form is made."""
        text = json.dumps(values, sort_keys=True, default=str)
        self._digest = sha256(text.encode()).hexdigest()[:32]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}  # type: ignore[misc]
        if self.data.get(SEEN, "") not in ("", self._digest):
            sentence = _(
                "Somebody changed this in the meantime, and what stands here "
                "would undo it. Open the page again to see it, or save once more "
                "to keep what stands here."
            )
            self.add_error(None, sentence)  # type: ignore[attr-defined]
        return cleaned

    @property
    def seen(self) -> SafeString:
        """The hidden field, for the template."""
        return format_html(
            '<input type="hidden" name="{}" value="{}">', SEEN, self._digest
        )
