"""Differences between a task and a changed bundle, field by field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from leaderboard.tasks.bundle.schema import PhasePlan, TaskPlan, TestSetPlan, keys_of
from scoring.source import Source

NOTHING = "–"
LONGEST = 300


@dataclass(frozen=True)
class FieldChange:
    """One line of the list; `text` holds the lines of a long text that change."""

    where: str
    name: str
    before: str
    after: str
    text: str = ""


def settle_plan(before: TaskPlan, after: TaskPlan) -> TaskPlan:
    """The new plan with what it leaves out: phases keep the salt they have.

    A bundle that does not say whether the task is a draft leaves it as it is.
    """
    salts = {phase.name: phase.salt for phase in before.phases}
    return after.with_values(
        draft=before.draft if after.draft is None else after.draft,
        phases=tuple(
            phase.with_values(salt=phase.salt or salts.get(phase.name, ""))
            for phase in after.phases
        ),
    )


def changes(before: TaskPlan, after: TaskPlan) -> list[FieldChange]:
    """Every difference of two plans, in the order of the manifest."""
    return [
        *_field_changes(_("Task"), _values_of(before), _values_of(after)),
        *_field_changes(
            _("Scorer options"), before.scoring.options, after.scoring.options
        ),
        *_part_changes(_("Test set {name}"), before.test_sets, after.test_sets),
        *_part_changes(_("Phase {name}"), before.phases, after.phases),
        *_order(before, after),
        *_baseline_changes(before, after),
    ]


def _values_of(plan: TaskPlan) -> dict[str, Any]:
    return {
        **plan.fields(),
        "boards": [board.fields() for board in plan.boards],
        "fact_sheet": [question.fields() for question in plan.fact_sheet],
        "registration": [question.fields() for question in plan.registration],
        **{
            name: [part.fields() for part in added]
            for name, added in plan.extra_parts.items()
        },
    }


def _field_changes(
    where: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[FieldChange]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if name == "description":
            yield FieldChange(where, name, "", "", _lines(old or "", new or ""))
        else:
            yield FieldChange(where, name, short_value(old), short_value(new))


def _lines(old: str, new: str) -> str:
    lines = unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm="")
    return "\n".join(list(lines)[2:])


def short_value(value: object) -> str:
    """A value in short, as people read it; of files only name and hash."""
    if value is None or value == "" or value == []:
        return NOTHING
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Source):
        return f"{value.name} ({value.sha256[:8]})"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="minutes")
    if isinstance(value, list | tuple):
        return ", ".join(map(short_value, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {short_value(part)}" for key, part in value.items())
    text = str(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


Plan = TestSetPlan | PhasePlan


def _part_changes(
    where: str, before: Sequence[Plan], after: Sequence[Plan]
) -> Iterator[FieldChange]:
    old = {part.name: part for part in before}
    new = {part.name: part for part in after}
    for name in dict.fromkeys((*old, *new)):
        place = where.format(name=name)
        if name not in new:
            yield FieldChange(place, "", _("there"), _("removed"))
        elif name not in old:
            yield FieldChange(place, "", NOTHING, _("added"))
        else:
            yield from _field_changes(place, _values(old[name]), _values(new[name]))


def _values(part: Plan) -> dict[str, Any]:
    """Fields to compare; times on the clocks of the phase."""
    values = {name: getattr(part, name) for name in keys_of(type(part))}
    if isinstance(part, PhasePlan):
        values["salt"] = values["salt"] and _("secret of {n} signs").format(
            n=f"{len(part.salt)} ({hash_of(part.salt)})"
        )
        zone = ZoneInfo(part.time_zone)
        for name, value in values.items():
            if isinstance(value, datetime):
                values[name] = value.astimezone(zone)
    return values


def hash_of(text: str) -> str:
    return Source.of_bytes("", text.encode()).sha256[:6]


def _order(before: TaskPlan, after: TaskPlan) -> Iterator[FieldChange]:
    old, new = ([phase.name for phase in plan.phases] for plan in (before, after))
    if old != new and sorted(old) == sorted(new):
        yield FieldChange(_("Task"), "phases", short_value(old), short_value(new))


def _baseline_changes(before: TaskPlan, after: TaskPlan) -> Iterator[FieldChange]:
    for baseline in before.baselines:
        if baseline not in after.baselines:
            where = _("Baseline {name}").format(name=baseline.system)
            yield FieldChange(where, "", _("there"), _("removed"))
    for baseline in after.baselines:
        if baseline not in before.baselines:
            where = _("Baseline {name}").format(name=baseline.system)
            yield FieldChange(where, "", NOTHING, _("sent"))
