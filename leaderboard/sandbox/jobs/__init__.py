"""Jobs of the sandbox: functions that take a request and return an answer.

A job is named by its module in this folder and its function ("uploads.check"), by one
word where both have the same name. Extras add jobs (`SandboxJob`).

A job raises what is wrong with its files as a ScoringError. It runs in a process that
has neither settings nor database, and loads neither; only reading a bundle needs the
fields of models, and so a server of its own.
"""

import importlib
from collections.abc import Callable, Sequence

from leaderboard.sandbox.queue import Priority
from scoring.errors import ScoringError
from scoring.sandbox.codec import Request, Values, encode, problem_rows

# Jobs that are not in this folder.
ELSEWHERE = {"bundle": "leaderboard.tasks.bundle.trial:trial"}
# A slot of the queue is kept for checks of uploads, and one from what takes a minute.
UPLOAD, LONG = Priority(0, waiting=4), Priority(2, waiting=1, nice=10)
# Readers wait for each other, many of them behind one address.
LOOK, OTHER = Priority(1, waiting=8), Priority(1, waiting=2)
PRIORITIES = {
    **dict.fromkeys(("uploads.check", "uploads.unpack", "programs.check_code"), UPLOAD),
    **dict.fromkeys(("programs.run_program", "programs.run_code", "bundle"), LONG),
    **dict.fromkeys(("examples", "inspection.inspect", "inspection.own"), LOOK),
}
# Those that start confined processes of their own, and so are not confined as a whole.
OVERSEEING = {f"{__name__}.programs:{name}" for name in ("run_program", "run_code")}
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
