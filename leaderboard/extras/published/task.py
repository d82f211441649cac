"""A task made of published scores: test sets and phases, teams, systems and values.

Each test set has a phase with a board. What systems answered is not known here, so
their submissions hold a dash for each segment, and the scores come as judgements do.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import yaml
from django.utils import timezone
from django.utils.text import slugify

from leaderboard.extension import sandbox
from leaderboard.extension.boards import BoardQuery, newest_board
from leaderboard.extension.bundles import import_plan, load
from leaderboard.extension.models import (
    EvaluationState,
    Phase,
    Submission,
    Task,
    Team,
    User,
    name_key,
)
from leaderboard.extension.policy import Power, can
from leaderboard.extension.upkeep import delete_draft
from leaderboard.extras.judgements.judgements import take
from leaderboard.extras.moving.past_submissions import import_list, is_of_the_past
from leaderboard.extras.published.tables import PublishedScores
from scoring.elsewhere import ID, RESERVED, SUBMISSION
from scoring.source import Source
from scoring.statistics.ranks import better_than

LONGEST_SYSTEM, LONGEST_NAME, LONGEST_TITLE = 80, 40, 60
NOTHING = "-"
SCORER = "table"


@dataclass(frozen=True)
class OrderSupport:
    """Pairs of systems of a board whose printed scores differ (`ordered`), and those of
    them that the board's test tells apart (`resolved`); None without values of units.
    """

    systems: int
    ordered: int
    resolved: int | None
    first: tuple[str, ...] = ()


def order_support(phase: Phase) -> OrderSupport:
    """The pairs of a board by its headline, at its level, all of them as one family."""
    ranking = newest_board(BoardQuery(phase))
    rows = [row for row in ranking.rows if row.ranked and row.complete]
    printed = np.array([row.sorted_by.printed for row in rows])
    differ = printed[:, None] != printed[None, :]
    ordered = int(differ.sum()) // 2
    first = tuple(row.system for row in rows if row.standing.low == 1)
    sample = ranking.sample_of([row.evaluation for row in rows])
    sure = any(row.sorted_by.numbers.low is not None for row in rows)
    if len(rows) < 2 or not sure or not sample.comparable:
        return OrderSupport(len(rows), ordered, None)
    higher = ranking.measure.higher_is_better
    better = better_than(sample.pairs(ranking.measure), higher, sample.confidence)
    resolved = int(((better | better.T) & differ).sum()) // 2
    return OrderSupport(len(rows), ordered, resolved, first)


@dataclass(frozen=True)
class Header:
    """Facts of the task that are not in the tables."""

    slug: str
    title: str
    lower: frozenset[str] = frozenset()


def create(
    scores: PublishedScores, header: Header, organizer: User
) -> tuple[Task, Sequence[str]]:
    """Make the draft of a task, and have its systems scored by the workers: the draft,
    and the teams of other tasks that stand in it again.

    Raises SetupError, Refused, Refusal and OverQuota; nothing is left then.
    """
    names = _names(scores.values)
    measures = _measures(scores.measures)
    with TemporaryDirectory(prefix="plumbline-published-") as place:
        folder = Path(place)
        _write_bundle(folder, scores, header, names, measures)
        task = import_plan(load(Source.of_path(folder)), organizer)
    again: set[str] = set()
    try:
        teams = _teams(scores, task, organizer)
        with sandbox.series("judgements"):
            for test_set, name in names.items():
                phase = task.phases.get(name=name)
                again |= _import_test_set(
                    phase, organizer, scores, test_set, teams, measures
                )
    except BaseException:  # also where somebody stops it
        delete_draft(task)
        raise
    return task, sorted(again)


def half_made(scores: PublishedScores, header: Header, organizer: User) -> Task | None:
    """The draft that such a call left when its process was killed: of that address and
    with the same phases and measures, some of which has no system with its values."""
    task = Task.objects.filter(slug=header.slug, draft=True).first()
    if task is None or not can(organizer, task, Power.OWN):
        return None
    names, measures = _names(scores.values), _measures(scores.measures)
    declared = _declarations(measures, header.lower | scores.lower)
    phases = task.phases.filter(name__in=names.values())
    if (
        task.scorer_name != SCORER
        or list(task.options.get("measure", ())) != declared
        or task.phases.count() != len(names)
        or phases.count() != len(names)
    ):
        return None
    submissions = Submission.objects.filter(phase__task=task)
    waits = submissions.filter(evaluations__state=EvaluationState.AWAITING)
    lacking = phases.exclude(pk__in=submissions.values("phase"))
    if submissions.filter(brought_at=None).exists() or not (waits or lacking).exists():
        return None
    return task


def _names(titles: Iterable[str]) -> dict[str, str]:
    """Names of test sets for addresses, each once."""

    def plain(title: str) -> str:
        return slugify(title)[: LONGEST_NAME - 4].strip("-_") or "set"

    return _each_once(titles, plain)


def _measures(titles: Iterable[str]) -> dict[str, str]:
    """Names of measures that a formula can have, each once."""

    def plain(title: str) -> str:
        name = re.sub(r"\W+", "_", title, flags=re.ASCII).strip("_")[:LONGEST_NAME]
        fits = name[:1].isalpha() and name.lower() not in RESERVED
        return name if fits else f"m_{name}".rstrip("_")

    return _each_once(titles, plain)


def _each_once(titles: Iterable[str], plain: Callable[[str], str]) -> dict[str, str]:
    named: dict[str, str] = {}
    for title in titles:
        start = plain(title)
        further = (f"{start}_{number}" for number in count(2))
        names = chain([start], further)
        named[title] = next(name for name in names if name not in named.values())
    return named


def _write_bundle(
    folder: Path,
    scores: PublishedScores,
    header: Header,
    names: Mapping[str, str],
    measures: Mapping[str, str],
) -> None:
    # Everything was sent on a day that is over, and nothing is sent any more.
    opens = datetime.combine(timezone.now().astimezone(UTC) - timedelta(2), time(), UTC)
    lower = header.lower | scores.lower
    manifest = {
        "plumbline": 1,
        "slug": header.slug,
        "title": header.title,
        "draft": True,
        "scorer": {
            "name": SCORER,
            "options": {
                "measure": _declarations(measures, lower),
                "missing": "leave",
            },
            "headline": next(iter(measures.values())),
        },
        "test_sets": [
            {"name": name, "title": title, "gold": f"gold/{name}.csv"}
            for title, name in names.items()
        ],
        "phases": [
            {
                "name": name,
                "title": title,
                "opens": opens.isoformat(),
                "closes": (opens + timedelta(1)).isoformat(),
                "test_sets": [name],
            }
            for title, name in names.items()
        ],
    }
    (folder / "gold").mkdir()
    for title, name in names.items():
        rows = [("id",), *((segment,) for segment in scores.segments(title))]
        (folder / "gold" / f"{name}.csv").write_text(_csv(rows), "utf-8")
    text = yaml.safe_dump(manifest, allow_unicode=True, sort_keys=False)
    (folder / "task.yaml").write_text(text, "utf-8")


def _declarations(measures: Mapping[str, str], lower: Set[str]) -> list[str]:
    return [
        _declaration(name, title, title in lower) for title, name in measures.items()
    ]


def _declaration(name: str, title: str, lower: bool) -> str:
    plain = " ".join(re.sub(r"[;=]", " ", title).split())[:LONGEST_TITLE] or name
    return f"{name} = mean({name}); {'lower; ' * lower}title {plain}"


def _teams(scores: PublishedScores, task: Task, organizer: User) -> dict[str, str]:
    """The team of each system: the one that was named where it has no other system,
    else one called like the system. A name that is taken here has the task behind,
    unless it is that of a team brought along to another task of the organizer."""
    slug = task.slug
    named = list(scores.teams.values())
    longest = Team._meta.get_field("name").max_length or 0
    teams: dict[str, str] = {}
    for system in scores.systems:
        team = scores.teams.get(system, "")
        name = team if named.count(team) == 1 else system
        same_name = Team.objects.filter(key=name_key(name)).first()
        if same_name is not None and not _comes_back(same_name, task, organizer):
            name = f"{name[: longest - len(slug) - 3]} ({slug})"
        teams[system] = name[:longest]
    return teams


def _comes_back(team: Team, task: Task, organizer: User) -> bool:
    took_part = team.participations.exists()
    return took_part and is_of_the_past(team, task, organizer)


def _import_test_set(
    phase: Phase,
    organizer: User,
    scores: PublishedScores,
    test_set: str,
    teams: Mapping[str, str],
    measures: Mapping[str, str],
) -> set[str]:
    """Import the systems of a test set, each scored with its values; the teams
    that come back."""
    of_set = scores.values[test_set]
    segments = scores.segments(test_set)
    answers = _csv(
        [("id", "text"), *((segment, NOTHING) for segment in segments)]
    ).encode()
    rows = [("team", "system", "time", "file", "description")]
    for i, system in enumerate(of_set):
        at = phase.opens + timedelta(seconds=i)
        description = f"{scores.teams.get(system, '')}"
        short = system[:LONGEST_SYSTEM]
        rows.append((teams[system], short, at.isoformat(), "answers.csv", description))
    files = {"answers.csv": answers}
    systems = _csv(rows).encode()
    imported = import_list(
        phase, organizer, "systems.csv", systems, files.get, apply=True
    )
    submissions = Submission.objects.filter(phase=phase).order_by("received_at")
    table = [(SUBMISSION, ID, *measures.values())]
    for submission, cells in zip(submissions, of_set.values(), strict=True):
        table += [
            (
                str(submission.pk),
                segment,
                *(values.get(title, "") for title in measures),
            )
            for segment, values in cells.items()
        ]
    source = Source.of_bytes(f"{phase.name}.csv", _csv(table).encode())
    take(phase, organizer, source)
    return {*imported.again}


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
