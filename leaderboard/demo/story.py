"""The demo as a story: three tasks, who took part, and when, relative to now.

Texts and predictions lie in `data`, a folder for each task, as a bundle has them; of
times in a `task.yaml` the day is counted from the current one.
"""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

DATA = Path(__file__).parent / "data"
A_DAY = re.compile(r"\{(-?\d+) (\d\d:\d\d)\}")
LOGINS: list[tuple[str, str, str]] = [
    ("participant", "participant@example.org", "paper-kite-in-the-wind"),
    ("organizer", "organizer@example.org", "gold-behind-the-door"),
    ("administrator", "administrator@example.org", "keys-of-the-whole-house"),
]


@dataclass(frozen=True)
class DemoTeam:
    """A team and its accounts; `members` pairs an e-mail address with a shown name."""

    slug: str
    name: str
    members: tuple[tuple[str, str], ...]


def team(slug: str, name: str) -> DemoTeam:
    return DemoTeam(slug, name, ((f"{slug}@example.org", f"{name} (team account)"),))


TEAMS = (
    DemoTeam(
        "organizers", "Organizers", (("organizer@example.org", "Demo organizer"),)
    ),
    DemoTeam(
        "paper-kite",
        "Paper Kite",
        (
            ("participant@example.org", "Demo participant"),
            ("paper-kite@example.org", "Paper Kite (team account)"),
        ),
    ),
    team("northgate", "Northgate"),
    team("saltmarsh", "Saltmarsh"),
    team("tin-lantern", "Tin Lantern"),
    team("gravel-road", "Gravel Road"),
    team("quiet-harbour", "Quiet Harbour"),
    team("plum-orchard", "Plum Orchard"),
    team("milestone", "Milestone"),
)


@dataclass(frozen=True)
class System:
    name: str
    description: str


GREEDY = "Simulated greedy transition parser; loses its way in long sentences."
GRAPH = "Simulated graph parser; sees the whole sentence, distance costs it little."
CHART = "Simulated chart parser without function word features."
NEIGHBOUR = "Simulated parser that trusts short arcs too much."
LABELS = "Simulated parser with good arcs and a weak labeller."
ENSEMBLE = "Simulated vote of several parsers."
BASELINE = System(
    "nearest-word",
    "Rules: every word hangs from the nearest word of a likely class. No training.",
)
NAMES = {
    GREEDY: "marsh-1 marsh-2 kite-0.1 kite-0.2 marsh-1.5 marsh-1.9 kite-0.1b kite-0.3",
    GRAPH: "gate-1 gate-2 gate-1.5 gate-2.5 marsh-3 kite-0.9 kite-1.0 orchard-early "
    "orchard-late",
    CHART: "harbour-x harbour-y mile-1 mile-4 harbour-v harbour-w mile-2 mile-3",
    NEIGHBOUR: "gravel-2 gravel-3 gravel-2.1 gravel-2.5",
    LABELS: "lantern-a lantern-b lantern-c lantern-a2 lantern-b2 lantern-b3",
    ENSEMBLE: "gate-3",
}
# Millions of parameters, as a team would write them beside such a system.
SIZES = {GREEDY: 12, GRAPH: 110, CHART: 38, NEIGHBOUR: 9, LABELS: 24, ENSEMBLE: 560}
SYSTEMS = {
    name: System(name, description)
    for description, names in NAMES.items()
    for name in names.split()
}


def moment(now: datetime, day: int, clock: time) -> datetime:
    """The time of day (UTC) so many days after the day of `now`, which is aware."""
    today = now.astimezone(UTC).date()
    return datetime.combine(today + timedelta(days=day), clock, tzinfo=UTC)


@dataclass(frozen=True)
class DemoTask:
    slug: str

    @property
    def folder(self) -> Path:
        return DATA / self.slug

    def bundle(self, now: datetime) -> Source:
        """The folder that organizers would import, with blind files and dates."""
        files = {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.suffix != ".gz" and path.is_file()
        }
        files["task.yaml"] = self._manifest(now).encode()
        for name in self.test_sets:
            files[f"blind/{name}.conllu"] = self.blind(name)
        return Source(self.slug, files)

    @cached_property
    def _text(self) -> str:
        return (self.folder / "task.yaml").read_text(encoding="utf-8")

    def _manifest(self, now: datetime) -> str:
        def timestamp(match: re.Match[str]) -> str:
            at = moment(now, int(match[1]), time.fromisoformat(match[2]))
            return at.strftime("%Y-%m-%dT%H:%M:%SZ")

        return A_DAY.sub(timestamp, self._text)

    def manifest(self, now: datetime) -> Any:
        return yaml.safe_load(self._manifest(now))

    @cached_property
    def test_sets(self) -> list[str]:
        return [part["name"] for part in self.manifest(datetime.now(UTC))["test_sets"]]

    def gold(self, test_set: str) -> bytes:
        return (self.folder / f"gold/{test_set}.conllu").read_bytes()

    @cache  # noqa: B019
    def blind(self, test_set: str) -> bytes:
        """The file participants get: ids, forms, spaces and comments."""
        scorer = get("attachment")
        source = Source.of_bytes("gold.conllu", self.gold(test_set))
        return scorer.blind(source, parse(scorer.options, {})).single()

    @cache  # noqa: B019
    def predictions(self, test_set: str) -> dict[str, list[str]]:
        """Head and relation of each word by the name of a system."""
        path = self.folder / f"predictions/{test_set}.tsv.gz"
        rows = gzip.decompress(path.read_bytes()).decode().splitlines()
        names, *words = (row.split("\t") for row in rows)
        columns = map(list, zip(*words, strict=True))
        return dict(zip(names, columns, strict=True))


TASKS = OVER, RUNNING, COMING = (
    DemoTask("across-the-watershed"),
    DemoTask("river-parsing"),
    DemoTask("hill-letters"),
)


@dataclass(frozen=True)
class DemoSubmission:
    """A team's upload to a phase on a day before now; `test_sets` may be a part."""

    task: DemoTask
    phase: str
    team: str
    system: System
    day: int
    clock: time
    test_sets: tuple[str, ...]

    @property
    def description(self) -> str:
        return self.system.description

    @property
    def facts(self) -> dict[str, int]:
        size = SIZES.get(self.description)
        return {} if size is None else {"size": size}

    def when(self, now: datetime) -> datetime:
        return moment(now, self.day, self.clock)

    def files(self) -> dict[str, str]:
        """Predicted CoNLL-U text for each test set that was sent."""
        return {name: "".join(self._lines(name)) for name in self.test_sets}

    def _lines(self, test_set: str) -> Iterator[str]:
        words = iter(self.task.predictions(test_set)[self.system.name])
        for line in self.task.blind(test_set).decode().splitlines(keepends=True):
            if "\t" in line:
                cells = line.split("\t")
                cells[6:8] = next(words).split()
                line = "\t".join(cells)
            yield line


# Day, clock, team, system, and the test sets where not all of them were sent.
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


def submission(
    task: DemoTask, phase: str, all_sets: tuple[str, ...], line: str
) -> DemoSubmission:
    day, clock, team, system, *sets = line.split()
    parser = BASELINE if system == BASELINE.name else SYSTEMS[system]
    at = time.fromisoformat(clock)
    chosen = tuple(sets) or all_sets
    return DemoSubmission(task, phase, team, parser, int(day), at, chosen)


SUBMISSIONS = tuple(
    submission(task, phase, all_sets, line)
    for task, phase, all_sets, log in (
        (OVER, "test", ("river", "hill"), OVER_LOG),
        (RUNNING, "dev", ("dev",), DEV_LOG),
        (RUNNING, "test", ("test",), TEST_LOG),
    )
    for line in log.strip().split("\n")
)
