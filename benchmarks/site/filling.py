"""A task with a thousand scored submissions, made in bulk, and some to score yet."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import yaml
from django.utils import timezone

from benchmarks._treebanks import pair
from leaderboard.submissions import evaluation
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    StoredCounts,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from scoring import VERSION, Counts, Job
from scoring.engine import count_file
from scoring.source import Source

SLUG = "crowded"
SUBMISSIONS, TEAMS = 1000, 250
MEASURES = (
    "las",
    "uas",
    "clas",
    "mlas",
    "blex",
    "upos",
    "ufeats",
    "lemmas",
    "xpos",
    "words",
)
HOUR = timedelta(hours=1)


def fill(waiting: int, submissions: int = SUBMISSIONS) -> Phase:
    """The phase with all that it needs; `waiting` files are still to be scored."""
    phase = task_phase()
    entries = list(joined(phase, TEAMS))
    scored(phase, entries, submissions)
    queued(phase, entries, range(submissions, submissions + waiting))
    return phase


def task_phase(gold: bytes | None = None) -> Phase:
    gold = gold or pair()[0]
    now = timezone.now().astimezone(UTC)
    files = {
        "task.yaml": yaml.safe_dump(manifest(now)).encode(),
        "description.md": b"# Crowded\n",
        "gold/main.conllu": gold,
    }
    return create_task(Source(SLUG, files), None).phases.get()


def manifest(now: datetime) -> dict[str, Any]:
    return {
        "plumbline": 1,
        "draft": False,
        "slug": SLUG,
        "title": "A crowded task",
        "summary": "A thousand submissions, ten measures.",
        "description": "description.md",
        # The words that are made up where no real ones lie have several roots.
        "scorer": {
            "name": "conll18",
            "measures": list(MEASURES),
            "headline": "las",
            "options": {"roots": "any"},
        },
        "bootstrap": {"resamples": 1000, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "main", "title": "Main", "gold": "gold/main.conllu"}],
        "phases": [
            {
                "name": "test",
                "title": "Test",
                "opens": (now - 240 * HOUR).isoformat(),
                "closes": (now + 240 * HOUR).isoformat(),
            }
        ],
    }


def joined(phase: Phase, teams: int) -> Iterator[Participation]:
    names = [f"Team {number:04}" for number in range(teams)]
    people = User.objects.bulk_create(
        User(email=f"t{number}@example.org", name=name)
        for number, name in enumerate(names)
    )
    made = Team.objects.bulk_create(
        Team(name=name, key=name.replace(" ", "").lower()) for name in names
    )
    pairs = zip(made, people, strict=True)
    members = Team.members.through
    members.objects.bulk_create(
        members(team=t, user=u, role="leader") for t, u in pairs
    )
    yield from Participation.objects.bulk_create(
        Participation(task=phase.task, team=team) for team in made
    )


def submission(
    phase: Phase, entry: Participation, sender: int, number: int
) -> Submission:
    return Submission(
        id=uuid.uuid4(),
        phase=phase,
        participation=entry,
        sender_id=sender,
        key=str(number),
        system=f"system {number}",
        received_at=timezone.now() - HOUR - timedelta(minutes=2 * number),
    )


def senders(entries: Sequence[Participation]) -> Mapping[int, int]:
    through = Team.members.through.objects.filter(team__participations__in=entries)
    return dict(through.values_list("team", "user"))


def scored(phase: Phase, entries: Sequence[Participation], submissions: int) -> None:
    """As if a worker had written them: counts, and the numbers that follow."""
    (test_set,) = phase.test_sets.all()
    by = senders(entries)
    sent = Submission.objects.bulk_create(
        submission(phase, entry, by[entry.team_id], number)
        for number in range(submissions)
        for entry in (entries[number % TEAMS],)
    )
    data, _system = pair()
    source = Source.of_bytes("main.conllu", data)
    task = phase.task
    answers = task.scorer.read_gold(source, task.parsed_options)
    gold = count_file(Job(task.scorer, task.parsed_options, task.unit), answers, source)
    # Of ten thousand each ten have the same numbers, which take their time.
    counts = [made(gold, number) for number in range(min(len(sent), SUBMISSIONS))]
    results = [
        evaluation.estimates_of(phase, [test_set], {test_set: c}, {}) for c in counts
    ]
    saved = [of_one.save() for of_one in counts]
    done = Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission,
            gold_revision=phase.gold_revision,
            engine=VERSION,
            state=EvaluationState.SCORED,
            complete=True,
            finished_at=submission.received_at,
            results=results[number % SUBMISSIONS],
        )
        for number, submission in enumerate(sent)
    )
    StoredCounts.objects.bulk_create(
        StoredCounts(
            evaluation=of_one, test_set=test_set, data=saved[number % SUBMISSIONS]
        )
        for number, of_one in enumerate(done)
    )


def made(gold: Counts, number: int) -> Counts:
    """The counts of a system that gets its share of each of the gold's units right.

    `gold` is counted against itself: what is right in it is all there is.
    """
    random = np.random.default_rng(number)
    skill = 0.6 + 0.35 * random.random()
    table = gold.table.copy()
    right = [not name.endswith(("gold", "system")) for name in gold.columns]
    table[:, right] = random.binomial(gold.table[:, right].astype(int), skill)
    return replace(gold, table=table)


def queued(
    phase: Phase, entries: Sequence[Participation], numbers: Iterable[int]
) -> None:
    """Accepted, hinted by the next sweep, and real work for the scorer."""
    (test_set,) = phase.test_sets.all()
    data, _system = pair()
    digest, by = blobs.keep(data), senders(entries)
    sent = Submission.objects.bulk_create(
        submission(phase, entry, by[entry.team_id], number)
        for number in numbers
        for entry in (entries[number % TEAMS],)
    )
    SubmittedFile.objects.bulk_create(
        SubmittedFile(
            submission=submission,
            test_set=test_set,
            name="main.conllu",
            sha256=digest,
            size=len(data),
        )
        for submission in sent
    )
    Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission, gold_revision=phase.gold_revision, engine=VERSION
        )
        for submission in sent
    )
