"""Figures as PDF: what the SVG shows, in a file that others read."""

import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pypdf import PdfReader

from leaderboard.extras.paper.pdf import LETTERS, WEIGHTS, pdf_of, typeface
from leaderboard.submissions.models import Submission
from leaderboard.web.charts.picture import as_file
from tests.exports.conftest import renamed, two_sent
from tests.extras.paper.test_paper import forgotten

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
HERE = "/tasks/otters/test"
ROOT = Path(__file__).parents[3]
TEXTS = ("Пример é", "Łódź, Žižkův", "πλειοψηφία")


def read(pdf: bytes) -> Any:
    """The only page of a file."""
    (page,) = PdfReader(io.BytesIO(pdf), strict=True).pages
    return page


def said(pdf: bytes) -> str:
    """The texts of a page, as a reader's search has them."""
    return str(read(pdf).extract_text())


def fonts(pdf: bytes) -> list[Any]:
    found = read(pdf)["/Resources"]["/Font"].values()
    return [font.get_object() for font in found]


def svg(*lines: str) -> str:
    """A picture of its own with those lines above it, as pages save it."""
    axis = {"range": [0, 1]}
    layout = {"height": 100, "showlegend": False, "xaxis": axis, "yaxis": axis}
    return as_file({"data": [], "layout": layout}, lines, "")


def test_letters_of_three_scripts_can_be_searched_and_are_embedded() -> None:
    made = pdf_of(svg("One", *TEXTS))
    for text in TEXTS:
        assert text in said(made)
    assert fonts(made)
    for font in fonts(made):
        assert "Inter" in font["/BaseFont"]
        assert font["/FontDescriptor"]["/FontFile2"].get_data()


def test_the_letters_that_figures_show_are_those_of_the_font() -> None:
    shown = {code for code in range(0xFFFF) if LETTERS.fullmatch(chr(code))}
    assert shown == set(typeface().face.charToGlyph) - {0xFFFF}  # which ends its table


def test_every_weight_of_the_style_sheet_has_the_embedded_font() -> None:
    sheet = (ROOT / "static" / "picture.css").read_text()
    assert set(re.findall(r"font-weight: (\w+)", sheet)) <= set(WEIGHTS)


def test_a_page_is_as_large_as_the_picture_and_light() -> None:
    page = read(pdf_of(svg("One")))
    assert float(page.mediabox.width) == 720  # points, which are 960 pixels
    drawn = page.get_contents().get_data().decode()
    assert re.search(r"^1 1 1 rg", drawn, re.MULTILINE)  # the ground; dark rules follow


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
    assert "LAS of each system" in PdfReader(io.BytesIO(answer.content)).metadata.title
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
