"""The fast pairing and counting against the definition, said word by word."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers.conll18 import SCORER
from scoring.scorers.conll18.alignment import align, cut
from scoring.scorers.conll18.counts import CONTENT, FUNCTION, universal
from scoring.scorers.treebanks.relations import coarse
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.retokenised import pair

OPTIONS = parse(SCORER.options, {"roots": ["any"]})


@dataclass(eq=False)
class Word:
    begin: int
    end: int
    many: bool
    fields: list[str]
    parent: Any = None
    below: list[Any] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, ...]:
        return (coarse(self.fields[7]), self.fields[3], universal(self.fields[5]))


def words_of(text: str) -> list[Word]:
    found: list[Word] = []
    place = 0
    for block in text.strip("\n").split("\n\n"):
        sentence: list[Word] = []
        span, left = (0, 0), 0
        for line in block.split("\n"):
            fields = line.split("\t")
            first, _, last = fields[0].partition("-")
            if "." in first:
                continue
            if last:
                span, left = (place, place + len(fields[1])), int(last) - int(first) + 1
                place = span[1]
            elif left:
                sentence.append(Word(*span, True, fields))
                left -= 1
            else:
                sentence.append(Word(place, place + len(fields[1]), False, fields))
                place += len(fields[1])
        for word in sentence:
            head = int(word.fields[6])
            word.parent = sentence[head - 1] if head else None
            if head and coarse(word.fields[7]) in FUNCTION:
                word.parent.below.append(word)
        found += sentence
    return found


def paired(gold: list[Word], system: list[Word]) -> Iterator[tuple[int, int]]:
    """One step after the other through both lists."""
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].many or system[s].many:
            end = gold[g].end if gold[g].many else system[s].end
            first = start_of(gold, system, g, s)
            g, s = last_of(gold, system, first, end)
            yield from longest(gold, system, (first[0], g), (first[1], s))
        elif (gold[g].begin, gold[g].end) == (system[s].begin, system[s].end):
            yield g, s
            g, s = g + 1, s + 1
        elif gold[g].begin <= system[s].begin:
            g += 1
        else:
            s += 1


def start_of(gold: list[Word], system: list[Word], g: int, s: int) -> tuple[int, int]:
    if gold[g].many:
        behind = not system[s].many and system[s].begin < gold[g].begin
        return g, s + behind
    return g + (gold[g].begin < system[s].begin), s


def last_of(
    gold: list[Word], system: list[Word], start: tuple[int, int], end: int
) -> tuple[int, int]:
    g, s = start

    def over(words: list[Word], i: int) -> bool:
        if i >= len(words):
            return True
        word = words[i]
        return word.begin >= end if word.many else word.end > end

    while not (over(gold, g) and over(system, s)):
        ours = g < len(gold) and (s >= len(system) or gold[g].begin <= system[s].begin)
        taken = gold[g] if ours else system[s]
        if taken.many:
            end = max(end, taken.end)
        g, s = g + ours, s + (not ours)
    return g, s


def longest(
    gold: list[Word], system: list[Word], ours: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    (g, g_end), (s, s_end) = ours, theirs
    forms = [[w.fields[1].lower() for w in side] for side in (gold, system)]
    sizes: dict[tuple[int, int], int] = {}
    for i in reversed(range(g, g_end)):
        for j in reversed(range(s, s_end)):
            same = forms[0][i] == forms[1][j]
            sizes[i, j] = max(
                same + sizes.get((i + 1, j + 1), 0) if same else 0,
                sizes.get((i + 1, j), 0),
                sizes.get((i, j + 1), 0),
            )
    while g < g_end and s < s_end:
        if forms[0][g] == forms[1][s]:
            yield g, s
            g, s = g + 1, s + 1
        elif sizes[g, s] == sizes.get((g + 1, s), 0):
            g += 1
        else:
            s += 1


def naive(gold: list[Word], system: list[Word]) -> dict[str, int]:
    pairs = [(gold[g], system[s]) for g, s in paired(gold, system)]
    partner: dict[Any, Any] = {id(s): g for g, s in pairs} | {id(None): None}

    def las(g: Word, s: Word) -> bool:
        same = partner.get(id(s.parent), "none") is g.parent
        return same and coarse(g.fields[7]) == coarse(s.fields[7])

    def mlas(g: Word, s: Word) -> bool:
        below = [(partner.get(id(c)), c.key) for c in s.below]
        return las(g, s) and g.key == s.key and below == [(c, c.key) for c in g.below]

    content = [(g, s) for g, s in pairs if coarse(g.fields[7]) in CONTENT]
    return {
        "words": len(pairs),
        "upos": sum(g.fields[3] == s.fields[3] for g, s in pairs),
        "uas": sum(partner.get(id(s.parent), "none") is g.parent for g, s in pairs),
        "las": sum(las(g, s) for g, s in pairs),
        "clas": sum(las(g, s) for g, s in content),
        "mlas": sum(mlas(g, s) for g, s in content),
    }


@loop_over("first", range(0, 600, 100))
def test_the_definition_gets_the_same_pairs_and_counts(first: int) -> None:
    for seed in range(first, first + 100):
        texts = pair(seed)
        sides = (Source.of_bytes("x", text.encode()) for text in texts)
        surfaces = read_pair(SCORER, *sides, OPTIONS)
        gold, system = map(words_of, texts)
        rows = (row.tolist() for row in align(*surfaces, cut(*surfaces)))
        assert list(zip(*rows, strict=True)) == list(paired(gold, system))
        counts = count(SCORER, surfaces, OPTIONS)
        for name, value in naive(gold, system).items():
            assert counts.total(name) == value, (seed, name)
