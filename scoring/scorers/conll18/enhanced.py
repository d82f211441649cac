"""Enhanced graphs in DEPS: ELAS and EULAS, as the UD tools count them but for repeats.

A dependency is `3:conj:en`, or a path `3:conj>obl` where an empty node was collapsed.
Those on empty nodes that were not collapsed are left out on both sides. One that a word
has twice counts once, and one of the gold is matched once: the UD tools count every
pair, so that a system gains by writing its dependencies twice.
"""

import numpy as np

from scoring.counts import Floats, Integers
from scoring.errors import Findings, Problem, ScoringError
from scoring.formats.codes import Coded, of_texts, shared_codes
from scoring.messages import Messages, _
from scoring.scorers.conll18.surface import Surface
from scoring.scorers.treebanks.conllu import DEPS
from scoring.scorers.treebanks.relations import coarse
from scoring.scorers.treebanks.trees import NOWHERE
from scoring.source import brief

MESSAGES = Messages(
    deps=_(
        "DEPS has '%(part)s'; expected a word from 0 to %(most)s, a colon and a "
        "relation."
    ),
    repeated=_("DEPS has the same dependency twice: it counts once."),
)

UNPAIRED = -2
MOST_DIGITS = 9
BAD = -1


def check(surface: Surface, kind: type[ScoringError]) -> None:
    """Raises `kind` for dependencies that are not well written, or on no word."""
    findings = Findings(surface.name)
    words = surface.trees
    coded, parts = _parts(surface)
    most = words.sizes[words.sentence_of]
    highest = [max((head for head, *_ in own), default=0) for own in parts]
    wrong = np.array([any(head == BAD for head, *_ in own) for own in parts])
    wrong = wrong[coded.codes] | (np.array(highest)[coded.codes] > most)
    for row in findings.capped(np.flatnonzero(wrong)):
        size = int(most[row])
        own = parts[coded.codes[row]]
        part = next(text for head, _, text in own if not 0 <= head <= size)
        message = MESSAGES("deps", part=brief(part), most=size)
        line, unit = int(words.lines[row]), words.names[words.sentence_of[row]]
        findings.add("deps", message, line=line, unit=unit)
    findings.raise_if_any(kind)


def notes(surface: Surface) -> list[Problem]:
    """A remark on words that have a dependency twice."""
    words = surface.trees
    coded = words.field(DEPS).coded()
    twice = np.array([_repeats(text) for text in coded.values], dtype=np.bool_)
    rows = np.flatnonzero(twice[coded.codes])
    if not len(rows):
        return []
    row = int(rows[0])
    unit = words.names[words.sentence_of[row]]
    message = MESSAGES("repeated")
    return [
        Problem(
            "repeated_dependency",
            message,
            surface.name,
            words.line(row),
            unit=unit,
            count=len(rows),
        )
    ]


def _repeats(text: str) -> bool:
    parts = text.split("|")
    return len(set(parts)) < len(parts)


def _parts(surface: Surface) -> tuple[Coded, list[tuple[tuple[int, str, str], ...]]]:
    """DEPS of every word, and head, relation and text of each in the distinct ones."""
    coded = surface.trees.field(DEPS).coded()
    return coded, [_read(text) for text in coded.values]


def _read(text: str) -> tuple[tuple[int, str, str], ...]:
    if text in ("", "_"):
        return ()
    edges = []
    for part in text.split("|"):
        head, colon, relation = part.partition(":")
        if not colon or not _is_node(head):
            edges.append((BAD, "", part))
        elif "." not in head:
            edges.append((int(head), relation, part))
    return tuple({edge[:2]: edge for edge in edges}.values())


def _is_node(head: str) -> bool:
    """Whether this is the number of a word, or that of an empty node, 4.1."""
    numbers = head.split(".")
    fine = (number.isascii() and number.isdecimal() for number in numbers)
    return len(numbers) < 3 and len(head) <= MOST_DIGITS and all(fine)


def edges(surface: Surface) -> tuple[Integers, Integers, Coded]:
    """All dependencies (e,) of a file, word by word: word and head as rows of words,
    NOWHERE for a root, and the relation of each."""
    coded, parts = _parts(surface)
    sizes = np.array([len(own) for own in parts], dtype=np.int64)
    heads = np.array([head for own in parts for head, *_ in own], dtype=np.int64)
    texts = of_texts([relation for own in parts for _, relation, _ in own])
    number = sizes[coded.codes]
    word = np.repeat(np.arange(len(coded.codes)), number)
    step = np.arange(len(word)) - np.repeat(np.cumsum(number) - number, number)
    place = (np.cumsum(sizes) - sizes)[coded.codes[word]] + step
    head = heads[place]
    words = surface.trees
    rows = words.first[words.sentence_of[word]] + head - 1
    relation = Coded(texts.codes[place], texts.values)
    return word, np.where(head == 0, NOWHERE, rows), relation


def universal(path: str) -> str:
    """The relations of a path without subtypes."""
    return ">".join(coarse(step) for step in path.split(">"))


def counts(
    gold: Surface, system: Surface, pairs: tuple[Integers, Integers], homes: Integers
) -> dict[str, Floats]:
    """Dependencies of both sides by gold sentence, and those that agree; `homes` are
    the sentences in which words of the system count."""
    own_word, own_head, own_relation = edges(gold)
    its_word, its_head, its_relation = edges(system)
    sentences = len(gold.trees.sizes)
    sentence_of = gold.trees.sentence_of
    columns = {
        "edges_gold": np.bincount(sentence_of[own_word], minlength=sentences),
        "edges_system": np.bincount(homes[its_word], minlength=sentences),
    }
    partner = np.full(len(system.token_of) + 1, UNPAIRED)
    partner[pairs[1]] = pairs[0]
    word = partner[its_word]
    # A root has no head on either side: the extra place stands for it.
    partner[NOWHERE] = NOWHERE
    head = partner[its_head]
    for name, key in (("elas", str), ("eulas", universal)):
        codes = shared_codes(own_relation, its_relation, key)
        words, number = _common(
            (own_word, own_head, codes[0]), (word, head, codes[1]), len(sentence_of)
        )
        columns[name] = np.bincount(sentence_of[words], number, minlength=sentences)
    return {name: values.astype(np.float64) for name, values in columns.items()}


Keys = tuple[Integers, Integers, Integers]


def _common(ours: Keys, theirs: Keys, words: int) -> tuple[Integers, Integers]:
    """Words of equal edges, and how many of them are matched, each once."""
    paired = (theirs[0] != UNPAIRED) & (theirs[1] != UNPAIRED)
    relations = max(int(side[2].max(initial=0)) for side in (ours, theirs)) + 1
    codes = [
        ((word * (words + 1) + head + 1) * relations + relation)
        for word, head, relation in (ours, tuple(part[paired] for part in theirs))
    ]
    (left, number), (right, other) = (
        np.unique(code, return_counts=True) for code in codes
    )
    _, first, second = np.intersect1d(left, right, True, return_indices=True)
    return left[first] // relations // (words + 1), np.minimum(
        number[first], other[second]
    )
