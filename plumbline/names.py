"""Names in place of ids: phases, measures, and systems by what boards call them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from plumbline.exits import REFUSED_BY_SITE, USAGE, Ended, SiteRefusal
from plumbline.files import PhaseName
from plumbline.site import Site
from scoring.errors import ScoringError
from scoring.options import Raw
from scoring.scorers import of_task

Values = Mapping[str, Any]


def phase_of(site: Site, where: PhaseName) -> Any:
    """The site's answer about a phase. Raises Ended, which names those that exist."""
    try:
        return site.get(f"tasks/{where.task}/phases/{where.phase}/")
    except SiteRefusal as refusal:
        if refusal.status != 404:
            raise
    try:
        task = site.get(f"tasks/{where.task}/")
    except SiteRefusal as refusal:
        if refusal.status != 404:
            raise
        words = f"there is no task '{where.task}' at {site.address}, or not for you"
        raise Ended(REFUSED_BY_SITE, words) from None
    names = ", ".join(phase["name"] for phase in task["phases"]) or "none yet"
    words = f"'{where.task}' has no phase '{where.phase}'; its phases: {names}"
    raise Ended(REFUSED_BY_SITE, words)


def percents(scoring: Values) -> dict[str, bool]:
    """Whether each measure of a phase is a share; none for a scorer that is newer."""
    raw: Raw = {
        name: [value for value in values if isinstance(value, str)]
        for name, values in scoring.get("options", {}).items()
    }
    with suppress(ScoringError):
        scorer = of_task(scoring["scorer"], raw)
        return {measure.name: measure.percent for measure in scorer.measures(())}
    return {}


def system_id(called: str, rows: Iterable[Values], key: str = "submission") -> str:
    """The id of the system of that name, or of that id, among rows. Raises Ended."""
    listed = list(rows)
    if any(called == row[key] for row in listed):
        return called
    matching = [row for row in listed if called.casefold() in _names(row)]
    if len(matching) == 1:
        return str(matching[0][key])
    if not matching:
        named = dict.fromkeys(f"'{row['system']}'" for row in listed[:12])
        names = ", ".join(named) or "none"
        raise Ended(USAGE, f"there is no system '{called}'; there are: {names}")
    ids = ", ".join(f"{_full_name(row)} ({row[key]})" for row in matching)
    raise Ended(USAGE, f"'{called}' may be several; say TEAM/SYSTEM or an id: {ids}")


def _names(row: Values) -> tuple[str, ...]:
    return row["system"].casefold(), _full_name(row).casefold()


def _full_name(row: Values) -> str:
    team = row.get("team")
    return f"{team}/{row['system']}" if team else str(row["system"])
