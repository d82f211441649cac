"""Rules of the templates, and pages that come without a request."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

from tests.loops import loop_over

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
STATIC = TEMPLATES.with_name("static")
ALL = sorted(
    path.relative_to(TEMPLATES).as_posix()
    for path in TEMPLATES.rglob("*.*")
    if path.suffix in (".html", ".jinja")
)
# What the content security policy refuses, and what would leave the site.
FORBIDDEN = re.compile(
    r"""\sstyle=|\son[a-z]+=["']|<style|<script(?![^>]*\ssrc=)|javascript:|hx-on"""
)
FOREIGN = re.compile(r"""(?:src|href|action)=["'](?:https?:)?//|url\(|@import""")


@loop_over("name", ALL)
def test_a_template_compiles_and_obeys_the_policy(name: str) -> None:
    get_template(name, using="jinja2" if name.endswith(".jinja") else "django")
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert FORBIDDEN.findall(text) == []
    assert FOREIGN.findall(text) == []


@loop_over("path", sorted(STATIC.glob("*.css")), ids=lambda p: p.name)
def test_a_style_sheet_asks_for_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    own = re.sub(r'url\("fonts/', "", text)  # the site serves it itself
    assert FOREIGN.findall(own) == []


FONTS = STATIC / "fonts"
FACE = re.compile(r'url\("fonts/([^"]+)".*?unicode-range:([^;]+);', re.DOTALL)
# Small letters of alphabets of Europe beyond a to z and those of Latin-1.
EUROPEAN = """
ąćęłńóśźż ĺľŕ čďěňřšťůž őű ășțâî ğışİ āēģīķļņū ėįųū ġħ ŵŷẁẃẅỳ đ ŋŧǥǧǩʒǯ
ĉĝĥĵŝŭ ŀ ə ḃċḋḟṁṗṡṫ ẞ ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ
"""


def letters_of(ranges: str) -> set[int]:
    found: set[int] = set()
    for one in ranges.replace("U+", "").split(","):
        low, _dash, high = one.strip().partition("-")
        found |= set(range(int(low, 16), int(high or low, 16) + 1))
    return found


def faces() -> dict[str, set[int]]:
    """The letters of each file of the typeface."""
    found = FACE.findall((STATIC / "base.css").read_text(encoding="utf-8"))
    return {name: letters_of(text) for name, text in found}


def test_letters_of_our_languages_and_of_europe_are_in_small_files() -> None:
    """Those of a page's texts, whichever language it is in, and of people's names."""
    sizes = {file.name: file.stat().st_size for file in FONTS.glob("*.woff2")}
    assert faces().keys() == sizes.keys()
    assert max(sizes.values()) <= 20_000
    latin = [size for name, size in sizes.items() if "latin" in name]
    assert sum(latin) <= 60_000
    letters = set().union(*faces().values())
    catalogues = STATIC.parent.glob("locale/*/LC_MESSAGES/*.po")
    sources = [*TEMPLATES.rglob("*.html"), *TEMPLATES.rglob("*.jinja"), *catalogues]
    told = set().union(*(set(path.read_text(encoding="utf-8")) for path in sources))
    told |= set(EUROPEAN + EUROPEAN.upper())
    assert "".join(sorted(c for c in told if c > " " and ord(c) not in letters)) == ""


@loop_over("weight", ["Regular", "SemiBold"])
def test_no_letter_is_in_two_files_of_a_weight(weight: str) -> None:
    files = [letters for name, letters in faces().items() if weight in name]
    assert len(set().union(*files)) == sum(map(len, files))


@pytest.mark.parametrize("name", ["400.html", "403_csrf.html", "500.html"])
def test_a_page_for_the_worst_needs_nothing(name: str) -> None:
    page = get_template(name).render()
    assert "<h1>" in page
    assert "To the front page" in page
