"""A competition as other sites describe one, before it becomes a task here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Page:
    """A page of text, in Markdown."""

    title: str
    text: str


@dataclass(frozen=True)
class Column:
    """A column of a leaderboard; `key` is what the scoring program writes.

    Where that cannot be a measure's name, `name` is one made of it.
    """

    key: str
    title: str
    lower_is_better: bool = False
    hidden: bool = False
    decimals: int | None = None
    name: str = ""

    @property
    def measure(self) -> str:
        return self.name or self.key


@dataclass(frozen=True)
class Leaderboard:
    """The columns in their order; the first one of `ranking` that is there ranks."""

    title: str
    columns: tuple[Column, ...]
    ranking: str = ""


@dataclass(frozen=True)
class Test:
    """One thing to be scored: reference data, what scores it, what is handed out."""

    key: str
    title: str
    reference: Files
    program: Files
    handed_out: Files = field(default_factory=dict)
    where: str = ""
    # The line of the manifest that names a program which runs participants' code, its
    # files, and those that it gives to the code.
    ingestion_line: int | None = None
    ingestion: Files = field(default_factory=dict)
    inputs: Files = field(default_factory=dict)


@dataclass(frozen=True)
class ImportedPhase:
    """A phase there: when it is open, what it scores and how often one may send."""

    title: str
    opens: datetime
    closes: datetime | None
    tests: tuple[str, ...]
    daily_limit: int | None = None
    total_limit: int | None = None
    blind: bool = False
    organizers_only: bool = False
    about: str = ""
    counts: str = "best"


@dataclass(frozen=True)
class FactQuestion:
    """A question of the fact sheet; `kind` is one of ours."""

    key: str
    title: str
    kind: str
    choices: tuple[str, ...] = ()
    required: bool = False
    public: bool = False


@dataclass(frozen=True)
class Solution:
    """Files that somebody could send to these tests, which are all without any."""

    title: str
    files: Files
    tests: tuple[str, ...] = ()


# The title of the page that each team accepts.
TERMS = "Terms"


@dataclass(frozen=True)
class Competition:
    """The parts that are taken of a bundle, in words of this site's kind."""

    origin: str
    title: str
    summary: str = ""
    pages: tuple[Page, ...] = ()
    stages: tuple[ImportedPhase, ...] = ()
    tests: tuple[Test, ...] = ()
    leaderboards: tuple[Leaderboard, ...] = ()
    questions: tuple[FactQuestion, ...] = ()
    solutions: tuple[Solution, ...] = ()
    needs_approval: bool = False
    mail_domains: tuple[str, ...] = ()
    contact: str = ""
    publishes_program: bool = False
    runs_code: bool = False  # of participants, by the tests' ingestion program
