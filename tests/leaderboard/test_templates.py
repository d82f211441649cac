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
    own = re.sub(r'url\("(?:fonts|inter)/', "", text)  # the site serves it itself
    assert FOREIGN.findall(own) == []


FACE = re.compile(r'url\("(fonts|inter)/([^"]+)".*?unicode-range:([^;]+);', re.DOTALL)


def letters_of(ranges: str) -> set[int]:
    found: set[int] = set()
    for one in ranges.replace("U+", "").split(","):
        low, _dash, high = one.strip().partition("-")
        found |= set(range(int(low, 16), int(high or low, 16) + 1))
    return found


def test_all_letters_of_our_languages_are_in_sixty_kilobytes_of_font() -> None:
    """Those of a page's texts, whichever language it is in; others are asked for from
    the whole typeface, never twice."""
    faces = FACE.findall((STATIC / "base.css").read_text(encoding="utf-8"))
    small = {name: letters_of(text) for at, name, text in faces if at == "fonts"}
    whole = [letters_of(text) for at, _name, text in faces if at == "inter"]
    files = list((STATIC / "fonts").glob("*.woff2"))
    assert small.keys() == {file.name for file in files}
    assert sum(file.stat().st_size for file in files) <= 60_000
    letters = set().union(*small.values())
    assert not any(letters & rest for rest in whole)
    catalogues = STATIC.parent.glob("locale/*/LC_MESSAGES/*.po")
    sources = [*TEMPLATES.rglob("*.html"), *TEMPLATES.rglob("*.jinja"), *catalogues]
    told = set().union(*(set(path.read_text(encoding="utf-8")) for path in sources))
    assert "".join(sorted(c for c in told if c > " " and ord(c) not in letters)) == ""


@pytest.mark.parametrize("name", ["400.html", "403_csrf.html", "500.html"])
def test_a_page_for_the_worst_needs_nothing(name: str) -> None:
    page = get_template(name).render()
    assert "<h1>" in page
    assert "To the front page" in page
