"""Example submissions: guesses from the published file, gold with mistakes.

A guess is given nothing of the gold, so nothing of it can come out; it passes the check
of the format and is easy to beat. A spoiled copy keeps format and texts of the gold and
changes a share of the answers, which the seed decides.
"""

from collections.abc import Callable, Mapping
from random import Random

from scoring.examples.senses import guessed_senses, spoiled_senses
from scoring.examples.spans import guessed_spans, spoiled_spans
from scoring.examples.trees import guessed_trees, spoiled_trees
from scoring.examples.unl import guessed_unl, spoiled_unl
from scoring.formats.bundle import is_zip, members
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source, decode

Guesser = Callable[[Mapping[str, bytes], Scorer, Options], dict[str, bytes]]

GUESSERS: dict[str, Guesser] = {
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
    known = (GUESSERS[name] for name in scorer.formats if name in GUESSERS)
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


Spoiler = Callable[[Mapping[str, str], float, Random], Mapping[str, str]]

SPOILERS: dict[str, Spoiler] = {
    "CoNLL-U": spoiled_trees,
    "SENSEVAL answers": spoiled_senses,
    "UNL": spoiled_unl,
    "CoNLL columns": spoiled_spans,
}


class CannotSpoil(ValueError):
    """Nobody has said how a copy with mistakes is made in this scorer's formats."""


def spoiled(
    scorer: Scorer, gold: Source, options: Options, share: float, seed: int
) -> Source:
    """A copy of the gold in which about `share` (0 to 1) of the answers are wrong.

    At least one is for a share above 0, where there is any answer. The same seed
    gives the same bytes. Raises CannotSpoil, and Refused for a gold that is no text.
    """
    if scorer.spoil is not None:
        return scorer.spoil(gold, options, share, seed)
    known = (SPOILERS[name] for name in scorer.formats if name in SPOILERS)
    spoiler = next(known, None)
    if spoiler is None:
        raise CannotSpoil(scorer.name)
    texts = {name: decode(name, data) for name, data in _filled(gold).items()}
    found = spoiler(texts, share, Random(seed))
    files = {name: b"" for name in members(gold)}
    return Source(gold.name, {**files, **_bytes(found)})


def _filled(gold: Source) -> dict[str, bytes]:
    """Members with something in them: an empty one has no answer to spoil."""
    return {name: data for name, data in members(gold).items() if data.strip()}


def _bytes(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in texts.items()}
