"""Questions and named boards: lists of a task that are added to, ordered and edited."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.organize.forms import ShowsValues
from leaderboard.tasks.models import OrderedPart, Task
from leaderboard.teams.refusal import Refusal

STEPS = {"up": -1, "down": 1}


class PartForm(ShowsValues, forms.ModelForm):
    """A new part of a task at the end of its list, or the one called `name`."""

    name_is_taken: Promise
    list_is_full: Promise

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        model = self._meta.model
        part = model(task=task)
        if name:
            part = get_object_or_404(model, task=task, name=name)
        super().__init__(*data, instance=part)
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
    """Up (-1) or down (1) among those of its task; at the end nothing happens."""
    rows = list(type(row).objects.filter(task=row.task_id))
    place = rows.index(row)
    rows.insert(max(0, place + step), rows.pop(place))
    for position, neighbour in enumerate(rows):
        if neighbour.position != position:
            neighbour.position = position
            neighbour.save(update_fields=["position"])


def change(part: OrderedPart, action: str) -> None:
    """Move a part up or down, or remove it. Raises Refusal for any other action."""
    if action in STEPS:
        move(part, STEPS[action])
    elif action == "remove":
        part.delete()
    else:
        raise Refusal(_("Nothing to do."))
