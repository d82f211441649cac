"""What papers and other pages show of a board says what the rows say, and no more."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from markdown_it import MarkdownIt

from leaderboard.boards import snapshots
from leaderboard.boards.board import Board
from leaderboard.boards.exports.table import ExportTable
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.publishing.formats.latex import write
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from tests.exports.conftest import NASTY, renamed, sent, two_sent
from tests.exports.test_formats import QUERIES, get
from tests.extras.publishing.reading import bibtex, check_groups, latex, said

__all__ = ["sent"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Sent = list[Submission]
SVG = "{http://www.w3.org/2000/svg}"


def printed(shown: Board) -> list[list[str]]:
    """Values and intervals of each row, the measure that ranks first."""
    order = sorted(shown.measures, key=lambda measure: measure != shown.measure)
    places = [shown.measures.index(measure) for measure in order]
    return [
        [
            part
            for place in places
            for part in (row.scores[place].printed, row.scores[place].interval)
        ]
        for row in shown.rows
    ]


def test_every_number_is_that_of_the_rows(phase: Phase, sent: Sent) -> None:
    for query in QUERIES:
        every_number_is_that_of_the_rows(query, phase)


def every_number_is_that_of_the_rows(query: str, phase: Phase) -> None:
    shown = board(BoardQuery(phase, **QUERIES[query]))
    assert shown.rows
    assert "Fewer than 10 units bear on this score" in get("md", query)
    assert numbers_of(latex(get("tex", query)).rows[1:]) == printed(shown)
    assert numbers_of(markdown_rows(get("md", query))) == printed(shown)
    first = [row[:2] for row in printed(shown)]
    assert numbers_of(latex(get("column.tex", query)).rows[1:]) == first
    wide = latex(get("page.tex", query))
    assert numbers_of(wide.rows[1:]) == first
    assert [row[4:] for row in wide.rows[1:]] == [r[2::2] for r in printed(shown)]
    models = yaml.safe_load_all(get("eval-results.yaml", query))
    for model, row in zip(models, shown.rows, strict=True):
        values = {one["dataset"]["task_id"]: one["value"] for one in model}
        expected = {f"test_{score.measure.name}": score.value for score in row.scores}
        assert values == pytest.approx(expected)
    (table,) = json.loads(get("evaluation-table.json", query))
    sota = table["datasets"][0]["sota"]
    assert set(sota["metrics"]) == {measure.title for measure in shown.measures}
    assert [list(row["metrics"].values()) for row in sota["rows"]] == [
        row[::2] for row in printed(shown)
    ]
    texts = svg_texts(get("svg", query))
    for row in printed(shown):
        assert row[0] in texts and row[1] in texts


def numbers_of(rows: list[list[str]]) -> list[list[str]]:
    """Values and intervals of cells that hold both."""
    found = []
    for row in rows:
        cells = [
            re.fullmatch(r"([\d.]+) (?:\{\\scriptsize )?(\[[^]]*\]†?)\}?", one)
            for one in row
        ]
        found.append([part for one in cells if one for part in one.groups()])
    return found


def markdown_rows(text: str) -> list[list[str]]:
    """Texts of the cells as a reader of Markdown sees them."""
    html = MarkdownIt("commonmark").enable("table").render(text)
    root = ElementTree.fromstring(f"<x>{html}</x>")
    assert {one.tag for one in root.iter()} <= {
        "x",
        "p",
        "strong",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
    }
    assert len(root.findall(".//a")) == 1  # its own address
    body = root.findall(".//tbody/tr")
    return [["".join(cell.itertext()) for cell in row] for row in body]


def svg_texts(text: str) -> list[str]:
    root = ElementTree.fromstring(text)
    allowed = {"svg", "title", "text", "tspan", "rect", "path"}
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= allowed
    assert not any(name.startswith("on") for one in root.iter() for name in one.attrib)
    return [one.text or "" for one in root.iter()]


def test_no_name_is_more_than_a_name(sent: Sent) -> None:
    for name in NASTY:
        renamed(sent[0], name)
        no_text_takes_it_for_more(name)
        no_page_takes_it_for_more(name)


def no_text_takes_it_for_more(name: str) -> None:
    (_head, first, _second) = latex(get("tex")).rows
    assert (said(first[1]), said(first[2])) == (f"T{name}", name)
    (_head, first, _second) = latex(get("page.tex")).rows
    cells = [said(cell.replace(r"\allowbreak{}", "")) for cell in first]
    assert cells[1:3] == [f"T{name}", name]
    (_head, first, _second) = latex(get("column.tex")).rows
    assert said(first[1].replace(r"\allowbreak{}", "")).startswith(name)
    models = list(yaml.safe_load_all(get("eval-results.yaml")))
    assert [len(model) for model in models] == [2, 2]
    assert f"# {name} (T{name}): save as" in get("eval-results.yaml")
    assert markdown_rows(get("md"))[0][1:3] == [f"T{name}", name]


def no_page_takes_it_for_more(name: str) -> None:
    for cache in caches.all():
        cache.clear()  # no version counts the names that are changed here
    for form in ("svg", "dark.svg"):
        assert any(name[:12] in text for text in svg_texts(get(form)))
    badge = Client().get("/tasks/otters/test/badge.svg").content.decode()
    assert any(name[:12] in text for text in svg_texts(badge))
    page = Client().get("/tasks/otters/test/embed/").content.decode()
    assert "<script" not in page and "</title>" not in page.partition("</title>")[2]


def test_bibtex_counts_braces_wherever_they_stand(phase: Phase, sent: Sent) -> None:
    phase.task.title = "An {odd \\title} 100% # & }{"
    phase.task.summary = "}"
    phase.task.save()
    key, fields = bibtex(get("bib"))
    assert said(fields["title"]) == "{An {odd \\title} 100% # & }{: Test}"
    for name in ("title", "note"):
        check_groups(fields[name])
    digest = json.loads(get("json"))["sha256"]
    assert key == f"otters-test-{digest[:8]}"
    assert digest[:16] in fields["note"]
    assert fields["url"].endswith("/tasks/otters/test/board/")
    key, fields = bibtex(Client().get("/tasks/otters/task.bib").content.decode())
    assert (key, said(fields["note"])) == ("otters", "}")


def test_a_line_of_clusters_is_a_rule_in_latex(phase: Phase, sent: Sent) -> None:
    table = ExportTable.of_board(board(BoardQuery(phase)), timezone.now())
    assert latex(write(table)).rules == [
        ("toprule", 0),
        ("midrule", 1),
        ("bottomrule", 3),
    ]
    parted = [table.lines[0], replace(table.lines[1], line_above=True)]
    again = replace(table, lines=parted)
    assert ("midrule", 2) in latex(write(again)).rules


def test_a_badge_has_the_interval_of_its_score(phase: Phase, sent: Sent) -> None:
    leader = board(BoardQuery(phase)).rows[0].scores[0]
    badge = Client().get("/tasks/otters/test/badge.svg").content.decode()
    score = f"{leader.measure.title} {leader.printed} {leader.interval}"
    assert any(score in text for text in svg_texts(badge))


def test_a_snapshot_is_cited_with_its_hash(phase: Phase, sent: Sent, ada: Any) -> None:
    now = timezone.now() - timedelta(hours=1)
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    taken = snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now, title="x"))
    start = f"/tasks/otters/test/snapshots/{taken.sha256[:16]}/board"
    tex = latex(Client().get(f"{start}.tex").content.decode())
    assert numbers_of(tex.rows[1:]) == printed(board(BoardQuery(phase)))
    assert taken.sha256[:16] in tex.caption
    _key, fields = bibtex(Client().get(f"{start}.bib").content.decode())
    assert fields["url"].endswith(f"/snapshots/{taken.sha256[:16]}/")
