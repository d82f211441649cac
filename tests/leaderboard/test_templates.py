"""Rules of the templates, and pages that come without a request."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

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


@pytest.mark.parametrize("name", ALL)
def test_a_template_compiles_and_obeys_the_policy(name: str) -> None:
    get_template(name, using="jinja2" if name.endswith(".jinja") else "django")
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert FORBIDDEN.findall(text) == []
    assert FOREIGN.findall(text) == []


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.css")), ids=lambda p: p.name)
def test_a_style_sheet_asks_for_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    own = text.replace('url("inter/', "")  # the typeface, which the site serves itself
    assert FOREIGN.findall(own) == []


@pytest.mark.parametrize("name", ["400.html", "403_csrf.html", "500.html"])
def test_a_page_for_the_worst_needs_nothing(name: str) -> None:
    page = get_template(name).render()
    assert "<h1>" in page
    assert "To the front page" in page
