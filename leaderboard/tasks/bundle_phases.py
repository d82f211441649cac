"""The `phases` of a manifest."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from leaderboard.tasks.local_time import time_zones
from leaderboard.tasks.manifest import A_TIME, Section, names_differ
from leaderboard.tasks.model_rules import check_fields
from leaderboard.tasks.models import Phase
from leaderboard.tasks.plans import PhasePlan

KEYS = (
    "name",
    "title",
    "opens",
    "closes",
    "time_zone",
    "test_sets",
    "policy",
    "reveal_at",
    "freeze_from",
    "publication",
    "step",
    "private_share",
    "salt",
    "counts",
    "daily_limit",
    "total_limit",
    "most_runs",
    "who",
    "paused",
    "paused_note",
)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def phases(top: Section, known: tuple[str, ...]) -> tuple[PhasePlan, ...]:
    """Phases in their order; what is wrong is noted. `known` are the test sets."""
    sections = top.sections("phases", KEYS)
    names_differ(sections)
    return tuple(_phase(section, known) for section in sections)


def _phase(section: Section, known: tuple[str, ...]) -> PhasePlan:
    name = section.text("name")
    chosen = section.words("test_sets", known)
    if not set(chosen) <= set(known) or not chosen:
        section.wrong("test_sets", f"names out of {', '.join(known)}")
    ordered = tuple(one for one in known if one in chosen)
    plan = PhasePlan(
        name=name,
        title=section.text("title", name or "-"),
        test_sets=ordered,
        lines=section.table.lines,
        **_times(section),
        **_showing(section),
        **_taking(section),
    )
    _check_fields(section, plan)
    return plan


def _times(section: Section) -> dict[str, Any]:
    zone = None
    name = section.text("time_zone", "UTC")
    if name not in time_zones():
        section.wrong("time_zone", "a name of the time zone database, Europe/Oslo say")
        name = "UTC"
    elif "time_zone" in section.table:
        zone = ZoneInfo(name)
    opens = section.moment("opens", zone)
    if "opens" not in section.table:
        section.wrong("opens", A_TIME)
    later = ("closes", "reveal_at", "freeze_from")
    return {
        "time_zone": name,
        "opens": opens or LONG_AGO,
        **{key: section.moment(key, zone) for key in later},
    }


def _showing(section: Section) -> dict[str, Any]:
    """What is shown of scores."""
    return {
        "policy": section.choice("policy", Phase.Policy.values, "open"),
        "publication": section.choice("publication", Phase.Publication.values, "exact"),
        "step": section.optional("step", float, 0.0001),
        "private_share": section.optional("private_share", float, 0.1),
        "salt": section.text("salt", ""),
        "counts": section.choice("counts", Phase.Counts.values, "best"),
    }


def _taking(section: Section) -> dict[str, Any]:
    """What is taken, and from whom."""
    return {
        "daily_limit": section.optional("daily_limit", int),
        "total_limit": section.optional("total_limit", int),
        "most_runs": section.value("most_runs", int, 1),
        "who": section.choice("who", Phase.Who.values, "participants"),
        "paused": section.value("paused", bool, False),
        "paused_note": section.text("paused_note", ""),
    }


def _check_fields(section: Section, plan: PhasePlan) -> None:
    salted = replace(plan, salt=plan.salt or "0")
    check_fields(section, Phase(**salted.fields()))
