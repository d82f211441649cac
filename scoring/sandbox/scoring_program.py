"""A scoring program run on one submission: laid out, run confined, and what it left.

The zips are read in one child, the program runs in another; the process that asks only
writes files under names that it has checked, and reads the few that a program leaves.
"""

import errno
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from scoring.errors import Problem, Refused, ScoringError
from scoring.formats.bundle import odd_name
from scoring.messages import Messages, _
from scoring.sandbox import declared_runner, program, removal
from scoring.sandbox.codec import decode, encode, problem_rows, problems_of
from scoring.sandbox.declared_runner import RunnerFailed
from scoring.sandbox.fork import (
    DiskFull,
    JobFailed,
    KilledFromOutside,
    LimitExceeded,
    Limits,
    Supervision,
    run_in_fork,
)
from scoring.sandbox.program import Program
from scoring.scorers.program.conventions import (
    PROBLEMS,
    Given,
    ProgramResult,
    ScoringProgram,
    Workplace,
    files_of,
    folder_of,
    given_to_program,
    program_of,
)
from scoring.source import Source, printable

MESSAGES = Messages(
    file_names=_("the names in the zip cannot all be names of files"),
    ended=_("the program was %(reason)s"),
    exit_code=_("the program ended with exit code %(code)s"),
    output=_("Its output says more."),
    cpu=_("%(seconds)s s of processor time"),
    wall=_("%(seconds)s s"),
    memory=_("%(size)s MiB of memory"),
    folder=_("%(size)s MiB of files"),
    files=_("%(count)s files"),
    depth=_("%(count)s folders inside each other"),
    hidden=_("folders that can be looked into"),
    written=_("%(size)s MiB of writing, however often the same file"),
    output_size=_("%(size)s KiB of output"),
    limit=_("the program needed more than %(limit)s, the limit"),
)

READING_SECONDS = 60
READ_BYTES = 512 << 20  # of program, reference and submission together, unpacked
LEAST_ROOM = 1 << 20  # bytes; what is left where a write found no room
LEFT_SECONDS = 24 * 3600  # after which a folder that nobody cleared is cleared
PREFIX = "run-"
# Names that no file system has beside each other, or at all: "a" and "a/b".
UNWRITABLE = {
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENAMETOOLONG,
    errno.EINVAL,
    errno.EILSEQ,
}
NO_FILES = Problem("zip", MESSAGES("file_names"))
WORD, BLOT = re.compile(r"\w{4,}"), "█████"
MOST_COMPARED = 32 << 20
# Read by the interpreter when it begins. The sandbox refuses to delete files and to
# change their rights; who only tidies up, as `tempfile` and `shutil` do, can go on.
SITE = """\
import os


def _spared(call):
    def spared(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except PermissionError:
            return None

    return spared


for _name in ("unlink", "remove", "rmdir", "chmod", "utime"):
    setattr(os, _name, _spared(getattr(os, _name)))
"""
KEPT_OUTPUT = 32 << 10  # of each end


@dataclass(frozen=True)
class ProgramLimits:
    """Limits of one run, as organizers are told them."""

    cpu_seconds: int
    wall_seconds: float
    memory_bytes: int
    folder_bytes: int
    most_files: int
    output_bytes: int

    @property
    def limits(self) -> Limits:
        return Limits(
            self.cpu_seconds, self.wall_seconds, self.memory_bytes, self.output_bytes
        )


@dataclass(frozen=True)
class RunPlace:
    """The interpreter that programs run with, and the folder that runs lie in.

    A declared `runner` runs them in place of the sandbox. `at_home` goes without what
    the kernel lacks.
    """

    python: str
    folder: str
    runner: Sequence[str] = ()
    at_home: bool = False


@dataclass(frozen=True)
class FinishedRun:
    """One run. Without `faults` it ended well and left `files`; `output` is cut.

    `faults` are for organizers: how it ended. `refused` are reasons against the
    submission, before anything ran.
    """

    seconds: float = 0.0
    output: str = ""
    public_output: str = ""  # what of it a team may see, empty unless asked for
    files: Mapping[str, bytes] = field(default_factory=dict)
    faults: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def outcome(self) -> ProgramResult:
        return ProgramResult(self.files)


def run(
    sources: tuple[Source, Source, Source],
    submission_name: str,
    limits: ProgramLimits,
    place: RunPlace,
    watch: Supervision | None = None,
    publishes: bool = False,
    folder: str = "",
) -> FinishedRun:
    """Run a program on reference and submission, all three as they were stored.

    The reference may be a `folder` of the gold. What the program says reaches a team
    where it `publishes`.

    Raises SandboxIncomplete, Abandoned, and JobFailed where the fault is ours.
    """
    watch = watch or Supervision()
    begun = time.monotonic()
    laid, refused = read_apart(
        lambda: _to_score(sources, submission_name, folder), sources[0], watch
    )
    if laid is None:
        return FinishedRun(refused=refused)
    finished = _score(laid, limits, place, watch)
    _program, reference, submission = laid
    public = without_gold(finished.output, reference, submission) if publishes else ""
    files = finished.files
    if PROBLEMS in files:
        problems = files[PROBLEMS].decode("utf-8", "replace")
        files = {
            **files,
            PROBLEMS: without_gold(problems, reference, submission).encode(),
        }
    seconds = time.monotonic() - begun
    return replace(finished, seconds=seconds, public_output=public, files=files)


def _score(
    laid: "Laid", limits: ProgramLimits, place: RunPlace, watch: Supervision
) -> FinishedRun:
    """The program run on reference and submission."""
    program, reference, submission = laid
    with workplace_of(place) as work:
        if not lay_out(work, program, given_to_program(reference, submission)):
            return FinishedRun(refused=(NO_FILES,))
        ended = execute(program, work, limits, place, watch)
        if ended.faults:
            return FinishedRun(output=ended.output, faults=ended.faults)
        try:
            files = ProgramResult.of_folder(work.output).files
        except ScoringError as error:
            return FinishedRun(output=ended.output, faults=tuple(error.problems))
        return FinishedRun(output=ended.output, files=files)


@contextmanager
def workplace_of(place: RunPlace) -> Iterator[Workplace]:
    """A folder of a run, which ends with it."""
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=place.folder)
    try:
        yield Workplace(Path(folder).resolve())
    finally:
        removal.remove(folder)


def lay_out(work: Workplace, program: ScoringProgram, given: Given) -> bool:
    """Whether all names could be names of files."""
    try:
        work.lay_out(program, given)
        (work.packages / "sitecustomize.py").write_text(SITE)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        return False
    return True


Laid = tuple[ScoringProgram, Mapping[str, bytes], Mapping[str, bytes]]


def _to_score(sources: tuple[Source, Source, Source], name: str, folder: str) -> Laid:
    zipped, gold, submission = sources
    reference = files_of(gold)
    if folder:
        reference = folder_of(reference, folder)
    return program_of(zipped), reference, files_of(submission, name)


def read_apart(
    reads: Callable[[], Laid], of: Source, watch: Supervision
) -> tuple[Laid | None, tuple[Problem, ...]]:
    """Program and files as a child has read them, or reasons against the submission.

    `of` is the program's zip.
    """

    def work() -> bytes:
        try:
            program, given, submission = reads()
        except Refused as refusal:
            return encode({"refused": problem_rows(refusal.problems)})
        parts = [program.files, *program.wheels.values(), given, submission]
        head = {
            "words": program.words,
            "wheels": list(program.wheels),
            "names": [list(part) for part in parts],
        }
        return encode(head, [data for part in parts for data in part.values()])

    limits = Limits(READING_SECONDS, 4.0 * READING_SECONDS, READ_BYTES, READ_BYTES)
    try:
        head, files = decode(run_in_fork(work, limits, watch))
    except LimitExceeded as limit:
        raise JobFailed(f"the files of a run could not be read: {limit.what}") from None
    if "refused" in head:
        return None, tuple(problems_of(head["refused"]))
    return _laid(head, files, of), ()


def _laid(head: dict[str, Any], files: list[bytes], zipped: Source) -> Laid:
    rest = iter(files)
    parts: list[Mapping[str, bytes]] = []
    for names in head["names"]:
        if any(type(name) is not str or odd_name(name) for name in names):
            raise JobFailed("an answer with a name that no file has")
        parts.append({name: next(rest) for name in names})
    wheels = dict(zip(head["wheels"], parts[1:-2], strict=True))
    words = tuple(map(str, head["words"]))
    program = ScoringProgram(zipped.name, zipped.sha256, parts[0], words, wheels)
    return program, parts[-2], parts[-1]


class RunEnd(NamedTuple):
    """How a run ended: what it said, what is wrong, and the limit that it met."""

    output: str
    faults: tuple[Problem, ...] = ()
    exceeded: str = ""
    peak_bytes: int = 0


def execute(
    code: ScoringProgram,
    workplace: Workplace,
    limits: ProgramLimits,
    place: RunPlace,
    watch: Supervision,
) -> RunEnd:
    """A program that was laid out, run to its end within the limits."""
    ready = Program(
        workplace.command(code, place.python),
        workplace.output,
        limits.limits,
        (*workplace.to_read, *_of(place.python)),
        folder_bytes=limits.folder_bytes,
        most_files=limits.most_files,
        start=workplace.program,
        environment=(
            ("PYTHONPATH", str(workplace.packages)),
            ("JOBLIB_MULTIPROCESSING", "0"),
        ),
        watch=watch,
        at_home=place.at_home,
    )
    try:
        if place.runner:
            ended = declared_runner.run(place.runner, ready, workplace.root)
        else:
            ended = program.run(ready)
    except LimitExceeded as limit:
        fault = over(limit.what, limits)
        return RunEnd(output_excerpt(limit.output, workplace), (fault,), limit.what)
    except (KilledFromOutside, RunnerFailed):
        raise
    except JobFailed as failure:
        _require_room(workplace.output)
        message = MESSAGES("ended", reason=failure)
        fault = Problem("program_ended", message)
        return RunEnd(output_excerpt(failure.output, workplace), (fault,))
    output = output_excerpt(ended.output, workplace)
    if ended.code:
        _require_room(workplace.output)
        message = MESSAGES("exit_code", code=ended.code)
        hint = MESSAGES("output")
        fault = Problem("program_ended", message, hint=hint)
        return RunEnd(output, (fault,), peak_bytes=ended.peak_bytes)
    return RunEnd(output, peak_bytes=ended.peak_bytes)


def _require_room(folder: Path) -> None:
    """Raises DiskFull where a program that failed could not have written, whatever it
    is like: the limit of its own folder leaves room."""
    disk = os.statvfs(folder)
    full = disk.f_bavail * disk.f_frsize < LEAST_ROOM
    if full or (disk.f_files and not disk.f_favail):
        raise DiskFull("there is no room for files on this machine")


def over(what: str, limits: ProgramLimits) -> Problem:
    """The finding for a program that used up a limit, with the limit."""
    message = MESSAGES("limit", limit=limit_text(what, limits))
    return Problem("program_limit", message)


def limit_text(what: str, limits: ProgramLimits) -> str:
    """A limit in words."""
    texts = {
        "cpu": MESSAGES("cpu", seconds=limits.cpu_seconds),
        "wall": MESSAGES("wall", seconds=f"{limits.wall_seconds:g}"),
        "memory": MESSAGES("memory", size=limits.memory_bytes >> 20),
        "folder": MESSAGES("folder", size=limits.folder_bytes >> 20),
        "files": MESSAGES("files", count=limits.most_files),
        "depth": MESSAGES("depth", count=program.MOST_DEPTH),
        "hidden": MESSAGES("hidden"),
        "written": MESSAGES(
            "written", size=program.TIMES_WRITTEN * limits.folder_bytes >> 20
        ),
        "output": MESSAGES("output_size", size=limits.output_bytes >> 10),
    }
    return texts.get(what, what)


def output_excerpt(output: bytes, workplace: Workplace) -> str:
    """Beginning and end of what a program said, without the place where it ran."""
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    text = printable(text, also="\n\t")
    text = text.replace(str(workplace.root), "/app")
    if len(text) <= 2 * KEPT_OUTPUT:
        return text
    left_out = len(text) - 2 * KEPT_OUTPUT
    middle = f"\n[{left_out} characters left out]\n"
    return text[:KEPT_OUTPUT] + middle + text[-KEPT_OUTPUT:]


def without_gold(
    text: str, reference: Mapping[str, bytes], submission: Mapping[str, bytes]
) -> str:
    """The text with every longer word blotted out that only the reference has.

    Words of the one file that was sent stay: blotting them out would tell which of its
    answers are right. A zip, or a file with more words than the reference, could bring
    a dictionary along, which would show the gold; none of its words stay. Short words
    cannot be told from any others: who publishes the output publishes what it says.
    """
    if sum(map(len, (*reference.values(), *submission.values()))) > MOST_COMPARED:
        return "[The output is not shown: the files are too large to compare it with.]"
    secret, own = _words(reference), _words(submission)
    if len(submission) == 1 and len(own) <= len(secret):
        secret -= own
    return WORD.sub(lambda match: BLOT if match[0] in secret else match[0], text)


def _words(files: Mapping[str, bytes]) -> set[str]:
    return {
        word
        for data in files.values()
        for word in WORD.findall(data.decode("utf-8", "replace"))
    }


def _of(python: str) -> tuple[Path, ...]:
    """Folders in which another interpreter than ours finds itself and its packages."""
    if python == sys.executable:
        return ()
    own, base = Path(python).parent.parent, Path(os.path.realpath(python)).parent.parent
    folders = [root / name for root in (own, base) for name in ("lib", "lib64")]
    return (own / "pyvenv.cfg", *folders)


def clear_old(folder: str) -> int:
    """Remove folders of runs whose process was killed: gold lies in them."""
    return removal.remove_old(folder, PREFIX, LEFT_SECONDS)
