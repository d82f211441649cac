"""Foreign HTML with nothing nested deeply, written anew in one pass over its text.

What repairs and cleans HTML takes time by the square of how deep it is nested, which a
page of a few kilobytes can use up a minute with. So tags that nobody keeps go first,
and those that are kept come out balanced, at most so many within each other. The time
grows with the length alone: nothing is looked for twice. What comes out is still to be
cleaned.
"""

import re
from collections.abc import Collection, Iterator
from string import ascii_uppercase

DEEPEST = 100
# A tag ends at the first ">", also within quotes, where "&gt;" should stand.
TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>|<!--|<[!?/]")
HREF = re.compile(r"\shref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.I)
# Their content is no text.
DROPPED = {"script", "style"}
SMALL = {ord(letter): letter.lower() for letter in ascii_uppercase}
EMPTY = {"br", "hr"}
# What ends where the next one of these begins, unless one of BOXES is in between
SIBLINGS = {
    **{name: {name} for name in ("p", "li", "tr", "a")},
    **{name: {"td", "th"} for name in ("td", "th")},
}
BOXES = {"ul", "ol", "table", "blockquote", "div", "section"}


def flatten(html: str, tags: Collection[str], deepest: int = DEEPEST) -> str:
    """The same with these tags alone, balanced, of which no more lie in each other."""
    return "".join(_Writer(tags, deepest).pieces(html))


class _Writer:
    def __init__(self, tags: Collection[str], deepest: int) -> None:
        self.tags, self.deepest = tags, deepest
        self.open: list[str] = []
        self.left_out = 0  # opened within the deepest

    def pieces(self, html: str) -> Iterator[str]:
        small = html.translate(SMALL)  # of the same length
        place, end = 0, html.rfind(">") + 1  # no tag ends behind it
        while place < end and (tag := TAG.search(html, place, end)):
            yield _text(html[place : tag.start()])
            name = (tag[2] or "").lower()
            place = tag.end()
            if tag[0] == "<!--":
                place = _end_of("-->", small, place)
            elif not name:
                place = _end_of(">", small, place)
            elif name in DROPPED and not tag[1]:
                place = _end_of(f"</{name}", small, place)
                place = _end_of(">", small, place)
            elif name in self.tags:
                yield from self._end(name) if tag[1] else self._start(name, tag[3])
        yield _text(html[place:])
        yield from self._close_to(0)

    def _start(self, name: str, attributes: str) -> Iterator[str]:
        if name in EMPTY:
            yield f"<{name}>"
            return
        if (place := self._sibling(name)) is not None:
            yield from self._close_to(place)
            self.left_out = 0
        if len(self.open) >= self.deepest:
            self.left_out += 1
            return
        self.open.append(name)
        match = HREF.search(attributes) if name == "a" else None
        href = next(filter(None, match.groups()), "") if match else ""
        quoted = href.replace("<", "%3C").replace('"', "%22")
        yield f'<{name} href="{quoted}">' if quoted else f"<{name}>"

    def _sibling(self, name: str) -> int | None:
        """The place of what ends where `name` begins."""
        for place in reversed(range(len(self.open))):
            if self.open[place] in SIBLINGS.get(name, ()):
                return place
            if self.open[place] in BOXES:
                break
        return None

    def _end(self, name: str) -> Iterator[str]:
        if self.left_out:
            self.left_out -= 1
        elif name in self.open:
            last = len(self.open) - 1 - self.open[::-1].index(name)
            yield from self._close_to(last)

    def _close_to(self, place: int) -> Iterator[str]:
        while len(self.open) > place:
            yield f"</{self.open.pop()}>"


def _text(text: str) -> str:
    return text.replace("<", "&lt;")


def _end_of(sign: str, html: str, place: int) -> int:
    """The place behind the next sign; the end of the text where there is none."""
    end = html.find(sign, place)
    return end + len(sign) if end >= 0 else len(html)
