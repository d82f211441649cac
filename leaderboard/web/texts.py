"""Texts in one line, and about how wide they are in pictures, by the letters of the
site's typeface."""

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

# Widths of letters in their own size, as Inter has them; of all others that of `USUAL`.
SLIM = dict.fromkeys(" !\"'()*,-./:;I[\\]^_`fijlrt{|}·", 0.4)
BROAD = dict.fromkeys("&+<=>ABCDGHKNOQRSTUVXY~ÄÖÜБВИЙКЛНОПСТХЦЧЭЬЯыфм", 0.76)
BROADEST = dict.fromkeys("%@MWmw—…ДЖМФШЩЪЫЮжшщю", 0.95)
WIDTHS = SLIM | BROAD | BROADEST
USUAL, FULL = 0.62, 1.05
BREAKS = re.compile(r"(?<=[\s/_-])")


def width_of(text: str, size: float) -> float:
    """About how wide a text is, in pixels; rather too much than too little."""
    return size * sum(
        FULL if unicodedata.east_asian_width(char) in "WF" else WIDTHS.get(char, USUAL)
        for char in text
    )


def fitting(text: str, size: float, width: float) -> str:
    """The text, cut where it is wider than that."""
    plain = one_line(text)
    # By the letter, not by what is left: a long text would take the square of its time.
    ends = list(accumulate(width_of(char, 1) for char in plain))
    if not ends or size * ends[-1] <= width:
        return plain
    dots = width_of("…", 1)
    fits = bisect_right(ends, width, key=lambda end: size * (end + dots))
    return f"{plain[:fits].rstrip()}…"


def in_lines(text: str, size: float, width: float) -> list[str]:
    """The text in lines no wider than that, broken where words or their parts end."""
    lines = [""]
    for piece in BREAKS.split(one_line(text)):
        rest = piece
        if lines[-1] and width_of(lines[-1] + rest.rstrip(), size) > width:
            lines.append("")
        while not lines[-1] and width_of(rest.rstrip(), size) > width:
            ends = accumulate(width_of(char, size) for char in rest)
            fits = max(1, bisect_right(list(ends), width))
            lines[-1:] = [rest[:fits], ""]
            rest = rest[fits:]
        lines[-1] += rest
    return [line.rstrip() for line in lines if line.strip()]


def with_dashes(ranks: str) -> str:
    """Ranges of ranks as people read them, "2–4, 6"; the engine writes "2-4, 6"."""
    return ranks.replace("-", "–")


def wide_range(rank: int | None, low: int | None, high: int | None) -> str:
    """The range that stands beside a rank; empty where it is the rank itself."""
    has_range = rank is not None and None not in (low, high)
    return f"{low}–{high}" if has_range and low != high else ""


def one_line(text: object) -> str:
    """A text without line ends and other control characters, which no format
    survives."""
    plain = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char
        for char in str(text)
    )
    return " ".join(plain.split())
