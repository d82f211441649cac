"""Questions and named boards: lists of a task that are added to, ordered and edited."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.forms import LockedPage, ShowsValues
from leaderboard.tasks.access import EDIT, task_locked
from leaderboard.tasks.models import OrderedPart, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import View, access
from leaderboard.web.forms import posted_data

STEPS = {"up": -1, "down": 1}


class PartForm(ShowsValues, forms.ModelForm):
    """A new part of a task at the end of its list, or the one called `name`."""

    name_is_taken: Any
    list_is_full: Any

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        model = self._meta.model
        part = model(task=task)
        if name:
            part = get_object_or_404(model, task=task, name=name)
        given, files = data or (None, None)
        super().__init__(given, files, instance=part)
        self.task, self.adds = task, not name
        self.others = model.objects.filter(task=task).exclude(pk=part.pk)
        if name:
            self.shows(self.initial)
            self.fields["name"].disabled = True

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.others.filter(name=name).exists():
            raise ValidationError(self.name_is_taken)
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.adds and self.others.count() >= self._meta.model.MOST:
            self.add_error(None, self.list_is_full)
        return cleaned

    def save(self, commit: bool = True) -> Any:
        if self.adds and (last := self.others.last()):
            self.instance.position = last.position + 1
        return super().save(commit)


def move(row: Any, step: int) -> None:
    """Move a row up (-1) or down (1) among those of its task; at the end nothing
    happens."""
    rows = list(type(row).objects.filter(task=row.task_id))
    place = rows.index(row)
    rows.insert(max(0, place + step), rows.pop(place))
    for position, neighbour in enumerate(rows):
        if neighbour.position != position:
            neighbour.position = position
            neighbour.save(update_fields=["position"])


class PartsPage(LockedPage):
    """A list of a task and the form for one more part; with a name, that part's form.

    Buttons of a part move or remove it (`act`).
    """

    mark = EDIT
    # Address, and names of the routes: the list, a part, and its buttons.
    address: str
    names: tuple[str, str, str]
    all_parts: str | Promise
    # The table of parts: its title, class and title of each column, template of a line.
    table_title: str | Promise
    columns: tuple[tuple[str, str | Promise], ...]
    line: str
    name = ""
    refused = ""

    @classmethod
    def routes(cls) -> list[URLPattern]:
        here, (listed, part, buttons) = cls.address, cls.names
        return [
            path(f"{here}/", cls.as_view(), name=listed),
            path(f"{here}/<slug:name>/", cls.as_view(), name=part),
            path(f"{here}/<slug:name>/change/", cls._buttons(), name=buttons),
        ]

    @classmethod
    def _buttons(cls) -> View:
        @require_POST
        @access(cls.mark)
        def change(request: HttpRequest, task: Task, name: str) -> HttpResponse:
            page = cls()
            page.setup(request, task=task)
            return page.press(name)

        return change

    def setup(self, request: HttpRequest, **captured: Any) -> None:
        super().setup(request, **captured)
        self.done = self.names[0]
        if self.name:
            self.above = (self.done, self.all_parts)
            self.saved = gettext_lazy("Saved.")
        else:
            self.template_name = "organize/parts.html"
            self.button = gettext_lazy("Add")

    def get_form(self) -> Any:
        form = self.form_class(self.task, *posted_data(self.request), name=self.name)
        if self.name:
            self.title = form.initial["title"]
        return form

    @property
    def model(self) -> Any:
        return self.form_class.Meta.model

    def parts(self) -> list[Any]:
        """The parts, each with what its line says."""
        return list(self.model.objects.filter(task=self.task))

    def context(self, form: PartForm) -> dict[str, Any]:
        if self.name:
            return {}
        return {"parts": self.parts(), "refused": self.refused}

    def press(self, name: str) -> HttpResponse:
        """Do what the button of a part says; the list again where it is refused."""
        try:
            with task_locked(self.task):
                part = get_object_or_404(self.model, task=self.task, name=name)
                self.act(part, self.request.POST.get("to", ""))
        except Refusal as refusal:
            self.refused = str(refusal)
            return self.show(self.form_class(self.task))
        return redirect(self.done, self.task.slug)

    def act(self, part: OrderedPart, action: str) -> None:
        """Move a part up or down, or remove it. Raises Refusal for other actions."""
        if action in STEPS:
            move(part, STEPS[action])
        elif action == "remove":
            part.delete()
        else:
            raise Refusal(_("Nothing to do."))
