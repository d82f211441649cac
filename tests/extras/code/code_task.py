"""A task of classes whose teams send code, small enough to work out by hand."""

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.extras.code.models import HiddenInput
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.leaderboard.small import CANARY, bundle, manifest, upload

SECRET = "waterfall4711"
# The label of the last unit is one that only the gold has.
LABELS = {"north": ("warm", "cold", "warm", CANARY), "south": ("cold", "cold")}
TEXTS = {
    "north": ("sun", "snow", "sun", SECRET),
    "south": ("snow", f"sun {SECRET}"),
}
HEAD = """\
import csv, os, sys
from pathlib import Path
source, target = map(Path, sys.argv[1:])
(file,) = source.iterdir()
rows = list(csv.DictReader(file.open()))
words = [row["text"] for row in rows]
"""
# Three of four are right in the north, one of two in the south.
RULE = (
    HEAD
    + """\
out = csv.writer((target / "answers.csv").open("w"))
out.writerow(["id", "label"])
for row in rows:
    out.writerow([row["id"], "warm" if "sun" in row["text"] else "cold"])
"""
)


def csv_of(header: str, cells: tuple[str, ...]) -> bytes:
    rows = (f"u{n},{cell}" for n, cell in enumerate(cells, 1))
    return "\n".join([header, *rows, ""]).encode()


def code_bundle(**changes: Any) -> Source:
    table = manifest(
        slug="weather",
        scorer={"name": "classes", "measures": ["accuracy"], "headline": "accuracy"},
        test_sets=[
            {"name": name, "gold": f"gold/{name}.csv"} for name in ("north", "south")
        ],
    )
    table["phases"][0] |= {"sends_code": True, "daily_limit": 3}
    made = bundle(**(table | changes))
    files = {
        "task.yaml": made.files["task.yaml"],
        "description.md": made.files["description.md"],
        **{f"gold/{n}.csv": csv_of("id,label", row) for n, row in LABELS.items()},
    }
    return Source("weather", files)


def code_task(organizer: User, **changes: Any) -> Task:
    """The task, with input of its own for each test set."""
    task = create_task(code_bundle(**changes), organizer)
    for test_set in task.test_sets.all():
        give_input(task, test_set.name, TEXTS[test_set.name])
    return task


def give_input(task: Task, name: str, texts: tuple[str, ...]) -> None:
    data = csv_of("id,text", texts)
    HiddenInput.objects.update_or_create(
        test_set=task.test_sets.get(name=name),
        defaults={
            "name": f"{name}.csv",
            "sha256": blobs.keep(data),
            "size": len(data),
        },
    )


def code(script: str = RULE, **files: bytes) -> bytes:
    return zip_files("mine.zip", {"predict.py": script.encode(), **files}).single()


def submitted(task: Task, data: bytes, team: str = "Gulls") -> Submission:
    user, _ = User.objects.get_or_create(email=f"{team}@example.org")
    entry = Participation.objects.filter(task=task, team__name=team).first()
    entry = entry or join(task, Team.found(team, user))
    archive = SimpleUploadedFile("mine.zip", data)
    request = upload(task.phases.get(), entry, {}, runs=[{}], archive=archive)
    return accept.submit(request)


def sent(task: Task, script: str = RULE, team: str = "Gulls") -> Submission:
    """A submission of this script, which has had its turn."""
    submission = submitted(task, code(script), team)
    assert evaluation.run(submission.evaluations.get().pk)
    return submission


def newest(submission: Submission) -> Evaluation:
    return submission.evaluations.order_by("-pk")[0]


def accuracies(one: Evaluation) -> Mapping[str, float]:
    assert one.results is not None, one.problems
    return {
        name: stored["measures"]["accuracy"]["value"]
        for name, stored in one.results["test_sets"].items()
    }
