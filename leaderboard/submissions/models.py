"""Submissions, evaluations, quota and notes: the rows that are the truth."""

import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import PurePath
from typing import Any, cast

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone

from leaderboard.tasks import blobs
from leaderboard.tasks.models import (
    AuditedQuerySet,
    GoldRevision,
    Participation,
    Phase,
    TestSet,
)
from leaderboard.teams.models import User
from leaderboard.web.addresses import address
from leaderboard.web.locks import lock_rows
from scoring.source import Source
from scoring.version import VERSION

# Django finds an app's models through this module, the ledger's too.
__all__ = [
    "FINAL",
    "Evaluation",
    "EvaluationState",
    "Event",
    "LaneRun",
    "QuotaCounter",
    "QuotaEntry",
    "QuotaKind",
    "StoredCounts",
    "Submission",
    "SubmittedFile",
    "Sweep",
    "SystemDescription",
    "TeamNote",
]
MOST_TAGS = 10


class SubmissionQuerySet(AuditedQuerySet):
    def by_person(self, user: Any) -> "SubmissionQuerySet":
        """Submissions of every team entry the person takes part in."""
        return self.filter(participation__in=Participation.objects.of(user))

    def counted(self) -> "SubmissionQuerySet":
        """Submissions that may be on a board."""
        return self.filter(counted_at(""))

    def ranked(self) -> "SubmissionQuerySet":
        """Submissions that may have a rank: no baselines, no organizers' teams.

        An owner may let a team of organizers rank all the same.
        """
        competes = Q(by_organizers=False) | Q(participation__ranks_anyway=True)
        return self.counted().filter(competes, baseline=False)


def counted_at(path: str) -> Q:
    """The condition that the submission at that path of a row may be on a board."""
    standing = {"withdrawn_at": None, "disqualified_at": None, "late": False}
    active = {"participation__status": Participation.Status.ACTIVE}
    conditions = {**active, **standing}
    return Q(**{f"{path}{name}": value for name, value in conditions.items()})


class Submission(models.Model):
    """One upload of a team; later decisions about it are in the last fields.

    `late` means kept but not scored; admitting clears it and notes who did so.
    `facts` are answers to the task's fact sheet, by name. `picked` is the team's
    choice where the phase counts what was chosen. `runs` is how many files there are
    of each test set: one of each run of the system; `prompts` are those of the runs,
    where the team named them. `by_organizers`: when it came,
    somebody of the team had, or had had, a role in the task. `brought_at`: when it was
    brought along from another site; `received_at` is when it was sent there.
    """

    RELATED = ("evaluations", "phase__test_sets")  # rows that a status is made of

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    phase = models.ForeignKey(Phase, models.PROTECT, related_name="submissions")
    participation = models.ForeignKey(
        Participation, models.PROTECT, related_name="submissions"
    )
    sender = models.ForeignKey(User, models.PROTECT, related_name="submissions")
    key = models.CharField(max_length=64)
    system = models.CharField(max_length=80)
    description = models.TextField(blank=True, max_length=2000)
    facts = models.JSONField(default=dict, blank=True)
    baseline = models.BooleanField(default=False)
    by_organizers = models.BooleanField(default=False, db_default=False, editable=False)
    picked = models.BooleanField(default=False)
    runs = models.PositiveSmallIntegerField(default=1, db_default=1)
    prompts = models.JSONField(default=list, db_default=[], blank=True)
    late = models.BooleanField(default=False)
    received_at = models.DateTimeField()
    accepted_at = models.DateTimeField(default=timezone.now)
    brought_at = models.DateTimeField(null=True, blank=True, editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    disqualified_at = models.DateTimeField(null=True, blank=True, editable=False)
    disqualified_by = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, editable=False, related_name="+"
    )
    disqualified_why = models.CharField(max_length=500, blank=True, editable=False)
    admitted_at = models.DateTimeField(null=True, blank=True, editable=False)
    admitted_by = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, editable=False, related_name="+"
    )

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ("-received_at", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["phase", "participation", "key"], name="sent_once"
            ),
        )
        indexes = (models.Index(fields=["-received_at", "id"], name="newest_first"),)

    def __str__(self) -> str:
        return f"{self.system} · {self.participation.team}"

    def file_of(self, test_set: TestSet, run: int = 1) -> "SubmittedFile":
        """The file of one run for a test set that has a score. Raises MissingBlob."""
        file = self.files.filter(test_set=test_set, run=run).first()
        if file is None:
            raise blobs.MissingBlob(f"of submission {self.pk} for {test_set.name}")
        return file

    def get_absolute_url(self) -> str:
        return address("submission", self.pk)


class SubmittedFile(models.Model):
    """The predictions of one run of the system for one test set."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, models.PROTECT, related_name="+")
    run = models.PositiveSmallIntegerField(default=1, db_default=1)
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "test_set", "run"], name="one_file"
            ),
        )
        indexes = (models.Index(fields=["sha256"], name="submitted_bytes"),)
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name

    @property
    def run_name(self) -> str:
        """The name of its test set, with the run where that is not the first."""
        name = self.test_set.name
        return f"{name}.{self.run}" if self.run > 1 else name

    @property
    def name_in_zip(self) -> str:
        """The same with the ending that it was sent with, where that is a plain one."""
        ending = PurePath(self.name).suffix
        return self.run_name + (ending if ending[1:].isalnum() else "")

    def source(self) -> Source:
        return Source.of_bytes(self.name, blobs.read(self.sha256))


class EvaluationState(models.TextChoices):
    """How far the scoring of a submission is."""

    AWAITING = "awaiting"  # of what is counted outside
    QUEUED = "queued"
    RUNNING = "running"
    SCORED = "scored"
    INVALID = "invalid"
    TIMEOUT = "timeout"
    FAILED_SYSTEM = "failed_system"
    CANCELLED = "cancelled"


MOVES = {
    EvaluationState.AWAITING: {EvaluationState.QUEUED, EvaluationState.CANCELLED},
    EvaluationState.QUEUED: {EvaluationState.RUNNING, EvaluationState.CANCELLED},
    EvaluationState.RUNNING: {
        EvaluationState.SCORED,
        EvaluationState.INVALID,
        EvaluationState.TIMEOUT,
        EvaluationState.FAILED_SYSTEM,
        EvaluationState.QUEUED,
    },
    EvaluationState.FAILED_SYSTEM: {EvaluationState.QUEUED},
}
# Ends that whoever sent the file is told of.
REPORTED = (
    EvaluationState.SCORED,
    EvaluationState.INVALID,
    EvaluationState.TIMEOUT,
    EvaluationState.FAILED_SYSTEM,
)
FINAL = (*REPORTED, EvaluationState.CANCELLED)
# Sent with `events`, in the transaction that writes them.
evaluations_ended = Signal()


class EvaluationQuerySet(models.QuerySet):
    def advance(
        self,
        old: EvaluationState,
        new: EvaluationState,
        why: str = "",
        actor: User | None = None,
        attempts: int = 0,
        locked: Callable[[], Iterable[tuple[int, int]]] | None = None,
        **fields: Any,
    ) -> int:
        """Move the rows still in `old` and write an event for each; how many moved.

        0 means somebody else was first. An undeclared move raises ValueError. So many
        `attempts` are added to those of each row. `locked` locks the rows and gives key
        and attempts of each, where that is not left to this query set.
        """
        if new not in MOVES.get(old, ()):
            raise ValueError(f"{old} to {new} is not a move")
        with transaction.atomic(savepoint=False):
            held = dict(locked() if locked else self.to_advance(old))
            if attempts:
                fields["attempt"] = F("attempt") + attempts
            moved = Evaluation.objects.filter(pk__in=held, state=old).update(
                state=new, state_since=Now(), **fields
            )
            events = Event.objects.bulk_create(
                Event(
                    evaluation_id=pk,
                    old=old,
                    new=new,
                    attempt=attempt + attempts,
                    why=why[:300],
                    actor=actor,
                )
                for pk, attempt in held.items()
            )
            if new in REPORTED:
                evaluations_ended.send(Event, events=events)
        return moved

    def to_advance(self, old: EvaluationState) -> QuerySet:
        """Key and attempts of the rows in that state, locked."""
        return lock_rows(self.filter(state=old)).values_list("pk", "attempt")

    def ready(self) -> "EvaluationQuerySet":
        """Waiting and not held back."""
        return self.filter(state=EvaluationState.QUEUED, not_before__lte=Now())

    def unhinted(self, older_than: timedelta) -> "EvaluationQuerySet":
        """Ready, and the queue was never told or may have forgotten."""
        stale = Q(published_at__isnull=True) | Q(published_at__lt=Now() - older_than)
        return self.ready().filter(stale)

    def expired(self) -> "EvaluationQuerySet":
        """Running, but nobody has said so for too long."""
        return self.filter(state=EvaluationState.RUNNING, lease_until__lt=Now())


class Evaluation(models.Model):
    """One submission against one gold revision with one engine version.

    Where values are counted outside (`outside_counts`), also with the tables that had
    come: other tables make another evaluation, with the next `table_version`.

    `results` holds `overall` (measure name to estimate) and `test_sets` (name to
    measures, signature, units, remarks), written once, together with the counts.
    """

    # Codes of problems: the organizers' program failed; we did, and it was charged.
    PROGRAM_FAILED, ATTEMPT_KEPT = "program_failed", "attempt_kept"
    # Why the last event says that it ended.
    PROGRAM_GAVE_NOTHING = "the scoring program failed"

    submission = models.ForeignKey(
        Submission, models.CASCADE, related_name="evaluations"
    )
    gold_revision = models.ForeignKey(
        GoldRevision, models.PROTECT, related_name="evaluations"
    )
    engine = models.CharField(max_length=20)
    # Of a gold revision that is being prepared, or brought along from another site:
    # what was just sent goes first.
    background = models.BooleanField(default=False)
    table_version = models.PositiveSmallIntegerField(
        default=0, db_default=0, editable=False
    )
    heavy = models.BooleanField(default=False)  # see dispatch.py
    state = models.CharField(
        max_length=20, choices=EvaluationState, default=EvaluationState.QUEUED
    )
    state_since = models.DateTimeField(db_default=Now())
    created_at = models.DateTimeField(db_default=Now())
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    # The database's clock throughout: a lease must not depend on a host's.
    not_before = models.DateTimeField(db_default=Now())
    published_at = models.DateTimeField(null=True, editable=False)
    problems = models.JSONField(default=list, blank=True)
    results = models.JSONField(null=True, blank=True)
    # Of results and counts: the same for the same file, gold and engine, always.
    result_sha256 = models.CharField(max_length=64, blank=True)
    last_error = models.CharField(max_length=600, blank=True)  # for operators only
    complete = models.BooleanField(default=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "gold_revision", "engine", "table_version"],
                name="evaluated_once",
            ),
        )
        indexes = (
            models.Index(fields=["state", "heavy", "not_before"]),
            models.Index(fields=["state_since"]),
            # Of those that another engine scored, which are looked for all the time.
            models.Index(
                fields=["engine"],
                condition=Q(state=EvaluationState.SCORED),
                name="scored_by_engine",
            ),
        )

    def __str__(self) -> str:
        return f"evaluation of {self.submission}"

    def again(self) -> "Evaluation":
        """The next evaluation of the same files under the same gold, which is not
        saved: in the background, by this engine."""
        return Evaluation(
            submission_id=self.submission_id,
            gold_revision_id=self.gold_revision_id,
            engine=VERSION,
            background=True,
            table_version=self.table_version + 1,
        )

    @property
    def by_test_set(self) -> dict[str, Any]:
        """The results of a scored one by the names of its test sets."""
        assert self.results is not None
        return cast(dict[str, Any], self.results["test_sets"])


class StoredCounts(models.Model):
    """The counts of one test set: every score can be computed from them again."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="counts")
    test_set = models.ForeignKey(TestSet, models.PROTECT, related_name="+")
    data = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["evaluation", "test_set"], name="counted_once"
            ),
        )

    def __str__(self) -> str:
        return f"counts of {self.evaluation}"


class StoredStatistics(models.Model):
    """A computed part of a board: numbers, tests of all pairs or ranks of its systems.

    `key` is a digest of all that they depend on (`stored_statistics`), so that a row
    may be missing and is never out of date, and any row can be deleted; `board` is one
    of all that but the systems, by which an earlier state of the board is found. Who is
    who, and who may see it, is not in here. `pairs` are read by those alone who ask for
    single pairs.
    """

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    key = models.CharField(max_length=40, unique=True)
    board = models.CharField(max_length=40)
    data = models.BinaryField()
    pairs = models.BinaryField(default=b"")
    size = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = (
            models.Index(fields=["board", "-id"], name="states_of_a_board"),
            # Summed up often, without a look at what the rows hold.
            models.Index(fields=["size"], name="sizes_of_statistics"),
        )

    def __str__(self) -> str:
        return f"statistics of {self.phase}"


class StoredBoard(models.Model):
    """A board as it was computed for one kind of reader and one choice: its rows are
    BoardRow, `summary` says what is true of all of them, and `history` how its best
    scores rose.

    `key` is a digest of all that it depends on beside the `version` of the boards of
    the phase. Of the boards of a key one is current, which has no `replaced_at`;
    another goes a little after it was replaced, so that whoever reads its rows can
    finish. A worker computes another one of the same `choices` for whoever asked for it
    (`wanted_at`); without a summary none was computed yet. `asked`: it is no main
    board, which workers compute unasked.
    """

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    key = models.CharField(max_length=40)
    choices = models.JSONField(default=dict, db_default={})
    version = models.PositiveIntegerField(default=0)
    size = models.PositiveIntegerField(default=0)
    summary = models.JSONField(default=dict)
    history = models.JSONField(default=dict)
    asked = models.BooleanField(default=True)
    at = models.DateTimeField(db_default=Now())
    wanted_at = models.DateTimeField(null=True)
    replaced_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["key"], condition=Q(replaced_at=None), name="one_current_board"
            ),
        )
        indexes = (
            models.Index(
                fields=["replaced_at"],
                condition=Q(replaced_at__isnull=False),
                name="replaced_boards",
            ),
            models.Index(
                fields=["wanted_at"],
                condition=Q(wanted_at__isnull=False),
                name="wanted_boards",
            ),
        )

    def __str__(self) -> str:
        return f"board of {self.phase} at version {self.version}"


class BoardRow(models.Model):
    """A system at its place on a board, counted from 0; names, facts and descriptions
    are those of its submission when the row is read.

    `team` is its participation, and `numbers` are float64, those of each measure in
    turn. `in_family`: it stands for its
    team when pairs are tested; `sent_all`: it has a file for each test set; `moved`:
    its rank is another than a week ago, by `change` places, or it is new (None). The
    other columns are those of the engine's SystemRank.
    """

    board = models.ForeignKey(
        StoredBoard, models.CASCADE, related_name="rows", db_index=False
    )
    place = models.PositiveIntegerField()
    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="+")
    team = models.BigIntegerField()
    rank = models.PositiveIntegerField(null=True)
    low = models.PositiveIntegerField(null=True)
    high = models.PositiveIntegerField(null=True)
    cluster = models.PositiveIntegerField(null=True)
    level_with = models.TextField()
    level = models.PositiveIntegerField()
    others = models.PositiveIntegerField()
    few_decide = models.TextField()
    complete = models.BooleanField()
    untested = models.PositiveIntegerField()
    in_family = models.BooleanField()
    sent_all = models.BooleanField()
    moved = models.BooleanField()
    change = models.IntegerField(null=True)
    numbers = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["board", "place"], name="place_on_a_board"),
        )

    def __str__(self) -> str:
        return f"place {self.place} of {self.board}"


class LastingTests(models.Model):
    """Tests of the pairs of a board whose differences stay, as each was when both
    systems first stood there (`lasting_tests`). Unlike `StoredStatistics` they can't be
    computed again: `board` is a digest of all that they depend on but the systems."""

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    board = models.CharField(max_length=40, unique=True)
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"tests that stay of {self.phase}"


class ComputedBoards(models.Model):
    """The state of a phase whose boards workers computed last, `seconds` long."""

    phase = models.OneToOneField(Phase, models.CASCADE, related_name="computed_boards")
    version = models.PositiveIntegerField()
    at = models.DateTimeField()
    seconds = models.FloatField()

    def __str__(self) -> str:
        return f"boards of {self.phase} at version {self.version}"


class Event(models.Model):
    """One change of state, written with the change; never edited."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="events")
    old = models.CharField(max_length=20, blank=True)
    new = models.CharField(max_length=20)
    attempt = models.PositiveSmallIntegerField(default=0)
    actor = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="+"
    )
    why = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=["at"], condition=Q(new__in=REPORTED), name="ended_lately"
            ),
        )

    def __str__(self) -> str:
        return f"{self.old} to {self.new}"


class Sweep(models.Model):
    """The time of the last sweep, in the only row; readiness looks at its age."""

    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"swept at {self.at}"

    @classmethod
    def note(cls) -> None:
        if not Sweep.objects.filter(pk=1).update(at=Now()):
            Sweep.objects.bulk_create([Sweep(pk=1)], ignore_conflicts=True)

    @classmethod
    def ran_within(cls, seconds: float) -> bool:
        since = Now() - timedelta(seconds=seconds)
        return cls.objects.filter(pk=1, at__gte=since).exists()


class LaneRun(models.Model):
    """The time of the last work of a lane; readiness looks at its age."""

    lane = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.lane} at {self.at}"

    @classmethod
    def note(cls, lane: str) -> None:
        if not LaneRun.objects.filter(pk=lane).update(at=Now()):
            LaneRun.objects.bulk_create([LaneRun(pk=lane)], ignore_conflicts=True)


class TeamNote(models.Model):
    """A team's note to itself about a submission; nobody else is shown it.

    `tags` are words with a space before and after each, so that one can be found.
    """

    submission = models.OneToOneField(
        "submissions.Submission", models.CASCADE, related_name="team_note"
    )
    text = models.TextField(blank=True, max_length=2000)
    tags = models.CharField(blank=True, max_length=320)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def words(self) -> list[str]:
        return self.tags.split()

    @staticmethod
    def packed(words: set[str]) -> str:
        return f" {' '.join(sorted(words))} " if words else ""


class QuotaKind(models.TextChoices):
    """The thing that a quota counts."""

    SCORED = "scored", "attempts that are scored"
    REFUSED = "refused", "uploads refused for their format"
    LATE = "late", "uploads kept after the end"
    TOTAL = "total", "attempts over the whole phase"
    GIVEN_BACK = "given_back", "attempts given back for failures on our side"


class QuotaCounter(models.Model):
    """How much a team, or one person, used of one allowance in a phase on a day.

    Days are those of the phase's time zone; the total is counted on one fixed day. A
    person has a counter beside the team's, so that changing teams gains nothing.
    """

    # Kinds that are counted alone, without entries that say what was charged.
    WITHOUT_ENTRIES = (QuotaKind.REFUSED, QuotaKind.GIVEN_BACK)

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=QuotaKind, default=QuotaKind.SCORED)
    participation = models.ForeignKey(
        Participation, models.CASCADE, null=True, blank=True, related_name="+"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    day = models.DateField()
    used = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["phase", "kind", "participation", "day"],
                condition=Q(person__isnull=True),
                name="one_counter_of_a_team",
            ),
            models.UniqueConstraint(
                fields=["phase", "kind", "person", "day"],
                condition=Q(participation__isnull=True),
                name="one_counter_of_a_person",
            ),
            models.CheckConstraint(
                condition=Q(participation__isnull=True) ^ Q(person__isnull=True),
                name="counter_of_team_or_person",
            ),
        )

    def __str__(self) -> str:
        return f"{self.used} {self.kind} on {self.day}"


class QuotaEntry(models.Model):
    """Charge of one submission; given back at most once."""

    submission = models.ForeignKey(
        "submissions.Submission", models.CASCADE, related_name="quota_entries"
    )
    counter = models.ForeignKey(QuotaCounter, models.CASCADE, related_name="entries")
    refunded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "counter"], name="charged_once"
            ),
        )

    def __str__(self) -> str:
        return f"charge of {self.submission}"


class SystemDescription(models.Model):
    """A paper or text about a submission; the newest one counts."""

    submission = models.ForeignKey(
        "submissions.Submission", models.CASCADE, related_name="descriptions"
    )
    title = models.CharField(max_length=200)
    link = models.URLField(blank=True)
    text = models.TextField(blank=True, max_length=20_000)
    file_name = models.CharField(max_length=200, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return self.title
