"""Whether uploaded files can be scored: the scorer's own reader, at arm's length."""

import logging
from collections.abc import Mapping, Sequence
from threading import BoundedSemaphore

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from leaderboard.submissions import verdicts
from leaderboard.submissions.confinement import Broken, Exceeded, Limits, confined
from leaderboard.submissions.receiving import file_name
from leaderboard.tasks.models import Phase, Task, TestSet
from scoring import Problem, check
from scoring.source import Source

log = logging.getLogger(__name__)
# Each check may take the published memory, and the site has only so much of it.
AT_ONCE = BoundedSemaphore(2)

Pairs = Sequence[tuple[Source, Source]]  # published blind file, uploaded file


class CannotCheck(Exception):
    """The check itself failed, which says nothing about the file."""


def find_problems(phase: Phase, files: Mapping[TestSet, UploadedFile]) -> list[Problem]:
    """Check each file with the scorer's own reader against the blind file.

    Gold is not opened. Reading happens in a child process: there a file can use up
    neither the server's memory nor the time of the requests beside it. Raises
    CannotCheck.
    """
    if not files:
        return [Problem("no_file", "there is no file to score")]
    pairs = [(t.blind(), source_of(file, t.name)) for t, file in files.items()]
    limits = check_limits()
    with AT_ONCE:
        try:
            return _checked(phase.task, pairs, limits)
        except Exceeded as limit:
            return [verdicts.over_limit(limit.what, limits)]
        except Broken as fault:
            log.error("check failed: %s", fault)
            raise CannotCheck(str(fault)) from None


def check_limits() -> Limits:
    return Limits(
        cpu_seconds=settings.CHECK_CPU_SECONDS,
        wall_seconds=settings.CHECK_WALL_SECONDS,
        memory_bytes=settings.SCORE_MEMORY_MB << 20,
    )


def _checked(task: Task, pairs: Pairs, limits: Limits) -> list[Problem]:
    scorer, options = task.scorer, task.parsed_options

    def work() -> bytes:
        found: list[Problem] = []
        for blind, sent in pairs:
            found.extend(check(scorer, blind, sent, options))
        return verdicts.as_json(found)

    return verdicts.from_json(confined(work, limits))


def source_of(file: UploadedFile, name: str) -> Source:
    file.seek(0)
    data: bytes = file.read()
    file.seek(0)
    return Source.of_bytes(file_name(file.name or name), data)
