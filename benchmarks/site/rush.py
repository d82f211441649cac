"""`python -m benchmarks.site.rush`: a deadline on the site as `make demo` serves it.

300 uploads of 200 kB by 30 teams and 600 pages come within 20 seconds, half of the
uploads by the form and half by the API, one in fifteen with a file that does not fit.
Then, with nothing beside them, a few uploads and pages tell their processor time.
"""

import itertools
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.site.readers import Answer, Ask
    from benchmarks.site.serving import Site
    from leaderboard.teams.models import User

UPLOADS, PAGES, TEAMS, SECONDS = 300, 600, 30, 20
SIZE = 200_000  # bytes of a file
UNFIT = 15  # one upload in so many
ALONE = 40  # uploads, and as many pages
MOST_SECONDS = 600  # until all is scored
STOPPED = "the site scored no file for minutes"
LOOK_SECONDS = 0.2
ACCEPTED, UNFIT_STATUS = (201, 302), 422
REASON = "ten columns"  # that the line has not at which the file is cut off
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CSRF = "x" * 32
PART = "part-of-a-form"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        os.environ["PLUMBLINE_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        import django

        django.setup()
        from django.core.management import call_command

        from benchmarks.site import filling, serving

        call_command("migrate", "--noinput", verbosity=0)
        gold, system = smaller_pair()
        teams = [*people(filling.task_phase(gold), TEAMS)]
        with serving.site(Path(folder), "--demo") as site:
            for row in rows(site, teams, Files(Path(folder), system)):
                print(row, flush=True)
    return 0


def smaller_pair() -> tuple[bytes, bytes]:
    """The first sentences of gold and system, as many as make SIZE bytes."""
    from benchmarks._treebanks import pair

    sides = [side.split(b"\n\n") for side in pair()]
    sizes = itertools.accumulate(len(sentence) + 2 for sentence in sides[1])
    sentences = sum(size <= SIZE for size in sizes)
    gold, system = (b"\n\n".join([*side[:sentences], b""]) for side in sides)
    return gold, system


def rows(site: "Site", teams: "Sequence[TeamMember]", files: "Files") -> Iterator[str]:
    from benchmarks.site.alone import line
    from benchmarks.site.readers import answers_of

    before = os.getloadavg()[0]
    answers_of(site.address, pages(teams, len(teams) * 8, 8))
    uploads = uploaded(teams, files, range(UPLOADS), SECONDS)
    begun = time.monotonic()
    told = answers_of(site.address, [*uploads, *pages(teams, PAGES, SECONDS)])
    wait_until_scored()
    ended, load = time.monotonic() - begun, os.getloadavg()[0]
    sent = [answer for answer in told if answer.kind != "page"]
    fine = [answer for answer in sent if answer.status in ACCEPTED]
    read = [answer for answer in told if answer.kind == "page"]
    what = f"{UPLOADS} uploads of {SIZE // 1000} kB and {PAGES} pages in {SECONDS} s"
    yield line(f"{what}: accepted", took(fine), "p50 300 ms, p95 1500 ms")
    refused = [answer for answer in sent if answer.status == UNFIT_STATUS]
    yield line("of these refused for their format", took(refused), "")
    yield line("pages meanwhile", took(read), "p95 100 ms")
    yield f"| all of them scored after | {ended:.1f} s | | 30 s |"
    yield from verified(uploads, told)
    yield f"| load of the machine before; after | {before:.1f} | {load:.1f} | |"
    yield from processor_time(site, teams, files)


def processor_time(
    site: "Site", teams: "Sequence[TeamMember]", files: "Files"
) -> Iterator[str]:
    """Of an upload and of a page, with nothing else under way.

    What checks files in the sandbox leaves no account of its time when it ends.
    """
    from benchmarks.site.readers import answers_of
    from benchmarks.site.serving import WEB, WORKERS

    used = {}
    numbers = range(UPLOADS, UPLOADS + ALONE)
    for kind, asks in (
        ("an upload", uploaded(teams, files, numbers, ALONE / 4)),
        ("a page", pages(teams, ALONE, ALONE / 4)),
    ):
        programs = {"web": WEB, "worker": WORKERS}
        before = {name: site.seconds(word) for name, word in programs.items()}
        answers_of(site.address, asks)
        wait_until_scored()
        used[kind] = {
            name: (site.seconds(word) - before[name]) * 1000 / ALONE
            for name, word in programs.items()
        }
    of_upload, of_page = used.values()
    what = "processor time of web processes: an upload, without its check; a page"
    yield f"| {what} | {of_upload['web']:.1f} ms | {of_page['web']:.1f} ms | |"
    what = "of workers and sweeper for one upload, boards among it"
    yield f"| {what} | {of_upload['worker']:.1f} ms | | |"


@dataclass(frozen=True)
class TeamMember:
    """Someone who uploads for a team: the cookies of a browser, and a token."""

    cookies: str
    token: str


@dataclass(frozen=True)
class Files:
    """Bodies of uploads as files in a folder; each upload has bytes of its own."""

    folder: Path
    system: bytes

    def body(self, number: int, values: Mapping[str, str]) -> str:
        from django.core.files.uploadedfile import SimpleUploadedFile
        from django.test.client import encode_multipart

        data = f"# upload = {number}\n".encode() + self.system
        if is_unfit(number):  # within a line: at its end it has no columns too few
            data = data[: data.rindex(b"\t", 0, SIZE // 2)]
        sent = {**values, "file_main": SimpleUploadedFile("main.conllu", data)}
        path = self.folder / f"upload-{number}"
        path.write_bytes(encode_multipart(PART, sent))
        return str(path)


def is_unfit(number: int) -> bool:
    return number % UNFIT == UNFIT - 1


def people(phase: Any, teams: int) -> "Iterator[TeamMember]":
    from benchmarks.site import filling
    from leaderboard.api import tokens
    from leaderboard.api.models import Scope

    entries = list(filling.joined(phase, teams))
    for entry in entries:
        user = entry.team.members.get()
        _token, text = tokens.make(user, "rush", [Scope.READ, Scope.SUBMIT])
        yield TeamMember(cookies_of(user), text)


def cookies_of(user: "User") -> str:
    """Those of a browser in which the person is signed in and has seen a form."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[-1])
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    return f"{settings.SESSION_COOKIE_NAME}={key}; csrftoken={CSRF}"


def uploaded(
    teams: Sequence[TeamMember], files: Files, numbers: range, seconds: float
) -> "list[Ask]":
    """By the form and by the API in turn, at a steady rate."""
    from benchmarks.site.filling import SLUG
    from benchmarks.site.readers import Ask

    uploads = []
    kind = {"Content-Type": f"multipart/form-data; boundary={PART}"}
    for place, number in enumerate(numbers):
        by = teams[number // 2 % len(teams)]
        values = {"system": f"system {number}", "key": f"rush-{number}"}
        if number % 2:
            path = f"/api/v1/tasks/{SLUG}/test/submissions/"
            headers = {"Authorization": f"Bearer {by.token}"}
            headers["Idempotency-Key"] = values.pop("key")
        else:
            path = f"/tasks/{SLUG}/test/submit/"
            headers = {"Cookie": by.cookies}
            values |= {"csrfmiddlewaretoken": CSRF, "again": "on"}
        due, body = place * seconds / len(numbers), files.body(number, values)
        sent = kind | headers
        by_form = "api" if number % 2 else "form"
        uploads.append(Ask(due, path, by_form, "POST", sent, body))
    return uploads


def pages(teams: Sequence[TeamMember], number: int, seconds: float) -> "list[Ask]":
    """Requests of pages in a rush, by anybody and by those who send."""
    from benchmarks.site.filling import SLUG
    from benchmarks.site.readers import Ask

    task = f"/tasks/{SLUG}/"
    everybody = ("/", task, f"{task}test/board/", f"{task}test/charts/")
    members = (task, f"{task}test/board/", f"{task}test/submit/", f"{task}submissions/")
    asks = []
    for place in range(number):
        turn, half = divmod(place, 2)
        ask = Ask(place * seconds / number, (everybody, members)[half][turn % 4])
        by = teams[turn % len(teams)]
        asks.append(replace(ask, headers={"Cookie": by.cookies}) if half else ask)
    return asks


def wait_until_scored() -> None:
    from benchmarks.site.filling import SLUG
    from leaderboard.submissions.models import FINAL, Evaluation

    left = Evaluation.objects.filter(submission__phase__task__slug=SLUG)
    end = time.monotonic() + MOST_SECONDS
    while left.exclude(state__in=FINAL).exists():
        if time.monotonic() > end:
            raise TimeoutError(STOPPED)
        time.sleep(LOOK_SECONDS)


def verified(uploads: "Sequence[Ask]", told: "Sequence[Answer]") -> list[str]:
    """Rows that must be zero: what was lost, refused without a reason, or broke."""
    from benchmarks.site.filling import SLUG
    from leaderboard.submissions.models import EvaluationState, Submission

    sent = Submission.objects.filter(phase__task__slug=SLUG)
    scored = sent.filter(evaluations__state=EvaluationState.SCORED)
    kept = {str(pk) for pk in scored.values_list("pk", flat=True)}
    answers = [answer for answer in told if answer.kind != "page"]
    accepted = [a for a in answers if a.status in ACCEPTED]
    named = {match[0] for a in accepted if (match := UUID.search(a.said))}
    lost = len(accepted) - len(named & kept)
    nobody_asked = sent.count() - len(accepted)
    unexplained = sum(
        a.status not in ACCEPTED and not (a.status == UNFIT_STATUS and REASON in a.said)
        for a in answers
    )
    fit = len(uploads) - sum(is_unfit(n) for n in range(len(uploads)))
    broken = sum(a.status == 0 or a.status >= 500 for a in told)
    return [
        f"| accepted of {fit} that fit; of {len(uploads) - fit} others "
        f"| {len(accepted)} | {len(answers) - len(accepted)} refused | |",
        f"| accepted and not scored, or scored and not accepted "
        f"| {lost} | {nobody_asked} | 0 |",
        f"| refused without a reason; answers 5xx or none "
        f"| {unexplained} | {broken} | 0 |",
    ]


def took(answers: "Sequence[Answer]") -> list[float]:
    return [answer.milliseconds for answer in answers] or [0.0]


if __name__ == "__main__":
    sys.exit(main())
