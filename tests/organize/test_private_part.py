"""Nothing tells what a private unit counted, nor which units are private.

One gold of twelve long sentences is shared by two phases: `half` keeps half of the
units private, `test` shows everything exactly. Each unit has a number of words that
stands nowhere else, names of units and documents are canaries, and so are the scores
of whatever was sent to `half` over its private units and over all of them.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
import yaml
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.extras.archive import contents
from leaderboard.extras.webhooks import events
from leaderboard.extras.webhooks.models import WebhookDelivery
from leaderboard.organize import messages as organizing_jobs
from leaderboard.submissions import result_mail
from leaderboard.submissions.board_sample import Split
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.tasks.policy import Part
from leaderboard.teams.models import User
from scoring import Counts
from scoring.source import Source
from tests.cast import built_once
from tests.extras.webhooks.endpoints import hooked, minute_later
from tests.leaderboard.small import bundle, manifest, scored
from tests.organize.canaries import Aviary
from tests.organize.crawling import Crawl, starts
from tests.organize.crowd import entered, organizing, person
from tests.organize.disclosing import under

SIZES = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069)
UNIT, DOCUMENT = "kanarieunit", "kanariedocument"
# Files in which the names of units stand anyway, and one's own.
NAMED = re.compile(r"/(kit|blind|sent|own|files?)/")
# A page may hold the address by which it was asked for.
TYPED = re.compile(rf"document(:|%3A|%253A){DOCUMENT}\d")
DAY = timedelta(days=1)


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
    """A visitor who notes units, documents and sums instead of the other canaries."""

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
    kites = create_task(bundle(slug="kites"), other)
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
        tasks={"otters": task, "kites": kites},
    )
    site.hooks = [hooked(one, task=task).pk for one in (ada, ben, stranger, rival)]
    for number, user in enumerate((ben, rival)):
        site.sent += sending(task, entered(task, f"Team {number}", user), number)
    minute_later()
    events.collect()
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
            rf"(?<![\w.,-])({'|'.join(map(str, SIZES))})(?![\w-])"
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


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Aviary]:
    with built_once(django_db_blocker):
        yield build()


@pytest.fixture
def site(built: Aviary, db: None) -> Aviary:
    return built


def crawl(site: Aviary, role: str) -> Found:
    client, user = Client(), site.people[role]
    if user is not None:
        client.force_login(user)
    return Found(client, role in CURIOUS, canaries=canaries(site))


def typed(site: Aviary) -> Iterator[str]:
    """What a curious reader asks for beside what pages lead to."""
    yield from starts(site)
    for sent in site.sent:
        yield from (f"/submissions/{sent.pk}/errors/{n}/" for n in range(1, 13))
        yield from (
            f"/submissions/{sent.pk}/errors/?{one}"
            for one in (
                "page=1",
                "order=file",
                "test_set=north",
                f"slice=document:{DOCUMENT}0",
                f"other={site.sent[0].pk}",
            )
        )
        yield f"/submissions/{sent.pk}/receipt/north/"
    for first, second in zip(site.sent, site.sent[1:], strict=False):
        pair = f"submission={first.pk}&submission={second.pk}"
        yield f"/tasks/otters/submissions/compare/?{pair}"
    for start in ("/tasks/otters", "/api/v1/tasks/otters"):
        for phase in ("test", "half"):
            for n in range(6):
                yield f"{start}/{phase}/board/?slice=document:{DOCUMENT}{n}"
            yield f"{start}/{phase}/board/?level=99&part=private"
            yield f"{start}/{phase}/charts/?kind=slices&group=document"


# Parameters are tried by one visitor from without and by one from within.
CURIOUS = ("anonymous", "participant")
READERS = ("anonymous", "stranger", "participant", "rival", "other organizer")


@pytest.mark.thorough
@pytest.mark.parametrize("role", READERS)
def test_no_address_tells_anything_of_a_private_unit(site: Aviary, role: str) -> None:
    found = crawl(site, role).open(typed(site)).found
    assert {name: where[:5] for name, where in found.items()} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["owner", "reviewer"])
def test_who_may_see_every_score_sees_all_of_it(site: Aviary, role: str) -> None:
    visit = crawl(site, role)
    addresses = [f"/submissions/{sent.pk}/errors/1/" for sent in of_half(site)]
    for board in ("/tasks/otters/half/board/", "/api/v1/tasks/otters/half/board/"):
        for part in ("private", "all"):
            addresses.append(f"{board}?part={part}&entries=all")
    for address in addresses:
        visit.note(address, visit.client.get(address))
    assert set(visit.found) == set(visit.canaries)


def test_mail_and_webhooks_tell_nothing_of_it(site: Aviary) -> None:
    visit = crawl(site, "anonymous")
    result_mail.post()
    organizing_jobs.post()
    rows = WebhookDelivery.objects.filter(webhook__in=site.hooks)
    assert mail.outbox and rows
    for message in mail.outbox:
        visit.look(str(message.to), f"{message.subject}\n{message.body}")
    for row in rows.exclude(webhook__user__email="ada@example.org"):
        visit.look(f"{row.webhook.user.email} {row.event}", row.body)
    assert visit.found == {}


@pytest.mark.thorough
def test_with_the_reveal_units_open_in_every_phase_of_the_gold(site: Aviary) -> None:
    now = timezone.now()
    pages = [f"/submissions/{sent.pk}/errors/" for sent in site.sent[:4]]
    client = crawl(site, "participant").client
    assert {client.get(page).status_code for page in pages} == {404}
    half = Phase.objects.get(task=site.tasks["otters"], name="half")
    under(half, closes=now - 2 * DAY, reveal_at=now - DAY)
    assert {client.get(page).status_code for page in pages} == {200}


def test_the_public_archive_of_a_task_that_is_over_waits_for_the_reveal(
    site: Aviary,
) -> None:
    """Both phases are closed, one is still to be revealed; then it has the scores."""
    now, task = timezone.now(), site.tasks["otters"]
    task.phases.update(closes=now - DAY)
    half = under(task.phases.get(name="half"), reveal_at=now + DAY)
    visit = crawl(site, "anonymous")
    visit.look("before", archived(task))
    assert visit.found == {}
    under(half, reveal_at=now - DAY / 2)
    visit.look("after", archived(task))
    assert visit.found["private share"] == visit.found["whole share"] == ["after"]


def archived(task: Task) -> str:
    """Every member of the archive that everybody gets but the blind file."""
    file = BytesIO()
    contents.write(task, contents.ArchiveOptions(), file)
    with zipfile.ZipFile(file) as packed:
        names = [name for name in packed.namelist() if not name.endswith(".conllu")]
        return "\n".join(f"{n}\n{packed.read(n).decode()}" for n in names)
