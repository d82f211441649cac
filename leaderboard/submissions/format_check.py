"""Whether uploaded files can be scored: the scorer's own reader, in the sandbox."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile

from leaderboard.sandbox import client
from leaderboard.sandbox.client import CheckQueue
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.jobs.uploads import key
from leaderboard.submissions.uploads import file_name
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.models.task import raw_options
from leaderboard.teams.audit_actor import actor
from scoring import Problem, Refused
from scoring.source import Source

# Each check may take the published memory, and the site has only so much of it.
# A slot is waited for a little longer than a check may take of a processor.
QUEUE = CheckQueue(slots=2, waiting=4, seconds=30, owner=lambda: actor().user)


def find_problems(
    phase: Phase, files: Mapping[TestSet, UploadedFile], run: int = 0
) -> list[Problem]:
    """Check each file with the scorer's own reader against the blind file.

    Gold is not opened. Reading happens in the sandbox: there a file can use up neither
    the site's memory nor the time of the requests beside it. Raises JobFailed, which
    says nothing about the file, and QueueFull. `run` is told in what is found, where
    there are several.
    """
    if not files:
        return [Problem("no_file", "there is no file to score")]
    task = phase.task
    request = Request.scoring(task.scorer_name, raw_options(task.options))
    names = Counter(file.name for file in files.values())
    for test_set, file in files.items():
        source = source_of(file, test_set.name)
        if run or names[file.name] > 1:  # findings must tell them apart
            place = f"{test_set.name}, run {run}" if run else test_set.name
            name = f"{place}/{source.name}"
            source = Source.of_bytes(name, source.single())
        request.add(test_set.blind(), source)
    try:
        client.run("check", request, slot=QUEUE.slot())
    except Refused as refusal:
        return list(refusal.problems)
    return []


def unpack(phase: Phase, archive: UploadedFile) -> dict[TestSet, UploadedFile]:
    """The files of a zip with one file per test set, as if each had been sent alone.

    Raises Refused with what is wrong with the zip and its members, JobFailed.
    """
    source = source_of(archive, "all.zip")
    request = Request(_wanted(phase, source.name), [source.single()])
    answer, files = client.run("unpack", request, slot=QUEUE.slot())
    test_sets = {one.name: one for one in phase.test_sets.all()}
    return {
        test_sets[name]: SimpleUploadedFile(file, data)
        for (name, file), data in zip(answer["files"], files, strict=True)
    }


def _wanted(phase: Phase, name: str) -> dict[str, Any]:
    """The zip's name, and what `uploads.ZipContents` asks to know."""
    test_sets = list(phase.test_sets.all())
    stems = {one.name: stem_of(one.blind_name) for one in test_sets}
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


def stem_of(name: str) -> str:
    return name.partition(".")[0] or name


def source_of(file: UploadedFile, name: str) -> Source:
    file.seek(0)
    data: bytes = file.read()
    file.seek(0)
    return Source.of_bytes(file_name(file.name or name), data)
