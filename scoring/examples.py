"""Example submissions: guesses from the published file, gold with mistakes.

A guess is given nothing of the gold, so nothing of it can come out; it passes the check
of the format and is easy to beat. A spoiled copy keeps format and texts of the gold and
changes a share of the answers, which the seed decides.
"""

from random import Random

from scoring.formats.bundle import is_zip, members
from scoring.formats.chosen_columns import spoiled_texts
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source, decode


class CannotGuess(ValueError):
    """The scorer does not say how a file is made out of its blind file."""


class CannotSpoil(ValueError):
    """The scorer does not say how a copy with mistakes is made."""


def make_guess(scorer: Scorer, blind: Source, options: Options) -> Source:
    """A system's file made from the blind file; several members where that has them.

    The same blind file gives the same bytes. Raises CannotGuess for a scorer that has
    no guesses, and Refused for a blind file that is no text.
    """
    if scorer.guess is None:
        raise CannotGuess(scorer.name)
    if len(blind.files) > 1 or is_zip(blind):
        return Source(blind.name, scorer.guess(members(blind), options))
    files = scorer.guess({blind.name: blind.single()}, options)
    (name,) = files if len(files) == 1 else (blind.name,)
    return Source(name, files)


def spoil_some(
    scorer: Scorer, gold: Source, options: Options, share: float, seed: int
) -> Source:
    """A perfect system's file in which about `share` (0 to 1) of the answers are wrong.

    At least one is for a share above 0, where there is any answer. The same seed
    gives the same bytes. Raises CannotSpoil, and Refused for a gold that is no text.
    """
    if scorer.spoil is None:
        raise CannotSpoil(scorer.name)
    files = members(scorer.perfect(gold, options))
    # An empty member has no answer to spoil.
    texts = {name: decode(name, data) for name, data in files.items() if data.strip()}
    copies = spoiled_texts(scorer, texts, options, share, Random(seed))
    empty = dict.fromkeys(files, b"")
    return Source(
        gold.name, empty | {name: text.encode() for name, text in copies.items()}
    )
