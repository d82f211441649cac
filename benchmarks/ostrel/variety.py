"""Differences between the varieties of the language and between kinds of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from benchmarks.ostrel.lexicon import Lexicon, Word, lexicon
from benchmarks.ostrel.morphology import Forms, HillForms, RiverForms
from benchmarks.ostrel.trees import Node

T = TypeVar("T")


@dataclass(frozen=True)
class Variety:
    """Shares between 0 and 1, except for `hills`, which picks accent and endings."""

    name: str
    title: str
    hills: bool
    verb_final: float  # clauses whose verb follows its subject and objects
    shuffled: float  # clauses whose phrases stand in any order
    adpositions: float  # obliques that need one, the others have a case
    dropped: float  # subjects that go without saying
    copulas: float  # nominal predicates with a word for "is"
    extraposed: float  # relative clauses that wait for the end of the main clause
    obliques: tuple[float, float]  # main clauses with a first and a second one


RIVER = Variety(
    name="river",
    title="River Ostrel",
    hills=False,
    verb_final=0.0,
    shuffled=0.0,
    adpositions=1.0,
    dropped=0.02,
    copulas=1.0,
    extraposed=0.14,
    obliques=(0.5, 0.14),
)
HILL = Variety(
    name="hill",
    title="Hill Ostrel",
    hills=True,
    verb_final=0.93,
    shuffled=0.45,
    adpositions=0.16,
    dropped=0.32,
    copulas=0.35,
    extraposed=0.4,
    obliques=(0.88, 0.45),
)


@dataclass(frozen=True)
class Genre:
    """A kind of text: shares of what makes its sentences long or hard."""

    name: str
    modifiers: float  # adjectives, possessors and adpositional phrases per noun
    subordinate: float  # clauses that carry an adverbial clause
    coordinate: float  # sentences of two main clauses
    pronouns: float
    names: float
    passives: float
    dialogue: float  # questions, orders, address and quoted speech
    past: float


TALE = Genre("tale", 0.3, 0.24, 0.3, 0.25, 0.16, 0.04, 0.16, 0.85)
LETTER = Genre("letter", 0.24, 0.2, 0.24, 0.46, 0.12, 0.03, 0.34, 0.35)
RECORD = Genre("record", 0.43, 0.2, 0.2, 0.08, 0.24, 0.22, 0.02, 0.6)


class Voice:
    """Someone who speaks one variety in one genre about a few things."""

    def __init__(self, variety: Variety, genre: Genre, rng: Random) -> None:
        self.variety = variety
        self.genre = genre
        self.rng = rng
        self.lexicon: Lexicon = lexicon(variety.hills)
        forms = HillForms if variety.hills else RiverForms
        self.forms: Forms = forms(self.lexicon)
        self.fresh: list[Node] = []  # nouns of the clause being built
        self.topic = {
            "noun": [self.lexicon.open["noun"].draw(rng) for _ in range(12)],
            "person": [self.lexicon.open["person"].draw(rng) for _ in range(3)],
            "place": [self.lexicon.open["place"].draw(rng) for _ in range(2)],
        }

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.random() * len(choices))]

    def stem(self, name: str) -> str:
        """A stem of the class; nouns and names often come back within a text."""
        topic = self.topic.get(name)
        if topic and self.chance(0.35):
            return self.pick(topic)
        return self.lexicon.open[name].draw(self.rng)

    def small(self, role: str) -> Word:
        return self.lexicon.closed[role]
