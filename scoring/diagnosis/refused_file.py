"""One refused file beside the blind file: which units of both are one.

Units are paired by what they hold, then sentences that differ by their names or places.
"""

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import Problem
from scoring.options import Options
from scoring.outlines import Outline
from scoring.scorer import Scorer
from scoring.source import brief

PREFIX = "diagnosis_"
MOST_WORDS = 60  # between the first and the last that differ in a sentence
NOWHERE = -1
Change = tuple[str, Sequence[str], Sequence[str], int]


@dataclass(frozen=True)
class RefusedFile:
    """A file to be diagnosed: its outline and that of the blind file."""

    scorer: Scorer
    options: Options
    blind: Outline
    system: Outline
    file: str
    problems: Sequence[Problem]
    head: str
    several: bool = False  # files
    published: str = ""  # text of the blind file

    @property
    def same_kind(self) -> bool:
        """Whether units of both files can be compared."""
        kinds = {self.blind.kind, self.system.kind}
        return len(kinds) == 1 or kinds == {"item", "line"}

    def says(self, name: str, hint: str = "", /, **values: object) -> Problem:
        """The diagnosis of that name, with a way to mend it. Sentences may name how
        many units the blind file has, what they are, the first, and its columns."""
        about = {"all": len(self.blind), "units": self.units}
        about["expected"] = brief(next(iter(self.blind.names), ""), 40)
        about |= {"header": ",".join(self.blind.columns), "id": "id"}
        return says(self.file, name, hint, **{**about, **values})

    def unit(self, name: str) -> str:
        return MESSAGES(f"one_{self.blind.kind}", name=brief(name, 40))

    @property
    def units(self) -> str:
        return MESSAGES(f"{self.blind.kind}s")

    def column_name(self, column: str) -> str:
        """The task's name of a column, as lines have it that are no header."""
        return self.scorer.column_name(column, self.options)

    @property
    def codes(self) -> set[str]:
        return {problem.code for problem in self.problems}

    @cached_property
    def places(self) -> list[int]:
        """The unit of the blind file for each of the system's, -1 for none."""
        return match_units(self.blind, self.system)

    @cached_property
    def missing(self) -> list[int]:
        matches = set(self.places)
        return [i for i in range(len(self.blind)) if i not in matches]

    @cached_property
    def extra(self) -> list[int]:
        return [i for i, place in enumerate(self.places) if place < 0]

    @property
    def moved(self) -> bool:
        """Whether units are in another order, where the order counts."""
        in_order = [place for place in self.places if place >= 0]
        return self.blind.ordered and in_order != sorted(in_order)

    @property
    def disagrees(self) -> bool:
        """Whether the units are others, or in another order."""
        return self.moved or bool(self.missing or self.extra)

    @cached_property
    def broken(self) -> set[int]:
        """Lines whose fields are not separated as they must be; they have no words."""
        wrong = (problem for problem in self.problems if problem.code == "columns")
        return {
            line for problem in wrong for line in (problem.line, *problem.also) if line
        }

    @cached_property
    def readable_pairs(self) -> list[tuple[int, int]]:
        """Pairs whose words differ in lines that are in order."""
        if not self.broken:
            return self.pairs
        return [pair for pair in self.pairs if any(self.changes(*pair))]

    def changes(self, i: int, j: int) -> Iterator[tuple[Change, int]]:
        """The changes of a pair of sentences, with their lines that are in order."""
        rows = self.system.rows[j]
        for change in changes_between(self.blind.words[i], self.system.words[j]):
            line = rows[min(change[-1], len(rows) - 1)]
            lost = change[0] == "delete"  # may stand in a line before this one
            if line not in self.broken and not (lost and line - 1 in self.broken):
                yield change, line

    @cached_property
    def borders(self) -> bool:
        """Whether sentences that differ have the same words in a row."""
        if not self.blind.words or not (self.missing and self.extra):
            return False
        both = (self.blind, self.missing), (self.system, self.extra)
        one, other = (
            [w for row in rows for w in side.words[row]] for side, rows in both
        )
        return one == other

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Sentences of the blind file and the system's that are one, with other
        words."""
        return _pairs(self)


def says(file: str, name: str, hint: str = "", /, **values: object) -> Problem:
    """The diagnosis of that name, with the line that it names and a way to mend it."""
    line = values.get("line")
    place = line if isinstance(line, int) else None
    text, help = (_sentence(own, values) if own else "" for own in (name, hint))
    return Problem(PREFIX + name, text, file, place, hint=help)


def _sentence(name: str, values: Mapping[str, object]) -> str:
    """The sentence of that name with those of the values that it has places for."""
    own = {
        key: value for key, value in values.items() if f"%({key})s" in MESSAGES[name]
    }
    return MESSAGES(name, **own)


def match_units(first: Outline, second: Outline) -> list[int]:
    """Equal units paired: from both ends, of one name where they have any, and then
    each with the next that is free."""
    blind, system = first.keys, second.keys
    if first.form and len(first) == len(second) == 1:
        return [0]  # one document may have any name
    if first.named and second.named:
        blind = [f"{name} {key}" for name, key in zip(first.names, blind, strict=True)]
        system = [
            f"{name} {key}" for name, key in zip(second.names, system, strict=True)
        ]
    size = min(len(blind), len(system))
    head = next((i for i in range(size) if blind[i] != system[i]), size)
    left = size - head
    tail = next((i for i in range(left) if blind[-1 - i] != system[-1 - i]), left)
    middle, rows = range(head, len(blind) - tail), range(head, len(system) - tail)
    named = {blind[i]: i for i in reversed(middle)}
    partners = [named.pop(system[j], NOWHERE) for j in rows]
    taken = set(partners)
    free: dict[str, deque[int]] = defaultdict(deque)
    for i in middle:
        if i not in taken:
            free[first.keys[i]].append(i)
    for row, j in enumerate(rows):
        if partners[row] == NOWHERE and free.get(second.keys[j]):
            partners[row] = free[second.keys[j]].popleft()
    last = range(len(blind) - tail, len(blind))
    return [*range(head), *partners, *last]


def _pairs(case: RefusedFile) -> list[tuple[int, int]]:
    """Missing and extra sentences that belong together: of one name, or of one run
    of as many between sentences that agree."""
    names = {case.blind.names[i]: i for i in case.missing}
    if not case.blind.words:
        return []
    paired: list[tuple[int, int]] = []
    rest, taken, asked = [], set[int](), {*case.blind.keys}
    for j in case.extra:
        i = names.get(case.system.names[j])
        if case.system.keys[j] in asked:
            continue  # it is another one of the blind file once more
        if i is not None and i not in taken and _are_one(case, i, j):
            paired.append((i, j))
            taken.add(i)
        else:
            rest.append(j)
    missing = [i for i in case.missing if i not in taken]
    before, runs = NOWHERE, defaultdict[int, list[int]](list)
    others = set(rest)
    for j, place in enumerate(case.places):
        before = place if place >= 0 else before
        if j in others:
            runs[before].append(j)
    for before, js in runs.items():
        start = bisect_right(missing, before)
        free = missing[start : start + len(js)]
        both = [(i, j) for i, j in zip(free, js, strict=False) if i <= before + len(js)]
        paired += [pair for pair in both if _share_words(case, *pair)]
    sides = case.blind, case.system
    sizes = [[*map(len, side.words)] for side in sides]
    same = all(side.named for side in sides) and [*sides[0].names] == [*sides[1].names]
    few = len(case.missing) <= 2 * len(paired)
    if (few and sizes[0] == sizes[1]) or (same and 2 * len(missing) < len(case.blind)):
        # Words of some are quite others, and stand in their places.
        return [(i, i) for i in case.missing if i in {*case.extra}]
    return sorted(paired)


def _are_one(case: RefusedFile, i: int, j: int) -> bool:
    """Whether sentences of one name are one: with as many words, or some of them."""
    sizes = len(case.blind.words[i]), len(case.system.words[j])
    return (case.system.named and sizes[0] == sizes[1]) or _share_words(case, i, j)


def _share_words(case: RefusedFile, i: int, j: int) -> bool:
    """Whether two sentences share half of their words, or all of their characters, or
    one is the beginning of the other."""
    one, other = case.blind.words[i], case.system.words[j]
    if len(other) > 1 and [*one[: len(other)]] == [*other]:
        return True
    folded = [[word.casefold() for word in words] for words in (one, other)]
    shared = sum((Counter(folded[0]) & Counter(folded[1])).values())
    same = _plain("".join(one)) == _plain("".join(other))
    return same or 2 * shared >= max(len(one), len(other))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold() if len(text) < 10_000 else text


def changes_between(blind: Sequence[str], system: Sequence[str]) -> Iterator[Change]:
    """The changes: words that are there, those expected, and where."""
    size = min(len(blind), len(system))
    head = next((n for n in range(size) if blind[n] != system[n]), size)
    rest = size - head
    tail = next((n for n in range(rest) if blind[-1 - n] != system[-1 - n]), rest)
    one, other = blind[head : len(blind) - tail], system[head : len(system) - tail]
    if max(len(one), len(other)) > MOST_WORDS:
        yield "replace", other[:1], one[:1], head
        return
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "replace" and i_end - i == j_end - j:
            for n in range(i_end - i):
                has, wanted = other[j + n : j + n + 1], one[i + n : i + n + 1]
                yield tag, has, wanted, head + j + n
        elif tag != "equal":
            yield tag, other[j:j_end], one[i:i_end], head + j
