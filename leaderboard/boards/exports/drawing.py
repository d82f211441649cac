"""SVG by hand: colours, texts that fit, and elements with nothing unescaped."""

import unicodedata
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from leaderboard.boards.exports.words import one_line

FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', Arial,"
    " sans-serif"
)
# Width of a letter in its own size; real ones are a little narrower.
NARROW, WIDE = 0.56, 1.05
NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF), " ")


@dataclass(frozen=True)
class Colours:
    """Those of the site's style sheet: a picture knows no variables."""

    page: str
    text: str
    muted: str
    line: str
    strong: str
    accent: str


LIGHT = Colours("#ffffff", "#17212a", "#54616d", "#dbe1e5", "#7d8a95", "#0b5f6b")
DARK = Colours("#10161b", "#e6ebef", "#a0adb8", "#2b353e", "#75828e", "#6cc7d2")


def width_of(text: str, size: float) -> float:
    """About how wide a text is, in pixels; rather too much than too little."""
    wide = sum(unicodedata.east_asian_width(one) in "WF" for one in text)
    return size * (wide * WIDE + (len(text) - wide) * NARROW)


def fitting(text: str, size: float, width: float) -> str:
    """The text, cut where it is wider than that."""
    plain = one_line(text)
    if width_of(plain, size) <= width:
        return plain
    while plain and width_of(plain + "…", size) > width:
        plain = plain[:-1]
    return f"{plain.rstrip()}…"


def element(name: str, content: str = "", **attributes: object) -> str:
    """One element; underscores in names of attributes are hyphens."""
    found = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(str(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{found}>{content}</{name}>" if content else f"<{name}{found}/>"


def escaped(text: str) -> str:
    """A text as the content of an element."""
    return escape(one_line(text.translate(NOT_XML)))


def said(text: str, x: float, y: float, **attributes: object) -> str:
    return element("text", escaped(text) or " ", x=number(x), y=number(y), **attributes)


def number(value: float) -> str:
    """Whole pixels: a place in a picture must not read like a score."""
    return str(round(value))


def picture(size: tuple[float, float], title: str, parts: list[str]) -> str:
    """The whole file; `title` is what somebody hears who does not see it."""
    width, height = (number(one) for one in size)
    return (
        element(
            "svg",
            element("title", escaped(title)) + "\n" + "\n".join(parts) + "\n",
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=height,
            viewBox=f"0 0 {width} {height}",
            role="img",
            font_family=FONT,
        )
        + "\n"
    )
