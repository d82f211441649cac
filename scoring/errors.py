"""Problems of an input that cannot be used, each with its place."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

from scoring.counts import Integers
from scoring.hints import HINTS, HINTS_OF_GOLD
from scoring.messages import Messages, Value, Wording, _, wording_of

MESSAGES = Messages(
    more=_("and %(count)s more problems like these"),
    more_of_them=_("and more problems like these"),
)
MOST_PROBLEMS = 20
# Characters of a file that a message quotes in one piece, and those of a list.
LONGEST_QUOTE, LONGEST_LIST = 100, 900


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding in one file.

    `message` and `hint` are wordings of a table of messages (`scoring.messages`), which
    a site can say in other languages, or plain English text.
    `line` and `column` count from 1; `unit` names the sentence, document or instance;
    `hint` says how to fix it. `excerpt` is the place in the file of whoever sent it,
    escaped and cut short, and `caret` where in it the problem begins, from 0. `count`
    is in how many places it is the same; this is the first. Nothing here may hold gold
    content that the blind file does not show.
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
    count: int = 1
    # The further lines, for who mends them all; no row of it.
    also: Sequence[int] = field(default=(), compare=False, repr=False)

    @property
    def values(self) -> dict[str, str | int]:
        """Values of message and hint; of two with one name that of the message."""
        return {
            name: str(value) if isinstance(value, Wording) else value
            for text in (self.hint, self.message)
            if isinstance(text, Wording)
            for name, value in text.values.items()
        }

    def as_dict(self) -> dict[str, Any]:
        """This in English, with the values by name."""
        members = {name: getattr(self, name) for name in MEMBERS}
        texts = {"message": str(self.message), "hint": str(self.hint)}
        return {**members, **texts, "values": self.values}

    def as_row(self) -> dict[str, Any]:
        """`as_dict()` with what other languages need: `of_row` makes this again."""
        wordings = {
            name: text.as_row()
            for name in ("message", "hint")
            if isinstance(text := getattr(self, name), Wording)
        }
        return {**self.as_dict(), "wordings": wordings}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Problem":
        """The problem of a stored row; one without wordings keeps its English.

        Raises TypeError for members that no problem has.
        """
        members = {**row, **wordings_of_row(row)}
        members.pop("values", None)
        members.pop("wordings", None)
        return cls(**members)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part)
        text = f"{place}: {self.message}" if place else self.message
        text += f" ({self.count} times)" if self.count > 1 else ""
        stop = "" if not self.hint or str(text).endswith((".", "!", "?")) else "."
        return f"{text}{stop} {self.hint}".rstrip()


# Names of what a row of a problem holds.
MEMBERS = tuple(field.name for field in fields(Problem) if field.name != "also")


def wordings_of_row(row: Mapping[str, Any]) -> dict[str, Wording]:
    """Message and hint of a row, where it says from which template they are."""
    wordings = {}
    for name in ("message", "hint"):
        with suppress(KeyError, TypeError, ValueError):
            wordings[name] = wording_of(row["wordings"][name])
    return wordings


def with_hint(problem: Problem, tables: Iterable[Messages] = (HINTS,)) -> Problem:
    """The problem as people read it: with a way to mend it, where its code has one in
    the first of the tables that knows it, and with no more of a file than fits a line.
    """
    code = problem.code
    hint = problem.hint or next((table(code) for table in tables if code in table), "")
    short, help = _shorten(problem.message), _shorten(hint)
    if (short, help) == (problem.message, problem.hint):
        return problem
    return replace(problem, message=short, hint=help)


def _shorten(text: str) -> str:
    if len(text) <= LONGEST_QUOTE or not isinstance(text, Wording):
        return text
    values = {name: _short(value) for name, value in text.values.items()}
    return text if values == text.values else Wording(text.template, values)


def _short(value: Value) -> Value:
    """The value with its pieces between commas cut short."""
    if isinstance(value, Wording):
        return value
    if not isinstance(value, str) or len(value) <= LONGEST_QUOTE:
        return value
    parts = (
        part if len(part) <= LONGEST_QUOTE else part[: LONGEST_QUOTE - 1] + "…"
        for part in value[: LONGEST_LIST * 2].split(",")
    )
    whole = ",".join(parts)
    return whole if len(whole) <= LONGEST_LIST else whole[: LONGEST_LIST - 1] + "…"


class ScoringError(Exception):
    """Base of all that the engine raises on purpose; `problems` is never empty, and
    each has its hint, out of the first of the tables `hints` that knows its code."""

    hints: tuple[Messages, ...] = (HINTS,)

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        all_of_them = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems: tuple[Problem, ...] = tuple(
            with_hint(p, self.hints) for p in all_of_them
        )
        super().__init__("; ".join(map(str, self.problems)))


class Refused(ScoringError):
    """The system's file cannot be scored: it gets no score at all."""


class SetupError(ScoringError):
    """The gold side or an option is wrong: a matter for the organizer."""

    hints = (HINTS_OF_GOLD, HINTS)


class UsageError(ScoringError):
    """The call itself is wrong: unknown scorer, option or value."""


class Findings:
    """Collects problems of one file, at most `MOST_PROBLEMS`, then raises them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.left_out = 0
        self.alike = 0  # of those left out, as the last one that was not

    def add(
        self, code: str, message: str, *, line: int | None = None, **more: Any
    ) -> None:
        """Note one problem, the same in the lines `also`; past the cap it is only
        counted."""
        count = 1 + len(more.get("also", ()))
        if len(self.problems) >= MOST_PROBLEMS:
            self.left_out += count
            last = self.problems[-1]
            hint = more.get("hint", "")
            self.alike += (code, message, hint) == (last.code, last.message, last.hint)
            return
        extra = {key: value for key, value in more.items() if value != ""}
        problem = Problem(code, message, self.file, line, count=count, **extra)
        self.problems.append(problem)

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
            last = MESSAGES("more", count=self.left_out, alike=self.alike)
            self.problems.append(Problem("more_problems", last, self.file))
        raise kind(self.problems)
