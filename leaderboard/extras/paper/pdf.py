"""Figures as PDF, one page each: svglib reads the SVG and ReportLab writes the page.

Both are imported when they are needed: most processes of a site draw no such figure.
Why these two: docs/decisions/0027-figures-as-pdf-by-svglib.md.
"""

import re
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from django.utils.translation import gettext as _

from leaderboard.extension.sandbox import run
from scoring.sandbox.codec import Request

JOB = "figure"
FAMILY = "Inter"
TITLE = "{http://www.w3.org/2000/svg}title"
FONT = Path(__file__).parent / "fonts" / "Inter-Regular.ttf"
WEIGHTS = ("normal", "600", "650")  # that static/picture.css has; all are drawn alike
# Letters of the file; ReportLab would take megabytes of a web process to say them.
LETTERS = re.compile(
    "[\u0020-\u007e\u00a0-\u00ac\u00ae-\u0148\u014a-\u017f\u0218-\u021b\u0374-\u0376"
    "\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03d7\u03dc\u03dd\u03f0-\u03f6"
    "\u03f9\u03fa\u03fc-\u045f\u0490\u0491\u1e80-\u1e9b\u1e9d-\u1ef9\u2010-\u2026\u202f-"
    "\u203a\u20ac\u2116\u2122\u2190-\u2193\u2212\u221a\u2248\u2260\u2264\u2265]"
)
MOST_LETTERS = 12  # that a sentence names


@cache
def typeface() -> Any:
    """The embedded font."""
    from reportlab.pdfbase.ttfonts import TTFont

    return TTFont(FAMILY, str(FONT))


def letters_lacking(texts: Iterable[str]) -> str:
    """A sentence that names letters of the texts that figures as PDF cannot show; empty
    where there are none."""
    others = dict.fromkeys(LETTERS.sub("", "".join(texts)))
    lacking = list(filter(str.isprintable, others))
    if not lacking:
        return ""
    named = "".join(lacking[:MOST_LETTERS]) + "…" * (len(lacking) > MOST_LETTERS)
    return _(
        "PDF figures lack these letters and have boxes in their place: “%(letters)s”. "
        "The SVG shows them, and a browser prints it as PDF."
    ) % {"letters": named}


@cache
def register_typeface() -> None:
    """Let svglib draw every weight of the family in the embedded font."""
    from svglib.fonts import register_font

    for weight in WEIGHTS:
        register_font(FAMILY, str(FONT), weight=weight, rlgFontName=FAMILY)


def page_of(svg: str) -> bytes:
    """The page that `pdf_of` makes, by a sandbox.

    A large figure takes half a second of a processor, for which all other requests of a
    web process would wait. Raises JobFailed and QueueFull."""
    _values, (page,) = run(JOB, Request(files=[svg.encode()]))
    return page


def pdf_of(svg: str) -> bytes:
    """A page as large as the picture; of the same picture the same bytes."""
    from reportlab.graphics import renderPDF
    from reportlab.pdfgen.canvas import Canvas
    from svglib.svglib import svg2rlg

    register_typeface()
    drawing: Any = svg2rlg(BytesIO(svg.encode()))
    # Without these two ReportLab names Helvetica, which is not embedded.
    drawing.initialFontName = FAMILY
    page = BytesIO()
    canvas = Canvas(
        page,
        pagesize=(drawing.width, drawing.height),
        initialFontName=FAMILY,
        invariant=True,  # no date in the file
        pageCompression=0,  # what deflating gives depends on the machine's library
    )
    canvas.setTitle(ElementTree.fromstring(svg).findtext(TITLE, ""))
    canvas.setCreator("Plumbline")
    renderPDF.draw(drawing, canvas, 0, 0)
    canvas.save()
    return page.getvalue()
