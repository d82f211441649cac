"""Text of a source that holds one file, and pieces of it for messages."""

from unicodedata import normalize

from scoring.errors import Refused, ScoringError
from scoring.source import Source, decode

MOST_SHOWN = 60
FORMS = "They differ in Unicode normal form: copy forms as published."


def text_of(source: Source, kind: type[ScoringError]) -> str:
    """Decoded text (see `scoring.source.decode`).

    Raises `kind` when there is not one file, or it is empty or not UTF-8.
    """
    try:
        return decode(source.name, source.single())
    except Refused as refusal:
        raise kind(refusal.problems) from None


def look_alike(found: str, expected: str) -> str:
    """A hint for two different texts that print the same; empty for others.

    Of what a message shows: composing takes quadratic time on long runs of marks.
    """
    if max(len(found), len(expected)) > MOST_SHOWN:
        return ""
    return FORMS if normalize("NFC", found) == normalize("NFC", expected) else ""


def shown(text: str) -> str:
    """A piece of a file as messages print it: short, on one line, printable."""
    short = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in short)
