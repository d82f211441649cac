"""What history is kept of: models, their task, and the fields left out with reasons."""

from collections.abc import Mapping, Sequence
from typing import Any

from auditlog.registry import auditlog
from auditlog.signals import pre_log
from django.apps import apps
from django.db.models import Model
from django.db.models.signals import m2m_changed

from leaderboard.tasks.models.changes import PATHS, Change

SALT = "would tell which units are in the private part"
GOLD = "names units of the gold"
COUNTER = "counts evaluations for caches; no person decides it"
FROZEN = "the rows themselves, kept whole in the snapshot and known by their hash"
FIXED = "said once when it was sent, and kept in the submission itself"
KEY = "sent by a program to make repeating harmless; means nothing to people"

# Model, path from a row to the key of its task, and fields left out with the reason.
TASKS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Task": ("pk", {}),
    "Phase": ("task_id", {"salt": SALT, "board_version": COUNTER}),
    "TestSet": ("task_id", {}),
    "GoldRevision": ("task_id", {}),
    "GoldFile": ("revision.task_id", {"changes": GOLD}),
    "Organizer": ("task_id", {}),
    "Invitation": ("task_id", {}),
    "Participation": ("task_id", {}),
    "Participant": ("task_id", {}),
    "Merger": ("task_id", {}),
    "Notice": ("task_id", {}),
    "Snapshot": ("phase.task_id", {"data": FROZEN}),
    "Letter": ("task_id", {}),
}
SUBMISSIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Submission": (
        "phase.task_id",
        {"received_at": FIXED, "accepted_at": FIXED, "key": KEY},
    ),
}
# Rows that record their own making; only what is decided about them is history.
MADE_BY_PARTICIPANTS = ("Submission",)


def watch(app: str, models: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
    """Keep history of these models of an app, many-to-many fields included."""
    for name, (path, left_out) in models.items():
        model = apps.get_model(app, name)
        PATHS[model] = path
        fields = model._meta.concrete_fields
        kept = [field.name for field in fields if field.name not in left_out]
        auditlog.register(model, include_fields=kept)
        for field in model._meta.local_many_to_many:
            _watch_members(model, field)
        if name in MADE_BY_PARTICIPANTS:
            pre_log.connect(not_its_making, sender=model)


def not_its_making(action: int, **_: Any) -> bool:
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
            owners = _owners(model, field.name, instance, pk_set)
            for owner in owners:
                _note(owner, [instance], words[action], field.name)
        else:
            members = getattr(instance, field.name)
            other = field.related_model._base_manager
            changed = members.all() if pk_set is None else other.filter(pk__in=pk_set)
            _note(instance, list(changed), words[action], field.name)

    m2m_changed.connect(receive, sender=through, weak=False)


def _owners(model: Any, name: str, member: Any, pk_set: Any) -> Sequence[Any]:
    if pk_set is None:
        return list(model._base_manager.filter(**{name: member}))
    return list(model._base_manager.filter(pk__in=pk_set))


def _note(owner: Any, members: Sequence[Any], word: str, name: str) -> None:
    Change.objects.log_m2m_changes(members, owner, word, name)
