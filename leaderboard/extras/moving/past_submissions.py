"""Past submissions, imported from another site by a list.

The list is checked whole, files included, before anything is written, and bringing it
once more changes nothing: a submission is known by its team, its time and its files.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from leaderboard.extension import blobs
from leaderboard.extension.access import lock_rows, lock_task
from leaderboard.extension.blobs import require_room
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import (
    Participation,
    Phase,
    Submission,
    Task,
    Team,
    TestSet,
    User,
    check_display_name,
    name_key,
)
from leaderboard.extension.policy import Power, can
from leaderboard.extension.submissions import (
    OUR_FAULT,
    Unfit,
    Upload,
    check_upload,
    store_all,
    unpack_zip,
)
from scoring.diagnosis.places import group_by_line
from scoring.errors import Problem, ScoringError, SetupError
from scoring.formats.records import delimiter_of
from scoring.messages import Messages
from scoring.source import decode

MESSAGES = Messages(
    second=gettext_noop("a second file; the first is on line %(line)s"),
    second_of_set=gettext_noop(
        "a second file for the test set %(test_set)s; the first is on line %(line)s"
    ),
    outside=gettext_noop(
        "'time': %(time)s lies outside the phase, %(opens)s to %(closes)s"
    ),
    before=gettext_noop("'time': %(time)s lies outside the phase, %(opens)s"),
    a_time=gettext_noop(
        "a time, as in 2026-05-01 12:00 (on the clocks of the phase) or with an offset"
    ),
    most_lines=gettext_noop("more than %(most)s lines"),
    no_csv=gettext_noop("not readable as CSV: %(error)s"),
    columns=gettext_noop("The first line names the columns; they may be: %(columns)s."),
    no_lines=gettext_noop("no submission stands below the names of the columns"),
    a_line=gettext_noop("Write a line for each file that was sent."),
    no_column=gettext_noop("there is no column '%(column)s'"),
    unknown_column=gettext_noop("'%(column)s': unknown column"),
    repeated_column=gettext_noop("the column '%(column)s' is there twice"),
    cells=gettext_noop("expected %(expected)s cells, found %(count)s"),
    quote=gettext_noop("Put cells with a comma into quotes."),
    empty=gettext_noop("'%(column)s' is empty"),
    no_time=gettext_noop("'time': expected %(expected)s; found '%(text)s'"),
    offset=gettext_noop("Write the offset, as in 2026-10-25T02:30:00+01:00."),
    twice=gettext_noop("clocks in %(zone)s show %(time)s twice"),
    future=gettext_noop("'time': %(time)s is still to come"),
    other_phase=gettext_noop(
        "Choose another phase, or move its dates while it is a draft."
    ),
    name=gettext_noop("'%(column)s': %(problem)s"),
    long_system=gettext_noop("'system': at most %(most)s characters"),
    long_description=gettext_noop("'description': at most %(most)s characters"),
    no_test_set=gettext_noop(
        "there is no test set '%(test_set)s'; the phase has %(known)s"
    ),
    paths=gettext_noop("Paths are told from the folder of the list."),
    no_file=gettext_noop("there is no file '%(path)s'"),
    large_file=gettext_noop("the file '%(path)s' is larger than %(most)s MiB"),
    declared=gettext_noop("the final ranking of %(phase)s was declared"),
    nothing_added=gettext_noop("Nothing is added to it."),
    no_test_sets=gettext_noop("%(phase)s has no test set to score on"),
    most_submissions=gettext_noop("%(count)s submissions; at most %(most)s at once"),
    split=gettext_noop("Split the list, or ask the operator to bring it."),
    nobody=gettext_noop("nobody is in the team '%(team)s': leave 'email' empty"),
    other_team=gettext_noop("the team '%(team)s' is one of another task"),
    other_name=gettext_noop("Give it another name here."),
    no_member=gettext_noop("there is no team '%(team)s' with a member %(address)s"),
    no_address=gettext_noop("Leave 'email' empty: the team is made without members."),
    team=gettext_noop("'team': %(problem)s"),
    with_members=gettext_noop("there is a team '%(team)s' with members already"),
    write_address=gettext_noop(
        "Write the mail address of one of them into the column 'email', or "
        "give the team of the past another name."
    ),
    no_part=gettext_noop("the team '%(team)s' does not take part in the task yet"),
    join=gettext_noop("Ask it to join first."),
)

NEEDED = ("team", "system", "time", "file")
MAY_BE = ("test_set", "email", "description")
# As the list in an archive of this site calls it.
ALSO = {"received_at": "time", "test set": "test_set", "mail": "email"}
LONGEST_SYSTEM, LONGEST_DESCRIPTION = 80, 2000
MOST_LINES = 20_000
MOST_AT_ONCE, MOST_BYTES = 500, 32 << 20  # of submissions that are stored together
A_TIME = MESSAGES("a_time")
ReadFile = Callable[[str], bytes | None]


@dataclass(frozen=True)
class PastFile:
    """A file of the list; its bytes are read when they are wanted."""

    path: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass
class PastSubmission:
    """One submission of the list: a file for each line that belongs to it."""

    line: int
    team: str
    system: str
    at: datetime
    email: str = ""
    description: str = ""
    files: dict[str, PastFile] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The same for the same team, time and files, whatever else is said."""
        whole = sha256(f"{name_key(self.team)}\0{self.at.isoformat()}".encode())
        for test_set, file in sorted(self.files.items()):
            whole.update(f"\0{test_set}\0{file.sha256}".encode())
        return f"brought {whole.hexdigest()[:48]}"


@dataclass(frozen=True)
class ImportResult:
    """The outcome: what is new, what was there already, and which teams were made, or
    taken from other tasks of the organizer."""

    new: Sequence[PastSubmission]
    there: Sequence[PastSubmission]
    teams: Sequence[str]
    again: Sequence[str] = ()


class _List:
    """A list under way, with everything that is wrong in it."""

    def __init__(self, phase: Phase, name: str, read_file: ReadFile) -> None:
        self.phase, self.name, self.read_file = phase, name, read_file
        self.problems: list[Problem] = []
        self.test_sets = {test_set.name: test_set for test_set in phase.test_sets.all()}
        self.submissions: dict[tuple[str, str, datetime], PastSubmission] = {}
        # Name and hash of the file for each test set, by the hash of their zip
        self.members: dict[str, dict[TestSet, tuple[str, str]]] = {}

    def problem(self, line: int, message: str, hint: str = "") -> None:
        self.problems.append(Problem("list", message, self.name, line, hint=hint))

    def raise_if_any(self) -> None:
        if self.problems:
            raise SetupError(group_by_line(self.problems))

    def read(self, data: bytes) -> None:
        try:
            text = decode(self.name, data, SetupError)
        except ScoringError as error:
            raise SetupError(error.problems) from None
        mark = delimiter_of(text)
        rows = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=mark)
        try:
            head = [_column(cell) for cell in next(rows, [])]
            self._require_columns(head)
            for row in filter(any, rows):
                if rows.line_num > MOST_LINES:
                    self.problem(rows.line_num, MESSAGES("most_lines", most=MOST_LINES))
                    break
                self._line(rows.line_num, head, row)
        except csv.Error as error:
            self.problem(rows.line_num, MESSAGES("no_csv", error=error))
        if not self.submissions and not self.problems:
            self.problem(1, MESSAGES("no_lines"), MESSAGES("a_line"))

    def _require_columns(self, head: Sequence[str]) -> None:
        columns = ", ".join((*NEEDED, *MAY_BE))
        hint = MESSAGES("columns", columns=columns)
        for name in NEEDED:
            if name not in head:
                self.problem(1, MESSAGES("no_column", column=name), hint)
        for name in dict.fromkeys(head):
            if name not in (*NEEDED, *MAY_BE):
                self.problem(1, MESSAGES("unknown_column", column=name), hint)
            elif head.count(name) > 1:
                self.problem(1, MESSAGES("repeated_column", column=name))
        self.raise_if_any()

    def _line(self, line: int, head: Sequence[str], row: Sequence[str]) -> None:
        if len(row) != len(head):
            message = MESSAGES("cells", expected=len(head), count=len(row))
            self.problem(line, message, MESSAGES("quote"))
            return
        values = {name: cell.strip() for name, cell in zip(head, row, strict=True)}
        before = len(self.problems)
        for name in NEEDED:
            if not values[name]:
                self.problem(line, MESSAGES("empty", column=name))
        at = self._time(line, values["time"]) if values["time"] else None
        self._names(line, values)
        place = self._test_set(line, values)
        file = self._file(line, values["file"])
        if at is None or file is None or len(self.problems) > before:
            return
        team = " ".join(values["team"].split())
        submission = PastSubmission(
            line,
            team,
            values["system"],
            at,
            values.get("email", "").lower(),
            values.get("description", ""),
        )
        submission = self.submissions.setdefault(
            (name_key(team), submission.system, at), submission
        )
        if place in submission.files:
            name = "second_of_set" if place else "second"
            message = MESSAGES(name, test_set=place, line=submission.line)
            self.problem(line, message)
        else:
            submission.files[place] = file

    def _time(self, line: int, text: str) -> datetime | None:
        phase = self.phase
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            self.problem(line, MESSAGES("no_time", expected=A_TIME, text=text[:60]))
            return None
        if at.tzinfo is None:
            first, second = (
                at.replace(tzinfo=phase.zone, fold=fold).astimezone(UTC)
                for fold in (0, 1)
            )
            if first != second:
                hint = MESSAGES("offset")
                self.problem(
                    line, MESSAGES("twice", zone=phase.zone_title, time=at), hint
                )
                return None
            at = first
        if at > timezone.now():
            self.problem(line, MESSAGES("future", time=text))
        elif at < phase.opens or (phase.closes is not None and at >= phase.closes):
            ends = phase.local_text(phase.closes) if phase.closes else ""
            begins = phase.local_text(phase.opens)
            hint = MESSAGES("other_phase")
            message = MESSAGES(
                "outside" if ends else "before", time=text, opens=begins, closes=ends
            )
            self.problem(line, message, hint)
        else:
            return at
        return None

    def _names(self, line: int, values: Mapping[str, str]) -> None:
        for name in ("team", "system"):
            try:
                check_display_name(values[name])
            except ValidationError as error:
                self.problem(
                    line,
                    MESSAGES("name", column=name, problem=" ".join(error.messages)),
                )
        if len(values["system"]) > LONGEST_SYSTEM:
            self.problem(line, MESSAGES("long_system", most=LONGEST_SYSTEM))
        if len(values.get("description", "")) > LONGEST_DESCRIPTION:
            self.problem(line, MESSAGES("long_description", most=LONGEST_DESCRIPTION))

    def _test_set(self, line: int, values: Mapping[str, str]) -> str:
        """The name of the test set; empty for a zip with a file for each."""
        name = values.get("test_set", "")
        if not name:
            return next(iter(self.test_sets)) if len(self.test_sets) == 1 else ""
        if name not in self.test_sets:
            listed = ", ".join(self.test_sets)
            self.problem(line, MESSAGES("no_test_set", test_set=name, known=listed))
        return name

    def _file(self, line: int, path: str) -> PastFile | None:
        if not path:
            return None
        data = self.read_file(path)
        if data is None:
            hint = MESSAGES("paths")
            self.problem(line, MESSAGES("no_file", path=path[:200]), hint)
            return None
        if len(data) > settings.UPLOAD_BYTES:
            most = settings.UPLOAD_BYTES >> 20
            self.problem(line, MESSAGES("large_file", path=path[:200], most=most))
        return PastFile(path, sha256(data).hexdigest(), len(data))


def _column(cell: str) -> str:
    name = cell.strip().lower()
    return ALSO.get(name, name)


def import_list(
    phase: Phase,
    sender: User,
    name: str,
    data: bytes,
    read_file: ReadFile,
    *,
    apply: bool,
    most: int = MOST_LINES,
) -> ImportResult:
    """Check a list, and with `apply` import its submissions, all or none.

    `read_file` gives the bytes at a path of the list. Raises SetupError with every
    problem: of the list first, and where it has none, of the files; OverQuota.
    """
    if phase.declared_at is not None:
        message = MESSAGES("declared", phase=phase.title)
        raise SetupError(Problem("declared", message, hint=MESSAGES("nothing_added")))
    if not phase.test_sets.exists():
        message = MESSAGES("no_test_sets", phase=phase.title)
        raise SetupError(Problem("no_test_set", message))
    past = _List(phase, name, read_file)
    past.read(data)
    teams = _Teams(phase, past, sender)
    for submission in past.submissions.values():
        teams.look_up(submission)
    if len(past.submissions) > most:
        message = MESSAGES("most_submissions", count=len(past.submissions), most=most)
        past.problem(1, message, MESSAGES("split"))
    past.raise_if_any()
    there, new = _apart(phase, past.submissions.values())
    names = [team.name for team in teams.new.values()]
    again = [team.name for team in teams.again.values()]
    _check(past, new, sender)
    past.raise_if_any()
    require_room(
        phase.task,
        sum(file.size for submission in new for file in submission.files.values()),
    )
    if apply and new:
        _unpack(past, new, sender)
        past.raise_if_any()
        with transaction.atomic():
            lock_task(phase.task_id)
            teams.make()
            # Somebody may have imported the same while the files were read.
            there, new = _apart(phase, past.submissions.values())
            in_time = sorted(
                new, key=lambda submission: (submission.at, submission.line)
            )
            for some in _batches(in_time):
                _send(past, some, teams, sender)
            past.raise_if_any()
    return ImportResult(new, there, names, again)


def _apart(
    phase: Phase, submissions: Iterable[PastSubmission]
) -> tuple[list[PastSubmission], list[PastSubmission]]:
    """Submissions that were imported already, and those that are new.

    The key names the team, whose entry may have been merged into another since.
    """
    imported = Submission.objects.filter(phase=phase).exclude(brought_at=None)
    keys = set(imported.values_list("key", flat=True))
    there: list[PastSubmission] = []
    new: list[PastSubmission] = []
    for submission in submissions:
        (there if submission.key in keys else new).append(submission)
    return there, new


def is_of_the_past(team: Team, task: Task, organizer: User) -> bool:
    """Whether a team of other tasks may stand in this one, too: nobody is in it, all
    that it sent was imported, and to tasks that the organizer may edit."""
    if team.memberships.exists():
        return False
    submissions = Submission.objects.filter(participation__team=team)
    if submissions.filter(brought_at=None).exists():
        return False
    others = Task.objects.filter(participations__team=team).exclude(pk=task.pk)
    return all(can(organizer, other, Power.EDIT) for other in others.distinct())


class _Teams:
    """Entries of the teams of a list; those that nobody has are made."""

    def __init__(self, phase: Phase, past: _List, sender: User) -> None:
        self.phase, self.past, self.sender = phase, past, sender
        self.entries: dict[str, Participation] = {}
        self.senders: dict[str, User] = {}
        # Teams that are not there yet, and those without an entry in the task.
        self.new: dict[str, Team] = {}
        self.again: dict[str, Team] = {}  # of them, those taken from other tasks
        self._without_entry: dict[str, Team] = {}

    def look_up(self, submission: PastSubmission) -> None:
        key = name_key(submission.team)
        team = Team.objects.filter(key=key).first()
        if team is None:
            self._note_new(submission, key)
            return
        entry = Participation.objects.filter(task=self.phase.task_id, team=team).first()
        while entry is not None and entry.merged_into is not None:
            entry = entry.merged_into
        if team.memberships.exists():
            if not self._is_theirs(submission, team, entry):
                return
        elif submission.email:
            message = MESSAGES("nobody", team=team)
            self.past.problem(submission.line, message)
        elif team.participations.exclude(task=self.phase.task_id).exists():
            if not is_of_the_past(team, self.phase.task, self.sender):
                message = MESSAGES("other_team", team=team)
                self.past.problem(submission.line, message, MESSAGES("other_name"))
            elif entry is None:
                self.again[key] = team
        if entry is None:
            self._without_entry[key] = team
        else:
            self.entries[key] = entry

    def _note_new(self, submission: PastSubmission, key: str) -> None:
        if submission.email:
            message = MESSAGES(
                "no_member", team=submission.team, address=submission.email
            )
            hint = MESSAGES("no_address")
            self.past.problem(submission.line, message, hint)
        if key not in self.new:
            try:
                self.new[key] = Team.build(submission.team)
            except ValidationError as error:
                self.past.problem(
                    submission.line, MESSAGES("team", problem=" ".join(error.messages))
                )

    def _is_theirs(
        self, submission: PastSubmission, team: Team, entry: Participation | None
    ) -> bool:
        """Whether the line names a member of a team that takes part."""
        member = (
            team.members.filter(email=submission.email).first()
            if submission.email
            else None
        )
        if member is None:
            message = MESSAGES("with_members", team=team)
            hint = MESSAGES("write_address")
            self.past.problem(submission.line, message, hint)
            return False
        if entry is None:
            message = MESSAGES("no_part", team=team)
            self.past.problem(submission.line, message, MESSAGES("join"))
            return False
        self.senders[submission.key] = member
        return True

    def make(self) -> None:
        """Make the teams and entries that are missing; lock all entries, by key."""
        for key, team in self.new.items():
            team.save()
            self._without_entry[key] = team
        for key, team in self._without_entry.items():
            self.entries[key] = Participation.objects.create(
                task=self.phase.task, team=team
            )
        keys = [entry.pk for entry in self.entries.values()]
        list(lock_rows(Participation.objects.filter(pk__in=keys).order_by("pk")))


def _check(past: _List, new: Iterable[PastSubmission], sender: User) -> None:
    """Note what the scorer's reader has against the files; nothing is stored.

    The same files are read once, however many submissions they are.
    """
    nobody = Participation(task=past.phase.task)
    problems: dict[object, Refusal | Sequence[Problem]] = {}
    for submission in new:
        files = tuple(
            sorted((t, f.name, f.sha256) for t, f in submission.files.items())
        )
        if files not in problems:
            problems[files] = _problems_of(_upload(past, submission, nobody, sender))
        against = problems[files]
        if isinstance(against, Refusal):
            past.problem(submission.line, against.sentence)
        else:
            _note(past, submission, against)


def _problems_of(upload: Upload) -> Refusal | Sequence[Problem]:
    try:
        check_upload(upload)
    except Unfit as unfit:
        return unfit.problems
    except Refusal as refusal:
        return refusal
    return ()


def _unpack(past: _List, new: Iterable[PastSubmission], sender: User) -> None:
    """Keep the files of zips with one for each test set, before anything is locked."""
    nobody = Participation(task=past.phase.task)
    for submission in new:
        whole = submission.files.get("")
        if whole is None or whole.sha256 in past.members:
            continue
        try:
            upload = unpack_zip(_upload(past, submission, nobody, sender))
        except ScoringError as error:
            _note(past, submission, error.problems)
        except Refusal as refusal:
            past.problem(submission.line, refusal.sentence)
        else:
            past.members[whole.sha256] = {
                test_set: (str(file.name), blobs.keep(cast(IO[bytes], file.file)))
                for test_set, file in upload.runs[0].items()
            }


def _batches(new: Iterable[PastSubmission]) -> Iterator[list[PastSubmission]]:
    """Submissions whose files fit into memory together."""
    some: list[PastSubmission] = []
    size = 0
    for submission in new:
        own = sum(file.size for file in submission.files.values())
        if some and (size + own > MOST_BYTES or len(some) == MOST_AT_ONCE):
            yield some
            some, size = [], 0
        some.append(submission)
        size += own
    if some:
        yield some


def _send(
    past: _List, some: Iterable[PastSubmission], teams: _Teams, sender: User
) -> None:
    """Accept what was checked before; note what is refused now."""
    uploads = []
    for submission in some:
        entry = teams.entries[name_key(submission.team)]
        by = teams.senders.get(submission.key, sender)
        uploads.append(_upload(past, submission, entry, by))
    try:
        if uploads:
            store_all(uploads)
    except Refusal as refusal:
        past.problem(1, refusal.sentence)


def _upload(
    past: _List, submission: PastSubmission, entry: Participation, sender: User
) -> Upload:
    """The files as they lie beside the list, or as `_unpack` kept them."""
    files, archive = {}, None
    for place, file in submission.files.items():
        if members := past.members.get(file.sha256) if not place else None:
            for test_set, (name, digest) in members.items():
                files[test_set] = SimpleUploadedFile(name, blobs.read(digest))
            continue
        given = SimpleUploadedFile(file.name, past.read_file(file.path) or b"")
        if place:
            files[past.test_sets[place]] = given
        else:
            archive = given
    return Upload(
        phase=past.phase,
        participation=entry,
        sender=sender,
        arrived_at=submission.at,
        key=submission.key,
        system=submission.system,
        description=submission.description,
        runs=[files],
        archive=archive,
        brought_at=timezone.now(),
    )


def _note(past: _List, submission: PastSubmission, problems: Iterable[Problem]) -> None:
    for problem in problems:
        if problem is OUR_FAULT:
            past.problem(submission.line, problem.message)
        else:
            past.problem(submission.line, str(problem))


def folder_reader(root: Path) -> ReadFile:
    """Reads files below a folder; None for what is not there, or outside of it."""
    top = root.resolve()

    def read(path: str) -> bytes | None:
        try:
            place = (top / path).resolve()
            inside = place.is_relative_to(top) and place.is_file()
            return place.read_bytes() if inside else None
        except (OSError, ValueError):
            return None

    return read
