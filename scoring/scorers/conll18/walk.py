"""Going through the words of both sides where their tokens differ.

This is the definition itself, word by word: words that are tokens are paired when
they cover the same characters; around a multiword token everything that it overlaps,
directly or through other multiword tokens, becomes one block.
"""

from dataclasses import dataclass, field

from scoring.formats.surface import Surface


@dataclass(frozen=True)
class WordOffsets:
    """Offsets of each word's token in the text, and whether that is multiword."""

    begins: list[int]
    ends: list[int]
    multiword: list[bool]

    @classmethod
    def of(cls, surface: Surface) -> "WordOffsets":
        token = surface.token_of
        return cls(
            surface.begins[token].tolist(),
            surface.ends[token].tolist(),
            surface.multiword[token].tolist(),
        )

    def passes(self, word: int, end: int) -> bool:
        """Whether this word lies behind a block that ends at `end`."""
        if word >= len(self.begins):
            return True
        if self.multiword[word]:
            return self.begins[word] >= end
        return self.ends[word] > end

    def stretched(self, word: int, end: int) -> int:
        """The end of a block that takes this word in."""
        return max(end, self.ends[word]) if self.multiword[word] else end


@dataclass(frozen=True, slots=True)
class WordBlock:
    """Words of both sides that are paired by their forms."""

    gold: int
    gold_end: int
    system: int
    system_end: int


@dataclass
class Walk:
    """What a walk found; `end` is the gold word it stopped at, 0 for the last."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[WordBlock] = field(default_factory=list)
    end: int = 0


def walk(gold: WordOffsets, system: WordOffsets, start: tuple[int, int]) -> Walk:
    """Go on from a word of each side until both begin at the same character again."""
    found = Walk()
    g, s = start
    while g < len(gold.begins) and s < len(system.begins):
        if (g, s) != start and gold.begins[g] == system.begins[s]:
            found.end = g
            break
        if gold.multiword[g] or system.multiword[s]:
            block = _block(gold, system, g, s)
            g, s = block.gold_end, block.system_end
            found.blocks.append(block)
        elif (gold.begins[g], gold.ends[g]) == (system.begins[s], system.ends[s]):
            found.pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.begins[g] <= system.begins[s]:
            g += 1
        else:
            s += 1
    return found


def _block(gold: WordOffsets, system: WordOffsets, g: int, s: int) -> WordBlock:
    """The words around a multiword token, at `g`, at `s` or at both."""
    if gold.multiword[g]:
        end = gold.ends[g]
        s += not system.multiword[s] and system.begins[s] < gold.begins[g]
    else:
        end = system.ends[s]
        g += gold.begins[g] < system.begins[s]
    first = g, s
    while not (gold.passes(g, end) and system.passes(s, end)):
        over = s >= len(system.begins)
        if g < len(gold.begins) and (over or gold.begins[g] <= system.begins[s]):
            end = gold.stretched(g, end)
            g += 1
        else:
            end = system.stretched(s, end)
            s += 1
    return WordBlock(first[0], g, first[1], s)
