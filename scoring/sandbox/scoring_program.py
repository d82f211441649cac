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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from scoring.errors import Problem, Refused, ScoringError
from scoring.formats.bundle import odd_name
from scoring.messages import Messages, _
from scoring.sandbox import code_failure, declared_runner, program, removal
from scoring.sandbox.codec import decode, encode, problem_rows, problems_of
from scoring.sandbox.declared_runner import RunnerFailed
from scoring.sandbox.fork import (
    JobFailed,
    KilledFromOutside,
    LimitExceeded,
    Limits,
    Supervision,
    run_in_fork,
)
from scoring.sandbox.program import Program
from scoring.scorers.program.conventions import (
    INPUT,
    PROBLEMS,
    REF,
    Given,
    ProgramResult,
    ScoringProgram,
    Workplace,
    code_of,
    files_of,
    folder_of,
    given_to_program,
    program_of,
    run_by,
    written_to,
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
        "code_limit": _("your code needed more than %(limit)s, the limit"),
        "code_nothing": _("your code wrote no file into its output folder"),
        "code_refused": _(
            "the scoring program cannot score what your code wrote; the organizers "
            "see why"
        ),
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
    """The interpreter that programs run with, and the folder that runs lie in.

    A declared `runner` runs them in place of the sandbox. `at_home` goes without what
    the kernel lacks.
    """

    python: str
    folder: str
    runner: Sequence[str] = ()
    at_home: bool = False


@dataclass(frozen=True)
class CodeCost:
    """The cost of a team's code, and the hashes of it and of what it wrote."""

    seconds: float
    peak_bytes: int
    code_sha256: str
    output_sha256: str = ""

    def facts(
        self, limits: ProgramLimits, python: str, packages: Iterable[tuple[str, str]]
    ) -> dict[str, object]:
        """Facts for a receipt; rounded, for it is read by people. `python` is a
        version, as are those of the packages."""
        lines = "".join(f"{name}=={version}\n" for name, version in packages)
        return {
            "code_sha256": self.code_sha256,
            "output_sha256": self.output_sha256,
            "python": python,
            "packages_sha256": sha256(lines.encode()).hexdigest(),
            "seconds": round(self.seconds, 2),
            "peak_megabytes": round(self.peak_bytes / 1e6),
            "limits": {
                "cpu_seconds": limits.cpu_seconds,
                "wall_seconds": limits.wall_seconds,
                "memory_bytes": limits.memory_bytes,
                "folder_bytes": limits.folder_bytes,
            },
        }


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
    code: CodeCost | None = None  # where a team sent code, and it ran

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
    code_limits: ProgramLimits | None = None,
    ingestion: Source | None = None,
) -> FinishedRun:
    """Run a program on reference and submission, all three as they were stored.

    With `code_limits` the submission is code, which runs first within them: what it
    writes is then what the program scores. An `ingestion` program runs it, where the
    task has one. What the code says reaches its team where
    it `publishes`; what the program says does not.

    Raises SandboxIncomplete, Abandoned, and JobFailed where the fault is ours.
    """
    watch = watch or Supervision()
    begun = time.monotonic()
    if code_limits is not None:
        both = _run_after_code(sources, ingestion, (code_limits, limits), place, watch)
        said = both.public_output if publishes else ""
        seconds = time.monotonic() - begun
        return replace(both, seconds=seconds, public_output=said)
    laid, refused = _read(
        lambda: _to_score(sources, submission_name), sources[0], watch
    )
    if laid is None:
        return FinishedRun(refused=refused)
    finished = _scored(laid, limits, place, watch)
    _found, reference, sent = laid
    public = without_gold(finished.output, reference, sent) if publishes else ""
    files = finished.files
    if PROBLEMS in files:
        said = files[PROBLEMS].decode("utf-8", "replace")
        files = {**files, PROBLEMS: without_gold(said, reference, sent).encode()}
    seconds = time.monotonic() - begun
    return replace(finished, seconds=seconds, public_output=public, files=files)


def _run_after_code(
    sources: tuple[Source, Source, Source],
    ingestion: Source | None,
    both: tuple[ProgramLimits, ProgramLimits],
    place: RunPlace,
    watch: Supervision,
) -> FinishedRun:
    """The code of a team, run without the gold, and the program on what it wrote.

    `both` are the limits of the one and of the other.
    """
    zipped, gold, sent = sources
    limits = both[0]
    laid, refused = _read(lambda: _to_predict(gold, sent, ingestion), sent, watch)
    if laid is None:
        return FinishedRun(refused=refused)
    code, given, ingested = laid
    code = replace(code, ingested=ingested)
    with _workplace(place) as work:
        if not _lay_out(work, code, {"": given}):
            return FinishedRun(refused=(NO_FILES,))
        begun = time.monotonic()
        ended = _executed(code, work, limits, place, watch)
        seconds = time.monotonic() - begun
        cost = CodeCost(seconds, ended.peak_bytes, sent.sha256)
        output = _part("code", ended.output)
        first = FinishedRun(output=output, public_output=ended.output, code=cost)
        if ended.faults:
            return replace(first, refused=_against(code, ended, limits))
        written = written_to(work.output)
    if not written or any(map(odd_name, written)):
        nothing = Problem("code_output", MESSAGES("code_nothing"))
        return replace(first, refused=(NO_FILES if written else nothing,))
    first = replace(first, code=replace(cost, output_sha256=_hash(written)))
    laid, refused = _read(lambda: _to_judge(zipped, gold), zipped, watch)
    if laid is None:
        return replace(first, refused=refused)
    finished = _scored((laid[0], laid[1], written), both[1], place, watch)
    output, files = output + _part("program", finished.output), finished.files
    if said := files.get(PROBLEMS, b"").decode("utf-8", "replace").strip():
        output += _part(PROBLEMS, printable(said[:KEPT_OUTPUT], also="\n\t"))
        files = {**files, PROBLEMS: str(MESSAGES("code_refused")).encode()}
    return replace(
        first,
        output=output,
        files=files,
        faults=finished.faults,
        refused=finished.refused,
    )


def _hash(files: Mapping[str, bytes]) -> str:
    """SHA-256 of files: of their names and the SHA-256 of each, one a line."""
    lines = (f"{sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files))
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _part(title: str, text: str) -> str:
    return f"--- {title} ---\n{text.rstrip()}\n" if text.strip() else ""


def _against(
    code: ScoringProgram, ended: "_Ended", limits: ProgramLimits
) -> tuple[Problem, ...]:
    """Problems for a team whose code failed: nothing that the code printed."""
    if ended.exceeded:
        limit = limit_text(ended.exceeded, limits)
        return (Problem("program_limit", MESSAGES("code_limit", limit=limit)),)
    if code.ingested:
        own, folder = code.ingested, "ingested_program"
        return (code_failure.problem_of(own, ended.output, folder),)
    return (code_failure.problem_of(code.files, ended.output),)


def _scored(
    laid: "Laid", limits: ProgramLimits, place: RunPlace, watch: Supervision
) -> FinishedRun:
    """The program run on reference and submission."""
    program, reference, sent = laid
    with _workplace(place) as work:
        if not _lay_out(work, program, given_to_program(reference, sent)):
            return FinishedRun(refused=(NO_FILES,))
        ended = _executed(program, work, limits, place, watch)
        if ended.faults:
            return FinishedRun(output=ended.output, faults=ended.faults)
        try:
            files = ProgramResult.of_folder(work.output).files
        except ScoringError as error:
            return FinishedRun(output=ended.output, faults=tuple(error.problems))
        return FinishedRun(output=ended.output, files=files)


@contextmanager
def _workplace(place: RunPlace) -> Iterator[Workplace]:
    """A folder of a run, which ends with it."""
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=place.folder)
    try:
        yield Workplace(Path(folder).resolve())
    finally:
        removal.remove(folder)


def _lay_out(work: Workplace, program: ScoringProgram, given: Given) -> bool:
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


def _to_score(sources: tuple[Source, Source, Source], name: str) -> Laid:
    zipped, reference, sent = sources
    return program_of(zipped), files_of(reference), files_of(sent, name)


def _to_predict(gold: Source, sent: Source, ingestion: Source | None) -> Laid:
    code = code_of(sent) if ingestion is None else run_by(ingestion, sent)
    return code, folder_of(files_of(gold), INPUT), code.ingested


def _to_judge(zipped: Source, gold: Source) -> Laid:
    return program_of(zipped), folder_of(files_of(gold), REF), {}


def _read(
    reads: Callable[[], Laid], of: Source, watch: Supervision
) -> tuple[Laid | None, tuple[Problem, ...]]:
    """Program and files as a child has read them, or reasons against the submission.

    `of` is the program's zip.
    """

    def work() -> bytes:
        try:
            program, given, sent = reads()
        except Refused as refusal:
            return encode({"refused": problem_rows(refusal.problems)})
        parts = [program.files, *program.wheels.values(), given, sent]
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


class _Ended(NamedTuple):
    """How a run ended: what it said, what is wrong, and the limit that it met."""

    output: str
    faults: tuple[Problem, ...] = ()
    exceeded: str = ""
    peak_bytes: int = 0


def _executed(
    code: ScoringProgram,
    workplace: Workplace,
    limits: ProgramLimits,
    place: RunPlace,
    watch: Supervision,
) -> _Ended:
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
        return _Ended(shown(limit.said, workplace), (fault,), limit.what)
    except (KilledFromOutside, RunnerFailed):
        raise
    except JobFailed as failure:
        message = MESSAGES("ended", reason=failure)
        fault = Problem("program_ended", message)
        return _Ended(shown(failure.said, workplace), (fault,))
    output = shown(ended.output, workplace)
    if ended.code:
        message = MESSAGES("exit_code", code=ended.code)
        hint = MESSAGES("output")
        fault = Problem("program_ended", message, hint=hint)
        return _Ended(output, (fault,), peak_bytes=ended.peak_bytes)
    return _Ended(output, peak_bytes=ended.peak_bytes)


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
    return WORD.sub(lambda match: BLOT if match[0] in secret else match[0], text)


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
