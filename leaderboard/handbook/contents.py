"""Which pages the handbook has, in which order: what docs/README.md lists."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from markdown_it.token import Token

from leaderboard.handbook.markdown import parsed, plain

ROOT = Path(settings.BASE_DIR)
FRONT = ROOT / "docs" / "README.md"


@dataclass(frozen=True)
class Page:
    """A Markdown file, its name in the contents, and the path of its address."""

    source: Path
    title: str
    path: str


@dataclass(frozen=True)
class Part:
    title: str
    pages: tuple[Page, ...]


@cache
def parts() -> tuple[Part, ...]:
    """One part for each second-level heading, one page for each link below it that
    leads to a Markdown file."""
    found: list[tuple[str, list[Page]]] = []
    tokens = parsed(FRONT)
    for before, token in pairwise(tokens):
        if before.type == "heading_open" and before.tag == "h2":
            found.append((plain(token), []))
        elif token.type == "inline" and found:
            found[-1][1].extend(_pages(token))
    return tuple(Part(title, tuple(pages)) for title, pages in found)


def pages() -> tuple[Page, ...]:
    """The front page and all the others, in reading order."""
    return (Page(FRONT, "Handbook", ""), *(p for part in parts() for p in part.pages))


def _pages(line: Token) -> list[Page]:
    children = line.children or []
    links = pairwise(children)
    return [
        Page(source, name.content, address_path(source))
        for link, name in links
        if link.type == "link_open" and str(link.attrs["href"]).endswith(".md")
        for source in ((FRONT.parent / str(link.attrs["href"])).resolve(),)
    ]


def address_path(source: Path) -> str:
    """`docs/organizers/bundle.md` is organizers/bundle, `deploy/README.md` deploy."""
    path = source.relative_to(ROOT).with_suffix("").as_posix().lower()
    return path.removeprefix("docs/").removesuffix("/readme")
