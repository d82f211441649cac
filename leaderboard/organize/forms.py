"""Pages of organizers with a form, refusals, and care for changes of others."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from django.views.generic import View as ClassView

from leaderboard.tasks.access import lock_phase, lock_task
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import Access, View, access
from leaderboard.web.forms import form_response, posted_data
from scoring.diagnosis.places import group_by_line
from scoring.errors import Problem, ScoringError

SEEN = "seen"


@contextmanager
def refusals_in(form: Any, field: str | None = None) -> Iterator[None]:
    """Let a Refusal become an error of the form, at the field; with a request in place
    of the form, a message on the next page.

    Problems of files and settings become `form.problems`, which the page lists.
    """
    try:
        yield
    except Refusal as refusal:
        if isinstance(form, HttpRequest):
            messages.error(form, str(refusal))
        elif form.is_bound:
            form.add_error(field, str(refusal))
        else:  # sent by a button beside it
            form.problems = [Problem(refusal.code, str(refusal))]
    except ValidationError as error:
        form.add_error(field, error.messages)
    except ScoringError as error:
        form.problems = group_by_line(error.problems)


class ShowsValues:
    """A mixin for forms that replace values: the page sends back a digest of those it
    showed.

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
    def digest_field(self) -> SafeString:
        """The hidden field, for the template; nothing where no values are shown."""
        field = '<input type="hidden" name="{}" value="{}">'
        return format_html(field, SEEN, self._digest) if self._digest else mark_safe("")


class FormPage(ClassView):
    """A page of a task with one form, declared by its attributes.

    What the mark finds stands on it by name: `task`, or `phase` beside its task. A form
    that is sent is saved, a sentence about it shown, and the reader led on; what is
    refused stands on the page again, with status 422.
    """

    mark: Access
    methods: tuple[str, ...] = ("GET", "HEAD", "POST")
    form_class: Any
    template_name = "organize/form.html"
    # Words of the page. Above it stands `heading` where there is one, with the title of
    # the row as "%(title)s".
    title: str | Promise = ""
    heading: str | Promise = ""
    lead: str | Promise = ""
    button: str | Promise = gettext_lazy("Save")
    saved: str | Promise = gettext_lazy("Saved.")
    # Name and title of the page above, and of that of a link beside the button.
    above: tuple[str, str | Promise] | None = None
    back: tuple[str, str | Promise] | None = None
    # A style sheet, the class of the form, whether fields are marked as optional.
    style = ""
    width = "medium"
    marks_optional = False
    # Whether the form is made for the row.
    of_row = True
    # Field that a Refusal is written to; none is the form as a whole.
    refused_at: str | None = None
    # Name of the page after saving; the same one where there is none.
    done = ""

    request: SignedInRequest
    task: Task
    phase: Phase
    # The row that the address names: the task, or a phase or another part of it.
    row: Any

    @classmethod
    def as_view(cls, **attributes: Any) -> View:
        """The view, for nobody but those of its mark."""
        view = access(cls.mark)(super().as_view(**attributes))
        guarded: View = require_http_methods(cls.methods)(view)
        return guarded

    def setup(self, request: HttpRequest, **captured: Any) -> None:
        super().setup(request, **captured)
        vars(self).update(captured)
        if "task" in captured:
            self.row = self.task
        else:
            self.row = next(iter(captured.values()))
            self.task = self.row.task

    @contextmanager
    def locked_rows(self) -> Iterator[None]:
        """Locks rows, and reads them, from before a form is made until it is saved.

        Nothing, where `save` does it.
        """
        yield

    @property
    def headline(self) -> str:
        words = {"title": getattr(self.row, "title", "")}
        return str(self.heading) % words if self.heading else str(self.title)

    def get_form(self) -> Any:
        about = [self.row] if self.of_row else []
        return self.form_class(*about, *posted_data(self.request))

    def get(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        return self.show(self.get_form())

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        with self.locked_rows():
            form = self.get_form()
            if form.is_valid():
                with refusals_in(form, self.refused_at):
                    outcome = self.save(form)
                    if isinstance(outcome, HttpResponse):
                        return outcome
                    messages.success(request, outcome or str(self.saved))
                    return self.done_response()
        return self.show(form)

    def save(self, form: Any) -> str | HttpResponse | None:
        """Save what was sent.

        A sentence about it where `saved` is not the one, or another page to show.
        """
        form.save()
        return None

    def done_response(self) -> HttpResponse:
        if not self.done:
            return redirect(self.request.path)
        return redirect(self.done, self.task.slug)

    def context(self, form: Any) -> dict[str, Any]:
        """The values for the template beside the form and what the address names."""
        return {}

    def show(self, form: Any) -> HttpResponse:
        """The page with a form, and what was wrong with it."""
        rows = {**self.kwargs, "task": self.task, "view": self, "form": form}
        context = rows | self.context(form)
        return form_response(self.request, self.template_name, context)


class LockedPage(FormPage):
    """A page whose form is made and saved under the lock of its task."""

    @contextmanager
    def locked_rows(self) -> Iterator[None]:
        with transaction.atomic():
            if isinstance(self.row, Phase):
                self.row = lock_phase(self.row)
                self.task = self.row.task
            else:
                self.row = self.task = lock_task(self.task.pk)
            yield


class ConfirmPage(FormPage):
    """A page that asks before something is deleted, or says why it cannot be."""

    template_name = "organize/confirm.html"
    form_class = forms.Form
    of_row = False
    width = ""

    @property
    def why_not(self) -> str | Promise:
        """A reason against the action of the page; empty if there is none."""
        return ""


class ColumnsForm(ShowsValues, forms.ModelForm):
    """Columns of a task; saves those that it asks and nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shows(self.initial)

    def save(self, commit: bool = True) -> Task:
        task: Task = self.instance
        task.save(update_fields=self._meta.fields)
        return task


class ColumnsPage(LockedPage):
    """A page with a ColumnsForm."""

    def get_form(self) -> Any:
        return self.form_class(*posted_data(self.request), instance=self.task)
