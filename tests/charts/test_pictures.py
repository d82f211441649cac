"""Pictures of charts that the site draws: places, names, words, files."""

import re
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client

from leaderboard.boards.charts import figures
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import User
from leaderboard.web.charts.labels import Box, free_places
from leaderboard.web.charts.picture import (
    NARROW,
    WIDE,
    Words,
    as_file,
    draw_picture,
    in_page,
)
from leaderboard.web.texts import width_of

FILE = "/tasks/otters/test/chart.svg"
HOSTILE = "</svg><script>hit()</script>&lt;&amp;\x00\ufffe"
SVG = "{http://www.w3.org/2000/svg}"


def plane(xs: Any, ys: Any, names: list[str], **axes: Any) -> figures.Figure:
    count = len(names)
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "text": [figures.label(name) for name in names],
        "customdata": [figures.label(name) for name in names],
        "x": list(xs),
        "y": list(ys),
        "error_x": {"array": [0.5] * count, "arrayminus": [0.5] * count},
        "meta": {"part": "points", "own": [False] * count, "hollow": [False] * count},
    }
    return figures.figure([trace], 480, figures.axis("A"), figures.axis("B"), **axes)


def box_of(words: Words, size: float = 11) -> Box:
    width = width_of(words.text, size)
    return Box(words.x, words.y - 10, words.x + width, words.y + 3)


def overlap(one: Box, other: Box) -> bool:
    return not (
        one.left >= other.right
        or one.right <= other.left
        or one.top >= other.bottom
        or one.bottom <= other.top
    )


@pytest.mark.parametrize("seed", range(8))
def test_thirty_names_lie_on_no_other_name_and_on_no_mark(seed: int) -> None:
    """Scores crowd as those of real systems do: most near the best, some far below."""
    draw = np.random.default_rng(seed)
    xs = 90 - draw.exponential(3, 30)
    ys = xs + draw.normal(0, 0.3, 30)
    names = [f"llm-{n}b few-shot pro" for n in range(30)]
    picture = draw_picture(plane(xs, ys, names))
    named = [words for words in picture.words if words.css == "name"]
    assert len(named) == 30
    boxes = [box_of(words) for words in named]
    assert not any(overlap(*two) for two in combinations(boxes, 2))
    marks = [Box(m.x - 4, m.y - 4, m.x + 4, m.y + 4) for m in picture.marks]
    assert not any(overlap(box, mark) for box in boxes for mark in marks)
    assert all(box.left >= 0 and box.right <= WIDE + 1 for box in boxes)


def test_a_name_goes_beside_its_point_and_leaves_lines_free() -> None:
    room = Box(0, 0, 200, 100)
    (free,) = free_places([(50, 50)], [(40, 12)], [], [], room)
    assert free == Box(57, 44, 97, 56)
    line = Box(30, 49, 90, 51)
    (beside,) = free_places([(50, 50)], [(40, 12)], [], [line], room)
    assert beside is not None and not overlap(beside, line)
    (none,) = free_places([(50, 50)], [(400, 12)], [], [], room)
    assert none is None


def test_marks_stand_where_their_numbers_are() -> None:
    """On straight scales: distances of marks are in proportion to those of numbers."""
    xs, ys = [10.0, 20.0, 40.0], [1.0, 3.0, 2.0]
    first, second, third = draw_picture(plane(xs, ys, ["a", "b", "c"])).marks
    assert (third.x - second.x) == pytest.approx(2 * (second.x - first.x), abs=0.3)
    assert (first.y - second.y) == pytest.approx(2 * (third.y - second.y), abs=0.3)
    assert second.y < third.y < first.y


@pytest.mark.parametrize("beyond", [-40.0, 300.0])
def test_a_line_of_the_best_never_leaves_the_scale(beyond: float) -> None:
    steps = {"type": "scatter", "mode": "lines", "line": {"shape": "hv"}}
    steps |= {"x": [1, 2, 3, 4], "y": [80.0, beyond, 85.0, 90.0], "name": "best"}
    steps |= {"hoverinfo": "skip", "meta": {"part": "line"}}
    across, up = figures.axis("A"), figures.axis("B", range=[75.0, 95.0])
    picture = draw_picture(figures.figure([steps], 480, across, up))
    (line,) = (line.path for line in picture.lines if line.css.startswith("line"))
    grid = [line.path for line in picture.lines if line.css == "grid"]
    (top, bottom), *_ = (
        map(float, re.findall(r" ([\d.]+)V([\d.]+)$", path)[0])
        for path in grid
        if "V" in path
    )
    assert all(top <= float(y) <= bottom for y in re.findall(r"V(-?[\d.]+)", line))


def test_round_numbers_stand_at_an_axis_in_order() -> None:
    picture = draw_picture(plane([81.2, 93.7], [0.011, 0.052], ["a", "b"]))
    ticks = [words for words in picture.words if words.css == "tick"]
    across = [words for words in ticks if words.anchor == "middle"]
    assert [words.text for words in across] == [
        "82",
        "84",
        "86",
        "88",
        "90",
        "92",
        "94",
    ]
    assert all(one.x < other.x for one, other in pairwise(across))
    assert "0.02" in [words.text for words in ticks if words.anchor == "end"]


LONG = "Forschungsgruppe Sprachtechnologie · otter-7b-instruct-retrieval-ensemble-v2"


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_names_of_rows_stand_in_lines_and_are_never_cut(width: int) -> None:
    drawn = figures.figure(
        [figures.points([], [], x=[], y=[])],
        figures.height_of(2),
        figures.axis("LAS", range=[0, 1]),
        figures.names_axis([LONG, "Otters · a"]),
    )
    picture = draw_picture(drawn, width)
    names = [words for words in picture.words if not words.css]
    text = "".join(words.text.replace(" ", "") for words in names)
    whole = f"{LONG}Otters · a".replace(" ", "")
    assert text == whole.replace("·", "", 1)  # team and system, each in their lines
    assert all(width_of(words.text, 12) <= words.x for words in names)
    assert all(below.y - above.y >= 13 for above, below in pairwise(names))
    assert max(words.y for words in names) < picture.height


def test_names_of_teams_at_the_end_of_their_lines_are_apart() -> None:
    days = ["2026-01-01", "2026-01-02"]
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers+text",
            "x": days,
            "y": [1, 1],
            "text": ["", f"team {place}"],
            "meta": {"part": "team", "place": place, "own": [False]},
        }
        for place in range(12)
    ]
    axes = figures.axis(type="date"), figures.axis("Rank", range=[1.5, 0.5], dtick=1)
    picture = draw_picture(figures.figure(traces, 300, *axes))
    ends = [words for words in picture.words if words.text.startswith("team")]
    places = sorted(words.y for words in ends)
    assert len(ends) == 12 and places[-1] <= 300
    assert all(below - above >= 12 for above, below in pairwise(places))


def test_hostile_names_are_only_text() -> None:
    drawn = plane([1.0, 2.0], [1.0, 2.0], [HOSTILE, "b"])
    text = as_file(drawn, [HOSTILE, HOSTILE], HOSTILE)
    root = ElementTree.fromstring(text)
    assert not list(root.iter(f"{SVG}script"))
    assert "hit()" in "".join(root.itertext())
    page = in_page(drawn, HOSTILE, HOSTILE, "chart-1")
    assert "<script" not in page
    for one in page.split("</svg>")[:-1]:
        ElementTree.fromstring(f"{one}</svg>")


def test_a_page_has_a_picture_for_wide_and_for_narrow_screens() -> None:
    page = in_page(plane([1.0, 2.0], [1.0, 2.0], ["a", "b"]), "Of a", "Note", "chart-1")
    assert re.findall(r'viewBox="0 0 (\d+) 480"', page) == [str(WIDE), str(NARROW)]
    named = re.findall(r'<title id="([^"]+)">Of a</title>', page)
    assert len(set(named)) == 2
    assert all(f'aria-labelledby="{name}"' in page for name in named)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["scores", "measures", "pairs", "slices", "slice-intervals", "time"]
)
def test_a_file_has_plain_colours_and_says_what_it_is(
    name: str, sent: list[Submission]
) -> None:
    """No variable, which not every program knows; the numbers of the dark page, too."""
    answer = Client().get(FILE, {"chart": name, "level": "99"})
    assert answer["Content-Type"] == "image/svg+xml"
    stem = f"otters-test-{name}-las-99.svg"
    assert answer["Content-Disposition"] == f'attachment; filename="{stem}"'
    text = answer.content.decode()
    root = ElementTree.fromstring(text)
    assert "var(" not in text and "prefers-color-scheme: dark" in text
    words = "".join(root.itertext())
    assert "Intervals: 99%" in words
    assert f"/tasks/otters/test/charts/?chart={name}&level=99" in words


@pytest.mark.django_db
def test_a_file_does_not_say_what_is_the_readers_own(sent: list[Submission]) -> None:
    client = Client()
    client.force_login(User.objects.get(memberships__team__name="Bens"))
    assert (
        'class="mark points own"'
        in client.get(FILE.replace("chart.svg", "charts/")).text
    )
    for one in (client, Client()):
        assert 'own"' not in one.get(FILE).content.decode()
    assert client.get(FILE).content == Client().get(FILE).content


@pytest.mark.django_db
def test_unknown_charts_have_no_file(sent: list[Submission]) -> None:
    for choices in ({"chart": "pie"}, {"chart": "parts"}, {"measure": "bleu"}):
        assert Client().get(FILE, choices).status_code == 404
    Submission.objects.all().delete()
    assert Client().get(FILE).status_code == 404


def test_numbers_far_apart_stand_at_powers_of_ten() -> None:
    """7 M, 70 M and 7,000 M are one and two decades apart."""
    drawn = plane([7e6, 70e6, 7e9], [1.0, 2.0, 3.0], ["a", "b", "c"])
    del drawn["data"][0]["error_x"]
    drawn["layout"]["xaxis"]["type"] = "log"
    picture = draw_picture(drawn)
    first, second, third = (mark.x for mark in picture.marks)
    assert second - first == pytest.approx((third - first) / 3, abs=0.2)
    ticks = {words.text: words.x for words in picture.words if words.css == "tick"}
    assert {"10 M", "100 M", "1 G"} <= ticks.keys()
    assert ticks["100 M"] - ticks["10 M"] == pytest.approx(second - first, abs=0.2)


def test_squares_of_a_map_say_their_numbers() -> None:
    """Twenty-four columns beside names leave a square 27 pixels: "88.3" has 25."""
    texts = [[f"{80 + i / 10:.1f}" for i in range(24)] for _row in range(3)]
    numbers = [[float(text) for text in line] for line in texts]
    names = ["a", "b", "c"], [f"label {i}" for i in range(24)]
    squares = figures.heat(numbers, texts, names, ("{text}", texts), "sequential")
    drawn = figures.figure(
        [squares],
        300,
        figures.columns_axis([f"label {i}" for i in range(24)]),
        figures.names_axis(["Northgate · gate-3-large-ensemble"] * 3),
    )
    cells = [words.text for words in draw_picture(drawn).words if words.css == "cell"]
    assert cells == [text for line in texts for text in line]
