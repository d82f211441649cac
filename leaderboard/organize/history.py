"""History of a task: who changed what, before and after."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.paginator import Page, Paginator
from django.db.models import Field, ForeignKey, Model, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.organize.history_words import in_words
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Change, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import User

PER_PAGE = 50
NOTHING: tuple[Any, ...] = (None, "", [], {}, "None")
ACTIONS = {
    Change.Action.CREATE: gettext_lazy("made"),
    Change.Action.UPDATE: gettext_lazy("changed"),
    Change.Action.DELETE: gettext_lazy("removed"),
}


@dataclass(frozen=True)
class FieldChange:
    """One field before and after, as people read it; empty for nothing."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class HistoryLine:
    change: Change
    kind: str
    action: str
    fields: Sequence[FieldChange]

    @property
    def who(self) -> str:
        """Kept by address too, so that it outlives the account."""
        return self.change.actor_email or ""


@dataclass(frozen=True)
class History:
    page: Page
    lines: Sequence[HistoryLine]
    kinds: Sequence[tuple[str, str]]
    actors: Sequence[str]
    chosen: Mapping[str, str]


def history_of(task: Task, asked: QueryDict) -> History:
    """One page of the history; a constant number of queries.

    Asked may be `kind` (a model), `who` (a mail address), `since` and `until` (dates,
    UTC), and `page`.
    """
    everything = Change.objects.filter(task_pk=task.pk)
    keys = ("kind", "who", "since", "until")
    # PostgreSQL takes no NUL, not even to find nothing.
    chosen = {key: asked.get(key, "").replace("\0", "") for key in keys}
    found = _filtered(everything, chosen).select_related("actor")
    page = Paginator(found, PER_PAGE).get_page(asked.get("page"))
    changes = list(page)
    models = _models(everything)
    names = RelatedNames(changes, models)
    lines = [_line(one, models.get(one.content_type_id), names) for one in changes]
    actors = everything.order_by("actor_email").values_list("actor_email", flat=True)
    return History(
        page,
        lines,
        sorted(
            (model._meta.model_name or "", kind_of(model)) for model in models.values()
        ),
        [one for one in actors.distinct() if one],
        chosen,
    )


def kind_of(model: type[Model]) -> str:
    return in_words(model._meta)


def _models(everything: QuerySet[Change]) -> dict[int, type[Model]]:
    """The model behind each content type that occurs."""
    keys = everything.order_by().values_list("content_type", flat=True).distinct()
    types = ContentType.objects.filter(pk__in=list(keys))
    return {one.pk: model for one in types if (model := one.model_class()) is not None}


def _filtered(found: QuerySet[Change], chosen: Mapping[str, str]) -> QuerySet[Change]:
    if chosen["kind"]:
        found = found.filter(content_type__model=chosen["kind"])
    if chosen["who"]:
        found = found.filter(actor_email=chosen["who"])
    for key, lookup in (("since", "gte"), ("until", "lte")):
        if (day := _day(chosen[key])) is not None:
            found = found.filter(**{f"timestamp__date__{lookup}": day})
    return found


def _day(text: str) -> Any:
    try:
        return parse_date(text)
    except ValueError:
        return None


class RelatedNames:
    """What the keys of related rows stand for, looked up once per model."""

    def __init__(
        self, changes: Iterable[Change], models: Mapping[int, type[Model]]
    ) -> None:
        wanted: dict[type[Model], set[str]] = defaultdict(set)
        for change in changes:
            for field, pair in _pairs(change, models.get(change.content_type_id)):
                if isinstance(field, ForeignKey):
                    wanted[field.related_model] |= {str(v) for v in pair if v}
        self.known = {
            (model, str(row.pk)): _name(row)
            for model, keys in wanted.items()
            for row in _rows(model, keys)
        }

    def of(self, model: type[Model], key: Any) -> str:
        return self.known.get((model, str(key)), f"#{key}")


def _rows(model: Any, keys: Iterable[str]) -> QuerySet[Any]:
    rows = model._base_manager.filter(pk__in=[key for key in keys if key.isdecimal()])
    related = {one.name for one in model._meta.fields if one.name in ("task", "team")}
    return rows.select_related(*related) if related else rows


def _name(row: Model) -> str:
    """People by their address too: names need not differ."""
    return f"{row} ({row.email})" if isinstance(row, User) else str(row)


def _pairs(change: Change, model: type[Model] | None) -> list[tuple[Field | None, Any]]:
    fields = {} if model is None else {f.name: f for f in model._meta.get_fields()}
    found = (change.changes or {}).items()
    return [(fields.get(name), pair) for name, pair in found if isinstance(pair, list)]


def _line(
    change: Change, model: type[Model] | None, names: RelatedNames
) -> HistoryLine:
    kind = kind_of(model) if model else ""
    made = change.action == Change.Action.CREATE
    fields = [
        one
        for name, pair in sorted((change.changes or {}).items())
        if (one := _field(model, name, pair, names)) and not (made and not one.after)
    ]
    return HistoryLine(change, kind, str(ACTIONS.get(change.action, "")), fields)


def _field(
    model: type[Model] | None, name: str, pair: Any, names: RelatedNames
) -> FieldChange | None:
    field: Any = None
    if model is not None:
        field = {f.name: f for f in model._meta.get_fields()}.get(name)
    if field is not None and field.is_relation and not field.concrete:
        return None
    label = name if field is None else in_words(field)
    if isinstance(pair, dict):  # members of a many-to-many field
        members = ", ".join(pair.get("objects", ()))
        added = pair.get("operation") == "add"
        return FieldChange(label, "" if added else members, members if added else "")
    before, after = (_shown(field, value, names) for value in pair)
    return FieldChange(label, before, after)


def _shown(field: Any, value: Any, names: RelatedNames) -> str:
    if value in NOTHING:
        return ""
    if isinstance(field, ForeignKey):
        return names.of(field.related_model, value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if choices := dict(getattr(field, "flatchoices", ())):
        return str(choices.get(value, value))
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    moment = getattr(field, "get_internal_type", str)() == "DateTimeField"
    return f"{str(value)[:16]} UTC" if moment else str(value)


@require_safe
def history_page(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    found = history_of(task, request.GET)
    query = request.GET.copy()
    query.pop("page", None)
    context = {"task": task, "history": found, "query": query.urlencode()}
    return render(request, "organize/history.html", context)
