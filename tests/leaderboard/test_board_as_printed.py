"""A board of forty documents, in some of which each system does well by itself, is
asked at all of its places: each tells the same pairs apart, document by document."""

import csv
import io
import re
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import yaml
from django.test import Client

import plumbline
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from plumbline.commands.boards import CHOICES, run_board, run_compare
from scoring.__main__ import main
from scoring.source import Source
from tests.leaderboard.small import manifest, scored
from tests.loops import loop_over

# Among three birch-1 is better than cedar-1, among five it is not.
DOCUMENTS, EACH, SEED = 40, 6, 44
LABELS = np.array(["calm", "storm"])
# Of teams, and in order of what their systems know.
SYSTEMS = {
    **{"alder-1": 0.95, "birch-1": 0.85, "alder-2": 0.75},
    **{"cedar-1": 0.7, "birch-2": 0.5},
}
BEST = ("alder-1", "birch-1", "cedar-1")
BOARD = "/tasks/weather/test/"
SENTENCE = (
    "Systems are compared document by document: units inside one document are alike."
)
Pairs = set[tuple[str, str]]
Range = tuple[int, ...]


@cache
def right() -> dict[str, np.ndarray]:
    """Which items each system has right, (documents, items)."""
    rng = np.random.default_rng(SEED)
    own = rng.normal(0, 0.15, (len(SYSTEMS), DOCUMENTS, 1))
    chances = np.clip(np.array([*SYSTEMS.values()])[:, None, None] + own, 0, 1)
    drawn = rng.random((len(SYSTEMS), DOCUMENTS, EACH)) < chances
    return dict(zip(SYSTEMS, drawn, strict=True))


def answers_of(correct: np.ndarray, head: str = "id,label") -> bytes:
    lines = [head]
    for d, s in np.ndindex(DOCUMENTS, EACH):
        label = LABELS[((d + s) % 2) ^ (not correct[d, s])]
        group = f",d{d:02}" if "document" in head else ""
        lines.append(f"d{d:02}-{s},{label}{group}")
    return ("\n".join(lines) + "\n").encode()


GOLD = answers_of(np.ones((DOCUMENTS, EACH), bool), "id,label,document")


def weather() -> Source:
    table = manifest(
        slug="weather",
        scorer={"name": "classes", "headline": "accuracy"},
        test_sets=[{"name": "sea", "title": "Sea", "gold": "sea.csv"}],
    )
    texts = {"task.yaml": yaml.safe_dump(table).encode(), "description.md": b"Sea."}
    return Source("weather", {**texts, "sea.csv": GOLD})


@dataclass(frozen=True)
class Expected:
    """By hand: signs of forty sums, and Holm's correction; `p` of each pair, better
    system first."""

    names: tuple[str, ...]
    p: dict[tuple[str, str], float]

    @classmethod
    def of(cls, names: Iterable[str]) -> "Expected":
        names = tuple(sorted(names, key=lambda name: -right()[name].sum()))
        signs = np.random.default_rng(0).choice([-1, 1], (40_000, DOCUMENTS))
        alone = {}
        for one, other in combinations(names, 2):
            d = right()[one].sum(axis=1) - right()[other].sum(axis=1)
            alone[one, other] = float((np.abs(signs @ d) >= d.sum()).mean())
        adjusted, highest = {}, 0.0
        for left, pair in enumerate(sorted(alone, key=lambda pair: alone[pair])):
            highest = max(highest, (len(alone) - left) * alone[pair])
            adjusted[pair] = highest
        # None of them hangs on the draws.
        assert all(not 0.035 < number < 0.07 for number in adjusted.values())
        return cls(names, adjusted)

    @property
    def pairs(self) -> Pairs:
        return {pair for pair, number in self.p.items() if number < 0.05}

    @property
    def ranges(self) -> dict[str, Range]:
        better = [other for _one, other in self.pairs]
        worse = [one for one, _other in self.pairs]
        size = len(self.names)
        return {n: (1 + better.count(n), size - worse.count(n)) for n in self.names}

    @property
    def lines(self) -> list[int]:
        """After how many systems a line stands."""
        return [
            top
            for top in range(1, len(self.names))
            if self.pairs.issuperset(product(self.names[:top], self.names[top:]))
        ]


@dataclass(frozen=True)
class Asked:
    """A board of every entry, or of the best of each team, and where it is asked."""

    client: Client
    every: bool
    ids: dict[str, str]
    tmp: Any
    printed: Any

    @property
    def choices(self) -> dict[str, str]:
        return {"entries": "all"} if self.every else {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(SYSTEMS) if self.every else BEST

    def page(self, path: str, **more: Any) -> str:
        answer = self.client.get(path, {**self.choices, **more})
        assert answer.status_code == 200, path
        return answer.content.decode()

    def json(self, path: str, **more: Any) -> Any:
        answer = self.client.get(f"/api/v1{path}", {**self.choices, **more})
        assert answer.status_code == 200, path
        return answer.json()

    def systems(self) -> dict[str, list[str]]:
        return {"system": [self.ids[name] for name in self.names]}

    def files(self) -> list[str]:
        for name in self.names:
            (self.tmp / name).write_bytes(answers_of(right()[name]))
        (self.tmp / "gold.csv").write_bytes(GOLD)
        return [str(self.tmp / name) for name in self.names]

    # What the client asks.
    def get(self, path: str, params: Any = ()) -> Any:
        answer = self.client.get(f"/api/v1/{path}", dict(params))
        assert answer.status_code == 200, path
        return answer.json()


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def ranges_of(rows: Iterable[Any]) -> dict[str, Range]:
    return {row["system"]: tuple(row["rank_range"]) for row in rows}


def lines_of(clusters: Iterable[Any]) -> list[int]:
    seen = list(map(str, clusters))
    return [i for i in range(1, len(seen)) if seen[i] != seen[i - 1]]


def in_order(first: str, second: str, difference: float) -> tuple[str, str]:
    """The better one first."""
    return (first, second) if difference > 0 else (second, first)


def significant(pairs: Iterable[Any], name: Callable[[str], str]) -> Pairs:
    """All have an adjusted p-value."""
    return {
        in_order(name(p["first"]), name(p["second"]), p["difference"])
        for p in pairs
        if p["adjusted"] < 0.05
    }


def api_board(asked: Asked) -> dict[str, Any]:
    found = asked.json(f"{BOARD}board/")
    rows = found["rows"]
    return {
        "ranges": ranges_of(rows),
        "lines": lines_of(row["cluster"] for row in rows),
        "by": SENTENCE in found["rule"],
    }


def json_export(asked: Asked) -> dict[str, Any]:
    found = asked.json(f"{BOARD}exports/json/")["board"]
    rows = found["rows"]
    return {
        "ranges": ranges_of(rows),
        "lines": lines_of(row["cluster"] for row in rows),
        "by": found["compared_by"] == "document",
    }


def csv_export(asked: Asked) -> dict[str, Any]:
    text = asked.page(f"/api/v1{BOARD}exports/csv/").lstrip("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    return {
        "ranges": {
            r["system"]: (int(r["rank_low"]), int(r["rank_high"])) for r in rows
        },
        "lines": lines_of(row["cluster"] for row in rows),
    }


def latex_export(asked: Asked) -> dict[str, Any]:
    text = asked.page(f"/api/v1{BOARD}exports/tex/")
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
    ranges: dict[str, Range] = {}
    lines = []
    for line in body:
        cells = [cell.strip() for cell in line.split("&")]
        if len(cells) > 2:
            low, _dash, high = re.sub(
                r"^\d+‡?(?: {\\scriptsize ([\d-]+)})?$", r"\1", cells[0]
            ).partition("--")
            place = int(low or len(ranges) + 1)
            ranges[cells[2]] = (place, int(high or place))
        elif r"\midrule" in line:
            lines.append(len(ranges))
    return {"ranges": ranges, "lines": lines, "by": SENTENCE in text}


def markdown_export(asked: Asked) -> dict[str, Any]:
    text = asked.page(f"/api/v1{BOARD}exports/md/")
    ranges: dict[str, Range] = {}
    for line in re.findall(r"^\| \d.*$", text, re.MULTILINE):
        first, _team, system = [cell.strip() for cell in line.split("|")[1:4]]
        numbers = [int(n) for n in re.findall(r"\d+", first)]
        ranges[system] = tuple(numbers[1:]) if len(numbers) > 1 else (numbers[0],) * 2
    return {"ranges": ranges, "by": SENTENCE in text}


def board_page(asked: Asked) -> dict[str, Any]:
    """The sentence above, and what stands beside each row."""
    page = asked.page(f"{BOARD}board/")
    lead = plain(page[: page.index('id="how-to-read"')])
    expected = Expected.of(asked.names)
    if not asked.every:
        first, *others = expected.names
        level = [n for n in others if (first, n) not in expected.pairs]
        assert not level
        assert "Alder leads" in lead and "better than every other system" in lead
    return {"by": SENTENCE in lead}


def compare_api(asked: Asked) -> dict[str, Any]:
    found = asked.json(f"{BOARD}compare/", **asked.systems())
    names = {key: name for name, key in asked.ids.items()}
    return {
        "pairs": significant(found, names.__getitem__),
        "by": {pair["compared_by"] for pair in found} == {"document"},
        "p": [p["adjusted"] for p in found],
    }


def compare_page(asked: Asked) -> dict[str, Any]:
    page = asked.page(f"{BOARD}compare/", **asked.systems())
    rows = re.findall(r"<tr>(.*?)</tr>", page[page.index("Second</th>") :], re.DOTALL)
    pairs = set()
    for row in map(plain, rows):
        both = re.findall(r"(?:alder|birch|cedar)-\d", row)
        if better := re.search(r"(\S+) is better", row):
            (worse,) = {*both[:2]} - {better.group(1)}
            pairs.add((better.group(1), worse))
    return {"pairs": pairs, "by": SENTENCE in page.partition('class="folded"')[0]}


def all_pairs_api(asked: Asked) -> dict[str, Any]:
    found = asked.json(f"{BOARD}pairs/")["pairs"]
    return {
        "pairs": {
            (p["first_system"], p["second_system"]) for p in found if p["significant"]
        },
        "by": {pair["compared_by"] for pair in found} == {"document"},
        "p": [p["adjusted"] for p in found],
    }


def paper_kit(asked: Asked) -> dict[str, Any]:
    """The table of p-values: significant ones in bold, columns by numbers of lines."""
    text = asked.page(f"{BOARD}paper-kit/tables/significance.tex")
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    lines = [line.split("&") for line in body.splitlines() if "&" in line]
    names = [
        re.findall(r"\S+-(?:\\-)?\d", line[1].replace("{}", ""))[0] for line in lines
    ]
    bold = {
        (names[i], names[j])
        for i, line in enumerate(lines)
        for j, cell in enumerate(line[2:])
        if r"\textbf" in cell and i < j
    }
    return {"pairs": bold, "by": SENTENCE in text}


def client_board(asked: Asked) -> dict[str, Any]:
    run_board(arguments(asked), asked)  # type: ignore[arg-type]
    text = asked.printed.readouterr().out
    ranges: dict[str, Range] = {}
    lines = []
    for row in text.splitlines()[1:]:
        if match := re.match(r"(\d+) +(\d+)(?:–(\d+))? +\w+ +(\S+)", row):
            low, high = int(match[2]), int(match[3] or match[2])
            ranges[match[4]] = low, high
        elif row.startswith("---"):
            lines.append(len(ranges))
    return {"ranges": ranges, "lines": lines, "by": SENTENCE in text}


def client_compare(asked: Asked) -> dict[str, Any]:
    run_compare(arguments(asked, submissions=asked.names), asked)  # type: ignore[arg-type]
    head, *rows, last = asked.printed.readouterr().out.splitlines()
    assert head.split()[-2:] == ["adjusted", "p"]
    cells = [row.split() for row in rows]
    return {
        "pairs": {
            in_order(c[0], c[1], float(c[2]))
            for c in cells
            if float(c[-1].lstrip("<")) < 0.05
        },
        "by": last.startswith("compared document by document"),
    }


def arguments(asked: Asked, **more: Any) -> Namespace:
    """The arguments of a command of the client."""
    choices = dict.fromkeys(CHOICES)
    place = Namespace(path="tasks/weather/test")
    return Namespace(**choices, place=place, json=False, all=asked.every, **more)


def library(asked: Asked) -> dict[str, Any]:
    files = asked.files()
    compared = plumbline.compare(
        *("classes", str(asked.tmp / "gold.csv"), *files),
        names=list(asked.names),
        measures="accuracy",
        resamples=0,
    )
    return {
        "pairs": significant((p.as_dict() for p in compared), str),
        "by": {pair.compared_by for pair in compared} == {"document"},
        "p": [pair.adjusted for pair in compared],
    }


def command_line(asked: Asked) -> dict[str, Any]:
    files = asked.files()
    where = ["--gold", str(asked.tmp / "gold.csv"), "--measure", "accuracy"]
    line = ["compare", "classes", *where, "--resamples", "0", "--system", *files]
    assert main(line) == 0
    *rows, last = asked.printed.readouterr().out.splitlines()
    head = rows[0].split()
    cells = [row.split() for row in rows[1:]]
    of = {word: head.index(word) for word in ("difference", "adjusted")}
    ends = [c[:2] for c in cells]
    names = [[path.rpartition("/")[2] for path in both] for both in ends]
    pairs = {
        in_order(one, other, float(c[of["difference"]]))
        for (one, other), c in zip(names, cells, strict=True)
        if float(c[of["adjusted"]].lstrip("<")) < 0.05
    }
    return {"pairs": pairs, "by": "compared document by document" in last}


def planning(asked: Asked) -> dict[str, Any]:
    page = plain(asked.page(f"{BOARD}separation/"))
    files = asked.files()
    plan = plumbline.power(
        *("classes", str(asked.tmp / "gold.csv"), *files), measure="accuracy"
    )
    assert (plan.compared_by, plan.units) == ("document", DOCUMENTS)
    board = plain(asked.page(f"{BOARD}board/"))
    (there,) = re.findall(r"difference of ([\d.]+) points would be found", board)
    here = re.search(r" Accuracy ([\d.]+) \[", page)
    # Of a typical pair both; which one that is may differ.
    assert here and float(here[1]) == pytest.approx(float(there), rel=0.05)
    return {"by": SENTENCE in page and f" {DOCUMENTS} " in page}


SURFACES = (
    *(board_page, api_board, json_export, csv_export, latex_export, markdown_export),
    *(compare_page, compare_api, all_pairs_api, paper_kit, client_board),
    *(client_compare, library, command_line, planning),
)


@pytest.mark.django_db
@loop_over("every", [False, True], ["best", "every entry"])
@loop_over("surface", SURFACES)
def test_all_that_shows_a_board_tells_the_same_pairs_apart(
    weather_board: Asked, surface: Callable[[Asked], dict[str, Any]], every: bool
) -> None:
    asked = Asked(**{**vars(weather_board), "every": every})
    expected = Expected.of(asked.names)
    few, many = (Expected.of(names).pairs for names in (BEST, SYSTEMS))
    assert ("birch-1", "cedar-1") in few - many
    found = surface(asked)
    known = {
        "pairs": expected.pairs,
        "ranges": expected.ranges,
        "lines": expected.lines,
    }
    assert {name: found[name] for name in known if name in found} == {
        name: value for name, value in known.items() if name in found
    }
    assert found.get("by", True), "not said to be compared document by document"
    if "p" in found:
        own = np.sort([*expected.p.values()])
        assert np.sort(np.array(found["p"], float)) == pytest.approx(
            np.minimum(own, 1), rel=0.15, abs=0.005
        )


@pytest.fixture
def weather_board(ada: User, as_user: Any, tmp_path: Any, capsys: Any) -> Asked:
    phase = create_task(weather(), ada).phases.get()
    ids = {}
    for name in SYSTEMS:
        team = name.partition("-")[0]
        user, new = User.objects.get_or_create(email=f"{team}@example.org")
        if new:
            join(phase.task, Team.found(team.title(), user))
        entry = phase.task.participations.get(team__name=team.title())
        file = {"sea": answers_of(right()[name])}
        ids[name] = str(scored(phase, entry, file, system=name).pk)
    return Asked(as_user(ada), False, ids, tmp_path, capsys)
