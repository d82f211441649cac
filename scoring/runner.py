"""The runner of scoring programs: of the command line, or none."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.scorers.program.conventions import ProgramResult, ScoringProgram

Files = Mapping[str, bytes]
Runner = Callable[["ScoringProgram", Files, Files], "ProgramResult"]
# Set by the command line alone: elsewhere a program would run without any sandbox.
runner: ContextVar[Runner | None] = ContextVar("runner", default=None)


def run_at_home(
    program: "ScoringProgram", reference: Files, submission: Files
) -> "ProgramResult":
    """Run a program of one's own, as `conventions.run_at_home` does."""
    from scoring.scorers.program import conventions  # Few commands run one.

    return conventions.run_at_home(program, reference, submission)
