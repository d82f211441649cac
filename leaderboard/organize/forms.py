"""Pages of organizers with a form, refusals, and care for changes of others."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.generic import FormView

from leaderboard.tasks.access import task_locked
from leaderboard.tasks.models import Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import Access, View, access
from leaderboard.web.forms import form_page, form_response, posted
from scoring.errors import Problem, ScoringError

SEEN = "seen"


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
        """The hidden field, for the template; nothing where no values are shown."""
        field = '<input type="hidden" name="{}" value="{}">'
        return format_html(field, SEEN, self._digest) if self._digest else mark_safe("")


class FormPage(FormView):
    """A page of a task with one form, declared by its attributes.

    What the mark finds stands on it by name: `task`, `phase`. A form that is sent is
    saved, a sentence about it shown, and the reader led on; what is refused stands on
    the page again, with status 422.
    """

    mark: Access
    template_name = "organize/form.html"
    # Words of the page.
    title: str | Promise = ""
    lead: str | Promise = ""
    button: str | Promise = gettext_lazy("Save")
    saved: str | Promise = gettext_lazy("Saved.")
    # Name and title of the page above, a style sheet, whether fields are marked as
    # optional.
    above: tuple[str, str | Promise] | None = None
    style = ""
    marks_optional = False
    # Name of the page after saving; the same one where there is none.
    done = ""

    task: Task

    @classmethod
    def as_view(cls, **attributes: Any) -> View:
        """The view, for nobody but those of its mark."""
        return form_page(access(cls.mark)(super().as_view(**attributes)))

    def setup(self, request: HttpRequest, **found: Any) -> None:
        super().setup(request, **found)
        vars(self).update(found)
        if "task" not in found:
            (row,) = found.values()
            self.task = row.task

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks rows, and reads them, from before a form is made until it is saved.

        Nothing, where `save` does it.
        """
        yield

    def get_form(self, form_class: Any = None) -> Any:
        return self.form_class(self.task, *posted(self.request))

    def get(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        return self.form_invalid(self.get_form())

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        with self.locked():
            form = self.get_form()
            if form.is_valid():
                with refusals_in(form):
                    return self.form_valid(form)
        return self.form_invalid(form)

    def form_valid(self, form: Any) -> HttpResponse:
        sentence = self.save(form)
        messages.success(self.request, sentence or str(self.saved))
        return redirect(self.get_success_url())

    def save(self, form: Any) -> str | None:
        """Save what was sent; a sentence about it where `saved` is not the one."""
        form.save()
        return None

    def get_success_url(self) -> str:
        if not self.done:
            return self.request.path
        return reverse(self.done, args=[self.task.slug])

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(task=self.task, **more)

    def render_to_response(
        self, context: dict[str, Any], **_options: Any
    ) -> HttpResponse:
        return form_response(self.request, self.template_name, context)


class TaskPage(FormPage):
    """A page whose form is made and saved under the lock of the task."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        with task_locked(self.task) as self.task:
            yield


class ColumnsForm(ShowsValues, forms.ModelForm):
    """Columns of a task; saves those that it asks and nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shows(self.initial)

    def save(self, commit: bool = True) -> Task:
        task: Task = self.instance
        task.save(update_fields=self._meta.fields)
        return task


class ColumnsPage(TaskPage):
    """A page with a ColumnsForm."""

    def get_form(self, form_class: Any = None) -> Any:
        return self.form_class(*posted(self.request), instance=self.task)
