"""History of a task: every change with who, when, before and after; what it covers."""

from collections.abc import Iterable, Mapping
from typing import Any

from auditlog.diff import model_instance_diff
from auditlog.models import AbstractLogEntry, LogEntryManager
from auditlog.registry import auditlog
from auditlog.signals import pre_log
from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.db.models import Model
from django.db.models.signals import m2m_changed

from leaderboard.web import requests
from leaderboard.web.locks import lock_rows

Row = models.Model
# Model to the path of its task's key, filled by `watch`.
PATHS: dict[type[Row], str] = {}
SALT = "would tell which units are in the private part"
GOLD = "names units of the gold"
COUNTER = "counts evaluations for caches; no person decides it"
FROZEN = "the rows themselves, kept whole in the snapshot and known by their hash"
FIXED = "said once when it was sent, and kept in the submission itself"
ANSWERS = "of people, in one place only, so that they can be deleted"
FOLLOWS = "the last end of the extensions, which are history"
KEY = "sent by a program to make repeating harmless; means nothing to people"
# Model, path from a row to the key of its task, and fields left out with the reason.
TASKS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Task": ("pk", {}),
    "Phase": (
        "task_id",
        {
            "salt": SALT,
            "board_version": COUNTER,
            "oldest_board_version": COUNTER,
            "extended_until": FOLLOWS,
        },
    ),
    "TestSet": ("task_id", {}),
    "NamedBoard": ("task_id", {}),
    "Question": ("task_id", {}),
    "RegistrationQuestion": ("task_id", {}),
    "GoldRevision": ("task_id", {}),
    "GoldFile": ("revision.task_id", {"changes": GOLD}),
    "Organizer": ("task_id", {}),
    "Invitation": ("task_id", {}),
    "Participation": ("task_id", {"answers": ANSWERS}),
    "Participant": ("task_id", {}),
    "Extension": ("phase.task_id", {}),
    "Notice": ("task_id", {}),
    "Snapshot": ("phase.task_id", {"data": FROZEN}),
    "Message": ("task_id", {}),
}
SUBMISSIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Submission": (
        "phase.task_id",
        {"received_at": FIXED, "accepted_at": FIXED, "key": KEY},
    ),
}
# Rows that record their own making; only what is decided about them is history.
MADE_BY_PARTICIPANTS = ("Submission",)


class WrittenOnce(Exception):
    """History is added to, never edited and never taken back."""


class ChangeQuerySet(models.QuerySet):
    def update(self, **values: Any) -> int:
        raise WrittenOnce

    def delete(self) -> tuple[int, dict[str, int]]:
        raise WrittenOnce


class ChangeManager(LogEntryManager.from_queryset(ChangeQuerySet)):  # type: ignore[misc]
    """Adds the task to what django-auditlog writes."""

    def log_create(
        self, instance: Row, force_log: bool = False, **kwargs: Any
    ) -> "Change | None":
        kwargs.setdefault("task_pk", task_pk_of(instance))
        entry: Change | None = super().log_create(instance, force_log, **kwargs)
        return entry

    def log_m2m_changes(
        self, changed_queryset: Any, instance: Row, *words: str, **kwargs: Any
    ) -> "Change | None":
        kwargs.setdefault("task_pk", task_pk_of(instance))
        entry: Change | None = super().log_m2m_changes(
            changed_queryset, instance, *words, **kwargs
        )
        return entry

    def note(self, old: Row | None, new: Row) -> "Change | None":
        """Write what differs between two states of a row, or that it was made."""
        action = Change.Action.UPDATE if old is not None else Change.Action.CREATE
        changes = model_instance_diff(
            old, new, use_json_for_changes=settings.AUDITLOG_STORE_JSON_CHANGES
        )
        return self.log_create(new, action=action, changes=changes)


class Change(AbstractLogEntry):
    """One change, as django-auditlog writes it, with its task.

    `task_pk` is no foreign key: the history of a task outlives its rows. `way` is how
    it came: page, api, or the program.
    """

    task_pk = models.BigIntegerField(null=True, editable=False)
    way = models.CharField(max_length=100, blank=True, editable=False)

    objects = ChangeManager()

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=["task_pk", "-id"]),)

    def __str__(self) -> str:
        return f"{self.get_action_display()} {self.object_repr}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise WrittenOnce
        self.way = requests.way()[:100]
        person = requests.person()
        entry: Any = self
        if entry.actor is None and person is not None:
            entry.actor, entry.actor_email = person, person.email
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise WrittenOnce


def task_pk_of(instance: Row) -> int | None:
    """The task a row belongs to, by the path its model was registered with."""
    value: Any = instance
    for step in PATHS.get(type(instance), "").split("."):
        value = getattr(value, step, None)
    return value if isinstance(value, int) else None


class AuditedQuerySet(models.QuerySet):
    """Writes history for what goes past `save()` and so past the signals."""

    def update(self, **values: Any) -> int:
        if not auditlog.contains(self.model) or not self._is_recorded(values):
            return super().update(**values)
        with transaction.atomic(using=self.db):
            before = {row.pk: row for row in lock_rows(self)}
            mine = self.order_by().filter(pk__in=list(before))
            moved = super(AuditedQuerySet, mine).update(**values)
            self._write(before)
        return moved

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        records_itself = self.model.__name__ in MADE_BY_PARTICIPANTS
        if records_itself or not auditlog.contains(self.model):
            return super().bulk_create(objs, *args, **kwargs)
        with transaction.atomic(using=self.db):
            rows = super().bulk_create(objs, *args, **kwargs)
            for row in rows:
                Change.objects.note(None, row)
        return rows

    def _is_recorded(self, values: Mapping[str, Any]) -> bool:
        """Whether any of the fields is one that history is kept of."""
        recorded = auditlog.get_model_fields(self.model)["include_fields"]
        fields = (self.model._meta.get_field(name) for name in values)
        return any(field.name in recorded for field in fields)

    def _write(self, before: Mapping[Any, Row]) -> None:
        after = self.model._base_manager.using(self.db).in_bulk(list(before))
        for pk, row in after.items():
            Change.objects.note(before[pk], row)


def watch(
    app: str, models: Mapping[str, tuple[str, Mapping[str, str]]], making: bool = True
) -> None:
    """Keep history of these models of an app, many-to-many fields included; without
    `making` not of how their rows are made."""
    for name, (path, left_out) in models.items():
        model = apps.get_model(app, name)
        PATHS[model] = path
        fields = model._meta.concrete_fields
        recorded = [field.name for field in fields if field.name not in left_out]
        auditlog.register(model, include_fields=recorded)
        for field in model._meta.local_many_to_many:
            _watch_members(model, field)
        if name in MADE_BY_PARTICIPANTS or not making:
            pre_log.connect(not_its_making, sender=model)


def not_its_making(action: int, **_: Any) -> bool:
    """A receiver of `pre_log` that leaves the making of rows out of the history."""
    return action != Change.Action.CREATE


def _watch_members(model: type[Model], field: Any) -> None:
    """History of a many-to-many field, from whichever side it is changed.

    Not the package's own receiver: on clear() that one lists the whole other table.
    """
    through = field.remote_field.through
    if not through._meta.auto_created:
        return  # a model with history of its own

    def receive(
        action: str, instance: Any, reverse: bool, pk_set: Any, **_: Any
    ) -> None:
        words = {"post_add": "add", "post_remove": "delete", "pre_clear": "delete"}
        if action not in words:
            return
        if reverse:
            rows = model._base_manager
            owners = rows.filter(pk__in=pk_set or ())
            if pk_set is None:
                owners = rows.filter(**{field.name: instance})
            changed = [(owner, [instance]) for owner in owners]
        else:
            members = getattr(instance, field.name).all()
            if pk_set is not None:
                members = field.related_model._base_manager.filter(pk__in=pk_set)
            changed = [(instance, list(members))]
        for owner, members in changed:
            Change.objects.log_m2m_changes(members, owner, words[action], field.name)

    m2m_changed.connect(receive, sender=through, weak=False)
