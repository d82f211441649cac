"""Code of a team, run confined on an input that it may read and its team may not see.

The one function that runs what teams send is `run`. The gold is no part of what it is
given. Nothing that the code prints, writes or calls its files and errors reaches the
team by way of its problems.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from scoring.errors import Problem
from scoring.formats.bundle import odd_name
from scoring.messages import Messages, _
from scoring.sandbox import code_failure
from scoring.sandbox.fork import Supervision
from scoring.sandbox.scoring_program import (
    NO_FILES,
    Laid,
    ProgramLimits,
    RunEnd,
    RunPlace,
    execute,
    lay_out,
    limit_text,
    read_apart,
    workplace_of,
)
from scoring.scorers.program.conventions import (
    ScoringProgram,
    code_of,
    files_of,
    folder_of,
    run_by,
    written_to,
)
from scoring.source import Source

MESSAGES = Messages(
    limit=_("your code needed more than %(limit)s, the limit"),
    names=_("your code wrote a file with a name that nobody can use"),
    nothing=_("your code wrote no file into its output folder"),
)


@dataclass(frozen=True)
class CodeCost:
    """The cost of a team's code, and the hashes of it and of what it wrote."""

    seconds: float
    peak_bytes: int
    code_sha256: str
    output_sha256: str = ""

    @property
    def peak_megabytes(self) -> int | None:
        """The most memory that was seen; None where it ended before the first look."""
        return round(self.peak_bytes / 1e6) if self.peak_bytes else None

    def facts(
        self, limits: ProgramLimits, python: str, packages: Iterable[tuple[str, str]]
    ) -> dict[str, object]:
        """Facts for a receipt; rounded, for it is read by people. `python` is a
        version, as are those of the packages; empty where nobody knows them."""
        lines = "".join(f"{name}=={version}\n" for name, version in packages)
        packages_sha256 = sha256(lines.encode()).hexdigest()
        environment = {"python": python, "packages_sha256": packages_sha256}
        return {
            "code_sha256": self.code_sha256,
            "output_sha256": self.output_sha256,
            **(environment if python else {}),
            "seconds": round(self.seconds, 2),
            "peak_megabytes": self.peak_megabytes,
            "limits": {
                "cpu_seconds": limits.cpu_seconds,
                "wall_seconds": limits.wall_seconds,
                "memory_bytes": limits.memory_bytes,
                "folder_bytes": limits.folder_bytes,
            },
        }


@dataclass(frozen=True)
class FinishedCode:
    """A run of a team's code: what it wrote, or what is `refused` of it.

    `output` is what it printed, which may hold the hidden input. Without a `cost` it
    did not run.
    """

    output: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: tuple[Problem, ...] = ()
    cost: CodeCost | None = None


def run(
    submission: Source,
    given: Source,
    limits: ProgramLimits,
    place: RunPlace,
    watch: Supervision | None = None,
    ingestion: Source | None = None,
    folder: str = "",
) -> FinishedCode:
    """Run code as it was sent on an input: a file, a zip of several, or a `folder` of
    a zip. An `ingestion` program runs it, where there is one.

    Raises SandboxIncomplete, Abandoned, and JobFailed where the fault is ours.
    """
    watch = watch or Supervision()
    laid, refused = read_apart(
        lambda: _to_run(submission, given, ingestion, folder), submission, watch
    )
    if laid is None:
        return FinishedCode(refused=refused)
    code, files, ingested = laid
    code = replace(code, ingested=ingested)
    with workplace_of(place) as work:
        if not lay_out(work, code, {"": files}):
            return FinishedCode(refused=(NO_FILES,))
        begun = time.monotonic()
        ended = execute(code, work, limits, place, watch)
        cost = CodeCost(time.monotonic() - begun, ended.peak_bytes, submission.sha256)
        finished = FinishedCode(ended.output, cost=cost)
        if ended.faults:
            return replace(finished, refused=_against(code, ended, limits))
        written = written_to(work.output)
    if any(map(odd_name, written)):
        names = Problem("code_output", MESSAGES("names"))
        return replace(finished, refused=(names,))
    if not written:
        nothing = Problem("code_output", MESSAGES("nothing"))
        return replace(finished, refused=(nothing,))
    cost = replace(cost, output_sha256=_hash(written))
    return replace(finished, files=written, cost=cost)


def _to_run(
    submission: Source, given: Source, ingestion: Source | None, folder: str
) -> Laid:
    code = code_of(submission) if ingestion is None else run_by(ingestion, submission)
    files = files_of(given)
    return code, folder_of(files, folder) if folder else files, code.ingested


def _hash(files: Mapping[str, bytes]) -> str:
    """SHA-256 of files: of their names and the SHA-256 of each, one a line."""
    lines = (f"{sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files))
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _against(
    code: ScoringProgram, ended: RunEnd, limits: ProgramLimits
) -> tuple[Problem, ...]:
    """Problems for a team whose code failed: nothing that the code printed."""
    if ended.exceeded:
        limit = limit_text(ended.exceeded, limits)
        return (Problem("program_limit", MESSAGES("limit", limit=limit)),)
    if code.ingested:
        own, folder = code.ingested, "ingested_program"
        return (code_failure.problem_of(own, ended.output, folder),)
    return (code_failure.problem_of(code.files, ended.output),)
