"""Texts in one line, and about how wide they are in pictures, which know no font."""

import unicodedata

# Width of a letter in its own size; real ones are a little narrower.
NARROW, WIDE = 0.56, 1.05


def width_of(text: str, size: float) -> float:
    """About how wide a text is, in pixels; rather too much than too little."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return size * (wide * WIDE + (len(text) - wide) * NARROW)


def fitting(text: str, size: float, width: float) -> str:
    """The text, cut where it is wider than that."""
    plain = one_line(text)
    if width_of(plain, size) <= width:
        return plain
    while plain and width_of(plain + "…", size) > width:
        plain = plain[:-1]
    return f"{plain.rstrip()}…"


def one_line(text: object) -> str:
    """Without line ends and other control characters, which no format survives."""
    plain = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char
        for char in str(text)
    )
    return " ".join(plain.split())
