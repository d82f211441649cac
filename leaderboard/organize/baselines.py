"""Baselines: systems of the organizers, scored like all others and never ranked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import transaction
from django.utils import timezone

from leaderboard.submissions.accept import Upload, submit
from leaderboard.submissions.models import Submission
from leaderboard.tasks.lock import lock_phases, lock_task
from leaderboard.tasks.models import Participation, Phase, Task, TestSet
from leaderboard.tasks.plans import BaselinePlan
from leaderboard.teams.models import NAME_LENGTH, Team, User, name_key


@dataclass(frozen=True)
class BaselineUpload(Upload):
    """An upload of the organizers, who may send before and after the phase."""

    baseline: bool = True

    @property
    def late(self) -> bool:
        return False


@dataclass(frozen=True)
class Baseline:
    """A baseline as it is sent: files by test set, to each of some phases.

    `key` makes repeating it harmless.
    """

    system: str
    description: str
    phases: tuple[Phase, ...]
    files: Mapping[TestSet, UploadedFile]
    key: str = field(default_factory=lambda: uuid4().hex)


def send(task: Task, baseline: Baseline, sender: User) -> list[Submission]:
    """Send it to every phase that scores on one of its test sets, all or none.

    Raises intake.Unfit with the problems of the files, intake.KeyReused, blobs.NoRoom.
    """
    sent = []
    with transaction.atomic():
        lock_task(task.pk)
        entry = entry_of_organizers(task)
        for phase in baseline.phases:
            used = set(phase.test_sets.all())
            files = {t: file for t, file in baseline.files.items() if t in used}
            if files:
                sent.append(submit(_upload(phase, entry, sender, baseline, files)))
    return sent


def _upload(
    phase: Phase,
    entry: Participation,
    sender: User,
    baseline: Baseline,
    files: Mapping[TestSet, UploadedFile],
) -> BaselineUpload:
    return BaselineUpload(
        phase=phase,
        participation=entry,
        sender=sender,
        key=baseline.key,
        system=baseline.system,
        description=baseline.description,
        arrived_at=timezone.now(),
        files=files,
    )


def entry_of_organizers(task: Task) -> Participation:
    """Under whose name baselines stand: a team without members.

    Nobody is a participant through it, so that an organizer may take part as well.
    """
    earlier = Submission.objects.filter(phase__task=task, baseline=True)
    if sent := earlier.select_related("participation").first():
        return sent.participation
    team = _team(f"Organizers of {task.title}"[: NAME_LENGTH - 4].strip())
    return Participation.objects.create(task=task, team=team)


def _team(name: str) -> Team:
    """A new team of that name, numbered if somebody has it."""
    number, free = 1, name
    while Team.objects.filter(key=name_key(free)).exists():
        number += 1
        free = f"{name} {number}"
    return Team.objects.create(name=free, key=name_key(free))


def add_all(task: Task, plans: Iterable[BaselinePlan], sender: User) -> None:
    """Send the baselines of a bundle; those that are there already stay as they are."""
    phases = {phase.name: phase for phase in task.phases.all()}
    test_sets = {test_set.name: test_set for test_set in task.test_sets.all()}
    for plan in plans:
        baseline = Baseline(
            plan.system,
            plan.description,
            tuple(phases[name] for name in plan.phases),
            {
                test_sets[name]: SimpleUploadedFile(file.name, file.single())
                for name, file in plan.files.items()
            },
            key_of(plan),
        )
        send(task, baseline, sender)


def key_of(plan: BaselinePlan) -> str:
    """The same for the same system with the same files."""
    whole = sha256(f"{plan.system}\0{plan.description}".encode())
    for name in sorted(plan.files):
        whole.update(f"\0{name}\0{plan.files[name].sha256}".encode())
    return whole.hexdigest()


def sent_baselines(task: Task) -> list[Submission]:
    """Those that stand, in the order they came."""
    found = Submission.objects.filter(
        phase__task=task, baseline=True, withdrawn_at__isnull=True
    )
    related = found.select_related("phase", "participation__team")
    return list(related.prefetch_related("files__test_set").order_by("received_at"))


def plans_of(task: Task) -> tuple[BaselinePlan, ...]:
    """The baselines as a bundle lists them; one system is one entry."""
    found: dict[tuple[str, str], BaselinePlan] = {}
    for sent in sent_baselines(task):
        key = (sent.system, sent.description)
        known = found.get(key, BaselinePlan(*key, (), {}))
        found[key] = replace(
            known,
            phases=(*known.phases, sent.phase.name),
            files={
                **known.files,
                **{file.test_set.name: file.source() for file in sent.files.all()},
            },
        )
    order = {phase.name: phase.position for phase in task.phases.all()}
    return tuple(
        replace(one, phases=tuple(sorted(set(one.phases), key=order.__getitem__)))
        for one in found.values()
    )


def remove(submission: Submission, moment: datetime) -> None:
    """Take a baseline off the board; out of a draft it goes without a trace."""
    with transaction.atomic():
        task = lock_task(submission.phase.task_id)
        lock_phases(task.pk)
        if task.draft:
            submission.delete()
            return
        submission.withdrawn_at = moment
        submission.save(update_fields=["withdrawn_at"])
