"""Text of a source that holds one file, and pieces of it for messages."""

from scoring.errors import Refused, ScoringError
from scoring.source import Source, decode

MOST_SHOWN = 60


def text_of(source: Source, kind: type[ScoringError]) -> str:
    """Decoded text (see `scoring.source.decode`).

    Raises `kind` when there is not one file, or it is empty or not UTF-8.
    """
    try:
        return decode(source.name, source.single())
    except Refused as refusal:
        raise kind(refusal.problems) from None


def shown(text: str) -> str:
    """A piece of a file as messages print it: short, on one line, printable."""
    short = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in short)
