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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leaderboard.sandbox import program, removal
from leaderboard.sandbox.codec import decode, encode, problem_rows, problems_of
from leaderboard.sandbox.fork import (
    JobFailed,
    KilledFromOutside,
    LimitExceeded,
    Limits,
    Supervision,
    run_in_fork,
)
from leaderboard.sandbox.program import Program
from scoring.errors import Problem, Refused, ScoringError
from scoring.formats.bundle import odd_name
from scoring.messages import Messages, _
from scoring.scorers.program.conventions import (
    PROBLEMS,
    ProgramResult,
    ScoringProgram,
    Workplace,
    files_of,
    program_of,
)
from scoring.source import Source, printable

MESSAGES = Messages(
    {
        "file_names": _("the names in the zip cannot all be names of files"),
        "ended": _("the program was %(reason)s"),
        "exit_code": _("the program ended with exit code %(code)s"),
        "output": _("Its output says more."),
        "cpu": _("%(seconds)s s of processor time"),
        "wall": _("%(seconds)s s"),
        "memory": _("%(size)s MiB of memory"),
        "folder": _("%(size)s MiB of files"),
        "files": _("%(count)s files"),
        "depth": _("%(count)s folders inside each other"),
        "hidden": _("folders that can be looked into"),
        "written": _("%(size)s MiB of writing, however often the same file"),
        "output_size": _("%(size)s KiB of output"),
        "limit": _("the program needed more than %(limit)s, the limit"),
    }
)

READING_SECONDS = 60
READ_BYTES = 512 << 20  # of program, reference and submission together, unpacked
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
    """The interpreter that programs run with, and the folder that runs lie in."""

    python: str
    folder: str


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
) -> FinishedRun:
    """Run a program on reference and submission, all three as they were stored.

    Raises SandboxIncomplete, Abandoned, and JobFailed where the fault is ours.
    """
    watch = watch or Supervision()
    begun = time.monotonic()
    laid, refused = _read(sources, submission_name, watch)
    if laid is None:
        return FinishedRun(refused=refused)
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=place.folder)
    try:
        workplace = Workplace(Path(folder).resolve())
        try:
            workplace.lay_out(*laid)
            (workplace.packages / "sitecustomize.py").write_text(SITE)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            return FinishedRun(refused=(NO_FILES,))
        ended = _ended(laid[0], workplace, limits, place, watch)
    finally:
        removal.remove(folder)
    output, files, faults = ended
    public = without_gold(output, laid[1], laid[2]) if publishes else ""
    if PROBLEMS in files:
        said = files[PROBLEMS].decode("utf-8", "replace")
        files = {**files, PROBLEMS: without_gold(said, *laid[1:]).encode()}
    return FinishedRun(time.monotonic() - begun, output, public, files, faults)


Laid = tuple[ScoringProgram, Mapping[str, bytes], Mapping[str, bytes]]


def _read(
    sources: tuple[Source, Source, Source], submission_name: str, watch: Supervision
) -> tuple[Laid | None, tuple[Problem, ...]]:
    """Program and files as a child has read them, or reasons against the submission."""
    zipped, reference, sent = sources

    def work() -> bytes:
        found = program_of(zipped)
        try:
            submission = files_of(sent, submission_name)
        except Refused as refusal:
            return encode({"refused": problem_rows(refusal.problems)})
        parts = [found.files, *found.wheels.values(), files_of(reference), submission]
        head = {
            "words": found.words,
            "wheels": list(found.wheels),
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
    return _laid(head, files, zipped), ()


def _laid(head: dict[str, Any], files: list[bytes], zipped: Source) -> Laid:
    rest = iter(files)
    parts: list[Mapping[str, bytes]] = []
    for names in head["names"]:
        if any(type(name) is not str or odd_name(name) for name in names):
            raise JobFailed("an answer with a name that no file has")
        parts.append({name: next(rest) for name in names})
    wheels = dict(zip(head["wheels"], parts[1:-2], strict=True))
    words = tuple(map(str, head["words"]))
    found = ScoringProgram(zipped.name, zipped.sha256, parts[0], words, wheels)
    return found, parts[-2], parts[-1]


def _ended(
    found: ScoringProgram,
    workplace: Workplace,
    limits: ProgramLimits,
    place: RunPlace,
    watch: Supervision,
) -> tuple[str, Mapping[str, bytes], tuple[Problem, ...]]:
    """Output, files and faults."""
    ready = Program(
        workplace.command(found, place.python),
        workplace.output,
        limits.limits,
        (workplace.program, workplace.input, workplace.packages, *_of(place.python)),
        folder_bytes=limits.folder_bytes,
        most_files=limits.most_files,
        start=workplace.program,
        environment=(
            ("PYTHONPATH", str(workplace.packages)),
            ("JOBLIB_MULTIPROCESSING", "0"),
        ),
        watch=watch,
    )
    try:
        ended = program.run(ready)
    except LimitExceeded as limit:
        return shown(limit.said, workplace), {}, (over(limit.what, limits),)
    except KilledFromOutside:
        raise
    except JobFailed as fault:
        message = MESSAGES("ended", reason=fault)
        return shown(fault.said, workplace), {}, (Problem("program_ended", message),)
    output = shown(ended.output, workplace)
    if ended.code:
        message = MESSAGES("exit_code", code=ended.code)
        hint = MESSAGES("output")
        return output, {}, (Problem("program_ended", message, hint=hint),)
    try:
        return output, ProgramResult.of_folder(workplace.output).files, ()
    except ScoringError as error:
        return output, {}, tuple(error.problems)


def over(what: str, limits: ProgramLimits) -> Problem:
    """The finding for a program that used up a limit, with the limit."""
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
    message = MESSAGES("limit", limit=texts.get(what, what))
    return Problem("program_limit", message)


def shown(output: bytes, workplace: Workplace) -> str:
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
    text: str, reference: Mapping[str, bytes], sent: Mapping[str, bytes]
) -> str:
    """The text with every longer word blotted out that only the reference has.

    Words of the one file that was sent stay: blotting them out would tell which of its
    answers are right. A zip, or a file with more words than the reference, could bring
    a dictionary along, which would show the gold; none of its words stay. Short words
    cannot be told from any others: who publishes the output publishes what it says.
    """
    if sum(map(len, (*reference.values(), *sent.values()))) > MOST_COMPARED:
        return "[The output is not shown: the files are too large to compare it with.]"
    secret, own = _words(reference), _words(sent)
    if len(sent) == 1 and len(own) <= len(secret):
        secret -= own
    return WORD.sub(lambda one: BLOT if one[0] in secret else one[0], text)


def _words(files: Mapping[str, bytes]) -> set[str]:
    return {
        word
        for data in files.values()
        for word in WORD.findall(data.decode("utf-8", "replace"))
    }


def _of(python: str) -> tuple[Path, ...]:
    """Where another interpreter than ours finds itself and its packages."""
    if python == sys.executable:
        return ()
    own, base = Path(python).parent.parent, Path(os.path.realpath(python)).parent.parent
    folders = [root / name for root in (own, base) for name in ("lib", "lib64")]
    return (own / "pyvenv.cfg", *folders)


def clear_old(folder: str) -> int:
    """Remove folders of runs whose process was killed: gold lies in them."""
    return removal.remove_old(folder, PREFIX, LEFT_SECONDS)
