"""Changes of organizers, each through its own page: to be done two at a time.

A write is given a number that no other has. Where two of a kind would touch the same
row on purpose (two mail domains, two ends of a phase), the second has to be refused;
elsewhere even and odd numbers mean different rows.
"""

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.submissions.gold import check, rescore
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import (
    GoldRevision,
    Organizer,
    Participation,
    Phase,
    Snapshot,
    Task,
    TestSet,
)
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.cast import person
from tests.leaderboard.small import (
    both,
    bundle,
    manifest,
    one_wrong,
    scored,
    set_boards,
    set_questions,
)
from tests.organize.gold_changes import score_all
from tests.organize.pages import Page
from tests.organize.phase_fields import wall

ROOT = "/tasks/otters/organize/"
BOARDS = [
    {
        "name": f"b{i}",
        "title": f"b{i}",
        "headline": "uas",
        "measures": [],
        "test_sets": [],
    }
    for i in (0, 1)
]
QUESTIONS = [{"name": f"q{i}", "title": f"q{i}", "kind": "text"} for i in (0, 1)]


@dataclass
class World:
    """One task with everything in it that organizers change."""

    task: Task
    ada: User
    cy: User
    roles: tuple[Organizer, ...]
    teams: tuple[Participation, ...]
    sent: tuple[Submission, ...]
    corrected: GoldRevision

    @classmethod
    def made(cls) -> "World":
        ada, ben, cy, dot, eve, fay = (
            person(n) for n in ("ada", "ben", "cy", "dot", "eve", "fay")
        )
        (open_,) = manifest()["phases"]
        over = open_ | {"name": "past", "title": "Past"}
        task = create_task(bundle(phases=[open_, over]), ada)
        phase, past = task.phases.all()
        Organizer.objects.create(task=task, user=cy)
        roles = tuple(
            Organizer.objects.create(task=task, user=one) for one in (dot, eve)
        )
        entry = join(task, Team.found("Bens", ben))
        teams = tuple(
            join(task, Team.found(f"Team {one}", one)) for one in (fay, person("gil"))
        )
        sent = tuple(scored(phase, entry, both(), system=f"s{i}") for i in (0, 1))
        scored(past, entry, both())
        now = past.opens
        Phase.objects.filter(pk=past.pk).update(
            closes=now + timedelta(days=2, hours=23)
        )
        Submission.objects.filter(phase=past).update(
            received_at=now + timedelta(days=1)
        )
        north = task.test_sets.get(name="north")
        file = SimpleUploadedFile("north.conllu", one_wrong())
        corrected = check.propose(task, {north: file}, ada)
        score_all()
        return cls(task, ada, cy, roles, teams, sent, corrected)

    def reset(self) -> None:
        """Where a pair begins, without a history; a write makes ready what it needs."""
        Task._base_manager.update(
            shown_measures=[],
            draft=False,
            mail_domains=[],
        )
        set_boards(self.task, BOARDS)
        set_questions(self.task, QUESTIONS)
        Snapshot.objects.all().delete()
        phases = Phase._base_manager.all()
        phases.filter(name__startswith="p-").delete()
        phases.update(declared_at=None, paused=False)
        phases.filter(name="test").update(position=0)
        phases.filter(name="past").update(position=1)
        roles = [one.pk for one in self.roles]
        Organizer._base_manager.filter(pk__in=roles).update(role="editor")
        teams = [one.pk for one in self.teams]
        Participation._base_manager.filter(pk__in=teams).update(status="pending")
        Submission._base_manager.update(disqualified_at=None, disqualified_why="")

    @property
    def open_phase(self) -> Phase:
        return self.task.phases.get(name="test")

    def now(self) -> Task:
        return Task.objects.get(pk=self.task.pk)


Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Write:
    """A page with a form, what is changed in it, and how to see that it was done.

    `page` and `action` (by default the page itself) are below ROOT, or made from world
    and number; without a page nothing that it shows is sent. `needs` is a state of the
    world; two that need different ones do not meet.
    """

    name: str
    page: str | Callable[[World, int], str]
    fields: Callable[[World, int], Fields]
    done: Callable[[World, int], bool]
    action: str | Callable[[World, int], str] = ""
    ready: Callable[[World, int], object] = lambda world, number: None
    needs: str = ""

    def prepared(self, world: World, client: Client, number: int) -> "Request":
        """With the page loaded: what is sent later is what stood there, changed."""
        page, action = (
            found if isinstance(found, str) else found(world, number)
            for found in (self.page, self.action or self.page)
        )
        page, action = ROOT + page, ROOT + action
        if page == ROOT:  # a button, that says all by itself
            return Request(client, action, self.fields(world, number))
        answer = client.get(page)
        assert answer.status_code == 200, (self.name, page, answer.status_code)
        form = Page(page, answer.content.decode()).form_at(action)
        return Request(client, action, form.filled(self.fields(world, number)))


@dataclass(frozen=True)
class Request:
    client: Client
    address: str
    fields: Mapping[str, Any]

    def send(self) -> Any:
        return self.client.post(self.address, self.fields)


class BundleWrite(Write):
    """A bundle that was downloaded, changed and looked at; what is sent confirms it."""

    def prepared(self, world: World, client: Client, number: int) -> Request:
        zipped = zipfile.ZipFile(
            io.BytesIO(client.get(f"{ROOT}bundle/download/").content)
        )
        files = {name: zipped.read(name) for name in zipped.namelist()}
        table = yaml.safe_load(files["task.yaml"])
        table["title"] = f"Title {number}"
        files["task.yaml"] = yaml.safe_dump(table).encode()
        new = io.BytesIO()
        with zipfile.ZipFile(new, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        sent = SimpleUploadedFile("bundle.zip", new.getvalue())
        answer = client.post(f"{ROOT}bundle/", {"bundle": sent})
        token = answer.context["view"].preview.token
        return Request(client, f"{ROOT}bundle/", {"token": token})


def unpublished(world: World, number: int) -> None:
    Task.objects.filter(pk=world.task.pk).update(draft=True)


def one_prepared(world: World, number: int) -> None:
    """The revision that boards do not show is the one that is prepared."""
    other = not_live(world)
    if not other.preparing:
        preparing = world.task.gold_revisions.filter(preparing=True)
        preparing.update(preparing=False)
        rescore.prepare_again(other)


def none_prepared(world: World, number: int) -> None:
    if GoldRevision.objects.filter(live_at=None, preparing=True).exists():
        # Not the live one: what boards show is what became live last.
        second = GoldRevision.objects.filter(number=2, live_at=None)
        second.update(live_at=world.open_phase.opens)
    world.task.gold_revisions.filter(preparing=True).update(preparing=False)


def not_live(world: World) -> GoldRevision:
    live = world.open_phase.gold_revision_id
    pair = world.task.gold_revisions.filter(number__in=(1, 2))
    return pair.exclude(pk=live).get()


def all_show(world: World, number: int) -> bool:
    """Boards of all phases are of the revision that was made live with that note."""
    made = world.task.gold_revisions.filter(public_note=f"Note {number}.")
    shown = world.task.phases.values_list("gold_revision", flat=True)
    return set(shown) == set(made.values_list("pk", flat=True))


def spare_phase(world: World, number: int) -> None:
    like = world.open_phase
    phase = Phase.objects.create(
        task=world.task,
        name=f"p-{number}",
        title="Spare",
        opens=like.opens,
        position=9,
        gold_revision=like.gold_revision,
    )
    phase.test_sets.set(world.task.test_sets.all())


def end(world: World, number: int) -> Any:
    return world.open_phase.opens + timedelta(days=9, minutes=number)


def declared(world: World, number: int) -> bool:
    finals = Snapshot.objects.filter(phase__name="past", final=True)
    phase = world.task.phases.get(name="past")
    return phase.declared_at is not None and any(
        one.data["note"] == f"Note {number}." for one in finals
    )


def names(tables: list[dict[str, Any]]) -> list[str]:
    return [one["name"] for one in tables]


def measures(number: int) -> list[str]:
    return ["uas", "las"] if number % 2 else ["uas"]


CONFIRMED = {"confirm": "on", "note": "Said."}
# The first are those that read most before they write.
CORE = 5
WRITES = [
    Write(
        "texts",
        "edit/",
        lambda world, n: {"summary": f"Summary {n}."},
        lambda world, n: world.now().summary == f"Summary {n}.",
    ),
    BundleWrite(
        "bundle",
        "bundle/",
        lambda world, n: {},
        lambda world, n: world.now().title == f"Title {n}",
    ),
    Write(
        "phase",
        "phases/test/edit/",
        lambda world, n: {"daily_limit": 1000 + n, **CONFIRMED},
        lambda world, n: world.open_phase.daily_limit == 1000 + n,
    ),
    Write(
        "gold live",
        "",
        lambda world, n: {"public_note": f"Note {n}."},
        all_show,
        action=lambda world, n: f"gold/{not_live(world).number}/live/",
        ready=one_prepared,
        needs="prepared",
    ),
    Write(
        "ranking",
        "ranking/past/",
        lambda world, n: {"note": f"Note {n}.", "matters_known": "on"},
        declared,
        needs="published",
    ),
    Write(
        "deadline",
        "phases/test/deadline/",
        lambda world, n: {"closes": wall(end(world, n)), "note": "Later."},
        lambda world, n: wall(world.open_phase.closes) == wall(end(world, n)),
    ),
    Write(
        "pause",
        "",
        lambda world, n: {"note": "A moment."},
        lambda world, n: world.open_phase.paused,
        action="phases/test/pause/",
    ),
    Write(
        "order of phases",
        "",
        lambda world, n: {"to": "down"},
        lambda world, n: names(world.task.phases.values("name"))[0] == "past",
        action="phases/test/move/",
    ),
    Write(
        "new phase",
        "phases/new/",
        lambda world, n: {"name": f"p-{n}", "title": f"New {n}"},
        lambda world, n: world.task.phases.filter(
            name=f"p-{n}", gold_revision=world.open_phase.gold_revision_id
        ).exists(),
    ),
    Write(
        "phase deleted",
        lambda world, n: f"phases/p-{n}/delete/",
        lambda world, n: {},
        lambda world, n: not world.task.phases.filter(name=f"p-{n}").exists(),
        ready=spare_phase,
    ),
    Write(
        "new board",
        "boards/",
        lambda world, n: {"name": f"n{n}", "title": "New", "headline": "las"},
        lambda world, n: f"n{n}" in names(world.task.named_boards.values("name")),
    ),
    Write(
        "board",
        lambda world, n: f"boards/b{n % 2}/",
        lambda world, n: {"title": f"Board {n}"},
        lambda world, n: world.task.named_boards.filter(title=f"Board {n}").exists(),
    ),
    Write(
        "question",
        lambda world, n: f"fact-sheet/q{n % 2}/",
        lambda world, n: {"title": f"Question {n}"},
        lambda world, n: world.task.questions.filter(title=f"Question {n}").exists(),
    ),
    Write(
        "hidden question",
        "",
        lambda world, n: {"to": "hide"},
        lambda world, n: world.task.questions.get(name=f"q{n % 2}").hidden,
        action=lambda world, n: f"fact-sheet/q{n % 2}/change/",
    ),
    Write(
        "test set",
        "test-sets/north/",
        lambda world, n: {"title": f"North {n}"},
        lambda world, n: TestSet.objects.filter(title=f"North {n}").exists(),
    ),
    Write(
        "who may enter",
        "people/rules/",
        lambda world, n: {"domains": f"d{n}.example.org"},
        lambda world, n: world.now().mail_domains == [f"d{n}.example.org"],
    ),
    Write(
        "team",
        "",
        lambda world, n: {"decision": "admit"},
        lambda world, n: (
            Participation.objects.get(pk=world.teams[n % 2].pk).status == "active"
        ),
        action=lambda world, n: f"people/{world.teams[n % 2].pk}/decide/",
    ),
    Write(
        "submission",
        "",
        lambda world, n: {"reason": "Copied.", "decision": "disqualify"},
        lambda world, n: (
            Submission.objects.get(pk=world.sent[n % 2].pk).disqualified_at is not None
        ),
        action=lambda world, n: (
            f"people/{world.sent[0].participation_id}/submissions/"
            f"{world.sent[n % 2].pk}/"
        ),
    ),
    Write(
        "role",
        "",
        lambda world, n: {"role": "reviewer"},
        lambda world, n: (
            Organizer.objects.get(pk=world.roles[n % 2].pk).role == "reviewer"
        ),
        action=lambda world, n: f"organizers/{world.roles[n % 2].pk}/",
    ),
    Write(
        "gold proposed",
        "gold/new/",
        lambda world, n: {
            "note": f"Note {n}.",
            f"file_{world.task.test_sets.get(name='south').name}": SimpleUploadedFile(
                "south.conllu", one_wrong("south")
            ),
        },
        lambda world, n: GoldRevision.objects.filter(note=f"Note {n}.").exists(),
        ready=none_prepared,
        needs="none prepared",
    ),
    Write(
        "measures",
        "scoring/",
        lambda world, n: {"measures": "\n".join(measures(n))},
        lambda world, n: world.now().shown_measures == measures(n),
    ),
    Write(
        "publishing",
        "",
        lambda world, n: {},
        lambda world, n: not world.now().draft,
        action="publish/",
        ready=unpublished,
        needs="draft",
    ),
]
