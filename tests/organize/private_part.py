"""A site on which nothing may tell of a private unit, and visitors who look for it.

One gold of twelve long sentences is shared by two phases: `half` keeps half of the
units private, `test` shows everything exactly. Each unit has a number of words that
stands nowhere else, names of units and documents are canaries, and so are the scores
of whatever was sent to `half` over its private units and over all of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.results.board_sample import Split
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Participation, Task
from leaderboard.tasks.policy import Part
from leaderboard.teams.models import User
from scoring import Counts
from scoring.source import Source
from tests.leaderboard.small import bundle, manifest, scored
from tests.organize.canaries import Aviary
from tests.organize.crawling import RELEASED, Crawl
from tests.organize.crowd import entered, organizing, person

# Parameters are tried by one visitor from without and by one from within.
CURIOUS = ("anonymous", "participant")
SIZES = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069)
UNIT, DOCUMENT = "kanarieunit", "kanariedocument"
# Files in which the names of units stand anyway, and one's own.
NAMED = re.compile(r"/(kit|blind|sent|own|files?)/")
# A page may hold the address by which it was asked for.
TYPED = re.compile(rf"document(:|%3A|%253A){DOCUMENT}\d")


def sentences(wrong: Mapping[int, int] | None = None) -> bytes:
    """Twelve flat trees, two to a document; of each so many first words hang wrong."""
    lines = []
    for i, size in enumerate(SIZES):
        if i % 2 == 0:
            lines.append(f"# newdoc id = {DOCUMENT}{i // 2}")
        lines.append(f"# sent_id = {UNIT}{i:02}")
        off = (wrong or {}).get(i, 0)
        for word in range(1, size + 1):
            head = 0 if word == 1 else 2 if 2 < word <= off + 2 else 1
            label = "root" if word == 1 else "dep"
            lines.append(f"{word}\tw\t_\t_\t_\t_\t{head}\t{label}\t_\t_")
        lines.append("")
    return "\n".join(lines).encode() + b"\n"


def sent_by(team: int, number: int) -> bytes:
    """No two submissions, and no two units of one, have the same score."""
    return sentences({i: 40 + 37 * i % 101 + 7 * team + 3 * number for i in range(12)})


@dataclass
class Found(Crawl):
    """A visitor who notes units, documents and sums instead of the other canaries, and
    not in what every site has."""

    skipped = (*Crawl.skipped, *RELEASED)

    canaries: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    def note(self, address: str, answer: HttpResponse) -> None:
        assert answer.status_code < 500 or address == "/readyz", address
        if answer.streaming or NAMED.search(address):
            return
        self.look(address, answer.content.decode(errors="replace"))

    def look(self, where: str, text: str) -> None:
        text = TYPED.sub("", text)
        for name, canary in self.canaries.items():
            if canary.search(text):
                self.found.setdefault(name, []).append(where)


def build() -> Aviary:
    ada, other = person("ada@example.org"), person("other@example.org")
    ben, rival = person("ben@example.org"), person("rival@example.org")
    stranger = person("cy@example.org")
    first = manifest()["phases"][0]
    table = manifest(
        test_sets=[{"name": "north", "title": "North", "gold": "gold/north.conllu"}],
        phases=[
            first,
            {
                **first,
                "name": "half",
                "title": "Half",
                "private_share": 0.5,
                "salt": "kanariesalt",
            },
        ],
    )
    task = bird_task(table, ada)
    create_task(bundle(slug="kites", draft=True), other)
    eve = organizing(task, "eve@example.org", Organizer.Role.REVIEWER)
    site = Aviary(
        {
            "anonymous": None,
            "stranger": stranger,
            "participant": ben,
            "rival": rival,
            "other organizer": other,
            "owner": ada,
            "reviewer": eve,
        },
        tasks={"otters": task},
    )
    site.watched(ada, ben, stranger, rival)
    for number, user in enumerate((ben, rival)):
        site.sent += sending(task, entered(task, f"Team {number}", user), number)
    site.looked_at()
    for phase in task.phases.all():
        at = timezone.now()
        boards = snapshots.as_values(snapshots.public_boards(phase, at))
        snapshots.take(phase, boards, snapshots.Wanted(ada, at, "Interim"))
    return site


def bird_task(table: dict[str, Any], owner: User) -> Task:
    text = yaml.safe_dump(table, sort_keys=False).encode()
    files = {"task.yaml": text, "description.md": b"Birds."}
    return create_task(
        Source("birds", {**files, "gold/north.conllu": sentences()}), owner
    )


def sending(task: Task, entry: Participation, team: int) -> list[Submission]:
    phases = {phase.name: phase for phase in task.phases.all()}
    return [
        scored(
            phases[name],
            entry,
            {"north": sent_by(team, number)},
            system=f"{entry.team} {number}",
        )
        for number, name in enumerate(("test", "test", "half", "half"))
    ]


def canaries(site: Aviary) -> dict[str, re.Pattern[str]]:
    found = {
        "a unit": re.compile(UNIT),
        "a document": re.compile(DOCUMENT),
        "words of a unit": re.compile(
            # The digits that all share come first: a search for them is quick.
            rf"10(?<![\w.,-]10)({'|'.join(str(n)[2:] for n in SIZES)})(?![\w-])"
        ),
    }
    for name, part in (("private", Part.PRIVATE), ("whole", Part.ALL)):
        numbers = [score for one in of_half(site) for score in scores_of(one, part)]
        found[f"{name} score"] = any_of(f"{n * 100:.2f}" for n in numbers)
        found[f"{name} share"] = any_of(f"{n:.6f}" for n in numbers)
    return found


def any_of(texts: Iterator[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted({re.escape(text[:7]) for text in texts})))


def of_half(site: Aviary) -> list[Submission]:
    return [sent for sent in site.sent if sent.phase.name == "half"]


def scores_of(sent: Submission, part: Part) -> Iterator[float]:
    """LAS over a part of the units, from the stored counts: right words by words."""
    row = sent.evaluations.get().counts.select_related("test_set").get()
    counts: Counts | None = Counts.load(bytes(row.data))
    if split := Split.of(sent.phase, part):
        (counts,) = split.cut(row.test_set, [counts])
    assert counts is not None
    sums = dict(zip(counts.columns, counts.table.sum(axis=0).tolist(), strict=True))
    yield sums["las"] / sums["words"]


def crawl(site: Aviary, role: str) -> Found:
    client, user = Client(), site.people[role]
    if user is not None:
        client.force_login(user)
    return Found(client, role in CURIOUS, canaries=canaries(site))
