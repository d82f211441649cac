"""Whether a bundle from a stranger can be read within limits, tried by a child.

Reading is deterministic: a bundle that a child got through, this process gets through
as well, within the same time and memory, and may then read itself.
"""

from leaderboard.sandbox import problems
from leaderboard.sandbox.client import SandboxJob, SandboxServer
from leaderboard.sandbox.fork import JobFailed, LimitExceeded, Limits
from scoring.errors import Problem, SetupError

WORK = "leaderboard.tasks.bundle_trial:problems"
LIMITS = Limits(cpu_seconds=60, wall_seconds=120, memory_bytes=1 << 30)


def require_readable(name: str, data: bytes) -> None:
    """Raises SetupError with what is wrong in the zip, or with the limit it passed."""
    server = SandboxServer(WORK)  # bundles are rare: it ends with the job
    try:
        found = problems.from_json(
            server.run(SandboxJob({"name": name}, [data], LIMITS))
        )
    except LimitExceeded as limit:
        raise SetupError(_over(limit)) from None
    except JobFailed as fault:
        message = f"reading the bundle failed: {fault}"
        raise SetupError(Problem("check_failed", message, name)) from None
    finally:
        server.stop()
    if found:
        raise SetupError(found)


def _over(limit: LimitExceeded) -> Problem:
    needed = {
        "cpu": f"{LIMITS.cpu_seconds} s of processor time",
        "memory": f"{LIMITS.memory_bytes >> 20} MiB of memory",
    }.get(limit.what, "it may write")
    message = f"reading the bundle takes more than {needed}"
    return Problem("bundle_limit", message)
