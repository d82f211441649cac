"""Problems of an input that cannot be used, each with its place."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from scoring.counts import Integers

MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding in one file.

    `line` and `column` count from 1; `unit` names the sentence, document or instance;
    `hint` says how to fix it. `excerpt` is the place in the file of whoever sent it,
    escaped and cut short, and `caret` where in it the problem begins, from 0. Nothing
    here may hold gold content that the blind file does not show.
    """

    code: str
    message: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    unit: str = ""
    hint: str = ""
    excerpt: str = ""
    caret: int | None = None

    def as_dict(self) -> dict[str, str | int | None]:
        return asdict(self)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.hint}".rstrip()


class ScoringError(Exception):
    """Base of all that the engine raises on purpose; `problems` is never empty."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        all_of_them = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems: tuple[Problem, ...] = all_of_them
        super().__init__("; ".join(str(problem) for problem in all_of_them))


class Refused(ScoringError):
    """The system's file cannot be scored: it gets no score at all."""


class SetupError(ScoringError):
    """The gold side or an option is wrong: a matter for the organizer."""


class UsageError(ScoringError):
    """The call itself is wrong: unknown scorer, option or value."""


class Findings:
    """Collects problems of one file, at most `MOST_PROBLEMS`, then raises them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.left_out = 0

    def add(
        self, code: str, message: str, *, line: int | None = None, **more: str | int
    ) -> None:
        """Note one problem; past the cap it is only counted."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.left_out += 1
            return
        extra = {key: value for key, value in more.items() if value != ""}
        self.problems.append(
            Problem(code, message, self.file, line, **extra)  # type: ignore[arg-type]
        )

    def capped(self, rows: Integers) -> list[int]:
        """The rows (n,) worth a message each; the rest is only counted."""
        first: list[int] = rows[:MOST_PROBLEMS].tolist()
        self.left_out += len(rows) - len(first)
        return first

    def raise_if_any(self, kind: type[ScoringError] = Refused) -> None:
        """Raise `kind` with everything found so far; nothing found, nothing raised."""
        if not self.problems:
            return
        if self.left_out:
            last = f"and {self.left_out} more problems like these"
            self.problems.append(Problem("more_problems", last, self.file))
        raise kind(self.problems)
