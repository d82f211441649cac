"""Whether uploaded files can be scored: the scorer's own reader, at arm's length."""

import logging
from collections import Counter
from collections.abc import Mapping
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile

from leaderboard.confinement import findings
from leaderboard.confinement.child import Broken, Exceeded, Limits
from leaderboard.confinement.errands import Errand, Runner
from leaderboard.submissions import confined, verdicts, zips
from leaderboard.submissions.packing import Packed
from leaderboard.submissions.receiving import file_name
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.models.task import raw_options
from scoring import Problem, Refused
from scoring.source import Source

log = logging.getLogger(__name__)
# Each check may take the published memory, and the site has only so much of it.
AT_ONCE = BoundedSemaphore(2)
runner = Runner(confined.WORK)


class CannotCheck(Exception):
    """The check itself failed, which says nothing about the file."""


def find_problems(phase: Phase, files: Mapping[TestSet, UploadedFile]) -> list[Problem]:
    """Check each file with the scorer's own reader against the blind file.

    Gold is not opened. Reading happens in a child of the runner: there a file can use
    up neither the server's memory nor the time of the requests beside it. Raises
    CannotCheck.
    """
    if not files:
        return [Problem("no_file", "there is no file to score")]
    errand = errand_for(phase, files)
    try:
        return findings.from_json(done(errand))
    except Exceeded as limit:
        return [verdicts.over_limit(limit.what, errand.limits)]


def unpack(phase: Phase, archive: UploadedFile) -> dict[TestSet, UploadedFile]:
    """The files of a zip with one file per test set, as if each had been sent alone.

    Raises Refused with what is wrong with the zip and its members, CannotCheck.
    """
    source = source_of(archive, "all.zip")
    test_sets = {one.name: one for one in phase.test_sets.all()}
    errand = Errand(_wanted(phase, source.name), [source.single()], check_limits())
    try:
        found, problems = zips.answer(done(errand))
    except Exceeded as limit:
        raise Refused(verdicts.over_limit(limit.what, errand.limits)) from None
    if problems:
        raise Refused(problems)
    return {
        test_sets[name]: SimpleUploadedFile(file, data)
        for name, (file, data) in found.items()
    }


def _wanted(phase: Phase, name: str) -> dict[str, Any]:
    """Head of the errand: what `zips.Wanted` asks to know."""
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


def done(errand: Errand) -> bytes:
    """What the runner's child answered. Raises Exceeded and CannotCheck."""
    try:
        with AT_ONCE:
            return runner.run(errand)
    except Broken as fault:
        log.error("check failed: %s", fault)
        raise CannotCheck(str(fault)) from None


def errand_for(phase: Phase, files: Mapping[TestSet, UploadedFile]) -> Errand:
    task = phase.task
    packed = Packed(task.scorer_name, raw_options(task.options))
    names = Counter(file.name for file in files.values())
    for test_set, file in files.items():
        source = source_of(file, test_set.name)
        if names[file.name] > 1:  # findings must tell them apart
            name = f"{test_set.name}/{source.name}"
            source = Source.of_bytes(name, source.single())
        packed.add(test_set.blind(), source)
    return Errand(packed.head, packed.files, check_limits())


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
