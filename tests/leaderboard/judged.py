"""Two tasks that organizers judge, one beside a scorer, and what is sent to them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import inline, upload

UNITS = ("u1", "u2", "u3", "u4")
CANARY = "kanarienvogel"
UNIT_LIST = "id,document\nu1,d1\nu2,d1\nu3,d2\nu4,d2\n"
LABELS = "id,label\n" + "".join(f"u{i},{'ab'[i % 2]}{CANARY}\n" for i in (1, 2, 3, 4))
ANSWERS = "id,text\n" + "".join(f"{unit},an answer\n" for unit in UNITS)
JUDGEMENTS = [
    "adequacy = mean(adequacy); title Adequacy",
    "errors = sum(errors); lower; title Errors",
]


def alone(measures: Sequence[str] = JUDGEMENTS, **phase: Any) -> Source:
    """A bundle of a task that nobody else counts."""
    scorer = {"name": "table", "options": {"measure": [*measures]}}
    return _bundle("judged", scorer, UNIT_LIST, **phase)


def beside(**phase: Any) -> Source:
    """A bundle of a task with a scorer of its own and a board of judgements."""
    scorer = {"name": "classes", "headline": "accuracy", "judgements": JUDGEMENTS}
    board = {
        "name": "human",
        "title": "Human judgements",
        "measures": ["adequacy", "errors"],
        "headline": "adequacy",
    }
    return _bundle("beside", scorer, LABELS, boards=[board], **phase)


def _bundle(
    slug: str, scorer: dict[str, Any], gold: str, boards: Any = (), **phase: Any
) -> Source:
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": slug,
        "title": f"Task {slug}",
        "scorer": scorer,
        "bootstrap": {"resamples": 100, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "gold": "gold.csv"}],
        "boards": list(boards),
        "phases": [
            {"name": "test", "title": "Test", "opens": opens.isoformat(), **phase}
        ],
    }
    return Source(
        slug, {"task.yaml": yaml.safe_dump(table).encode(), "gold.csv": gold.encode()}
    )


def judged_task(ada: User, **phase: Any) -> Task:
    return create_task(alone(**phase), ada)


def task_beside(ada: User, **phase: Any) -> Task:
    return create_task(beside(**phase), ada)


def entry_of(task: Task, person: User, team: str = "Bens") -> Participation:
    return join(task, Team.found(team, person))


def sent(
    task: Task, entry: Participation, text: str = ANSWERS, **more: Any
) -> Submission:
    """A submission that was accepted, and scored where it can be."""
    phase, file = task.phases.get(), SimpleUploadedFile("sent.csv", text.encode())
    runs = [{task.test_sets.get(): file}, *more.pop("more_runs", ())]
    request = upload(phase, entry, {}, runs=runs, **more)
    with inline:
        found = accept.submit(request)
    run_all()
    return found


def run_all() -> int:
    """Score all that is queued; how many were."""
    from leaderboard.submissions.models import Evaluation

    done = 0
    for pk in list(Evaluation.objects.ready().values_list("pk", flat=True)):
        done += evaluation.run(pk)
    return done
