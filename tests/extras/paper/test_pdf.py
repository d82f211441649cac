"""Figures as PDF: what the SVG shows, in a file that others read."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.extras.paper.pdf import pdf_of, rules_of, typeface
from leaderboard.submissions.models import Submission
from tests.exports.conftest import renamed, two_sent
from tests.extras.paper.test_paper import forgotten

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
HERE = "/tasks/otters/test"
# Advance widths, of 2048 units to the em, as fontTools reads them from the whole Inter.
WIDTHS = {"A": 1413, "i": 496, "0": 1292, "Ж": 1966}
ENDS = [(0, 4), (4, 0), (0, -4), (-4, 0)]
SHEET = """.picture text { fill: #102030; } .picture .mark { fill: #fff; stroke: none; }
.picture .mark.own { fill: #f00; } .picture path { fill: none; stroke: #00f; }
.picture path.pinned:not(.mark) { stroke-width: 4px; }
@media (prefers-color-scheme: dark) { .picture text { fill: #000; } }"""


def svg(inside: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="picture" width="200" '
        f'height="100"><title>One</title><style>{SHEET}</style>{inside}</svg>'
    )


def objects(pdf: bytes) -> list[bytes]:
    """The objects of a file, found where its table says that they are."""
    table = int(re.search(rb"startxref\n(\d+)", pdf)[1])  # type: ignore[index]
    lines = pdf[table:].splitlines()
    places = [int(line[:10]) for line in lines[3:] if line.endswith(b" n ")]
    for number, place in enumerate(places, 1):
        assert pdf[place:].startswith(b"%d 0 obj" % number)
    return [pdf[place:].partition(b"endobj")[0] for place in places]


def said(pdf: bytes) -> str:
    """The texts of a page, by what its font says of its glyphs."""
    *_rest, page, _font, _of, _about, _face, letters, _file = objects(pdf)
    pairs = re.findall(rb"<(\w{4})> <(\w+)>", letters)
    known = {g: bytes.fromhex(a.decode()).decode("utf-16-be") for g, a in pairs}
    lines = [re.findall(rb"....", one) for one in re.findall(rb"<(\w+)> Tj", page)]
    return "\n".join("".join(known.get(g, "") for g in line) for line in lines)


def drawn(inside: str) -> str:
    return objects(pdf_of(svg(inside)))[3].decode()


def test_shapes_have_the_colours_of_the_strongest_rule() -> None:
    told = drawn('<path class="mark own" transform="translate(3 4)" d="M0 0H5V6Z"/>')
    assert "1 0 0 rg" in told and "RG" not in told
    assert "1 0 0 1 3 4 cm" in told and "0 0 m 5 0 l 5 6 l h f" in told
    assert "0 0 1 RG 4 w" in drawn('<path class="pinned" d="M0 0L5 6"/>')
    assert not rules_of("@media print { text { fill: red } }")


def test_a_circle_goes_through_its_four_ends() -> None:
    told = drawn('<path class="mark" d="M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"/>')
    ends = re.findall(r"(-?[\d.e-]+) (-?[\d.e-]+) c ", told)
    assert [(float(x), float(y)) for x, y in ends] == ENDS


def test_letters_are_those_of_the_embedded_typeface() -> None:
    font = typeface()
    for letter, width in WIDTHS.items():
        (glyph,) = font.encoded(letter)
        assert glyph and font.width(glyph) == pytest.approx(width / 2.048, abs=0.5)
    assert font.encoded("\u4e2d") == [0]
    made = objects(pdf_of(svg('<text x="9" y="9">Пример é</text>')))
    assert b"/FontFile2 8 0 R" in made[6] and b"Length1" in made[7]
    assert said(pdf_of(svg('<text x="9" y="9">Пример é</text>'))) == "Пример é"


def test_letters_that_a_pdf_lacks_are_said_before_it_is_saved(
    sent: list[Submission], pages_made_anew: None
) -> None:
    charts, kit = f"{HERE}/charts/?chart=scores", f"{HERE}/paper-kit/README.txt"
    assert "boxes in their place" not in Client().get(charts).text
    assert "boxes in their place" not in Client().get(kit).text
    renamed(sent[0], "\u6c5f\u5357, \u041c\u0438\u0440, r\xe9el")
    forgotten()
    page, told = Client().get(charts).text, Client().get(kit).text
    for text in (page, told):
        assert "\u201c\u6c5f\u5357\u201d" in text and "boxes in their place" in text
    drawn = Client().get(f"{HERE}/chart.svg?chart=scores").text
    assert "\u6c5f\u5357" in drawn


def test_a_chart_is_saved_as_a_page_that_latex_takes(
    sent: list[Submission], tmp_path: Path
) -> None:
    page = Client().get(f"{HERE}/charts/?chart=scores").text
    assert f'href="{HERE}/chart.pdf?chart=scores"' in page
    answer = Client().get(f"{HERE}/chart.pdf?chart=scores")
    assert answer["Content-Type"] == "application/pdf"
    assert "otters-test-scores-las.pdf" in answer["Content-Disposition"]
    again = Client().get(f"{HERE}/chart.pdf?chart=scores")
    assert answer.content == again.content
    assert "LAS of each system" in said(answer.content)
    assert Client().get(f"{HERE}/chart.pdf?chart=nothing").status_code == 404
    latex = shutil.which("pdflatex")
    if latex is None:
        return
    (tmp_path / "chart.pdf").write_bytes(answer.content)
    (tmp_path / "one.tex").write_text(
        r"\documentclass{article}\usepackage{graphicx}\begin{document}"
        r"\includegraphics[width=\textwidth]{chart.pdf}\end{document}"
    )
    words = [latex, "-interaction=nonstopmode", "-halt-on-error", "one.tex"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True)
    assert b"chart.pdf" in told.stdout
