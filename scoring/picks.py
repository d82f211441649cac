"""Items picked out of others: at random, and the one that was probably meant."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, TypeVar

from scoring.source import Source
from scoring.spellings import meant_by

if TYPE_CHECKING:
    from scoring.options import Options

Item = TypeVar("Item")
# Of the members of a published file, and of gold with the share that is to be wrong.
Guess = Callable[[Mapping[str, bytes], "Options"], dict[str, bytes]]
Spoil = Callable[[Mapping[str, str], float, Random], dict[str, str]]


def some(items: Sequence[Item], share: float, random: Random) -> list[Item]:
    """That share of the items, one or more for a share above 0, in their order."""
    if not items or share <= 0:
        return []
    number = min(len(items), max(1, round(share * len(items))))
    return [items[i] for i in sorted(random.sample(range(len(items)), number))]


def another(words: Iterable[str], own: str, random: Random) -> str | None:
    """One of the words that is not `own`; None where there is none."""
    others = sorted({word for word in words if word != own})
    return random.choice(others) if others else None


def other_than(own: Item, known: Sequence[Item], random: Random) -> Item:
    """One of the known items, which are sorted and distinct, but not `own`."""
    place = random.randrange(len(known))
    return known[place] if known[place] != own else known[place - 1]


def each_file(spoil: Callable[[str, float, Random], str]) -> Spoil:
    """A function that spoils the texts of all files by one that spoils a text."""

    def spoil_files(
        texts: Mapping[str, str], share: float, random: Random
    ) -> dict[str, str]:
        return {name: spoil(text, share, random) for name, text in texts.items()}

    return spoil_files


def each_published_file(guess: Callable[[Source, "Options"], str]) -> Guess:
    """A function that answers all published files by one that answers a file."""

    def guess_files(files: Mapping[str, bytes], options: "Options") -> dict[str, bytes]:
        return {
            name: guess(Source.of_bytes(name, data), options).encode()
            for name, data in files.items()
        }

    return guess_files


def likely(text: str, words: Sequence[str]) -> str:
    """The word of the known ones that was probably meant; empty where none is near."""
    from difflib import get_close_matches  # Few files need it.

    if meant_word := meant_by(text[:100], words):
        return meant_word
    folded = {name.casefold(): name for name in words}
    near = get_close_matches(text[:100].casefold(), folded, 1, 0.65)
    return folded[near[0]] if near else ""
