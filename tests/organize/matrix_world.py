"""The cast of the authorisation matrix, and the objects that it asks for.

otters is the task that most of the cast has to do with; herons is somebody else's, and
newts a draft of the same person. Each has the same rows, so that every address
can be asked for in each.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.signing import dumps
from django.test import Client
from django.utils import timezone

from leaderboard.api import tokens
from leaderboard.boards import computation, snapshots
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    SystemDescription,
)
from leaderboard.tasks import blobs, organizers
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import (
    GoldFile,
    GoldRevision,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.teams import creators, membership
from leaderboard.teams.mail import RESULTS_SALT, SALT
from leaderboard.teams.models import Team, User
from tests.joined import joined
from tests.leaderboard.small import manifest, one_wrong, perfect, scored
from tests.organize.bundles import written
from tests.organize.crowd import entered, organizing, person

SETS = ("north", "south", "west")
DAY = timedelta(days=1)
Role = Organizer.Role


@dataclass
class Objects:
    """Objects that addresses of one task name; submissions by the sender's role."""

    task: Task
    values: dict[str, Any] = field(default_factory=dict)
    submissions: dict[str, UUID] = field(default_factory=dict)
    ended: dict[str, UUID] = field(default_factory=dict)


@dataclass
class World:
    """People by role, and objects by slug of the task."""

    people: dict[str, User | None]
    objects: dict[str, Objects] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for role, user in self.people.items():
            self.clients[role] = client = Client(
                headers={"Sec-Fetch-Site": "same-origin"}
            )
            if user is not None:
                client.force_login(user)


def bundle(slug: str, **changes: Any) -> Task:
    now = timezone.now()
    table = manifest(slug=slug, title=f"{slug.title()} Parsing", **changes)
    table["scorer"]["options"] = {"weights": "weights.csv"}
    table["test_sets"] = [
        {"name": name, "gold": "gold/north.conllu"} for name in (*SETS, "east")
    ]
    table["fact_sheet"] = [
        {"name": name, "title": name, "kind": "number", "required": False}
        for name in ("size", "hours")
    ]
    table["registration"] = table["fact_sheet"]
    table["boards"] = [
        {
            "name": "heads",
            "title": "Heads",
            "measures": ["uas"],
            "headline": "uas",
            "test_sets": ["south"],
        }
    ]
    ended = {"opens": (now - 5 * DAY).isoformat(), "closes": (now - DAY).isoformat()}
    table["phases"] = [
        {"name": "over", "title": "Over", **ended},
        table["phases"][0],
        {"name": "later", "title": "Later", "opens": (now + 5 * DAY).isoformat()},
    ]
    for phase in table["phases"]:
        phase["test_sets"] = list(SETS)
    return create_task(written(table), None)


def cast() -> dict[str, User | None]:
    made = {
        role: person(f"{role}@example.org", confirmed=True)
        for role in ("stranger", "participant", "rival", "foreign")
    }
    root = User.objects.create_superuser("root@example.org", "x", name="root")
    return {"anonymous": None, **made, "administrator": root}


def build() -> World:
    """Everything, in a few seconds; nothing of it is on disk but the files."""
    people = cast()
    otters = bundle("otters")
    for role in Role:
        people[role.value] = organizing(otters, f"{role.value}@example.org", role)
    herons, newts = bundle("herons"), bundle("newts", draft=True)
    for task in (herons, newts):
        Organizer.objects.create(task=task, user=people["foreign"], role=Role.OWNER)
    world = World(people)
    teams = {
        "participant": entered(otters, "Bens", people["participant"]),
        "rival": entered(otters, "Rivals", people["rival"]),
    }
    world.objects["otters"] = filled(otters, people["owner"], teams)
    held, _text = tokens.make(people["participant"], "theirs")
    values = world.objects["otters"].values
    values["asked"] = creators.ask(people["stranger"], "Signs of beavers").pk
    values["key"] = held.pk
    for rows_of in joined("rows_of"):
        values |= rows_of(people["participant"])
    for task in (herons, newts):
        hanna = person(f"hanna.{task.slug}@example.org")
        teams = {"hanna": entered(task, f"Hannas of {task}", hanna)}
        made = filled(task, people["foreign"], teams)
        world.objects[task.slug] = made
    for phase in Phase.objects.select_related("task"):
        computation.compute_boards(phase)
    return world


def filled(task: Task, owner: Any, teams: dict[str, Participation]) -> Objects:
    """The task with submissions of its teams and one row of everything else."""
    found = Objects(task)
    for fill in joined("fill"):
        fill(task)
    test, over = (task.phases.get(name=name) for name in ("test", "over"))
    for role, entry in teams.items():
        data = one_wrong() if role == "rival" else perfect()
        sent = scored(test, entry, dict.fromkeys(SETS, data), facts={"size": 7})
        described(sent, owner)
        found.submissions[role] = sent.pk
        found.ended[role] = copied(sent, over, key=f"ended {role}").pk
    copied(sent, test, key="late", late=True)
    baseline = found.submissions["baseline"] = baseline_like(sent, owner)
    waits = person(f"waits@{task.slug}.example")
    waiting = entered(task, f"Waiting for {task}", waits, status="pending")
    revised(task, sent)
    invitation = organizers.invite(task, "stranger@example.org", "editor", owner)
    helper = organizing(task, f"helper.{task.slug}@example.org", Role.REVIEWER)
    snapshot = frozen(test, owner)
    found.values = {
        "slug": task.slug,
        "phase": "test",
        "name": "north",
        "number": 3,
        "team": next(iter(teams.values())).pk,
        "waiting": waiting.pk,
        "others": [entry.pk for entry in teams.values()][-1],
        "organizer": Organizer.objects.get(task=task, user=helper).pk,
        "invitation": invitation.pk,
        "baseline": baseline,
        "start": snapshot.sha256[:16],
        "member": next(iter(found.submissions.values())),
        "ended": next(iter(found.ended.values())),
        "token": organizers.address(invitation).strip("/").rpartition("/")[2],
        "test": test.pk,
        **links_of(owner),
        **first_team(next(iter(teams.values()))),
    }
    for rows_in in joined("rows_in"):
        found.values |= rows_in(task)
    return found


def first_team(entry: Participation) -> dict[str, Any]:
    """The page of a team, and the end of a link into another one."""
    other = Team.found(f"Flock at {entry.task}", person(f"f@{entry.task.slug}.example"))
    link = membership.address(membership.invite(other, other.members.get()))
    token = link.strip("/").rpartition("/")[2]
    return {"own_team": entry.team_id, "team_token": token}


def baseline_like(sent: Submission, owner: Any) -> UUID:
    """The same as a baseline of the task's house team."""
    task = sent.phase.task
    house = entered(task, f"House of {task}", person(f"house@{task.slug}.example"))
    made = copied(sent, sent.phase, key="base", baseline=True, participation=house)
    described(made, owner)
    return made.pk


def links_of(owner: Any) -> dict[str, str]:
    """Signed ends of the addresses that switch mail off."""
    salts = {"letters": SALT, "results": RESULTS_SALT}
    return {name: dumps(owner.pk, salt=salt) for name, salt in salts.items()}


def described(sent: Submission, by: Any) -> None:
    SystemDescription.objects.create(
        submission=sent,
        title="A parser",
        file_name="paper.pdf",
        sha256=blobs.keep(b"%PDF-1.4"),
        by=by,
    )


def copied(sent: Submission, phase: Phase, **fields: Any) -> Submission:
    """The same sent once more, with its scores unless it is late."""
    old = sent.evaluations.get()
    old.pk = None
    counts = list(sent.evaluations.get().counts.all())
    new = Submission.objects.get(pk=sent.pk)
    new.pk = None
    new._state.adding = True
    new.phase = phase
    for name, value in fields.items():
        setattr(new, name, value)
    new.save()
    for file in sent.files.all():
        file.pk, file.submission = None, new
        file.save()
    if new.late:
        return new
    old.submission = new
    old.save()
    for one in counts:
        one.pk, one.evaluation = None, old
        one.save()
    return new


def revised(task: Task, sent: Submission) -> None:
    """Gold revision 1 was live, 2 is, and 3 is a draft under which one failed."""
    first = task.gold_revisions.get()
    revisions = [first]
    for number in (2, 3):
        made = GoldRevision.objects.create(
            task=task,
            number=number,
            public_note=f"Note {number}.",
            preparing=number == 3,
            live_at=timezone.now() if number == 2 else None,
        )
        revisions.append(made)
        for file in first.files.all():
            GoldFile.objects.create(
                revision=made,
                test_set=file.test_set,
                name=file.name,
                sha256=file.sha256,
                units=file.units,
            )
    Phase.objects.filter(task=task).update(gold_revision=revisions[1])
    scores = Evaluation.objects.filter(submission__phase__task=task)
    for evaluation in scores:
        Evaluation.objects.create(
            submission=evaluation.submission,
            gold_revision=revisions[2],
            engine=evaluation.engine,
            state=EvaluationState.FAILED_SYSTEM,
            background=True,
        )
    scores.filter(gold_revision=first).update(gold_revision=revisions[1])


def frozen(phase: Phase, by: Any) -> Any:
    """A snapshot, of a draft too: its pages must be as secret as the task."""
    at = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, at))
    wanted = snapshots.Wanted(by=by, at=at, title="Today")
    return snapshots.take(phase, boards, wanted)
