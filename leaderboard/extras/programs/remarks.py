"""Remarks that a child of the sandbox makes: codes with values, worded on a page.

So each reader has them in a language of their own, and nothing but words of a table
comes out of a process that has read a stranger's files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

LONGEST_VALUE = 200
# Remarks on a program at most.
MOST_REMARKS = 200
# A text of the engine, or one that is translated when it is shown.
Words = str | Promise

# What is seen of a scoring program before it runs, and what to do about it.
LOOK: Mapping[str, tuple[Words, Words]] = {
    "python_2": (
        _("Line {line} is Python 2 (“{text}”); programs run with Python {version}."),
        _(
            "Port it: 2to3 (part of Python up to 3.12) changes most of it; then look "
            "at every '/', which no longer drops the rest, and at texts that are bytes."
        ),
    ),
    "python_syntax": (
        _("Line {line} is not Python {version} ({message})."),
        _("Run it at home with that version."),
    ),
    "old_module": (
        _("Line {line} imports {module}, a module of Python 2."),
        _("Import {now}, where its contents are in Python 3."),
    ),
    "package_missing": (
        _("Line {line} imports {module}, which programs do not have here."),
        _(
            "Ask the operator for the package {package}, add a wheel file of it to the "
            "program, or write the program without it."
        ),
    ),
    "package_later": (
        _(
            "Line {line} imports {module}, which programs do not have here; a run ends "
            "only if it comes to that line."
        ),
        _(
            "If it does: ask the operator for the package {package}, or add a wheel "
            "file of it to the program."
        ),
    ),
    "starts_process": (
        _("Line {line} starts a process ({call}), which the sandbox refuses."),
        _("Do it in Python, within the program itself."),
    ),
    "starts_thread": (
        _("Line {line} starts a thread ({call}), which the sandbox refuses."),
        _("Do one thing after the other."),
    ),
    "uses_network": (
        _("Line {line} asks the network ({call}), which the sandbox refuses."),
        _("Put what it loads beside the program, into its zip."),
    ),
    "runs_submissions": (
        _(
            "Line {line} can run code that a file brings along ({call}). If the file "
            "is a submission, the team's code runs beside the gold and can read it."
        ),
        _(
            "Read what teams send as text, JSON or CSV. If they are to send code, "
            "choose the option run_code: it then runs first, without the gold."
        ),
    ),
    "reads_metadata": (
        _(
            "Line {line} reads a file metadata. $input/metadata is there; what it says "
            "of team, time and phase is the same in every run."
        ),
        _("If scores depend on the phase, make a test set for each phase."),
    ),
}


@dataclass(frozen=True)
class ProgramRemark:
    """One thing that was noticed; `where` is the file or part that it is about."""

    code: str
    where: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    # The text of each code, and what to do.
    words: ClassVar[Mapping[str, tuple[Words, Words]]] = LOOK

    @classmethod
    def with_values(cls, code: str, where: str = "", /, **values: object) -> Self:
        """A remark with values cut to what a line can bear."""
        short = {name: _short(str(value)) for name, value in values.items()}
        return cls(code, _short(where), short)

    @classmethod
    def of_rows(cls, rows: Any) -> list[Self]:
        """Remarks as a child of the sandbox sent them; what is none is left out."""
        given = (rows if isinstance(rows, list) else [])[:MOST_REMARKS]
        return [
            cls.with_values(row[0], row[1], **row[2])
            for row in given
            if cls._is_row(row)
        ]

    @property
    def text(self) -> str:
        return str(self.words[self.code][0]).format(
            **{"where": self.where, **self.values}
        )

    @property
    def remedy(self) -> str:
        return str(self.words[self.code][1]).format(**self.values)

    def row(self) -> list[Any]:
        return [self.code, self.where, dict(self.values)]

    def __str__(self) -> str:
        named = "{where}" in str(self.words[self.code][0])
        start = f"{self.where}: " if self.where and not named else ""
        return f"{start}{self.text} {self.remedy}".rstrip()

    @classmethod
    def _is_row(cls, row: Any) -> bool:
        if not (isinstance(row, list) and len(row) == 3):
            return False
        code, where, values = row
        if not (isinstance(code, str) and isinstance(where, str)):
            return False
        if code not in cls.words or not isinstance(values, dict):
            return False
        try:
            plain = {str(name): str(value) for name, value in values.items()}
            return bool(str(cls(code, where, plain)))
        except (KeyError, IndexError, ValueError):
            return False


def _short(text: str) -> str:
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return plain if len(plain) <= LONGEST_VALUE else plain[:LONGEST_VALUE] + "…"
