"""History of a task: who changed what, before and after."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.contrib.contenttypes.models import ContentType
from django.core.paginator import Paginator
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.extension.access import EDIT, access
from leaderboard.extension.models import Change, Task, User

# As Django makes them of the names in the code, where a field says no other.
WORDS = (
    pgettext_lazy("history", "ID"),
    pgettext_lazy("history", "accepted at"),
    pgettext_lazy("history", "accepted by"),
    pgettext_lazy("history", "admitted at"),
    pgettext_lazy("history", "admitted by"),
    pgettext_lazy("history", "alias"),
    pgettext_lazy("history", "anonymous"),
    pgettext_lazy("history", "at"),
    pgettext_lazy("history", "audience"),
    pgettext_lazy("history", "baseline"),
    pgettext_lazy("history", "blind name"),
    pgettext_lazy("history", "blind sha256"),
    pgettext_lazy("history", "brought at"),
    pgettext_lazy("history", "by organizers"),
    pgettext_lazy("history", "by"),
    pgettext_lazy("history", "created at"),
    pgettext_lazy("history", "created by"),
    pgettext_lazy("history", "declared at"),
    pgettext_lazy("history", "declared by"),
    pgettext_lazy("history", "description"),
    pgettext_lazy("history", "discarded at"),
    pgettext_lazy("history", "disqualified at"),
    pgettext_lazy("history", "disqualified by"),
    pgettext_lazy("history", "disqualified why"),
    pgettext_lazy("history", "draft"),
    pgettext_lazy("history", "email"),
    pgettext_lazy("history", "facts"),
    pgettext_lazy("history", "final"),
    pgettext_lazy("history", "gold file"),
    pgettext_lazy("history", "gold revision"),
    pgettext_lazy("history", "headline"),
    pgettext_lazy("history", "id"),
    pgettext_lazy("history", "invitation"),
    pgettext_lazy("history", "joined at"),
    pgettext_lazy("history", "judgements"),
    pgettext_lazy("history", "kind"),
    pgettext_lazy("history", "late"),
    pgettext_lazy("history", "left at"),
    pgettext_lazy("history", "message"),
    pgettext_lazy("history", "level"),
    pgettext_lazy("history", "live at"),
    pgettext_lazy("history", "mail domains"),
    pgettext_lazy("history", "merged into"),
    pgettext_lazy("history", "name"),
    pgettext_lazy("history", "note"),
    pgettext_lazy("history", "notice"),
    pgettext_lazy("history", "number"),
    pgettext_lazy("history", "options"),
    pgettext_lazy("history", "organizer"),
    pgettext_lazy("history", "organizers"),
    pgettext_lazy("history", "participant"),
    pgettext_lazy("history", "participation"),
    pgettext_lazy("history", "paused"),
    pgettext_lazy("history", "paused note"),
    pgettext_lazy("history", "phase"),
    pgettext_lazy("history", "picked"),
    pgettext_lazy("history", "position"),
    pgettext_lazy("history", "weight"),
    pgettext_lazy("history", "preparing"),
    pgettext_lazy("history", "public note"),
    pgettext_lazy("history", "ranks anyway"),
    pgettext_lazy("history", "reason"),
    pgettext_lazy("history", "replaced at"),
    pgettext_lazy("history", "resamples"),
    pgettext_lazy("history", "revision"),
    pgettext_lazy("history", "revoked at"),
    pgettext_lazy("history", "role"),
    pgettext_lazy("history", "run"),
    pgettext_lazy("history", "runs"),
    pgettext_lazy("history", "scorer name"),
    pgettext_lazy("history", "seed"),
    pgettext_lazy("history", "sender"),
    pgettext_lazy("history", "sha256"),
    pgettext_lazy("history", "shown measures"),
    pgettext_lazy("history", "size"),
    pgettext_lazy("history", "snapshot"),
    pgettext_lazy("history", "status"),
    pgettext_lazy("history", "status at"),
    pgettext_lazy("history", "status by"),
    pgettext_lazy("history", "status by team"),
    pgettext_lazy("history", "submission"),
    pgettext_lazy("history", "system"),
    pgettext_lazy("history", "task"),
    pgettext_lazy("history", "team"),
    pgettext_lazy("history", "test set"),
    pgettext_lazy("history", "terms accepted at"),
    pgettext_lazy("history", "text"),
    pgettext_lazy("history", "title"),
    pgettext_lazy("history", "unit"),
    pgettext_lazy("history", "units"),
    pgettext_lazy("history", "user"),
    pgettext_lazy("history", "why"),
    pgettext_lazy("history", "withdrawn at"),
    # Fields and rows of a task once; lines about them stay.
    pgettext_lazy("history", "boards"),
    pgettext_lazy("history", "declined at"),
    pgettext_lazy("history", "done at"),
    pgettext_lazy("history", "done by"),
    pgettext_lazy("history", "fact sheet"),
    pgettext_lazy("history", "leaves agreed"),
    pgettext_lazy("history", "leaves"),
    pgettext_lazy("history", "merger"),
    pgettext_lazy("history", "phases"),
    pgettext_lazy("history", "prompts"),
    pgettext_lazy("history", "series"),
    pgettext_lazy("history", "stays agreed"),
    pgettext_lazy("history", "stays"),
)
PER_PAGE = 50
NOTHING: tuple[Any, ...] = (None, "", [], {}, "None")
ACTIONS = {
    Change.Action.CREATE: gettext_lazy("made"),
    Change.Action.UPDATE: gettext_lazy("changed"),
    Change.Action.DELETE: gettext_lazy("removed"),
}
Names = Mapping[tuple[type[Model], str], str]


def in_words(named: Any) -> str:
    """The name of a field or of the options of a model, beginning in upper case."""
    name = named.verbose_name
    return capfirst(str(name)) if isinstance(name, Promise) else _history_label(name)


def _history_label(name: str) -> str:
    return capfirst(pgettext("history", name))


def _kind_in_words(kind: ContentType) -> str:
    """The name of a model; one that has left the product is called by its class."""
    model = kind.model_class()
    return in_words(model._meta) if model else _history_label(kind.model)


class HistoryFilter(forms.Form):
    """A filter of the changes of a task; a field that is not valid filters nothing."""

    kind = forms.ChoiceField(required=False, label=gettext_lazy("What"))
    who = forms.ChoiceField(required=False, label=gettext_lazy("Who"))
    since = forms.DateField(
        required=False,
        label=gettext_lazy("Since"),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    until = forms.DateField(
        required=False,
        label=gettext_lazy("Until"),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    lookups = {
        "kind": "content_type__model",
        "who": "actor_email",
        "since": "timestamp__date__gte",
        "until": "timestamp__date__lte",
    }

    def __init__(self, changes: QuerySet[Change], *args: Any) -> None:
        super().__init__(*args)
        self.changes = changes
        types = changes.order_by().values("content_type").distinct()
        kinds = sorted(
            (kind.model, _kind_in_words(kind))
            for kind in ContentType.objects.filter(pk__in=types)
        )
        everybody = changes.order_by("actor_email").values_list(
            "actor_email", flat=True
        )
        people = [(address, address) for address in everybody.distinct() if address]
        fields: Any = self.fields
        fields["kind"].choices = [("", _("everything")), *kinds]
        fields["who"].choices = [("", _("everybody")), *people]

    def filter_changes(self) -> QuerySet[Change]:
        self.is_valid()
        chosen = {
            self.lookups[name]: value
            for name, value in self.cleaned_data.items()
            if value
        }
        return self.changes.filter(**chosen)


def related_names(changes: Iterable[Change]) -> Names:
    """Names of the rows that keys in these changes stand for; one query per model."""
    keys: dict[Any, set[str]] = defaultdict(set)
    for change in changes:
        fields = _fields(change)
        for name, pair in (change.changes or {}).items():
            field = fields.get(name)
            if isinstance(field, ForeignKey) and isinstance(pair, list):
                keys[field.related_model] |= {str(v) for v in pair if v}
    return {
        (model, str(row.pk)): _name(row)
        for model, of_model in keys.items()
        for row in _rows(model, [key for key in of_model if key.isdecimal()])
    }


def _fields(change: Change) -> dict[str, Any]:
    model = change.content_type.model_class()
    return {field.name: field for field in model._meta.get_fields()} if model else {}


def _rows(model: Any, keys: Iterable[str]) -> QuerySet[Any]:
    rows = model._base_manager.filter(pk__in=keys)
    related = {f.name for f in model._meta.fields if f.name in ("task", "team")}
    return rows.select_related(*related) if related else rows


def _name(row: Model) -> str:
    """People by their address too: names need not differ."""
    return row.name_and_address if isinstance(row, User) else str(row)


def changed_fields(change: Change, names: Names) -> list[tuple[str, str, str]]:
    """Label, value before and value after of each field, as people read them."""
    fields, rows = _fields(change), []
    for name, pair in sorted((change.changes or {}).items()):
        field = fields.get(name)
        if field is not None and field.is_relation and not field.concrete:
            continue
        if isinstance(pair, dict):  # members of a many-to-many field
            members = ", ".join(pair.get("objects", ()))
            pair = ["", members] if pair.get("operation") == "add" else [members, ""]
        before, after = (_value_in_words(field, value, names) for value in pair)
        if after or change.action != Change.Action.CREATE:
            # A field that the model had once is printed as Django names one.
            label = in_words(field) if field else _history_label(name.replace("_", " "))
            rows.append((label, before, after))
    return rows


def _value_in_words(field: Any, value: Any, names: Names) -> str:
    if value in NOTHING:
        return ""
    if isinstance(field, ForeignKey):
        return names.get((field.related_model, str(value)), f"#{value}")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if choices := dict(getattr(field, "flatchoices", ())):
        return str(choices.get(value, value))
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    moment = getattr(field, "get_internal_type", str)() == "DateTimeField"
    return f"{str(value)[:16]} UTC" if moment else str(value)


@require_safe
@access(EDIT)
def history_page(request: HttpRequest, task: Task) -> HttpResponse:
    """One page of the history; a constant number of queries."""
    form = HistoryFilter(Change.objects.filter(task_pk=task.pk), request.GET)
    changes = form.filter_changes().select_related("actor", "content_type")
    page = Paginator(changes, PER_PAGE).get_page(request.GET.get("page"))
    names = related_names(page)
    lines = []
    for change in page:
        line = {
            "change": change,
            "kind": _kind_in_words(change.content_type),
            "action": ACTIONS.get(change.action, ""),
            "fields": changed_fields(change, names),
        }
        lines.append(line)
    context = {"task": task, "form": form, "page": page, "lines": lines}
    return render(request, "history/page.html", context)
