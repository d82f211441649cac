"""Pages of the handbook: Markdown below docs/ as HTML files, in the order of its index.

docs/README.md lists the pages. Each is built once per version, with anchors, links
between pages, wide tables, and the table of settings made of deploy/env.example.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(settings.BASE_DIR)
FRONT = ROOT / "docs" / "README.md"
EXAMPLE = ROOT / "deploy" / "env.example"
TEMPLATES = ROOT / "templates"
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


@dataclass(frozen=True)
class HandbookPart:
    title: str
    pages: tuple[HandbookPage, ...]


@cache
def parts() -> tuple[HandbookPart, ...]:
    """One part for each second-level heading, one page for each link below it that
    leads to a Markdown file."""
    titled: list[tuple[str, list[HandbookPage]]] = []
    for before, token in pairwise(parsed(FRONT)):
        if before.type == "heading_open" and before.tag == "h2":
            titled.append((_plain(token), []))
        elif token.type == "inline" and titled:
            titled[-1][1].extend(_linked_pages(token))
    return tuple(HandbookPart(title, tuple(pages)) for title, pages in titled)


def pages() -> tuple[HandbookPage, ...]:
    """The front page and all the others, in reading order."""
    front = HandbookPage(FRONT, "Handbook", "")
    return (front, *(page for part in parts() for page in part.pages))


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


def parsed(source: Path) -> list[Token]:
    """The page as tokens, with the table of settings where it has its mark."""
    text = source.read_text(encoding="utf-8")
    if SETTINGS_MARK in text:
        text = text.replace(SETTINGS_MARK, "".join(_settings_table()))
    return PARSER.parse(COMMENT.sub("", text))


def rendered(source: Path, address: Callable[[Path], str]) -> PageText:
    """A page; `address` says where a file that it names is found on the site."""
    tokens = parsed(source)
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
    html = html.replace("</table>", "</table></div>")
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


# Building.


def built() -> Path:
    """The folder of this version's pages; whichever process is asked first makes it.

    Its name is a hash of all that goes into it, so that an upgrade is a new folder and
    processes that begin together do each other no harm.
    """
    folder = Path(settings.DATA) / "handbook" / fingerprint()
    if not folder.is_dir():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder.parent))
        build(draft)
        try:
            os.rename(draft, folder)
        except OSError:  # another process was faster
            shutil.rmtree(draft)
    return folder


@cache
def fingerprint() -> str:
    sources = [EXAMPLE, *(page.source for page in pages()), *TEMPLATES.rglob("*.html")]
    sources += Path(__file__).parent.glob("*.py")
    # Addresses of style sheets change with their content.
    sources += Path(settings.STATIC_ROOT).glob("staticfiles.json")
    whole = hashlib.sha256()
    for source in sorted(sources):
        whole.update(source.read_bytes())
    return whole.hexdigest()[:16]


def build(folder: Path) -> None:
    """Writes `<path>/index.html` for every page and copies the files that they name."""
    order = pages()
    with translation.override(settings.LANGUAGE_CODE):
        for before, page, after in zip(
            (None, *order[:-1]), order, (*order[1:], None), strict=True
        ):
            _write(folder, page, {"before": before, "after": after})


def _write(folder: Path, page: HandbookPage, around: dict[str, object]) -> None:
    named: set[Path] = set()
    known = {page.source: page.path for page in pages()}

    def address(target: Path) -> str:
        if target in known:
            return page_address(known[target])
        named.add(target)
        return reverse("handbook-file", args=[_file_name(target)])

    text = rendered(page.source, address)
    context = {
        **around,
        "page": page,
        "parts": parts(),
        "text": text,
        "body": mark_safe(text.html),
    }
    target = folder / page.path / "index.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(render_to_string("handbook/page.html", context), "utf-8")
    for source in named:
        copy = folder / FILES / _file_name(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)


def _file_name(target: Path) -> str:
    if not (target.is_file() and target.is_relative_to(ROOT)):
        raise NotInHandbook(str(target))
    return target.relative_to(ROOT).as_posix()


def page_address(path: str) -> str:
    return reverse("handbook-page", args=[path]) if path else reverse("handbook")
