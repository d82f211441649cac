"""A small task of the demonstration whose teams send code: of which variety of Ostrel
a phrase is. Phrases are made by a program, and their input is hidden in the test."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import yaml
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.extension import bundles
from leaderboard.extension.models import Evaluation, Organizer, Task, Team, User
from leaderboard.extension.participation import join
from leaderboard.extension.programs import may_run_programs
from leaderboard.extension.submissions import Upload, run_evaluation, submit
from scoring.formats.bundle import zip_files
from scoring.source import Source

SLUG = "river-or-hill"
WHO, DOES = ("teri", "padase", "kipin", "lorvu"), ("gret", "vena", "kolosh", "ilri")
WHAT, WHEN = ("brir", "tunde", "sanu", "ostu"), ("kanu", "marre", "pelo", "dirren")
# What a variety begins its phrases with, and how it marks what is done to: mostly.
MARKS: Mapping[str, tuple[str, str]] = {"river": ("ve", "lin"), "hill": ("va", "lir")}
MOSTLY = 0.85
SIZES = {"practice": 40, "hidden": 160}
SEED = 2026
DESCRIPTION = """\
> **Synthetic data.** Ostrel is not a real language: the phrases of this task are made
> by a program. It shows what a task looks like whose teams send code.

Is a phrase from the river or from the hills? The practice phase takes files, and its
input is public. In the test you send **code**: a zip with `predict.py`, which runs here
on phrases that nobody has seen.

It finds a CSV with the columns `id` and `text` in the folder that is its first
argument, and writes one with `id` and `label` (`river` or `hill`) into its second. The
[starting kit](/tasks/river-or-hill/test/kit/) has the practice phrases and runs your
code at home as it is run here; [how code runs](/docs/participants/code/) says more.
"""
HEAD = """\
import csv, sys
from pathlib import Path

source, target = map(Path, sys.argv[1:])
(given,) = source.iterdir()
with given.open(newline="") as file:
    phrases = list(csv.DictReader(file))


def label(text):
    {rule}


with (target / "answers.csv").open("w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["id", "label"])
    rows.writerows([phrase["id"], label(phrase["text"])] for phrase in phrases)
"""


@dataclass(frozen=True)
class DemoCode:
    """Code of a team of the demonstration: what it makes of a phrase."""

    team: str
    system: str
    description: str
    rule: str

    @property
    def zip(self) -> bytes:
        script = HEAD.format(rule=self.rule).encode()
        return zip_files("code.zip", {"predict.py": script}).single()


ORGANIZERS = "organizers"
SENT = (
    DemoCode(ORGANIZERS, "always-river", "Says river.", 'return "river"'),
    DemoCode(
        ORGANIZERS,
        "first-word",
        "Looks at the first word alone.",
        'return "river" if text.startswith("ve ") else "hill"',
    ),
    DemoCode(
        "northgate",
        "gate-marks",
        "Believes the ending first, then the first word.",
        'return "hill" if "lir " in text or text.startswith("va ") else "river"',
    ),
)


def phrases(test_set: str) -> list[tuple[str, str]]:
    """Phrases with their variety."""
    random = Random(f"{SEED} {test_set}")

    def mark(variety: str, place: int) -> str:
        (other,) = MARKS.keys() - {variety}
        return MARKS[variety if random.random() < MOSTLY else other][place]

    rows = []
    for _number in range(SIZES[test_set]):
        variety = random.choice(sorted(MARKS))
        who, does, what, when = map(random.choice, (WHO, DOES, WHAT, WHEN))
        first, ending = mark(variety, 0), mark(variety, 1)
        rows.append((f"{first} {who} {does} {what}{ending} {when}", variety))
    return rows


def _gold(test_set: str) -> bytes:
    rows = enumerate(phrases(test_set), 1)
    lines = [f"p{number:03},{text},{variety}" for number, (text, variety) in rows]
    return "\n".join(["id,text,label", *lines, ""]).encode()


def bundle(now: datetime) -> Source:
    day = timedelta(days=1)
    closes = (now + 40 * day).isoformat()
    practice = {"name": "practice", "title": "Practice", "test_sets": ["practice"]}
    test = {"name": "test", "title": "Test", "test_sets": ["hidden"], "daily_limit": 3}
    table: dict[str, Any] = {
        "plumbline": 1,
        "slug": SLUG,
        "title": "River or Hill",
        "summary": "Teams send code, which says of what variety a phrase of Ostrel is.",
        "description": "description.md",
        "synthetic": True,
        "draft": False,
        "scorer": {
            "name": "classes",
            "options": {"labels": "river,hill", "inputs": "text"},
            "measures": ["accuracy", "macro_f1"],
            "headline": "accuracy",
        },
        "test_sets": [
            {"name": name, "title": name.capitalize(), "gold": f"{name}.csv"}
            for name in SIZES
        ],
        "phases": [
            practice | {"opens": (now - 30 * day).isoformat(), "closes": closes},
            test
            | {"opens": (now - 20 * day).isoformat(), "closes": closes}
            | {"sends_code": True},
        ],
    }
    golds = {f"{name}.csv": _gold(name) for name in SIZES}
    manifest = {"task.yaml": yaml.safe_dump(table).encode()}
    return Source(SLUG, {**manifest, "description.md": DESCRIPTION.encode(), **golds})


def load(
    now: datetime, organizer: User, teams: Mapping[str, tuple[Team, User]]
) -> None:
    """The task with code that ran, where this site runs code at all."""
    if not may_run_programs(organizer):
        return
    task = bundles.import_plan(bundles.load(bundle(now)), None, publish=True)
    Organizer.objects.create(task=task, user=organizer)
    for days, code in enumerate(SENT, 3):
        _send(task, code, now - timedelta(days=days), *teams[code.team])
    waiting = Evaluation.objects.ready().filter(submission__phase__task=task)
    for pk in list(waiting.values_list("pk", flat=True)):
        run_evaluation(pk)


def _send(task: Task, code: DemoCode, at: datetime, team: Team, sender: User) -> None:
    submit(
        Upload(
            phase=task.phases.get(name="test"),
            participation=join(task, team),
            sender=sender,
            key=f"demo {code.system}",
            system=code.system,
            description=code.description,
            arrived_at=at,
            runs=[],
            archive=SimpleUploadedFile("code.zip", code.zip),
            baseline=code.team == ORGANIZERS,
        )
    )
