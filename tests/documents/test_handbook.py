"""The handbook as it is served: whole, linked, still, and found by its words."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.handbook import pages as handbook
from leaderboard.handbook.pages import EXAMPLE, HandbookPage, pages, parts
from leaderboard.handbook.views import search, sections
from leaderboard.teams.models import User
from tests.loops import loop_over

ROOT = Path(__file__).resolve().parents[2]
# Written for the root of a repository, not for the site.
ELSEWHERE = {
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    *ROOT.glob("docs/examples/*/*.md"),
}
COPY = re.compile(r"^COPY (.+) \S+$", re.MULTILINE)


class Read(HTMLParser):
    """Anchors of a page, and where its links lead."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        if found.get("id"):
            self.anchors.add(str(found["id"]))
        if tag in ("a", "img") and (target := found.get("href") or found.get("src")):
            self.links.append(target)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("handbook")
    handbook.build(made)
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> dict[str, Read]:
    """Every page by its address."""
    return {
        handbook.page_address(page.path): Read(_html(folder, page)) for page in pages()
    }


def _html(folder: Path, page: HandbookPage) -> str:
    return (folder / page.path / "index.html").read_text("utf-8")


def links(site: dict[str, Read]) -> Iterator[tuple[str, str, str]]:
    for page, read in site.items():
        for link in read.links:
            path, _mark, anchor = link.partition("#")
            if path.startswith("/docs/") or not path:
                yield page, path or page, anchor


def test_every_document_is_a_page_of_the_handbook() -> None:
    documents = {
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("deploy/*.md"),
    }
    assert documents - {page.source for page in pages()} == ELSEWHERE


def test_the_parts_are_those_whom_it_is_for() -> None:
    titles = [title for title, _pages in parts()]
    assert titles[:4] == ["Participants", "Organizers", "Operators", "Developers"]


def test_links_between_pages_lead_to_pages_and_headings(
    site: dict[str, Read], folder: Path
) -> None:
    wrong = []
    for page, path, anchor in links(site):
        file = folder / path.removeprefix("/docs/")
        found = path in site or ("/files/" in path and file.is_file())
        if not found or (anchor and anchor not in site[path].anchors):
            wrong.append(f"{page}: {path}#{anchor}")
    assert wrong == []


def test_pages_bring_no_script_and_no_style_of_their_own(
    folder: Path, site: dict[str, Read]
) -> None:
    for page in pages():
        html = _html(folder, page)
        assert re.findall(r"<script(?![^>]*\bsrc=\"/static/)", html) == []
        assert re.findall(r"\s(?:style|on\w+)=\"", html) == []
    assert all("style" not in read.tags for read in site.values())


def test_no_heading_of_a_table_is_empty(folder: Path) -> None:
    tables = [html for page in pages() if "<th" in (html := _html(folder, page))]
    assert len(tables) > 10
    assert not [html for html in tables if re.search(r"<th[^>]*></th>", html)]


def test_no_page_asks_another_host_for_anything(folder: Path) -> None:
    for page in pages():
        asked = re.findall(
            r"<(?:script|link|img)[^>]+https?://[^>]*>", _html(folder, page)
        )
        assert asked == [], page.path


def test_every_variable_of_the_example_stands_among_the_settings(folder: Path) -> None:
    (page,) = (one for one in pages() if one.path == "operators/settings")
    html = _html(folder, page)
    names = re.findall(
        r"^#?([A-Z][A-Z0-9_]+)=", EXAMPLE.read_text("utf-8"), re.MULTILINE
    )
    assert len(names) > 20
    assert [name for name in names if f"<td><code>{name}</code></td>" not in html] == []


def test_the_image_holds_all_that_pages_are_built_of(folder: Path) -> None:
    """Else the site in containers had no handbook."""
    said = (ROOT / "deploy" / "Containerfile").read_text("utf-8")
    copied = {ROOT / one for words in COPY.findall(said) for one in words.split()}
    named = [path for path in (folder / "files").rglob("*") if path.is_file()]
    used = {page.source for page in pages()}
    used |= {ROOT / path.relative_to(folder / "files") for path in named}
    missing = [p for p in used if not any(p.is_relative_to(one) for one in copied)]
    assert missing == []


def test_a_page_is_served_under_the_policy_of_the_site() -> None:
    answer = Client().get("/docs/organizers/bundle/")
    assert answer.status_code == 200
    assert "The task bundle" in answer.content.decode()
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_a_page_names_who_is_signed_in_and_offers_other_languages(ben: User) -> None:
    client = Client()
    client.force_login(ben)
    html = client.get("/docs/organizers/bundle/").content.decode()
    assert re.search(rf'href="/accounts/"[^>]*>{ben}</a>', html)
    assert 'name="language" value="ru"' in " ".join(html.split())
    assert "Sign in" in Client().get("/docs/").content.decode()


def test_readers_of_another_language_are_told_that_the_text_is_english() -> None:
    told = '<p class="notice">'
    page = Client().get("/docs/", headers={"Accept-Language": "ru"})
    assert page.headers["Content-Language"] == "ru"
    html = page.content.decode()
    assert told in html and '<article class="prose" lang="en">' in html
    assert told not in Client().get("/docs/").content.decode()


def test_only_the_part_that_is_read_is_unfolded() -> None:
    html = Client().get("/docs/operators/settings/").content.decode()
    folds = re.findall(r"<details( open)?>\s*<summary[^>]*>([\w ]+?) <", html)
    assert [title for is_open, title in folds if is_open] == ["Operators"]
    assert [title for _open, title in folds] == [title for title, _pages in parts()]


def test_the_search_finds_sections_by_all_their_words() -> None:
    html = Client().get("/docs/search/?q=SANDBOX+Landlock").content.decode()
    assert 'href="/docs/decisions/0009-sandbox-with-landlock-and-seccomp/#' in html
    assert "<mark>Landlock</mark>" in html
    # A word of a title stands before one of a text.
    ((section, _excerpt), *_) = search("receipts")
    assert section.page.path == "participants/receipts"


def test_every_hit_leads_to_a_heading_of_its_page(site: dict[str, Read]) -> None:
    for section in sections():
        path, _mark, anchor = section.address.partition("#")
        assert anchor in site[path].anchors


@loop_over("asked", ["", "   ", "\0", "qqqzzz", "<b>qqz</b>", "a" * 500])
def test_a_search_without_a_hit_says_so(asked: str) -> None:
    answer = Client().get("/docs/search/", {"q": asked})
    assert answer.status_code == 200
    html = answer.content.decode()
    assert "handbook-hit" not in html and "<b>q" not in html


@loop_over(
    "path",
    [
        "none/",
        "files/manage.py",
        "files/../../../plumbline.sqlite3",
        "files//etc/passwd",
        "%00/",
        "files/%00",
        f"{'a' * 400}/",
        f"files/{'a' * 400}",
    ],
)
def test_what_no_page_names_is_not_there(path: str) -> None:
    assert Client().get(f"/docs/{path}").status_code == 404


def test_the_address_of_a_page_before_it_moved_leads_to_it() -> None:
    answer = Client().get("/docs/reading-boards/")
    assert answer.status_code == 301
    assert answer["Location"] == "/docs/participants/reading-boards/"
    assert Client().get("/docs/decisions/errors/").status_code == 301


def test_a_source_file_is_text_and_never_a_page() -> None:
    answer = Client().get("/docs/files/docs/examples/first-submission.sh")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_page_that_names_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "broken.md"
    broken = tmp_path / "broken.md"
    broken.write_text("# Broken\n\n[gone](gone.txt)\n")
    broken_page = HandbookPage(broken, "Broken", "broken")
    monkeypatch.setattr(handbook, "pages", lambda: (broken_page,))
    handbook.files.cache_clear()
    assert not page.exists()
    with pytest.raises(CommandError, match=r"gone\.txt"):
        call_command("build_docs", str(tmp_path / "out"))
