"""Jobs of the sandbox by name: functions that take a request and return an answer.

A job raises what is wrong with its files as a ScoringError. It runs in a process that
has neither settings nor database, and loads neither; only reading a bundle needs the
fields of models, and so a server of its own. Extras add jobs (`SandboxJob`).
"""

import importlib
from collections.abc import Callable, Sequence

from leaderboard.sandbox.queue import Priority
from scoring.errors import ScoringError
from scoring.sandbox.codec import Request, Values, encode, problem_rows

JOBS = {
    "check": "leaderboard.sandbox.jobs.uploads:check",
    "members": "leaderboard.sandbox.jobs.uploads:members",
    "unpack": "leaderboard.sandbox.jobs.uploads:unpack",
    "examples": "leaderboard.sandbox.jobs.examples:examples",
    "gold": "leaderboard.sandbox.jobs.gold:trial",
    "correction": "leaderboard.sandbox.jobs.gold:correction",
    "setup": "leaderboard.sandbox.jobs.setup_check:setup_check",
    "to_judge": "leaderboard.sandbox.jobs.answers_to_judge:answers_to_judge",
    "inspect": "leaderboard.sandbox.jobs.inspection:inspect",
    "own": "leaderboard.sandbox.jobs.inspection:own",
    "program": "leaderboard.sandbox.jobs.programs:run_program",
    "code": "leaderboard.sandbox.jobs.programs:run_code",
    "check_code": "leaderboard.sandbox.jobs.programs:check_code",
    "output": "leaderboard.sandbox.jobs.programs:scored_output",
    "outcome": "leaderboard.sandbox.jobs.programs:outcome",
    "look": "leaderboard.sandbox.jobs.programs:look_at_program",
    "bundle": "leaderboard.tasks.bundle.trial:trial",
}
# A slot of the queue is kept for checks of uploads, and one from what takes a minute.
UPLOAD, LONG = Priority(0, waiting=4), Priority(2, waiting=1, nice=10)
# Readers wait for each other, many of them behind one address.
LOOK, OTHER = Priority(1, waiting=8), Priority(1, waiting=2)
PRIORITIES = {
    **dict.fromkeys(("check", "check_code", "unpack"), UPLOAD),
    **dict.fromkeys(("program", "code", "bundle"), LONG),
    **dict.fromkeys(("examples", "inspect", "own"), LOOK),
}
# Those that start confined processes of their own, and so are not confined as a whole.
OVERSEEING = {JOBS["program"], JOBS["code"]}
# The engine and numpy import them when they need them first, which is in a child. Each
# child would do so for its own file.
for name in ("scoring.diagnosis.repairs", "scoring.diagnosis.remarks", "numpy.ma"):
    importlib.import_module(name)
Answer = tuple[Values, Sequence[bytes]]
Job = Callable[[Request], Answer]


def load(path: str) -> Job:
    """The function at "module:function"."""
    module, _, function = path.partition(":")
    job: Job = getattr(importlib.import_module(module), function)
    return job


def perform(job: Job, request: Request) -> bytes:
    """The encoded answer of a job: its values and files, or problems."""
    try:
        values, files = job(request)
    except ScoringError as error:
        return encode({"problems": problem_rows(error.problems)})
    return encode({"answer": values}, files)
