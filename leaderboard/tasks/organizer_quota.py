"""Quotas of organizers: how many tasks one owns, and how much their files take.

A task counts for its owner, the first one where it has several. Counted are gold and
blind files, files of options, what was submitted to the task, baselines with it, and
what extras keep (`TaskFiles`). A file of several of the owner's tasks counts once.
Refused is what organizers add, never a submission of a team: teams are not to blame.
Administrators have no quota. Two requests at the same moment may exceed it by one.
Bundles that somebody sends, and tasks that they begin, are counted by the day.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.models import GoldFile, Organizer, Phase, Task, TestSet
from leaderboard.teams import limits
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.extras import TaskFiles, of_every_extra
from scoring.source import Source

LEAST_A_DAY = 20  # tasks that somebody may begin, however few they may own
Sizes = Mapping[str, int]  # bytes of files, by hash


class OverQuota(Refusal):
    """More bytes or tasks than the owner of the task may have."""

    code = "organizer_quota"
    status = 403


@dataclass(frozen=True)
class Usage:
    """Tasks of an owner, and bytes of what organizers and what teams sent."""

    tasks: int
    own_bytes: int
    sent_bytes: int

    @property
    def bytes(self) -> int:
        return self.own_bytes + self.sent_bytes


def owner_of(task: Task) -> User | None:
    """The person for whom the task counts."""
    first = Organizer.objects.filter(task=task, role=Organizer.Role.OWNER)
    row = first.order_by("pk").select_related("user").first()
    return row.user if row else None


def owned_tasks(user: User) -> QuerySet[Task]:
    owners = Organizer.objects.filter(task=OuterRef("pk"), role=Organizer.Role.OWNER)
    first = Subquery(owners.order_by("pk").values("user")[:1])
    return Task.objects.annotate(first_owner=first).filter(first_owner=user.pk)


def usage_of(user: User) -> Usage:
    tasks = owned_tasks(user)
    keys = list(tasks.values_list("pk", flat=True))
    own = sum(_sizes_of(set(_own_digests(keys))))
    phases = Phase.objects.filter(task__in=keys)
    upload_bytes = phases.aggregate(sum=Sum(F("submissions__files__size")))["sum"] or 0
    for files in of_every_extra(TaskFiles):
        rows = files.rows.filter(**{f"{files.task}__in": keys})
        upload_bytes += rows.aggregate(sum=Sum(files.size))["sum"] or 0
    return Usage(len(keys), own, upload_bytes)


def _own_digests(tasks: list[int]) -> Iterator[str]:
    gold = GoldFile.objects.filter(revision__task__in=tasks)
    yield from gold.values_list("sha256", flat=True)
    blind = TestSet.objects.filter(task__in=tasks)
    yield from blind.values_list("blind_sha256", flat=True)
    for options in Task.objects.filter(pk__in=tasks).values_list("options", flat=True):
        for values in options.values():
            yield from (value["sha256"] for value in values if isinstance(value, dict))


def _sizes_of(digests: set[str]) -> Iterator[int]:
    """Sizes are kept: a bucket tells only one at a time, and they never change."""
    names = {f"size-{digest}": digest for digest in digests}
    cached = cache.get_many(names)
    new = {name: blobs.size(names[name]) for name in names.keys() - cached.keys()}
    cache.set_many({name: size for name, size in new.items() if size}, 24 * 3600)
    yield from cached.values()
    yield from new.values()


def files_of(plan: TaskPlan) -> Sizes:
    """Files that a plan brings along, by their hash."""
    sources: list[Source] = []
    for test_set in plan.test_sets:
        sources += (test_set.gold, test_set.blind)
    for values in plan.scoring.options.values():
        sources += (value for value in values if isinstance(value, Source))
    for baseline in plan.baselines:
        sources += baseline.files.values()
    for parts in plan.extra_parts.values():
        sources += (v for part in parts for _, v in part if isinstance(v, Source))
    contents = (source.single() for source in sources)
    return {blobs.digest_of(data): len(data) for data in contents}


def require_new_bundle(user: User | None) -> None:
    """Count a bundle that is to be read, which may take a minute of a processor.

    Raises OverQuota where the person sent as many today as one may.
    """
    most = settings.BUNDLES_PER_DAY
    if user is None or user.is_superuser or not most:
        return
    if not limits.take("bundle", most, user):
        words = _(
            "You sent as many bundles today as this site reads of one person "
            "(%(most)s). The next day begins at 00:00 UTC."
        )
        raise OverQuota(
            words % {"most": most},
            code="too_many_bundles",
            status=429,
            retry_seconds=limits.left_of_day(),
        )


def require_new_task(user: User | None, plan: TaskPlan) -> None:
    """Raises OverQuota where the person may not own another task, or one so large, or
    began as many today as one may, those deleted since counted."""
    if user is None or user.is_superuser:
        return
    most = settings.TASKS_PER_ORGANIZER
    if most and (number := owned_tasks(user).count()) >= most:
        words = _(
            "You own as many tasks as this site allows each organizer (%(n)s of "
            "%(most)s): delete a draft that is no longer needed, or ask the operator "
            "of the site."
        )
        raise OverQuota(words % {"n": number, "most": most})
    a_day = max(most, LEAST_A_DAY)
    if most and not limits.take("task", a_day, user):
        words = _(
            "You began as many tasks today as this site allows each organizer (%(n)s), "
            "those that you deleted counted. The next day begins at 00:00 UTC."
        )
        raise OverQuota(
            words % {"n": a_day}, status=429, retry_seconds=limits.left_of_day()
        )
    _require_room(user, sum(files_of(plan).values()))


def require_room(task: Task, added: int) -> None:
    """Raises OverQuota where so many bytes more do not fit into the owner's quota."""
    if added and settings.STORAGE_PER_ORGANIZER:
        owner = owner_of(task)
        if owner is not None and not owner.is_superuser:
            _require_room(owner, added)


def require_room_for(task: Task, before: TaskPlan, after: TaskPlan) -> None:
    """Raises OverQuota where what a changed plan adds does not fit."""
    if settings.STORAGE_PER_ORGANIZER:
        there = files_of(before)
        new = (n for digest, n in files_of(after).items() if digest not in there)
        require_room(task, sum(new))


def _require_room(owner: User, added: int) -> None:
    most = settings.STORAGE_PER_ORGANIZER
    if not most:
        return
    used = usage_of(owner).bytes
    if used + added > most:
        words = _(
            "This would take %(added)s. The tasks of this one's owner have %(used)s of "
            "the %(most)s that this site gives each organizer: delete drafts that are "
            "no longer needed, or ask the operator of the site."
        )
        sizes = {"added": added, "used": used, "most": most}
        raise OverQuota(words % {n: filesizeformat(b) for n, b in sizes.items()})
