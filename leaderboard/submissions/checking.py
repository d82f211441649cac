"""Whether uploaded files can be scored: the scorer's own reader, at arm's length."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile

from leaderboard.sandbox import problems
from leaderboard.sandbox.client import SandboxJob, SandboxServer
from leaderboard.sandbox.fork import JobFailed, LimitExceeded, Limits
from leaderboard.submissions import confined, verdicts, zips
from leaderboard.submissions.check_queue import CheckQueue, QueueFull
from leaderboard.submissions.packing import Packed
from leaderboard.submissions.receiving import file_name
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.models.task import raw_options
from leaderboard.teams.audit_actor import actor
from scoring import Problem, Refused
from scoring.source import Source

log = logging.getLogger(__name__)
# Each check may take the published memory, and the site has only so much of it.
# A slot is waited for a little longer than a check may take of a processor.
QUEUE = CheckQueue(slots=2, waiting=4, seconds=30, owner=lambda: actor().user)
server = SandboxServer(confined.WORK)
Read = TypeVar("Read")


class CannotCheck(Exception):
    """The check itself failed, which says nothing about the file."""


class CheckQueueFull(CannotCheck):
    """It was not begun: too many files wait to be checked."""


def find_problems(
    phase: Phase, files: Mapping[TestSet, UploadedFile], run: int = 0
) -> list[Problem]:
    """Check each file with the scorer's own reader against the blind file.

    Gold is not opened. Reading happens in a child of the sandbox server: there a file
    can use up neither the site's memory nor the time of the requests beside it. Raises
    CannotCheck. `run` is told in what is found, where there are several.
    """
    if not files:
        return [Problem("no_file", "there is no file to score")]
    job = job_for(phase, files, run)
    try:
        return done(job, problems.from_json)
    except LimitExceeded as limit:
        return [verdicts.over_limit(limit.what, job.limits)]


def unpack(phase: Phase, archive: UploadedFile) -> dict[TestSet, UploadedFile]:
    """The files of a zip with one file per test set, as if each had been sent alone.

    Raises Refused with what is wrong with the zip and its members, CannotCheck.
    """
    source = source_of(archive, "all.zip")
    test_sets = {one.name: one for one in phase.test_sets.all()}
    job = SandboxJob(_wanted(phase, source.name), [source.single()], check_limits())
    try:
        found, problems = done(job, zips.answer)
    except LimitExceeded as limit:
        raise Refused(verdicts.over_limit(limit.what, job.limits)) from None
    if problems:
        raise Refused(problems)
    return {
        test_sets[name]: SimpleUploadedFile(file, data)
        for name, (file, data) in found.items()
    }


def _wanted(phase: Phase, name: str) -> dict[str, Any]:
    """Head of the job: what `zips.Wanted` asks to know."""
    test_sets = list(phase.test_sets.all())
    stems = {one.name: stem_of(one.blind_name) for one in test_sets}
    given = Counter(map(zips.key, stems.values()))
    names = {
        name: [stem] if given[zips.key(stem)] == 1 else []
        for name, stem in stems.items()
    }
    options = phase.task.parsed_options
    return {
        "kind": "unpack",
        "name": name,
        "names": names,
        "several": [t.name for t in test_sets if t.blind_name.endswith(".zip")],
        "endings": [options.get(f"ref_suffix_{way}", "") for way in ("off", "on")],
        "most_bytes": settings.UPLOAD_BYTES,
    }


def stem_of(name: str) -> str:
    return name.partition(".")[0] or name


def done(job: SandboxJob, read: Callable[[bytes], Read]) -> Read:
    """What `read` makes of the child's answer. Raises Exceeded and CannotCheck."""
    try:
        with QUEUE.slot():
            return read(server.run(job))
    except JobFailed as fault:
        log.error("check failed: %s", fault)
        raise CannotCheck(str(fault)) from None
    except QueueFull:
        raise CheckQueueFull("too many files wait to be checked") from None


def job_for(
    phase: Phase, files: Mapping[TestSet, UploadedFile], run: int = 0
) -> SandboxJob:
    task = phase.task
    packed = Packed(task.scorer_name, raw_options(task.options))
    names = Counter(file.name for file in files.values())
    for test_set, file in files.items():
        source = source_of(file, test_set.name)
        if run or names[file.name] > 1:  # findings must tell them apart
            place = f"{test_set.name}, run {run}" if run else test_set.name
            name = f"{place}/{source.name}"
            source = Source.of_bytes(name, source.single())
        packed.add(test_set.blind(), source)
    return SandboxJob(packed.head, packed.files, check_limits())


def check_limits() -> Limits:
    return Limits(
        cpu_seconds=settings.CHECK_CPU_SECONDS,
        wall_seconds=settings.CHECK_WALL_SECONDS,
        memory_bytes=settings.SCORE_MEMORY_MB << 20,
    )


def source_of(file: UploadedFile, name: str) -> Source:
    file.seek(0)
    data: bytes = file.read()
    file.seek(0)
    return Source.of_bytes(file_name(file.name or name), data)
