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
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Change, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import User

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
    pgettext_lazy("history", "boards"),
    pgettext_lazy("history", "by organizers"),
    pgettext_lazy("history", "by"),
    pgettext_lazy("history", "created at"),
    pgettext_lazy("history", "created by"),
    pgettext_lazy("history", "declared at"),
    pgettext_lazy("history", "declared by"),
    pgettext_lazy("history", "declined at"),
    pgettext_lazy("history", "description"),
    pgettext_lazy("history", "discarded at"),
    pgettext_lazy("history", "disqualified at"),
    pgettext_lazy("history", "disqualified by"),
    pgettext_lazy("history", "disqualified why"),
    pgettext_lazy("history", "done at"),
    pgettext_lazy("history", "done by"),
    pgettext_lazy("history", "draft"),
    pgettext_lazy("history", "email"),
    pgettext_lazy("history", "fact sheet"),
    pgettext_lazy("history", "facts"),
    pgettext_lazy("history", "final"),
    pgettext_lazy("history", "gold file"),
    pgettext_lazy("history", "gold revision"),
    pgettext_lazy("history", "headline"),
    pgettext_lazy("history", "id"),
    pgettext_lazy("history", "invitation"),
    pgettext_lazy("history", "joined at"),
    pgettext_lazy("history", "kind"),
    pgettext_lazy("history", "late"),
    pgettext_lazy("history", "leaves"),
    pgettext_lazy("history", "leaves agreed"),
    pgettext_lazy("history", "left at"),
    pgettext_lazy("history", "letter"),
    pgettext_lazy("history", "level"),
    pgettext_lazy("history", "live at"),
    pgettext_lazy("history", "mail domains"),
    pgettext_lazy("history", "merged into"),
    pgettext_lazy("history", "merger"),
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
    pgettext_lazy("history", "preparing"),
    pgettext_lazy("history", "public note"),
    pgettext_lazy("history", "ranks anyway"),
    pgettext_lazy("history", "reason"),
    pgettext_lazy("history", "resamples"),
    pgettext_lazy("history", "revision"),
    pgettext_lazy("history", "revoked at"),
    pgettext_lazy("history", "role"),
    pgettext_lazy("history", "runs"),
    pgettext_lazy("history", "scorer name"),
    pgettext_lazy("history", "seed"),
    pgettext_lazy("history", "sender"),
    pgettext_lazy("history", "sha256"),
    pgettext_lazy("history", "shown measures"),
    pgettext_lazy("history", "snapshot"),
    pgettext_lazy("history", "status"),
    pgettext_lazy("history", "status at"),
    pgettext_lazy("history", "status by"),
    pgettext_lazy("history", "status by team"),
    pgettext_lazy("history", "stays"),
    pgettext_lazy("history", "stays agreed"),
    pgettext_lazy("history", "submission"),
    pgettext_lazy("history", "system"),
    pgettext_lazy("history", "task"),
    pgettext_lazy("history", "team"),
    pgettext_lazy("history", "test set"),
    pgettext_lazy("history", "text"),
    pgettext_lazy("history", "title"),
    pgettext_lazy("history", "unit"),
    pgettext_lazy("history", "units"),
    pgettext_lazy("history", "user"),
    pgettext_lazy("history", "why"),
    pgettext_lazy("history", "withdrawn at"),
)
PER_PAGE = 50
NOTHING: tuple[Any, ...] = (None, "", [], {}, "None")
ACTIONS = {
    Change.Action.CREATE: gettext_lazy("made"),
    Change.Action.UPDATE: gettext_lazy("changed"),
    Change.Action.DELETE: gettext_lazy("removed"),
}


@dataclass(frozen=True)
class ChangedField:
    """One field before and after, as people read it; empty for nothing."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class HistoryLine:
    change: Change
    kind: str
    action: str
    fields: Sequence[ChangedField]

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


def in_words(named: Any) -> str:
    """The name of a field or of the options of a model, beginning in upper case."""
    name = named.verbose_name
    word = name if isinstance(name, Promise) else pgettext("history", name)
    return str(capfirst(word))


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
) -> ChangedField | None:
    field: Any = None
    if model is not None:
        field = {f.name: f for f in model._meta.get_fields()}.get(name)
    if field is not None and field.is_relation and not field.concrete:
        return None
    label = name if field is None else in_words(field)
    if isinstance(pair, dict):  # members of a many-to-many field
        members = ", ".join(pair.get("objects", ()))
        added = pair.get("operation") == "add"
        return ChangedField(label, "" if added else members, members if added else "")
    before, after = (_shown(field, value, names) for value in pair)
    return ChangedField(label, before, after)


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
