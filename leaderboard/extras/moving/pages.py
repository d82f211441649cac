"""Pages in HTML, made safe and turned into the Markdown of descriptions.

What lies too deep goes first, then what `nh3` does not let through: of the rest every
tag is known and closed, so that the turning needs neither guess nor repair.
"""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import PurePosixPath

import nh3

from leaderboard.extension.markdown import TAGS as SHOWN_TAGS
from leaderboard.extension.markdown import parser
from leaderboard.extras.moving.flat_html import flatten

TAGS = SHOWN_TAGS | {"h1", "b", "i", "div", "section"}
LOST = re.compile(r"<\s*(img|iframe|video|object|embed|svg)\b", re.I)
MARKUP = re.compile(r"<\s*/?[a-zA-Z!]")
SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
SPACES = re.compile(r"\s+")
BLANKS = re.compile(r"\n{3,}")
EMPHASIS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}
BLOCKS = {"p", "div", "section", *(f"h{level}" for level in range(1, 7))}
# Letters of a page that are read
LONGEST = 200_000
# A page's own headings stand below the one that names it.
LOWER = 2
WHOLE = ("http:", "https:", "mailto:")


@dataclass
class Turned:
    """Markdown of a page, and what it lost."""

    text: str
    lost_pictures: bool = False
    lost_links: bool = False
    cut: bool = False


def turn_page(name: str, text: str) -> Turned:
    """The Markdown of a page; one without tags, unless it is HTML, stays as it is."""
    cut, text = len(text) > LONGEST, text[:LONGEST]
    is_html = PurePosixPath(name).suffix.lower() in (".html", ".htm")
    if not is_html and not MARKUP.search(text):
        return Turned(text.strip(), cut=cut)
    html = text if is_html else parser(html=True).render(text)
    clean = nh3.clean(
        flatten(html, TAGS),
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
    writer = _Writer()
    writer.feed(clean)
    writer.close()
    whole = BLANKS.sub("\n\n", "".join(writer.pieces)).strip()
    return Turned(whole, bool(LOST.search(html)), writer.lost_links, cut)


class _Writer(HTMLParser):
    """Writes Markdown while clean HTML is read."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.lost_links = False
        self._lists: list[int | None] = []
        self._links: list[str] = []
        self._quoted = self._flushed = 0
        self._waits = self._code = False
        self._pre = False
        self._rows = 0
        self._row: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._row = []
        elif tag == "table":
            self._rows = 0
            self._block()
        elif self._row is not None:
            if tag in ("td", "th"):
                self._row.append("")
        elif tag in BLOCKS:
            self._start_block(tag)
        elif tag in ("ul", "ol", "li", "blockquote"):
            self._start_group(tag)
        elif tag == "pre":
            self._block()
            self._pre = True
            self._write("```\n")
        elif tag == "a":
            self._start_link(dict(attrs).get("href") or "")
        elif tag in ("br", "hr"):
            self._rule(tag)
        else:
            self._emphasis(tag, begins=True)

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._end_row()
        elif tag == "table":
            self._block()
        elif self._row is not None:
            return
        elif tag in BLOCKS:
            self._block()
        elif tag in ("ul", "ol", "blockquote"):
            self._end_group(tag)
        elif tag == "pre":
            self._pre = False
            self.pieces.append("\n```")
            self._block()
        elif tag == "a":
            if self._links and (target := self._links.pop()):
                self._write(f"]({target})")
        else:
            self._emphasis(tag, begins=False)

    def _emphasis(self, tag: str, begins: bool) -> None:
        if not self._pre:
            self._write(EMPHASIS.get(tag, ""))
            self._code = begins if tag == "code" else self._code

    def _rule(self, tag: str) -> None:
        if tag == "br" and self.pieces and not self._waits:
            self._write("\\\n" + "> " * self._quoted + self._indent())
        elif tag == "hr":
            self._block()
            self._write("---")
            self._block()

    def _start_group(self, tag: str) -> None:
        if tag == "li":
            self._item()
        elif tag == "blockquote":
            self._quoted += 1
            self._block()
        else:
            if not self._lists:
                self._block()
            elif self._waits:
                self._waits = False
            self._lists.append(1 if tag == "ol" else None)

    def _end_group(self, tag: str) -> None:
        if tag == "blockquote":
            self._quoted = max(0, self._quoted - 1)
        elif self._lists:
            self._lists.pop()
        if not self._lists:
            self._block()

    def handle_data(self, data: str) -> None:
        if self._row is not None:
            if self._row:
                self._row[-1] += SPECIAL.sub(r"\\\1", SPACES.sub(" ", data))
        elif self._pre:
            self._write(data.replace("```", "'''"))
        else:
            text = SPACES.sub(" ", data)
            last = self.pieces[-1][-1:] if self.pieces else ""
            if self._waits or last in ("", "\n", " "):
                text = text.lstrip(" ")
            self._write(text if self._code else SPECIAL.sub(r"\\\1", text))

    def _write(self, text: str) -> None:
        if self._row is not None:
            if self._row:
                self._row[-1] += text
        elif text:
            self._flush()
            self.pieces.append(text)

    def _indent(self) -> str:
        return "    " * len(self._lists)

    def _block(self) -> None:
        """A blank line before what is written next."""
        self._waits = bool(self.pieces)

    def _flush(self) -> None:
        """The blank line, with the marks that the next line begins with."""
        if self._waits:
            quote = "> " * self._quoted
            empty = quote.rstrip() if self._quoted == self._flushed else ""
            self.pieces.append(f"\n{empty}\n{quote}{self._indent()}")
        elif not self.pieces:
            self.pieces.append("> " * self._quoted)
        self._waits = False
        self._flushed = self._quoted

    def _start_block(self, tag: str) -> None:
        if self._lists and self.pieces[-1].endswith((". ", "- ")):
            return  # the first paragraph of an item stands behind its mark
        self._block()
        if tag[0] == "h" and tag[1:].isdigit():
            self._write("#" * min(6, int(tag[1:]) + LOWER) + " ")

    def _item(self) -> None:
        number = self._lists[-1] if self._lists else None
        depth = max(0, len(self._lists) - 1)
        mark = "- " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        start = "> " * self._quoted + "    " * depth
        # A blank line before the first item; items follow each other line by line.
        self.pieces.append(("\n\n" if self._waits else "\n") + start + mark)
        self._waits = False

    def _start_link(self, target: str) -> None:
        whole = target.lower().startswith(WHOLE) and not re.search(r"[\s()<>]", target)
        if target and not whole and not target.startswith("#"):
            self.lost_links = True
        self._links.append(target if whole else "")
        if whole:
            self._write("[")

    def _end_row(self) -> None:
        row, self._row = self._row or [], None
        if not row:
            return
        cells = [SPACES.sub(" ", cell).strip() for cell in row]
        self._flush()
        self.pieces.append("| " + " | ".join(cells) + " |\n")
        self._rows += 1
        if self._rows == 1:
            self.pieces.append("|" + " --- |" * len(cells) + "\n")
