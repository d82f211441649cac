"""A site with a canary in everything that is not for everybody.

otters has gold that was scored, a corrected draft, and phases that show nothing or
half; kites scores graphs, whose words stand in the gold alone, and has a phase still to
come with its scorer's files; owls is a draft. `CANARIES` says what is planted where.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.organize import messages, people
from leaderboard.submissions.gold import check
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.tasks import organizers
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import (
    GoldRevision,
    Message,
    Participation,
    Task,
)
from leaderboard.teams.models import User
from scoring.source import Source
from tests.joined import joined
from tests.leaderboard.small import FORMS, manifest, scored
from tests.organize.crowd import entered, person
from tests.organize.gold_changes import score_all
from tests.scoring.examples.unl_graph import GOLD as GRAPHS
from tests.scoring.examples.unl_graph import HASTY

DAY = timedelta(days=1)
HEADS = (2, 3, 0, 3, 2, 0, 2, 3)
LABELS = ("det", "nsubj", "root", "dobj", "nsubj", "root", "dobj")
# Five of seven arcs right, as no other score of the site.
WEST, WEST_SENT = (2, 0, 2, 3, 4, 5, 6), (2, 0, 2, 3, 4, 1, 1)
GOLD = {
    "label": "kanarielabel",
    "lemma": "kanarielemma",
    "upos": "KANARIEUPOS",
    "xpos": "kanariexpos",
    "feats": "Case=Kanariefeat",
    "misc": "Ref=kanariemisc",
    "comment": "kanariecomment",
    "file": "kanariefile",
    "word": "kanarieword",
    "draft label": "kanariedraft",
    "draft file": "kanarienewfile",
    "note": "kanarienote",
    "draft note": "kanarieremark",
    "public note of a draft": "kanariesoon",
    "salt": "kanariesalt",
}
SCORES = {"blind score": "71.4", "blind share": "0.714285"}
PRIVATE = {
    "option file": "kanarieoption",
    "draft task": "kanarieowls",
    "reason": "kanariereason",
    "reason of one": "kanariededuction",
    "letter": "kanarieletter",
    "subject": "kanariesubject",
    "invitation": "kanarieguest@example.org",
    "fact": "kanariefact",
    "address": "kanarierival@example.org",
    "problem": "kanarieproblem",
}
OPERATORS = {"last error": "kanarieerror"}
CANARIES = {**GOLD, **SCORES, **PRIVATE, **OPERATORS}
# What is a team's own is no secret to it.
OWN = {"rival": ("fact", "address")}


@dataclass
class Aviary:
    people: dict[str, User | None]
    tasks: dict[str, Task] = field(default_factory=dict)
    sent: list[Submission] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)  # that addresses of extras name

    def watched(self, *people: User) -> None:
        """They are told of otters by the extras that tell somebody."""
        for watch in joined("watch"):
            self.keys += watch(people, self.tasks["otters"])

    def looked_at(self) -> None:
        """Sends what waits to be sent."""
        for look in joined("look"):
            look()


def tree(heads: tuple[int, ...], last: str, *, comment: str = "", **cells: str) -> str:
    """Sentences of four words, or one of seven; the last word has the label `last`."""
    size = 7 if len(heads) == 7 else 4
    labels = (*LABELS[: len(heads) - 1], last)
    lines = []
    for i, (head, label) in enumerate(zip(heads, labels, strict=True)):
        if i % size == 0:
            lines += [""] * bool(i) + [f"# sent_id = s{i // size}"]
            lines += [f"# note = {comment}"] * bool(comment)
        about = [cells.get(name, "_") for name in ("lemma", "upos", "xpos", "feats")]
        row = (i % size + 1, FORMS[i], *about, head, label, "_", cells.get("misc", "_"))
        lines.append("\t".join(map(str, row)))
    return "\n".join(lines) + "\n\n"


def secret(heads: tuple[int, ...], label: str = GOLD["label"]) -> bytes:
    columns = {name: GOLD[name] for name in ("lemma", "upos", "xpos", "feats", "misc")}
    return tree(heads, label, comment=GOLD["comment"], **columns).encode()


def guess(heads: tuple[int, ...], label: str = "obl") -> bytes:
    return tree(heads, label).encode()


def otters(owner: User, slug: str = "otters", **changes: Any) -> Task:
    now = timezone.now()
    first = manifest()["phases"][0]
    times = {"opens": first["opens"], "closes": first["closes"]}
    table = manifest(
        slug=slug,
        test_sets=[
            {"name": name, "gold": f"gold/{GOLD['file']}-{name}.conllu"}
            for name in ("north", "south", "west")
        ],
        fact_sheet=[{"name": "cost", "title": "Cost", "kind": "text", "public": False}],
        boards=[{"name": "heads", "title": "Heads", "measures": ["uas"]}],
        phases=[
            {**first, "test_sets": ["north", "south"]},
            {
                "name": "dark",
                "title": "Dark",
                "policy": "blind",
                **times,
                "test_sets": ["west"],
            },
            {
                "name": "half",
                "title": "Half",
                "private_share": 0.5,
                **times,
                "salt": GOLD["salt"],
                "test_sets": ["north"],
            },
            {
                "name": "later",
                "title": "Later",
                "test_sets": ["north"],
                "opens": (now + 3 * DAY).isoformat(),
            },
        ],
    )
    gold = {"north": HEADS, "south": HEADS, "west": WEST}
    table |= changes
    files = {t["gold"]: secret(gold[t["name"]]) for t in table["test_sets"]}
    return made(table, files, owner)


def made(table: dict[str, Any], files: dict[str, bytes], owner: User) -> Task:
    text = yaml.safe_dump(table, sort_keys=False).encode()
    whole = {"description.md": b"Birds.", **files, "task.yaml": text}
    return create_task(Source("birds", whole), owner)


def kites(owner: User, slug: str = "kites", **changes: Any) -> Task:
    first = {**manifest()["phases"][0], **changes}
    table = manifest(
        slug=slug,
        title=slug.title(),
        phases=[first],
        scorer={
            "name": "unl-graph",
            "headline": "precision",
            "options": {"uw_list": "words.txt"},
        },
        test_sets=[{"name": "north", "gold": "gold/north.unl"}],
    )
    gold = GRAPHS.replace("drift(icl>move)", f"{GOLD['word']}(icl>move)")
    words = f"{PRIVATE['option file'] if changes else 'crew'}\ncrew\n"
    return made(
        table, {"gold/north.unl": gold.encode(), "words.txt": words.encode()}, owner
    )


def build() -> Aviary:
    ada = person("ada@example.org")
    root = User.objects.create_superuser("root@example.org", "x", name="root")
    ben, cy = person("ben@example.org"), person("cy@example.org")
    rival = person(PRIVATE["address"])
    site = Aviary(
        {
            "anonymous": None,
            "stranger": cy,
            "participant": ben,
            "rival": rival,
            "owner": ada,
            "administrator": root,
        }
    )
    later = (timezone.now() + 3 * DAY).isoformat()
    task = otters(ada)
    site.tasks = {
        "otters": task,
        "kites": kites(ada),
        "swifts": kites(ada, "swifts", opens=later),
        "owls": otters(ada, "owls", draft=True, summary=PRIVATE["draft task"]),
    }
    bens, rivals = entered(task, "Bens", ben), entered(task, "Rivals", rival)
    site.watched(ada, ben, cy, rival)
    site.sent = [*sending(task, bens, "a seagull"), *sending(task, rivals, None)]
    kiters = entered(site.tasks["kites"], "Kiters", ben)
    site.sent.append(
        scored(site.tasks["kites"].phases.get(), kiters, {"north": HASTY.encode()})
    )
    failed(task, bens)
    disqualified(task, ada)
    told(task, ada)
    corrected(task, ada)
    site.looked_at()
    return site


def sending(task: Task, entry: Participation, cost: str | None) -> list[Submission]:
    """One submission for each phase that is open."""
    facts = {"cost": cost or PRIVATE["fact"]}
    files = {
        "test": {"north": guess(HEADS), "south": guess(HEADS, "iobj")},
        "dark": {"west": guess(WEST_SENT)},
        "half": {"north": guess(HEADS)},
    }
    phases = {phase.name: phase for phase in task.phases.all()}
    return [
        scored(phases[name], entry, data, facts=facts, system=f"{entry.team} {name}")
        for name, data in files.items()
    ]


def failed(task: Task, entry: Participation) -> None:
    """Scoring found something in one file, and could not score another."""
    dark = task.phases.get(name="dark")
    for number, fields in enumerate(
        (
            {
                "state": EvaluationState.INVALID,
                "problems": [{"message": PRIVATE["problem"]}],
            },
            {
                "state": EvaluationState.FAILED_SYSTEM,
                "last_error": OPERATORS["last error"],
            },
        )
    ):
        sent = scored(dark, entry, {"west": guess(WEST_SENT)}, system=f"bad {number}")
        sent.evaluations.update(**fields)


def disqualified(task: Task, owner: User) -> None:
    foxes = entered(task, "Foxes", person("fox@example.org"))
    (sent, *_rest) = sending(task, foxes, "much")
    people.disqualify(sent, owner, PRIVATE["reason of one"])
    people.decide_and_tell(foxes, "disqualify", owner, PRIVATE["reason"])


def told(task: Task, owner: User) -> None:
    """A letter to one team that waits, and an invitation."""
    entered(task, "Waiting", person("waits@example.org"), status="pending")
    letter = Message(
        task=task,
        subject=PRIVATE["subject"],
        text=PRIVATE["letter"],
        audience="pending",
        by=owner,
    )
    messages.write_message(letter)
    organizers.invite(task, PRIVATE["invitation"], "editor", owner)


def corrected(task: Task, owner: User) -> None:
    """A draft that everything was scored under, and that is not live."""
    GoldRevision.objects.filter(task=task).update(note=GOLD["note"])
    data = secret(HEADS, GOLD["draft label"])
    file = SimpleUploadedFile(f"{GOLD['draft file']}.conllu", data)
    files = {task.test_sets.get(name="north"): file}
    notes = GOLD["draft note"], GOLD["public note of a draft"]
    check.propose(task, files, owner, *notes)
    score_all()


def canaries_in(text: str) -> set[str]:
    return {name for name, canary in CANARIES.items() if canary in text}
