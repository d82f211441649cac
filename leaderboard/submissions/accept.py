"""Acceptance of an upload: who may, whether its files fit, the row, the queue."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from itertools import combinations
from operator import attrgetter
from typing import IO, Any, cast
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import BigAutoField, CharField, Exists, OuterRef, QuerySet
from django.dispatch import Signal
from django.http import Http404, HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.sandbox import client
from leaderboard.sandbox.jobs.uploads import key
from leaderboard.sandbox.queue import QueueFull
from leaderboard.submissions import dispatch, quota
from leaderboard.submissions.forms import UploadForm
from leaderboard.submissions.models import QuotaKind, Submission, SubmittedFile
from leaderboard.submissions.quota import Allowance, QuotaUsage
from leaderboard.submissions.submission_kinds import SubmissionKind
from leaderboard.submissions.uploads import (
    arrived_at,
    file_name,
    source_of,
)
from leaderboard.tasks import blobs, policy
from leaderboard.tasks.access import lock_phases
from leaderboard.tasks.models import (
    Fact,
    GoldFile,
    GoldRevision,
    Participation,
    Phase,
    TestSet,
    raw_options,
)
from leaderboard.tasks.participation import (
    has_organizers,
    public_answers,
    with_organizers,
)
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.extras import CodeStep, joined
from leaderboard.web.forms import refused_status
from leaderboard.web.known import note_rows
from leaderboard.web.locks import lock_rows
from leaderboard.web.statements import statement
from scoring import Problem, Refused
from scoring.answered import is_doubt
from scoring.diagnosis import may_be_of_another
from scoring.messages import Messages
from scoring.sandbox.codec import Request, problems_of
from scoring.sandbox.fork import JobFailed
from scoring.source import Source

MESSAGES = Messages(
    our_fault=gettext_noop(
        "checking the file failed on our side; the operators can see why"
    ),
    no_file=gettext_noop("there is no file to score"),
    same_runs=gettext_noop("Runs %(first)s and %(second)s have the same files."),
    same_file=gettext_noop("%(first)s and %(second)s have the same file."),
    each_own=gettext_noop("Is it the file that you meant for each?"),
)

Status = Participation.Status
SAME_FILES = "same_files"
# The code of answers that are all equal, about which a person is asked, too.
SENT_TWICE, MOST_SENT_TWICE = "all_equal", 5
# Sent with `upload` and its `problems`, once the refusal is counted.
upload_refused = Signal()
# Bytes of blind files with which a file is compared that is not this test set's.
MOST_OTHERS = 32 << 20
OUR_FAULT = Problem("check_failed", MESSAGES("our_fault"))


class Unfit(Refused):
    """Files that cannot be scored: nothing was stored and no attempt is charged."""


class Doubtful(Refusal):
    """The files can be scored and look as if nobody meant them: a question."""

    code = "doubtful"
    status = 422

    def __init__(self, message: str, remarks: Sequence[Problem]) -> None:
        super().__init__(message)
        self.remarks = remarks


class KeyReused(Refusal):
    """The key is that of a submission, and what came with it now is another."""

    code = "key_reused"
    status = 422


@dataclass(frozen=True)
class Upload:
    """One request to submit. `key` makes repeating it harmless.

    `again`: the files are meant to be sent though the team sent them before, or though
    they say nothing.
    """

    phase: Phase
    participation: Participation
    sender: User
    arrived_at: datetime
    key: str = ""
    system: str = ""
    description: str = ""
    # The files of each run of the system.
    runs: Sequence[Mapping[TestSet, UploadedFile]] = ({},)
    # The prompt of each run, where they are named.
    prompts: Sequence[str] = ()
    baseline: bool = False
    # When it was brought along from another site, where `arrived_at` was noted.
    brought_at: datetime | None = None
    again: bool = True
    facts: Mapping[str, Fact] = field(default_factory=dict)
    # Instead of `runs`: one zip with a file per test set
    archive: UploadedFile | None = None

    @property
    def by_organizers(self) -> bool:
        """Organizers bring it, whom no rule for teams binds: nothing is charged."""
        return self.baseline or self.brought_at is not None

    @property
    def late(self) -> bool:
        """Never for a baseline: organizers may send before and after the phase."""
        return not self.by_organizers and self.quota.kind == QuotaKind.LATE

    @cached_property
    def quota(self) -> QuotaUsage:
        return QuotaUsage(self.phase, self.participation, self.sender, self.arrived_at)

    @property
    def state(self) -> str:
        """The phase's for this team, when the request began."""
        return self.phase.state(self.arrived_at, self.participation)

    def require_eligible(self) -> None:
        """Raises the refusal; organizers who send a baseline ask nobody."""
        if not self.by_organizers and (refusal := self.why_not()):
            raise refusal

    def why_not_check(self) -> Refusal | None:
        """The reason why files may not be checked without sending them: the phase has
        not opened, or many files were refused."""
        if not policy.sees_kit(self.sender, self.phase):
            message = _("%(phase)s has not opened yet")
            return Refusal(message % {"phase": self.phase.title}, code="not_open")
        return self.quota.refusal(QuotaKind.REFUSED)

    def why_not(self) -> Refusal | None:
        """The reason why this person may not submit, whatever is in the files.

        At most two queries, and those of extras; the quota is asked elsewhere.
        """
        phase, entry = self.phase, self.participation
        if not entry.is_active:
            return Refusal(_status(entry), code="not_taking_part")

        @cache
        def organizes() -> bool:
            return phase.task.is_organized_by(self.sender)

        names = {"phase": phase.title, "team": entry.team}
        if phase.who == Phase.Who.ORGANIZERS and not organizes():
            message = _("Only organizers submit to %(phase)s")
            return Refusal(message % names, code="not_chosen")
        if phase.who == Phase.Who.CHOSEN and not (
            phase.chosen.filter(pk=entry.pk).exists() or organizes()
        ):
            message = _(
                "%(phase)s is for teams chosen by the organizers; %(team)s is not "
                "among them"
            )
            return Refusal(message % names, code="not_chosen")
        # Organizers may send pilots, nobody else.
        if self.state == "upcoming" and not organizes():
            message = _("%(phase)s has not opened yet")
            return Refusal(message % names, code="not_open")
        if phase.paused:
            return Refusal(_pause_sentence(phase), code="paused")
        if not phase.hides_input:
            return None
        refusals = (step.refusal(self) for step in joined(CodeStep))
        return next(filter(None, refusals), None)


def _status(entry: Participation) -> str:
    sentences = {
        Status.PENDING: _(
            "Team %(team)s waits for admission. An organizer decides; "
            "then it can submit"
        ),
        Status.REFUSED: _("Team %(team)s was not admitted to this task"),
        Status.WITHDRAWN: _("Team %(team)s withdrew from this task"),
        Status.DISQUALIFIED: _("Team %(team)s was disqualified in this task"),
        Status.MERGED: _("Team %(team)s was merged into another team; submit with it"),
    }
    sentence = sentences[Status(entry.status)] % {"team": entry.team}
    if not entry.reason:
        return sentence
    return f"{sentence}. " + _("Reason given: %(why)s") % {"why": entry.reason}


def _pause_sentence(phase: Phase) -> str:
    message = _(
        "%(phase)s is paused: nothing can be sent, and nothing was charged. "
        "What was sent before is scored as usual"
    )
    message %= {"phase": phase.title}
    return f"{message}. {phase.paused_note}" if phase.paused_note else message


@dataclass
class Attempt:
    """The upload form and its outcome: `sent`, `problems`, `refusal`, or form errors.

    None is set before anything was tried. Where files were to be checked and not sent,
    `fits` says that they can be scored, with remarks on them, and so it is where
    somebody is asked whether they are meant.
    """

    upload: Upload
    form: UploadForm
    sent: Submission | None = None
    refusal: Refusal | None = None
    problems: Sequence[Problem] = ()
    fits: bool = False
    remarks: Sequence[Problem] = ()

    @property
    def status(self) -> int:
        """HTTP status of the outcome, before anything was sent 200."""
        if self.refusal is not None:
            return self.refusal.status
        if self.form.errors:
            return refused_status(self.form)
        if self.problems:
            return 422
        return 201 if self.sent is not None else 200

    @property
    def asks(self) -> bool:
        """Whether the page asks, or would ask, before such files are sent."""
        return any(map(is_doubt, self.remarks))

    @property
    def allowance(self) -> Allowance:
        return self.upload.quota.allowance(getattr(self.sent, "charged", ()))

    @property
    def check_failed(self) -> bool:
        """Whether the check broke, which says nothing about the file."""
        return OUR_FAULT in self.problems


def look(
    request: HttpRequest, phase: Phase, entry: Participation, fields: Any = None
) -> Attempt:
    """The form, empty or as it was filled in with `fields`; nothing tried."""
    user: Any = request.user
    upload = Upload(phase, entry, user, arrived_at(request))
    if fields is None:
        return Attempt(upload, UploadForm(phase))
    return Attempt(upload, UploadForm(phase, fields, request.FILES))


def attempt(
    request: HttpRequest,
    phase: Phase,
    entry: Participation,
    fields: "MultiValueDict[str, Any]",
    *,
    asks: bool = False,
) -> Attempt:
    """Try to submit what the request holds.

    `fields` are the texts of the form, its files are those of the request. `asks`:
    files that the team sent before, or that say nothing, are sent only where `again`
    is ticked.
    """
    tried = look(request, phase, entry, fields)
    if tried.form.is_valid():
        again = not asks or tried.form.cleaned_data["again"]
        tried.upload = replace(tried.upload, again=again, **tried.form.upload_values())
        try:
            tried.sent = sent = submit(tried.upload)
            if hasattr(sent, "queued"):  # just now: its answer need ask for nothing
                note_rows(sent, "evaluations", sent.queued)
                note_rows(sent, "descriptions")
        except Unfit as unfit:
            tried.problems = unfit.problems
        except Doubtful as doubt:
            tried.refusal, tried.remarks = doubt, doubt.remarks
        except Refusal as refusal:
            tried.refusal = refusal
    return tried


def attempt_check(
    request: HttpRequest, phase: Phase, entry: Participation, fields: Any
) -> Attempt:
    """Check what the request holds as `attempt` does, and store nothing of it.

    Only files are looked at: what else the form asks for may be left out.
    """
    tried = look(request, phase, entry, fields)
    if not tried.form.has_files():
        return tried
    upload = replace(tried.upload, **tried.form.files_of_upload())
    try:
        if refusal := upload.why_not_check():
            raise refusal
        _upload, tried.remarks = check_upload(upload)
        tried.fits = True
    except Unfit as unfit:
        tried.problems = unfit.problems
    except Refusal as refusal:
        tried.refusal = refusal
    return tried


def submit(upload: Upload, *, fits: bool = False) -> Submission:
    """Accept an upload, or return what its key was accepted as before.

    Its files are not read where the caller knows that each `fits`.

    Raises a Refusal (not open, paused, not for this team, quota.KeyReused),
    Unfit (with every format problem), or blobs.NoRoom when the disk is full.
    """
    if earlier := _earlier(upload):
        return earlier
    try:
        upload.require_eligible()
        # Only `quota.charge` decides; this look, which may be out of date, spares
        # everybody the reading of a file that cannot be accepted anyway.
        if not upload.by_organizers and (refusal := upload.quota.refusal()):
            raise refusal
        whole, remarks = (upload, []) if fits else check_upload(upload)
        if not whole.again:
            _require_new(whole)
            _require_meant(remarks)
        return store(whole)
    except (IntegrityError, Refusal):
        # The same key in a second tab: it was first, and used what this one lacks.
        if earlier := _earlier(upload):
            return earlier
        raise


def store(upload: Upload) -> Submission:
    """Keep the files of a checked upload, and accept it.

    Raises Refusal where the rules changed since, and blobs.NoRoom.
    """
    (submission,) = store_all([upload])
    return submission


def store_all(uploads: Sequence[Upload]) -> list[Submission]:
    """The same of several uploads to one phase, all or none, in a few queries."""
    digests = [_digests(upload, blobs.keep) for upload in uploads]
    with transaction.atomic():
        return _accept(_renew(uploads), digests)


def _earlier(upload: Upload) -> Submission | None:
    """The submission that the key was accepted as; raises KeyReused for another."""
    phase, entry = upload.phase.pk, upload.participation.pk
    rows = _sent_before(phase=phase, participation=entry, key=upload.key)
    earlier: Submission | None = next(iter(rows), None)
    if earlier is not None and _differs(upload, earlier):
        message = _(
            "this form was sent before: “%(system)s” arrived and is kept. What you "
            "sent now is something else; send it once more to submit it too"
        )
        raise KeyReused(message % {"system": earlier.system})
    return earlier


@statement(phase=BigAutoField(), participation=BigAutoField(), key=CharField())
def _sent_before(**names: object) -> QuerySet[Submission]:
    return Submission.objects.filter(**names).order_by()


def _differs(upload: Upload, earlier: Submission) -> bool:
    """Whether names, description or bytes are others than the submission's.

    Answers of the fact sheet are not compared: they may be corrected later.
    """
    if (upload.system, upload.description) != (earlier.system, earlier.description):
        return True
    if list(upload.prompts) != earlier.prompts:
        return True
    try:
        upload = unpack_zip(upload)
    except (JobFailed, QueueFull):
        return False  # whoever repeats a request is owed its answer
    except Refused:
        return True
    stored, digests = _stored_digests(earlier), _digests(upload)
    if upload.baseline:  # which is sent for a phase as the phase was then
        digests = {place: value for place, value in digests.items() if place in stored}
    return digests != stored


def _stored_digests(submission: Submission) -> dict[tuple[int, int], str]:
    """SHA-256 of its files, by test set and run."""
    rows = submission.files.values_list("test_set", "run", "sha256")
    return {(test_set, run): digest for test_set, run, digest in rows}


def _digests(
    upload: Upload, digest: Callable[[IO[bytes]], str] = blobs.digest_of
) -> dict[tuple[int, int], str]:
    """The same of what was uploaded."""
    digests = {}
    for run, files in enumerate(upload.runs, 1):
        for test_set, file in files.items():
            digests[test_set.pk, run] = digest(cast(IO[bytes], file.file))
    return digests


def _require_new(upload: Upload) -> None:
    """Raises a Refusal where every byte came before from this team, in this phase.

    It would score the same and use an attempt. What was taken back does not count.
    """
    digests = _digests(upload)
    candidates = Submission.objects.filter(
        phase=upload.phase,
        participation=upload.participation,
        withdrawn_at=None,
        files__sha256__in=digests.values(),
    )
    for submission in candidates.distinct().order_by("-received_at"):
        if _stored_digests(submission) == digests:
            message = _(
                "your team sent exactly these files before, as “%(system)s”: they "
                "would score the same and use an attempt. Nothing was sent now"
            )
            message %= {"system": submission.system}
            raise Refusal(message, code=SAME_FILES, status=422)


def _sent_twice(upload: Upload) -> list[Problem]:
    """Remarks on two runs of the same files, and on one file for two test sets."""
    sizes = [file.size for files in upload.runs for file in files.values()]
    # Large files of other sizes are not read again.
    if len(set(sizes)) == len(sizes) or SubmissionKind.of(upload.phase).one_zip:
        return []
    digests = _digests(upload)
    runs = [
        [(test_set.title, digests[test_set.pk, run]) for test_set in files]
        for run, files in enumerate(upload.runs, 1)
    ]
    equal = []
    for name, named in ("same_runs", [*enumerate(runs, 1)]), ("same_file", runs[0]):
        for (first, files), (second, others) in combinations(named, 2):
            if files and files == others:
                message = MESSAGES(name, first=first, second=second)
                hint = MESSAGES("each_own")
                equal.append(Problem(SENT_TWICE, message, hint=hint))
    return equal[:MOST_SENT_TWICE]


def _require_meant(remarks: Sequence[Problem]) -> None:
    """Raises Doubtful where nobody would mean to send what the remarks say."""
    if any(map(is_doubt, remarks)):
        message = _(
            "these files can be scored, and something in them is hardly meant: see "
            "above. Nothing was sent, and no attempt was used"
        )
        raise Doubtful(message, remarks)


def _renew(uploads: Sequence[Upload]) -> list[Upload]:
    """Uploads under the rules of now: reading the files may have taken a while.

    Raises Refusal when they came to forbid one; the end of the phase, its limits and
    its gold are those of this moment too, and stay so until all are accepted.
    """
    # Locked, so that no merger moves the teams' submissions in between.
    wanted = {upload.participation.pk for upload in uploads}
    entries = {entry.pk: entry for entry in _locked_entries(keys=wanted)}
    phase = _renewed_phase(uploads[0].phase)
    blind = {test_set.pk: test_set.blind_sha256 for test_set in phase.test_sets.all()}
    renewed = []
    for upload in uploads:
        _require_unchanged(upload, phase, blind)
        entry = entries.get(upload.participation.pk)
        if entry is None:
            raise Participation.DoesNotExist
        now = replace(upload, phase=phase, participation=entry)
        now.require_eligible()
        renewed.append(now)
    return renewed


@statement(keys=[BigAutoField()])
def _locked_entries(keys: Collection[int]) -> QuerySet[Participation]:
    """Entries of teams with what `has_organizers` asks."""
    entries = Participation.objects.select_related("team").filter(pk__in=keys)
    return lock_rows(with_organizers(entries))


def _renewed_phase(old: Phase) -> Phase:
    """The phase under the lock of phases, with its test sets and their task."""
    for phase in lock_phases(old.task_id):
        if phase.pk == old.pk:
            break
    else:
        raise Http404
    test_sets = _test_sets_to_score(phase=phase.pk, revision=phase.gold_revision_id)
    note_rows(phase, "test_sets", test_sets)
    if test_sets:
        phase.task = test_sets[0].task
    if hasattr(old, "has_neighbours"):
        policy.note_neighbours(phase, old)
    return phase


@statement(phase=BigAutoField(), revision=BigAutoField())
def _test_sets_to_score(phase: int, revision: int) -> QuerySet[TestSet]:
    """Test sets of a phase with their task, the units of their gold, and whether
    another revision of it is prepared."""
    gold = GoldFile.objects.filter(revision=revision, test_set=OuterRef("pk"))
    prepared = GoldRevision.objects.filter(task=OuterRef("task"), preparing=True)
    rows = TestSet.objects.select_related("task").filter(phases=phase)
    return rows.annotate(units=gold.values("units")[:1], prepared=Exists(prepared))


def _units(phase: Phase) -> dict[tuple[int, int], int] | None:
    """The units of the phase under its gold; None where another one is prepared."""
    units = 0
    for test_set in phase.test_sets.all():
        own = vars(test_set)
        if own["prepared"]:
            return None
        units += own["units"] or 0
    return {(phase.gold_revision_id, phase.pk): units}


def _require_unchanged(upload: Upload, phase: Phase, blind: Mapping[int, str]) -> None:
    if any(blind.get(t.pk) != t.blind_sha256 for t in upload.runs[0]):
        message = _(
            "the organizers changed the test sets while your files were read; "
            "nothing was charged. Load the page again"
        )
        raise Refusal(message, code="changed_meanwhile")
    if len(upload.runs) > max(phase.most_runs, 1):
        message = _(
            "the organizers changed how many runs an entry may have while your "
            "files were read; nothing was charged. Load the page again"
        )
        raise Refusal(message, code="changed_meanwhile")


def check_upload(upload: Upload) -> tuple[Upload, list[Problem]]:
    """The upload with the files of its zip, if it is one, and remarks on them.

    Each fits its test set. Raises Unfit, which is counted as a refusal, and Refusal
    where the site is busy.
    """
    problems: list[Problem] = []
    remarks: list[Problem] = []
    try:
        upload = unpack_zip(upload)
        several = len(upload.runs) > 1
        for run, files in enumerate(upload.runs, 1):
            number = run if several else 0
            problems += find_problems(upload.phase, files, number, remarks)
        remarks += _sent_twice(upload)
    except QueueFull:
        message = _(
            "too many files wait to be checked. Nothing was stored and no attempt "
            "was used: send it again in half a minute"
        )
        raise Refusal(message, code="busy", status=503, retry_seconds=30) from None
    except JobFailed:
        raise Unfit([OUR_FAULT]) from None
    except Refused as refusal:
        problems = list(refusal.problems)
    if problems:
        if not upload.by_organizers:
            quota.charge_refused(upload.quota)
            upload_refused.send(Upload, upload=upload, problems=problems)
        raise Unfit(problems)
    return upload, remarks


def unpack_zip(upload: Upload) -> Upload:
    """The files of a zip with one file per test set, as if each had been sent alone.

    Raises Refused with what is wrong with the zip and its members, JobFailed,
    QueueFull.
    """
    if upload.archive is None:
        return upload
    if SubmissionKind.of(upload.phase).one_zip:
        every = dict.fromkeys(upload.phase.test_sets.all(), upload.archive)
        return replace(upload, runs=[every], archive=None)
    source = source_of(upload.archive, "all.zip")
    request = Request(_zip_question(upload.phase, source.name), [source.single()])
    answer, members = client.run("uploads.unpack", request)
    test_sets = {test_set.name: test_set for test_set in upload.phase.test_sets.all()}
    files = {
        test_sets[name]: SimpleUploadedFile(file, data)
        for (name, file), data in zip(answer["files"], members, strict=True)
    }
    return replace(upload, runs=[files], archive=None)


def find_problems(
    phase: Phase,
    files: Mapping[TestSet, UploadedFile],
    run: int = 0,
    remarks: list[Problem] | None = None,
) -> list[Problem]:
    """Check each file with the scorer's own reader against the blind file. The first
    problem of a file may be a diagnosis of the whole (`scoring.diagnosis`).

    Gold is not opened. Reading happens in the sandbox: there a file can use up neither
    the site's memory nor the time of the requests beside it. Raises JobFailed, which
    says nothing about the file, and QueueFull. `run` is told in what is found, where
    there are several; remarks are added to a list of them.
    """
    if not files:
        return [Problem("no_file", MESSAGES("no_file"))]
    task = phase.task
    if task.scorer_is_gone:
        return []  # no fault of the team's: it is read when the scorer is back
    if (kind := SubmissionKind.of(phase)).one_zip:
        return kind.problems_of(task, files)
    request = Request.scoring(task.scorer_name, raw_options(task.declared_options))
    names = Counter(map(attrgetter("name"), files.values()))
    for test_set, file in files.items():
        source = source_of(file, test_set.name)
        if run or names[file.name] > 1:  # findings must tell them apart
            place = f"{test_set.name}, run {run}" if run else test_set.name
            name = f"{place}/{source.name}"
            source = Source.of_bytes(name, source.single())
        request.add(test_set.blind(), source)
    try:
        answer, _files = client.run("uploads.check", request)
        if remarks is not None:
            remarks += problems_of(answer["remarks"])
    except Refused as refusal:
        problems = list(refusal.problems)
        if any(may_be_of_another(problem) for problem in problems):
            return _with_other_test_sets(request, phase) or problems
        return problems
    return []


def _with_other_test_sets(request: Request, phase: Phase) -> list[Problem]:
    """The problems again, of files that may be those of other test sets of the task,
    as far as their blind files are public."""
    others: dict[str, Source] = {}
    room, anybody = MOST_OTHERS, AnonymousUser()
    for test_set in phase.task.test_sets.prefetch_related("phases__test_sets"):
        phases = test_set.phases.all()
        public = [p for p in phases if policy.sees_blind_files(anybody, p)]
        if not public:
            continue
        blind = test_set.blind()
        room -= sum(map(len, blind.files.values()))
        if room < 0:
            break
        others[_where(test_set, phase, public)] = blind
    request.name("others", others)
    try:
        client.run("uploads.check", request)
    except Refused as refusal:
        return list(refusal.problems)
    return []


def _where(test_set: TestSet, phase: Phase, public: Sequence[Phase]) -> str:
    """The name of a test set from within a phase."""
    if phase in public:
        return test_set.title
    other = public[0]
    alone = len(other.test_sets.all()) == 1
    return other.title if alone else f"{other.title}, {test_set.title}"


def _zip_question(phase: Phase, name: str) -> dict[str, Any]:
    """The zip's name, and what `uploads.ZipContents` asks to know."""
    test_sets = list(phase.test_sets.all())
    stems = {t.name: t.blind_name.partition(".")[0] or t.blind_name for t in test_sets}
    given = Counter(map(key, stems.values()))
    names = {
        name: [stem] if given[key(stem)] == 1 else [] for name, stem in stems.items()
    }
    options = phase.task.parsed_options
    return {
        "name": name,
        "names": names,
        "several": [t.name for t in test_sets if t.blind_name.endswith(".zip")],
        "endings": [options.get(f"ref_suffix_{way}", "") for way in ("off", "on")],
        "most_bytes": settings.UPLOAD_BYTES,
    }


def _accept(
    uploads: Sequence[Upload], digests: Sequence[Mapping[tuple[int, int], str]]
) -> list[Submission]:
    accepted = Submission.objects.bulk_create(map(_row, uploads))
    files = [
        SubmittedFile(
            submission=submission,
            test_set=test_set,
            run=run,
            name=file_name(file.name or test_set.name),
            sha256=own[test_set.pk, run],
            size=file.size or 0,
        )
        for submission, upload, own in zip(accepted, uploads, digests, strict=True)
        for run, given in enumerate(upload.runs, 1)
        for test_set, file in given.items()
    ]
    SubmittedFile.objects.bulk_create(files)
    for submission, upload in zip(accepted, uploads, strict=True):
        upload.quota.charge(submission, upload.quota.kind)
    sizes: Counter[UUID] = Counter()
    for file in files:
        sizes[file.submission_id] += file.size
    in_time = [submission for submission in accepted if not submission.late]
    units = _units(uploads[0].phase)
    made = dispatch.enqueue_all(in_time, sizes=sizes, units=units)
    for submission in accepted:
        submission.queued = [
            evaluation
            for evaluation in made
            if evaluation.submission_id == submission.pk
        ]
    return accepted


def _row(upload: Upload) -> Submission:
    return Submission(
        phase=upload.phase,
        participation=upload.participation,
        sender=upload.sender,
        key=upload.key,
        system=upload.system,
        description=upload.description,
        facts={**upload.facts, **public_answers(upload.participation)},
        baseline=upload.baseline,
        by_organizers=not upload.baseline and has_organizers(upload.participation),
        late=upload.late,
        runs=len(upload.runs),
        prompts=list(upload.prompts),
        received_at=upload.arrived_at,
        brought_at=upload.brought_at,
    )
