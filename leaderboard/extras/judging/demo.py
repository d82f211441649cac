"""A small task of the demonstration that people judge: phrases of Ostrel in English.

Phrases, answers and judges are made by a program. Systems say worse or better what a
phrase says; simulated people see how many words are right, each a little differently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import yaml
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.extension import bundles
from leaderboard.extension.models import Evaluation, Organizer, Task, Team, User
from leaderboard.extension.participation import join
from leaderboard.extension.submissions import Upload, run_evaluation, submit
from leaderboard.extras.judging import assignment
from leaderboard.extras.judging.assignment import Sent, begin, next_for, vote
from leaderboard.extras.judging.models import Assignment, Campaign, Judge
from leaderboard.extras.judging.results import publish
from leaderboard.extras.judging.setup import CampaignForm
from scoring.source import Source

SLUG = "ferry-phrases"
WHO = {"teri": "ferrymen", "padase": "aunts", "kipin": "boys", "lorvu": "weavers"}
DOES = {"gret": "carry", "vena": "mend", "kolosh": "hide", "ilri": "count"}
WHAT = {"brir": "lanterns", "tunde": "nets", "sanu": "letters", "ostu": "stones"}
WHEN = {"kanu": "today", "marre": "in winter"}
PHRASES, JUDGES, PER_UNIT = 24, 8, 8
JUDGED = 2 / 3  # of the votes: the rest is left to visitors
SEED = 2026


@dataclass(frozen=True)
class DemoSystem:
    """A system of the demonstration, and in how many of ten words it is wrong."""

    team: str
    name: str
    wrong: int


SYSTEMS = (
    DemoSystem("northgate", "gate-phrases", 0),
    DemoSystem("paper-kite", "kite-phrases", 1),
    DemoSystem("saltmarsh", "marsh-phrases", 3),
    DemoSystem("tin-lantern", "lantern-phrases", 5),
    DemoSystem("gravel-road", "gravel-phrases", 8),
)
DESCRIPTION = """\
> **Synthetic data.** Ostrel is not a real language: phrases, answers and judges of this
> task are made by a program. The board shows what ratings by people look like.

Systems say in English what a phrase of Ostrel says. People read two answers side by
side, without knowing whose they are, and say which is better.

**[Judge some yourself](/judging/ferry-phrases/)**: it begins with two examples, and
needs no account. Votes come on the board when an organizer puts them there, in this
demonstration you: sign out, sign in as organizer@example.org, and open *People judge*
among the organizer pages of this task.
"""


def phrases() -> list[tuple[str, list[str]]]:
    """Phrases with the words of their meaning."""
    random = Random(SEED)
    phrases: dict[Any, Any] = {}
    while len(phrases) < PHRASES:
        who, does, what, when = (
            random.choice(sorted(words)) for words in (WHO, DOES, WHAT, WHEN)
        )
        meaning = ["the", WHO[who], DOES[does], "the", WHAT[what], *WHEN[when].split()]
        phrases[f"ve {who} {does} {what}lin {when}"] = meaning
    return list(phrases.items())


def answers(system: DemoSystem) -> list[str]:
    """A system's answer to each phrase."""
    random = Random(f"{SEED} {system.name}")
    words = [*WHO.values(), *DOES.values(), *WHAT.values()]
    sentences = []
    for _phrase, meaning in phrases():
        chosen = [
            random.choice(words) if random.random() * 10 < system.wrong else word
            for word in meaning
        ]
        sentences.append(" ".join(chosen).capitalize() + ".")
    return sentences


def _csv(head: str, rows: Sequence[str]) -> bytes:
    lines = [f"p{number:02},{row}" for number, row in enumerate(rows, 1)]
    return "\n".join([f"id,{head}", *lines, ""]).encode()


def bundle(now: datetime) -> Source:
    table = {
        "plumbline": 1,
        "slug": SLUG,
        "title": "Ferry Phrases",
        "summary": "Phrases of Ostrel in English, judged by people side by side.",
        "description": "description.md",
        "synthetic": True,
        "draft": False,
        "scorer": {
            "name": "table",
            "options": {
                "measure": [
                    "rating = mean(rating); decimals 0; title Rating",
                    "win = probability(win); percent; title Expected wins",
                ],
                "inputs": ["phrase"],
            },
            "measures": ["rating", "win"],
            "headline": "rating",
        },
        "test_sets": [{"name": "phrases", "title": "Phrases", "gold": "gold.csv"}],
        "phases": [
            {
                "name": "test",
                "title": "Test",
                "opens": (now - timedelta(days=20)).isoformat(),
                "closes": (now + timedelta(days=40)).isoformat(),
            }
        ],
    }
    gold = _csv("phrase", [phrase for phrase, _meaning in phrases()])
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "description.md": DESCRIPTION.encode(),
        "gold.csv": gold,
    }
    return Source(SLUG, files)


def load(
    now: datetime, organizer: User, teams: Mapping[str, tuple[Team, User]]
) -> None:
    """The task with its submissions, votes, and the board that they make."""
    task = bundles.import_plan(bundles.load(bundle(now)), None, publish=True)
    Organizer.objects.create(task=task, user=organizer)
    for days, system in enumerate(SYSTEMS, 3):
        _send(task, system, now - timedelta(days=days), *teams[system.team])
    campaign = _campaign(task)
    each, more = divmod(round(PHRASES * PER_UNIT * JUDGED), JUDGES)
    for number in range(JUDGES):
        _judge(begin(campaign), Random(SEED + number), each + (number < more))
    publish(campaign, organizer)
    # For visitors: an address that the description knows, and examples first.
    Campaign.objects.filter(pk=campaign.pk).update(token=SLUG, training=2)
    waiting = Evaluation.objects.ready().filter(submission__phase__task=task)
    for pk in list(waiting.values_list("pk", flat=True)):
        run_evaluation(pk)


def _send(
    task: Task, system: DemoSystem, at: datetime, team: Team, sender: User
) -> None:
    file = SimpleUploadedFile("answers.csv", _csv("text", answers(system)))
    submit(
        Upload(
            phase=task.phases.get(),
            participation=join(task, team),
            sender=sender,
            key=f"demo {system.name}",
            system=system.name,
            description="",
            arrived_at=at,
            runs=[{task.test_sets.get(): file}],
        )
    )


def _campaign(task: Task) -> Campaign:
    form = CampaignForm(
        task,
        {
            "title": "Which says it better?",
            "phase": task.phases.get().pk,
            "test_set": task.test_sets.get().pk,
            "kind": "pairs",
            "questions": "Which answer says better what the phrase says?",
            "instructions": "Read the phrase, then both answers.",
            "access": "link",
            "per_unit": PER_UNIT,
            "daily": 200,
            "controls": 10,
        },
    )
    return form.make()


def _judge(judge: Judge, random: Random, wanted: int) -> None:
    """Somebody judges so much, checks apart, and is not always right."""
    meanings = [meaning for _phrase, meaning in phrases()]
    while wanted and (pair := next_for(judge, random)) is not None:
        wanted -= pair.control_of_id is None
        choice = _choice(pair, meanings[int(pair.unit.name[1:]) - 1], random)
        seconds = random.randint(4, 40)
        reply = Sent(pair.key, assignment.new_key(), {"choice": choice}, seconds)
        vote(judge, reply)


def _choice(pair: Assignment, meaning: Sequence[str], random: Random) -> str:
    assert pair.second is not None
    marks = []
    for answer in (pair.first, pair.second):
        answer_words = answer.text.lower().rstrip(".").split()
        right = sum(x == y for x, y in zip(answer_words, meaning, strict=True))
        marks.append(right + random.gauss(0, 1))
    gap = marks[0] - marks[1]
    if abs(gap) < 0.6:
        return "equal" if max(marks) > 3 else "bad"
    return "left" if gap > 0 else "right"
