"""Pages of the handbook: Markdown below docs/ as HTML, in the order of its index.

docs/README.md lists the pages. Each is read once per process, with anchors, links
between pages, wide tables, and the table of settings made of deploy/env.example.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from leaderboard.sandbox.program_environment import inventory
from leaderboard.web.markdown import without_empty_headings

ROOT = Path(settings.BASE_DIR)
FRONT = ROOT / "docs" / "README.md"
EXAMPLE = ROOT / "deploy" / "env.example"
FILES = "files"
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
# Marks for programs: where a benchmark writes, why a command is not run by a test.
COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
# A box that scrolls must be reached by the keyboard, and regions have names.
WIDE_TABLE = (
    '<div class="table-region" role="region" aria-label="Table {}" tabindex="0"><table>'
)


class NotInHandbook(ValueError):
    """A page names a file that is neither a page nor one that can be shown."""


# Contents: the pages and their order.


@dataclass(frozen=True)
class HandbookPage:
    """A Markdown file, its name in the contents, and the path of its address."""

    source: Path
    title: str
    path: str


@cache
def parts() -> tuple[tuple[str, tuple[HandbookPage, ...]], ...]:
    """A title for each second-level heading, with a page for each link below it that
    leads to a Markdown file."""
    titled: list[tuple[str, list[HandbookPage]]] = []
    for before, token in pairwise(parse_page(FRONT)):
        if before.type == "heading_open" and before.tag == "h2":
            titled.append((_plain(token), []))
        elif token.type == "inline" and titled:
            titled[-1][1].extend(_linked_pages(token))
    return tuple((title, tuple(pages)) for title, pages in titled)


def pages() -> tuple[HandbookPage, ...]:
    """The front page and all the others, in reading order."""
    front = HandbookPage(FRONT, "Handbook", "")
    return (front, *(page for _title, pages in parts() for page in pages))


def _linked_pages(line: Token) -> Iterator[HandbookPage]:
    for link, name in pairwise(line.children or []):
        if link.type == "link_open" and str(link.attrs["href"]).endswith(".md"):
            source = (FRONT.parent / str(link.attrs["href"])).resolve()
            yield HandbookPage(source, name.content, _address_path(source))


def _address_path(source: Path) -> str:
    """`docs/organizers/bundle.md` is organizers/bundle, `deploy/README.md` deploy."""
    path = source.relative_to(ROOT).with_suffix("").as_posix().lower()
    return path.removeprefix("docs/").removesuffix("/readme")


# Markdown to HTML.


@dataclass(frozen=True)
class Heading:
    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class PageText:
    """A page without its frame. `title` is that of the first heading."""

    html: str
    headings: tuple[Heading, ...]

    @property
    def title(self) -> str:
        return self.headings[0].text


def parse_page(source: Path) -> list[Token]:
    """The page as tokens, with the table of settings where it has its mark."""
    text = source.read_text(encoding="utf-8")
    if SETTINGS_MARK in text:
        text = text.replace(SETTINGS_MARK, "".join(_settings_table()))
    return PARSER.parse(COMMENT.sub("", text))


def render_page(source: Path, address: Callable[[Path], str]) -> PageText:
    """A page; `address` says where a file that it names is found on the site."""
    tokens = parse_page(source)
    headings = _headings(tokens)
    openings = (token for token in tokens if token.type == "heading_open")
    for opening, heading in zip(openings, headings, strict=True):
        opening.attrSet("id", heading.anchor)
    for token in tokens:
        # The site allows no style within a page.
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "number")
        for child in token.children or []:
            _redirect(child, source.parent, address)
    html = PARSER.renderer.render(tokens, PARSER.options, {})
    begin, *tables = html.split("<table>")
    html = begin + "".join(
        WIDE_TABLE.format(number) + table for number, table in enumerate(tables, 1)
    )
    html = without_empty_headings(html.replace("</table>", "</table></div>"))
    return PageText(html.replace("<pre>", '<pre tabindex="0">'), headings)


def _plain(line: Token) -> str:
    """The words of a line without their marks."""
    return "".join(
        child.content for child in line.children or [] if child.type != "image"
    )


def _headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """All of them, each with an anchor that no other of the page has."""
    headings: list[Heading] = []
    taken: dict[str, int] = {}
    for opening, line in pairwise(tokens):
        if opening.type == "heading_open":
            slug = slugify(_plain(line))
            taken[slug] = taken.get(slug, 0) + 1
            anchor = slug if taken[slug] == 1 else f"{slug}-{taken[slug] - 1}"
            headings.append(Heading(int(opening.tag[1]), anchor, _plain(line)))
    return tuple(headings)


def _redirect(token: Token, folder: Path, address: Callable[[Path], str]) -> None:
    """A link or picture that names a file leads to where the site has it."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    if name is None:
        return
    path, mark, anchor = str(token.attrs[name]).partition("#")
    if path and "://" not in path and not path.startswith(("/", "mailto:")):
        token.attrSet(name, address((folder / path).resolve()) + mark + anchor)


# The table of settings, made of deploy/env.example, so that it cannot be behind it.

# A sentence that a reader of the file may read, and what stands for it on a site.
PACKAGES_MARK = "On a running site its packages are listed here."
SETTINGS_MARK = "<!-- settings -->\n"
SECTION = re.compile(r"# --- (.+?) -+$")
SETTING = re.compile(r"#?([A-Z][A-Z0-9_]+)=(.*)$")
# Columns of sizes, not words.
TABULAR = re.compile(r"#.*\S {3,}\S")
HEAD = "| variable | as given there | meaning |\n|---|---|---|\n"


def _settings_table() -> Iterator[str]:
    """Markdown: a heading for each section, a row for each variable.

    The comment above a variable is its meaning.
    """
    text = EXAMPLE.read_text(encoding="utf-8")
    words: list[str] = []
    for line in text[text.index("# --- ") :].splitlines():
        if section := SECTION.match(line):
            words = []
            title = section[1][0].upper() + section[1][1:]
            yield f"\n## {title}\n\n{HEAD}"
        elif setting := SETTING.match(line):
            given = f"`{setting[2]}`" if setting[2] else ""
            yield f"| `{setting[1]}` | {given} | {' '.join(words)} |\n"
            words = []
        elif line.startswith("#") and not TABULAR.match(line):
            words.append(line.removeprefix("#").strip())


# Pages and files by their addresses.


def page_text(page: HandbookPage) -> PageText:
    """A page as the site shows it. Raises NotInHandbook."""
    return _with_files(page)[0]


def page_at(path: str) -> HandbookPage | None:
    return _pages_by_path().get(path)


def page_moved_from(path: str) -> HandbookPage | None:
    """The only page with the last name of this address, which stood elsewhere once."""
    name = path.rpartition("/")[2]
    named = [page for page in pages() if name and page.path.endswith(f"/{name}")]
    return named[0] if len(named) == 1 else None


@cache
def _pages_by_path() -> Mapping[str, HandbookPage]:
    return {page.path: page for page in pages()}


@cache
def files() -> Mapping[str, Path]:
    """All files that pages name: no other name that somebody asks for reaches the
    disk."""
    named = {path for page in pages() for path in _with_files(page)[1]}
    return {_file_name(path): path for path in named}


@cache
def _with_files(page: HandbookPage) -> tuple[PageText, frozenset[Path]]:
    """The text of a page, and the files that it names beside other pages."""
    named: set[Path] = set()
    addresses = {page.source: page.path for page in pages()}

    def address(target: Path) -> str:
        if target in addresses:
            return page_address(addresses[target])
        named.add(target)
        return reverse("handbook-file", args=[_file_name(target)])

    return render_page(page.source, address), frozenset(named)


def context_of(page: HandbookPage) -> dict[str, object]:
    """The page between its neighbours, for the template."""
    order = pages()
    text, place = page_text(page), order.index(page)
    html = text.html
    if PACKAGES_MARK in html:  # they may change while the site runs
        html = html.replace(PACKAGES_MARK, escape(_packages()), 1)
    return {
        "page": page,
        "parts": parts(),
        "text": text,
        "body": mark_safe(html),
        "before": order[place - 1] if place else None,
        "after": order[place + 1] if place + 1 < len(order) else None,
    }


def _packages() -> str:
    """The packages that scoring programs may import on this site."""
    packages = inventory()
    if not packages.version:
        return "Nobody knows just now: the environment of programs does not answer."
    named = ", ".join(f"{name} {version}" for name, version in packages.listed)
    return f"On this site: Python {packages.version} with {named}."


def build(folder: Path) -> None:
    """Writes `<path>/index.html` for every page and copies the files that they name.

    For another web server: as nobody in particular reads it, in the site's language.
    """
    with translation.override(settings.LANGUAGE_CODE):
        for page in pages():
            target = folder / page.path / "index.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            context = {**context_of(page), "standing_alone": True}
            target.write_text(render_to_string("handbook/page.html", context), "utf-8")
    for name, source in files().items():
        copy = folder / FILES / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)


def _file_name(target: Path) -> str:
    if not (target.is_file() and target.is_relative_to(ROOT)):
        raise NotInHandbook(str(target))
    return target.relative_to(ROOT).as_posix()


def page_address(path: str) -> str:
    return reverse("handbook-page", args=[path]) if path else reverse("handbook")
