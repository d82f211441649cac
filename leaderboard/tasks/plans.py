"""What a bundle says: everything to create a task from, or to change one into."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.source import Source

RawOptions = Mapping[str, list[str | Source]]


@dataclass(frozen=True)
class TestSetPlan:
    """Gold and blind file are one member each, a zip where there are several files.

    `position` decides the stream of draws that it is resampled with.
    """

    name: str
    title: str
    gold: Source
    blind: Source
    units: int
    position: int

    def fields(self) -> dict[str, Any]:
        return {"name": self.name, "title": self.title, "position": self.position}


@dataclass(frozen=True)
class PhasePlan:
    """A phase; the fields are those of the model. Without a `salt` one is drawn.

    `lines` are those of its keys in the manifest it was read from.
    """

    name: str
    title: str
    opens: datetime
    test_sets: tuple[str, ...]
    closes: datetime | None = None
    time_zone: str = "UTC"
    policy: str = "open"
    reveal_at: datetime | None = None
    freeze_from: datetime | None = None
    publication: str = "exact"
    step: float | None = None
    private_share: float | None = None
    salt: str = ""
    counts: str = "best"
    daily_limit: int | None = None
    total_limit: int | None = None
    most_runs: int = 1
    who: str = "participants"
    paused: bool = False
    paused_note: str = ""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def fields(self) -> dict[str, Any]:
        """Values of the model's plain fields, all but its place in the order."""
        values = asdict(self)
        del values["test_sets"], values["lines"]
        if not self.salt:
            del values["salt"]
        return values


@dataclass(frozen=True)
class BaselinePlan:
    """A system of the organizers: its files by name of test set."""

    system: str
    description: str
    phases: tuple[str, ...]
    files: Mapping[str, Source]

    @property
    def system_key(self) -> str:
        """The system's name as part of a path, told apart from every other."""
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", self.system).strip(".-")
        return f"{readable or 'system'}-{sha256(self.system.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class TaskPlan:
    """A bundle that was read and checked.

    `boards` and `fact_sheet` hold plain tables with every key that there is. `draft` is
    None where a bundle does not say: a new task is a draft then, another one stays.
    """

    slug: str
    title: str
    summary: str
    description: str
    synthetic: bool
    scorer: Scorer
    raw_options: RawOptions
    measures: tuple[str, ...]
    headline: str
    unit: str
    resamples: int
    seed: int
    level: float
    test_sets: tuple[TestSetPlan, ...] = ()
    phases: tuple[PhasePlan, ...] = ()
    boards: tuple[Mapping[str, Any], ...] = ()
    fact_sheet: tuple[Mapping[str, Any], ...] = ()
    draft: bool | None = False
    entry: str = "open"
    mail_domains: tuple[str, ...] = ()
    allows_anonymous: bool = False
    prizes: int = 0
    margin: float | None = None
    baselines: tuple[BaselinePlan, ...] = ()

    @property
    def options(self) -> Options:
        """Raises UsageError for values that do not fit."""
        return parse(self.scorer.options, self.raw_options)

    def fields(self) -> dict[str, Any]:
        """Values of the model's plain fields, all but the options."""
        plain = (
            "slug",
            "title",
            "summary",
            "description",
            "synthetic",
            "headline",
            "unit",
            "resamples",
            "seed",
            "level",
            "entry",
            "allows_anonymous",
            "prizes",
            "margin",
        )
        lists = ("boards", "fact_sheet", "mail_domains")
        return {
            **{name: getattr(self, name) for name in plain},
            **{name: list(getattr(self, name)) for name in lists},
            "draft": self.draft is not False,
            "scorer_name": self.scorer.name,
            "shown_measures": list(self.measures),
        }
