"""check, submit and status: files checked at home, sent once, waited for."""

import argparse
import re
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from plumbline import credentials
from plumbline.exits import (
    FINE,
    NOT_SCORED,
    SITE_FAILED,
    UNDER_WAY,
    UNFIT,
    USAGE,
    Ended,
    SiteRefusal,
)
from plumbline.files import PhaseName, add_files, by_test_set, digest, plain_name
from plumbline.format_check import verdicts
from plumbline.names import percents, phase_of, system_id
from plumbline.output import (
    Values,
    as_json,
    problem_line,
    score,
    second,
    submission,
    table,
)
from plumbline.site import Site
from scoring import Verdict

SENDING = 0.3  # of the bar
SUBMISSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
AT_ONCE = 15.0  # seconds that one request waits; the site allows 20
REST = 2.0
# Seconds between looks at a board that newer results are added to, and in all.
BOARD_REST, BOARD_PATIENCE = 0.5, 30.0
WAITING = ("queued", "running")
WIDTH = 24
# How far a state is on the way; nobody knows more.
SHARE = {"queued": 0.35, "running": 0.7}


class ProgressBar:
    """One line on standard error that is written over; nothing where no one looks."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def show(self, share: float, words: str) -> None:
        if not self._shown:
            return
        full = round(min(max(share, 0.0), 1.0) * WIDTH)
        line = f"[{'#' * full}{'.' * (WIDTH - full)}] {words}"
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def wait_for(site: Site, pk: str, seconds: float, bar: ProgressBar) -> Values:
    """The submission, scored or as it is when the time is over."""
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        seconds_to_wait = max(0.0, min(AT_ONCE, left))
        began = time.monotonic()
        submission: Values = site.get(f"submissions/{pk}/?wait={seconds_to_wait:.1f}")
        state = submission["state"]
        if state not in WAITING or left <= 0:
            return submission
        bar.show(SHARE[state], state)
        if time.monotonic() - began < REST:  # the site had no place to wait at
            time.sleep(min(REST, max(0.0, end - time.monotonic())))


def code_of(submission: Values, under_way: int) -> int:
    """The exit code that a submission's state stands for."""
    state = submission["state"]
    if state in WAITING:
        return under_way
    if state == "failed_system":
        return SITE_FAILED
    return FINE if state in ("scored", "late", "awaiting") else NOT_SCORED


def add_check(commands: Any) -> None:
    command = commands.add_parser("check", help="check files as the site would")
    add_files(command)
    command.set_defaults(run=run_check)


def run_check(called: argparse.Namespace, site: Site) -> int:
    phase = phase_of(site, called.place)
    checked = verdicts(site, called.place, phase, by_test_set(called.files, phase))
    findings = [problem for verdict in checked for problem in verdict.findings]
    if called.json:
        print(as_json([problem.as_dict() for problem in findings]))
        return UNFIT if findings else FINE
    _print_problems(checked)
    if not findings:
        print("fine")
    return UNFIT if findings else FINE


def _print_problems(checked: Sequence[Verdict]) -> None:
    """Print all findings, then all remarks, to stderr."""
    findings = (problem for verdict in checked for problem in verdict.findings)
    remarks = (remark for verdict in checked for remark in verdict.remarks)
    for problem in chain(findings, remarks):
        print(problem_line(problem.as_dict()), file=sys.stderr)


def add_submit(commands: Any) -> None:
    command = commands.add_parser("submit", help="send a system's files")
    add_files(command)
    command.add_argument("--system", required=True, help="its name on the board")
    command.add_argument("--description", default="", help="of the system, a text")
    command.add_argument(
        "--prompts",
        default="",
        metavar="NAMES",
        help="of several runs: the prompt of each, in order, with commas",
    )
    command.add_argument(
        "--fact",
        action="append",
        default=[],
        metavar="QUESTION=ANSWER",
        help="an answer about the system, by the name of its question; may repeat",
    )
    command.add_argument("--wait", action="store_true", help="until there is a result")
    command.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS")
    command.add_argument(
        "--unchecked", action="store_true", help="leave the check to the site"
    )
    command.set_defaults(run=run_submit)


def run_submit(called: argparse.Namespace, site: Site) -> int:
    where: PhaseName = called.place
    phase = phase_of(site, where)
    files = by_test_set(called.files, phase)
    checked = [] if called.unchecked else verdicts(site, where, phase, files)
    _print_problems(checked)
    if any(verdict.findings for verdict in checked):
        raise Ended(UNFIT, "nothing was sent, and no attempt was used")
    if any(verdict.doubts for verdict in checked) and not _is_meant():
        raise Ended(UNFIT, "nothing was sent, and no attempt was used")
    with ProgressBar() as bar:
        record = _send(called, site, files, bar)
        if called.wait:
            record = wait_for(site, record["id"], called.timeout, bar)
    if called.json:
        print(as_json(record))
    else:
        print(submission(record, percents(phase["scoring"])))
        for line in _standing_lines(site, record, BOARD_PATIENCE):
            print(f"  {line}")
    return code_of(record, UNDER_WAY if called.wait else FINE)


def _is_meant() -> bool:
    """Whether files that say nothing are to be sent: who sits at a terminal is asked,
    programs are not."""
    if not sys.stdin.isatty():
        return True
    print("Send it all the same, which uses an attempt? [y/N]", file=sys.stderr)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _send(
    called: argparse.Namespace, site: Site, files: Mapping[str, Path], bar: ProgressBar
) -> Values:
    try:
        return send(site, called.place, fields_of(called), files, bar)
    except SiteRefusal as refusal:
        if refusal.status != 404:
            raise
        task = called.place.task
        words = f"you take part in '{task}' with no team: plumbline join {task}"
        raise Ended(refusal.code, words) from None


def _standing_lines(site: Site, record: Values, seconds: float = 0.0) -> Iterator[str]:
    """The team's rank with a scored submission, or with the entry that counts for it,
    where the board shows one, and the submission's page. A board that lacks the
    submission and newer results is waited for, for so long."""
    if record["state"] == "scored":
        with suppress(Ended):  # a board may be hidden
            yield from _rank_lines(_newer_board(site, record, seconds), record)
    yield f"{site.address}/submissions/{record['id']}/"


def _newer_board(site: Site, record: Values, seconds: float) -> Values:
    """The first page of the board, with the submission unless another one counts, or
    as it is when the time is over."""
    end = time.monotonic() + seconds
    while True:
        board: Values = site.get(f"tasks/{record['task']}/{record['phase']}/board/")
        if not _may_lack(board, record) or time.monotonic() >= end:
            return board
        time.sleep(BOARD_REST)


def _may_lack(board: Values, record: Values) -> bool:
    """Whether the submission may come on the board with newer results; older sites do
    not tell of these."""
    rows = (row["submission"] for row in board["rows"])
    return bool(board.get("newer_results")) and record["id"] not in rows


def _rank_lines(board: Values, record: Values) -> Iterator[str]:
    if _may_lack(board, record):
        yield "its rank is being computed"
        return
    ranked = [row for row in board["rows"] if row["rank"] is not None]
    own = [row for row in ranked if row["submission"] == record["id"]]
    others = [row for row in ranked if row["team"] == record.get("team")]
    for row in (own or others)[:1]:
        other = "" if own else f" with {row['system']}, which counts for you"
        rank = f"rank {row['rank']} of {_ranked_systems(board)}"
        yield f"{rank}{other}: {row['in_words']}"


def _ranked_systems(board: Values) -> int:
    """Systems with a rank, as far as the first page of the board tells."""
    ranked = sum(row["rank"] is not None for row in board["rows"])
    return ranked if board.get("pages", 1) == 1 else int(board["rows_in_all"])


def fields_of(called: argparse.Namespace) -> dict[str, str]:
    facts = (word.partition("=") for word in called.fact)
    return {
        "system": called.system,
        "description": called.description,
        **({"prompts": called.prompts} if called.prompts else {}),
        **{f"fact_{name}": answer for name, _equals, answer in facts},
    }


def send(
    site: Site,
    where: PhaseName,
    fields: Mapping[str, str],
    files: Mapping[str, Path],
    bar: ProgressBar,
) -> Values:
    """Send files under a key that is kept until the site has answered.

    Whoever repeats a command whose connection broke sends the same key, and the site
    answers what became of the first try.
    """
    name = upload_name(site, where, fields, files)
    key = keep_key(name)
    progress = UploadProgress(sum(path.stat().st_size for path in files.values()), bar)
    with ExitStack() as opened:
        parts = {
            f"file_{test_set}" if test_set else "archive": (
                path.name,
                CountedFile(opened.enter_context(path.open("rb")), progress),
            )
            for test_set, path in files.items()
        }
        headers = {"Idempotency-Key": key}
        path = f"{where.path}/submissions/"
        try:
            record = site.post(path, data=fields, files=parts, headers=headers)
        except SiteRefusal as refusal:
            if refusal.code != SITE_FAILED:
                forget_key(name)
            raise
    forget_key(name)
    return dict(record)


@dataclass
class UploadProgress:
    """How much of all files was read, shown on the bar."""

    total: int
    bar: ProgressBar
    done: int = 0

    def add(self, count: int) -> None:
        self.done += count
        share = min(1.0, self.done / max(self.total, 1))
        self.bar.show(SENDING * share, f"sending {share:.0%}")


class CountedFile:
    """A file that says how much of it is read."""

    def __init__(self, file: IO[bytes], progress: UploadProgress) -> None:
        self._file, self._progress = file, progress

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._progress.add(len(data))
        return data

    def fileno(self) -> int:
        return self._file.fileno()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def upload_name(
    site: Site, where: PhaseName, fields: Mapping[str, str], files: Mapping[str, Path]
) -> str:
    """The identity of an upload: its address, its fields, every byte of its files."""
    parts = [site.address, where.path, *map(str, sorted(fields.items()))]
    parts += [f"{name}:{digest(path)}" for name, path in sorted(files.items())]
    return sha256("\n".join(parts).encode()).hexdigest()


def keep_key(name: str) -> str:
    """The key of the upload of that name, kept until `forget_key`."""
    keys = credentials.read(credentials.UPLOADS)
    key = str(keys.get(name) or uuid.uuid4().hex)
    credentials.write(credentials.UPLOADS, {**keys, name: key})
    return key


def forget_key(name: str) -> None:
    keys = credentials.read(credentials.UPLOADS)
    keys.pop(name, None)
    credentials.write(credentials.UPLOADS, keys)


def add_status(commands: Any) -> None:
    command = commands.add_parser("status", help="what became of a submission")
    command.add_argument("what", type=plain_name, metavar="SUBMISSION|TASK")
    command.add_argument(
        "system", nargs="?", default="", help="the name of a system, after a task"
    )
    command.add_argument("--wait", action="store_true", help="until there is a result")
    command.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS")
    command.set_defaults(run=run_status)


def run_status(called: argparse.Namespace, site: Site) -> int:
    if not SUBMISSION_ID.fullmatch(called.what) and not called.system:
        return _list_submissions(called, site)
    with ProgressBar() as bar:
        seconds = called.timeout if called.wait else 0.0
        record = wait_for(site, _id_of(called, site), seconds, bar)
    if called.json:
        print(as_json(record))
    else:
        print(submission(record, _percents(site, record)))
        for line in _standing_lines(site, record):
            print(f"  {line}")
    return code_of(record, UNDER_WAY if called.wait else FINE)


def _percents(site: Site, record: Values) -> Mapping[str, bool]:
    """Flags of the measures of a submission's phase that are shares."""
    if not any((record["scores"], record.get("test_sets"))):
        return {}
    phase = site.get(f"tasks/{record['task']}/phases/{record['phase']}/")
    return percents(phase["scoring"])


def _id_of(called: argparse.Namespace, site: Site) -> str:
    """The submission that is named by its id, or by task and system."""
    if SUBMISSION_ID.fullmatch(called.what) or not called.system:
        return str(called.what)
    params = {"text": called.system}
    answer = site.get(f"tasks/{called.what}/submissions/", params=params)
    return system_id(called.system, answer["submissions"], "id")


def _list_submissions(called: argparse.Namespace, site: Site) -> int:
    answer = site.get(f"tasks/{called.what}/submissions/")
    if called.json:
        print(as_json(answer))
        return FINE
    boards: dict[str, Values] = {}
    rows = []
    for entry in answer["submissions"]:
        name = entry.get("phase", "")
        if name not in boards:
            boards[name] = _board_of(site, f"tasks/{called.what}/{name}")
        about = map(entry.get, ("id", "phase", "system", "state"))
        rows.append(
            [
                *about,
                *_score_and_rank(entry, boards[name]),
                second(entry["received_at"]),
            ]
        )
    spare, system = (0, 6), (2,)  # id and time go first
    print(table(rows, spare, system) if rows else "nothing was sent yet")
    return FINE


def _board_of(site: Site, path: str) -> Values:
    """The board of a phase; without rows where it is not shown."""
    with suppress(Ended):
        board: Values = site.get(f"{path}/board/")
        return board
    return {"rows": []}


def _score_and_rank(record: Values, board: Values) -> tuple[str, str]:
    """Score and rank of a submission on a board; empty where it has none there."""
    name = board.get("ranked_by", "")
    value = record.get("scores", {}).get(name)
    shares = {
        measure["name"]: measure["percent"] for measure in board.get("measures", ())
    }
    row = next((x for x in board["rows"] if x["submission"] == record["id"]), None)
    ranked = row is not None and row["rank"] is not None
    rank = f"rank {row['rank']} of {_ranked_systems(board)}" if row and ranked else ""
    return f"{name} {score(value, shares[name])}" if value else "", rank


def add_withdraw(commands: Any) -> None:
    command = commands.add_parser(
        "withdraw", help="take a submission off the board for good"
    )
    command.add_argument("what", type=plain_name, metavar="SUBMISSION|TASK")
    command.add_argument(
        "system", nargs="?", default="", help="the name of a system, after a task"
    )
    command.add_argument("--sure", action="store_true", help="do not ask")
    command.set_defaults(run=run_withdraw)


def run_withdraw(called: argparse.Namespace, site: Site) -> int:
    """Withdraw a submission, after a question: its attempt stays used, and nobody can
    bring it back."""
    pk = _id_of(called, site)
    record = site.get(f"submissions/{pk}/")
    if not called.sure and not _is_sure(record):
        raise Ended(USAGE, "nothing was withdrawn; say --sure")
    record = site.post(f"submissions/{pk}/withdraw/")
    print(as_json(record) if called.json else f"{record['system']}: withdrawn")
    return FINE


def _is_sure(record: Values) -> bool:
    if not sys.stdin.isatty():
        return False
    place = f"{record['task']}/{record['phase']}"
    question = f"Withdraw {record['system']} from {place}? [y/N] "
    return input(question).strip().lower() in ("y", "yes")
