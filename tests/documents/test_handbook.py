"""The handbook as it is served: whole, linked, still, and the same to everybody."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.handbook import pages as handbook
from leaderboard.handbook.pages import EXAMPLE, HandbookPage, pages, parts

ROOT = Path(__file__).resolve().parents[2]
# Written for the root of a repository, not for the site.
ELSEWHERE = {ROOT / "README.md", *ROOT.glob("docs/examples/*/*.md")}
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
    titles = [part.title for part in parts()]
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


def test_a_page_is_served_as_a_file_under_the_policy_of_the_site() -> None:
    answer = Client().get("/docs/organizers/bundle/")
    assert answer.status_code == 200
    assert "The task bundle" in answer.content.decode()
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    again = Client().get(
        "/docs/organizers/bundle/",
        headers={"If-None-Match": answer.headers["ETag"]},
    )
    assert again.status_code == 304


def test_the_handbook_reads_the_same_in_every_language() -> None:
    answer = Client().get("/docs/", headers={"Accept-Language": "ru"})
    assert answer.headers["Content-Language"] == "en-gb"


@pytest.mark.parametrize(
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


def test_a_source_file_is_text_and_never_a_page() -> None:
    answer = Client().get("/docs/files/docs/examples/first-submission.sh")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_changed_page_is_built_into_another_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = handbook.built()
    handbook.fingerprint.cache_clear()
    monkeypatch.setattr(handbook, "TEMPLATES", ROOT / "templates" / "handbook")
    after = handbook.built()
    handbook.fingerprint.cache_clear()
    assert before != after and (after / "index.html").exists()
    call_command("build_docs", verbosity=0)
    monkeypatch.undo()


def test_a_page_that_names_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "broken.md"
    broken = tmp_path / "broken.md"
    broken.write_text("# Broken\n\n[gone](gone.txt)\n")
    broken_page = HandbookPage(broken, "Broken", "broken")
    monkeypatch.setattr(handbook, "pages", lambda: (broken_page,))
    assert not page.exists()
    with pytest.raises(CommandError, match=r"gone\.txt"):
        call_command("build_docs", str(tmp_path / "out"))
