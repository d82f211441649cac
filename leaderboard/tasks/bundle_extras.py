"""The `boards`, `fact_sheet` and `baselines` of a manifest."""

import re
from typing import Any

from leaderboard.tasks.bundle_scoring import Scoring, check_measures
from leaderboard.tasks.facts import KINDS
from leaderboard.tasks.manifest import Section, names_differ
from leaderboard.tasks.plans import BaselinePlan, TestSetPlan
from scoring.engine import Job, check
from scoring.errors import SetupError

BOARD_KEYS = ("name", "title", "measures", "headline", "test_sets")
FACT_KEYS = ("name", "title", "kind", "choices", "required", "public", "hidden")
BASELINE_KEYS = ("system", "description", "phases", "files")
FACT_KINDS = tuple(KINDS)
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
LONGEST_SYSTEM, LONGEST_TITLE = 80, 120
Tables = tuple[dict[str, Any], ...]


def boards(top: Section, scoring: Scoring, test_sets: tuple[str, ...]) -> Tables:
    """Named views of the board, each with every key."""
    found = []
    sections = top.sections("boards", BOARD_KEYS)
    names_differ(sections)
    for section in sections:
        name = _name(section)
        measures = section.words("measures")
        headline = section.text("headline", (measures or (scoring.headline,))[0])
        check_measures(section, scoring.scorer, "measures", measures)
        check_measures(section, scoring.scorer, "headline", (headline,))
        chosen = section.words("test_sets")
        if not set(chosen) <= set(test_sets):
            section.wrong("test_sets", f"names out of {', '.join(test_sets)}")
        found.append(
            {
                "name": name,
                "title": _title(section, name),
                "measures": list(measures),
                "headline": headline,
                "test_sets": list(chosen),
            }
        )
    return tuple(found)


def fact_sheet(top: Section) -> Tables:
    """Questions to a system, each with every key."""
    found = []
    sections = top.sections("fact_sheet", FACT_KEYS)
    names_differ(sections)
    for section in sections:
        name, kind = _name(section), section.choice("kind", FACT_KINDS, "text")
        choices = section.words("choices")
        if (kind == "choice") != bool(choices):
            section.wrong("choices", "answers to choose from, for the kind 'choice'")
        found.append(
            {
                "name": name,
                "title": _title(section, name),
                "kind": kind,
                "choices": list(choices),
                "required": section.value("required", bool, False),
                "public": section.value("public", bool, True),
                "hidden": section.value("hidden", bool, False),
            }
        )
    return tuple(found)


def _name(section: Section) -> str:
    name = section.text("name")
    if name and not NAME.fullmatch(name):
        section.wrong("name", "small letters, digits, '-' and '_', at most 40")
    return name


def _title(section: Section, name: str) -> str:
    title = section.text("title", name or "-")
    if len(title) > LONGEST_TITLE:
        section.wrong("title", f"at most {LONGEST_TITLE} characters")
    return title


def baselines(
    top: Section, job: Job, test_sets: tuple[TestSetPlan, ...], phases: tuple[str, ...]
) -> tuple[BaselinePlan, ...]:
    """The organizers' systems; raises SetupError for a file that cannot be scored."""
    found = []
    blinds = {test_set.name: test_set.blind for test_set in test_sets}
    for section in top.sections("baselines", BASELINE_KEYS):
        system = section.text("system")
        if len(system) > LONGEST_SYSTEM:
            section.wrong("system", f"at most {LONGEST_SYSTEM} characters")
        chosen = section.words("phases", phases)
        if not set(chosen) <= set(phases):
            section.wrong("phases", f"names out of {', '.join(phases)}")
        listed = section.section("files", tuple(blinds))
        files = {name: listed.file(name) for name in listed.table if name in blinds}
        if not files:
            section.wrong("files", "a file for one test set or more")
        top.reader.findings.raise_if_any(SetupError)
        for name, file in files.items():
            if problems := check(job.scorer, blinds[name], file, job.options):
                raise SetupError(problems)
        description = section.text("description", "")
        found.append(BaselinePlan(system, description, chosen, files))
    return tuple(found)
