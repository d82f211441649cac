"""The demo as a story: three tasks, who took part, and when, relative to now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from pathlib import Path

from leaderboard.demo.cast import BASELINE, LOGINS, SYSTEMS, TEAMS, DemoTeam
from leaderboard.demo.language import corpus
from leaderboard.demo.systems import Parser
from leaderboard.demo.variety import (
    HILL,
    LETTER,
    RECORD,
    RIVER,
    TALE,
    Genre,
    Variety,
)

__all__ = ["LOGINS", "SUBMISSIONS", "TASKS", "TEAMS", "DemoTeam"]

TEXTS = Path(__file__).parent / "texts"
ALL_GENRES = (TALE, LETTER, RECORD)
TRAINING_SENTENCES = 600
TRAINING_SEED = 1
MIDNIGHT = time(0)


def moment(now: datetime, day: int, clock: time) -> datetime:
    """The time of day (UTC) so many days after the day of `now`, which is aware."""
    today = now.astimezone(UTC).date()
    return datetime.combine(today + timedelta(days=day), clock, tzinfo=UTC)


@dataclass(frozen=True)
class DemoTestSet:
    name: str
    title: str
    variety: Variety
    genres: tuple[Genre, ...]
    sentences: int
    seed: int

    @property
    def gold(self) -> str:
        """CoNLL-U text of the gold file."""
        return corpus(self.name, self.variety, self.genres, self.sentences, self.seed)


@dataclass(frozen=True)
class DemoPhase:
    """A phase whose dates are days before (negative) or after the current day."""

    name: str
    title: str
    opens_day: int
    closes_day: int
    test_sets: tuple[str, ...]
    daily_limit: int
    closes_clock: time = time(12)

    def opens(self, now: datetime) -> datetime:
        return moment(now, self.opens_day, MIDNIGHT)

    def closes(self, now: datetime) -> datetime:
        return moment(now, self.closes_day, self.closes_clock)


@dataclass(frozen=True)
class DemoTask:
    slug: str
    title: str
    summary: str
    test_sets: tuple[DemoTestSet, ...]
    phases: tuple[DemoPhase, ...]
    headline: str = "las"
    unit: str = "sentence"
    labels: str = "coarse"
    roots: str = "any"
    synthetic: bool = True

    @property
    def template(self) -> str:
        """The description in Markdown, with places for {sizes} and {example}."""
        return (TEXTS / f"{self.slug}.md").read_text(encoding="utf-8")

    @property
    def varieties(self) -> tuple[Variety, ...]:
        return tuple(dict.fromkeys(part.variety for part in self.test_sets))

    def training(self) -> list[str]:
        """Text of each variety outside the test sets, of the first one's genres."""
        genres = self.test_sets[0].genres
        return [
            corpus("train", variety, genres, TRAINING_SENTENCES, TRAINING_SEED)
            for variety in self.varieties
        ]

    @cached_property
    def test_set(self) -> dict[str, DemoTestSet]:
        return {part.name: part for part in self.test_sets}

    @cached_property
    def phase(self) -> dict[str, DemoPhase]:
        return {part.name: part for part in self.phases}


@dataclass(frozen=True)
class DemoSubmission:
    """What a team sent to a phase on a day before now; `test_sets` may be a part."""

    task: DemoTask
    phase: str
    team: str
    system: Parser
    day: int
    clock: time
    test_sets: tuple[str, ...]

    @property
    def description(self) -> str:
        return self.system.description

    def when(self, now: datetime) -> datetime:
        return moment(now, self.day, self.clock)

    def files(self) -> dict[str, str]:
        """Predicted CoNLL-U text for each test set that was sent."""
        sets = self.task.test_set
        return {name: self.system.parse(sets[name].gold) for name in self.test_sets}


OVER = DemoTask(
    slug="across-the-watershed",
    title="Across the Watershed",
    summary="One parser for two varieties of Ostrel, by the river and in the hills.",
    test_sets=(
        DemoTestSet("river", "River Ostrel", RIVER, ALL_GENRES, 450, 101),
        DemoTestSet("hill", "Hill Ostrel", HILL, ALL_GENRES, 420, 102),
    ),
    phases=(DemoPhase("test", "Test", -63, -14, ("river", "hill"), 3),),
)
RUNNING = DemoTask(
    slug="river-parsing",
    title="River Ostrel Dependency Parsing",
    summary="Heads and relations for tales, letters and records of River Ostrel.",
    test_sets=(
        DemoTestSet("dev", "Development texts", RIVER, ALL_GENRES, 320, 201),
        DemoTestSet("test", "Test texts", RIVER, ALL_GENRES, 500, 202),
    ),
    phases=(
        DemoPhase("dev", "Development", -38, 18, ("dev",), 10),
        DemoPhase("test", "Test", -16, 18, ("test",), 2),
    ),
)
COMING = DemoTask(
    slug="hill-letters",
    title="Letters from the Hills",
    summary="Hill Ostrel without subjects, without order, without training letters.",
    test_sets=(
        DemoTestSet("dev", "Tales and records", HILL, (TALE, RECORD), 280, 301),
        DemoTestSet("letters", "Letters", HILL, (LETTER,), 400, 302),
    ),
    phases=(
        DemoPhase("dev", "Development", 24, 59, ("dev",), 10),
        DemoPhase("test", "Test", 45, 59, ("letters",), 1),
    ),
    headline="content_f1",
    unit="document",
    labels="full",
    roots="single",
)
TASKS = (OVER, RUNNING, COMING)

OVER_LOG = """
-62 09:00 organizers nearest-word
-57 16:42 saltmarsh marsh-1
-55 08:15 northgate gate-1
-50 21:07 tin-lantern lantern-a
-47 13:33 paper-kite kite-0.1
-44 10:51 gravel-road gravel-2
-41 18:20 northgate gate-2
-38 23:12 quiet-harbour harbour-x
-36 07:48 saltmarsh marsh-2
-33 12:05 tin-lantern lantern-b
-30 15:29 plum-orchard orchard-early river
-28 19:44 paper-kite kite-0.2
-23 09:36 gravel-road gravel-3
-20 22:18 paper-kite kite-1.0
-18 14:02 saltmarsh marsh-3
-16 11:27 northgate gate-3
-15 17:55 tin-lantern lantern-c
-15 20:31 plum-orchard orchard-late river
-14 10:46 quiet-harbour harbour-y
"""
DEV_LOG = """
-37 09:00 organizers nearest-word
-36 17:20 tin-lantern lantern-a2
-35 14:18 northgate gate-1
-34 09:48 quiet-harbour harbour-v
-33 20:52 paper-kite kite-0.1
-32 10:15 northgate gate-1.5
-31 15:37 paper-kite kite-0.1b
-30 11:06 saltmarsh marsh-1
-29 08:52 saltmarsh marsh-1.5
-28 16:37 tin-lantern lantern-b
-26 20:06 tin-lantern lantern-b2
-25 08:21 gravel-road gravel-2
-24 18:41 saltmarsh marsh-1.9
-23 12:33 gravel-road gravel-2.1
-22 19:13 northgate gate-2
-21 09:09 quiet-harbour harbour-w
-20 13:45 milestone mile-1
-19 22:04 paper-kite kite-0.2
-18 16:28 milestone mile-2
-17 11:50 paper-kite kite-0.3
-16 21:17 tin-lantern lantern-b3
-15 13:24 gravel-road gravel-2.5
-14 10:32 quiet-harbour harbour-x
-13 10:02 northgate gate-2.5
-12 15:58 saltmarsh marsh-2
-11 12:47 tin-lantern lantern-c
-10 19:55 milestone mile-3
-9 18:09 northgate gate-3
-8 08:55 gravel-road gravel-3
-7 14:31 paper-kite kite-0.9
-6 09:26 paper-kite kite-1.0
-4 21:40 milestone mile-4
"""
TEST_LOG = """
-16 09:30 organizers nearest-word
-13 17:24 saltmarsh marsh-1
-10 14:53 tin-lantern lantern-b
-8 10:17 northgate gate-3
-7 19:35 saltmarsh marsh-3
-5 08:44 paper-kite kite-1.0
-4 16:11 quiet-harbour harbour-y
-3 11:59 tin-lantern lantern-c
-2 13:08 milestone mile-4
-1 09:20 gravel-road gravel-3
"""


def submission(task: DemoTask, phase: str, line: str) -> DemoSubmission:
    """Read `day clock team system [test set ...]`; without test sets all are meant."""
    day, clock, team, system, *sets = line.split()
    parser: Parser = BASELINE if system == BASELINE.name else SYSTEMS[system]
    chosen = tuple(sets) or task.phase[phase].test_sets
    at = time.fromisoformat(clock)
    return DemoSubmission(task, phase, team, parser, int(day), at, chosen)


SUBMISSIONS = tuple(
    submission(task, phase, line)
    for task, phase, log in (
        (OVER, "test", OVER_LOG),
        (RUNNING, "dev", DEV_LOG),
        (RUNNING, "test", TEST_LOG),
    )
    for line in log.strip().split("\n")
)
