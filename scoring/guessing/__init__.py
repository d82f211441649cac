"""Trivial answers made from the published file alone: what a valid file looks like.

Nothing here is given the gold, so nothing of it can come out. A guess passes the check
of the format and is easy to beat.
"""

from collections.abc import Callable, Mapping

from scoring.formats.bundle import is_zip, members
from scoring.guessing.conllu import guessed_trees
from scoring.guessing.senses import guessed_senses
from scoring.guessing.spans import guessed_spans
from scoring.guessing.unl import guessed_unl
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source

Guesser = Callable[[Mapping[str, bytes], Scorer, Options], dict[str, bytes]]

BY_FORMAT: dict[str, Guesser] = {
    "CoNLL-U": guessed_trees,
    "SENSEVAL answers": guessed_senses,
    "UNL": guessed_unl,
    "CoNLL columns": guessed_spans,
}


class CannotGuess(ValueError):
    """Nobody has said how a file of this scorer is made out of its blind file."""


def guessed(scorer: Scorer, blind: Source, options: Options) -> Source:
    """A system's file made from the blind file; several members where that has them.

    The same blind file gives the same bytes. Raises CannotGuess for a scorer of
    unknown formats, and Refused for a blind file that is no text.
    """
    known = (BY_FORMAT[name] for name in scorer.formats if name in BY_FORMAT)
    guesser = next(known, None)
    if guesser is None:
        raise CannotGuess(scorer.name)
    found = guesser(members(blind), scorer, options)
    if len(found) == 1 and len(blind.files) == 1 and not is_zip(blind):
        (only,) = found.values()
        return Source.of_bytes(_answer_name(blind.name, scorer), only)
    return Source(blind.name, found)


def _answer_name(name: str, scorer: Scorer) -> str:
    """Trees made of raw text are no .txt any more; readers go by endings."""
    if "CoNLL-U" in scorer.formats:
        return f"{name.removesuffix('.txt').removesuffix('.conllu')}.conllu"
    return name
