"""Columns of CoNLL-U that are filled in otherwise than meant: heads that are counted
from another number, or moved, told by the trees that they would make."""

import re
from collections.abc import Callable, Iterator, Sequence

from scoring.diagnosis.refused_file import says
from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import Problem
from scoring.scorer import Scorer
from scoring.source import Source, brief

CONLLU = "CoNLL-U"
ROW = re.compile(r"([0-9]{1,9})\t(?:[^\t\n]*\t){4}([^\t\n]*)\t([^\t\n]*)\t([^\t\n]*)")
NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
# Features with other signs between them, or as an object of JSON.
ODD_FEATS = re.compile(r"\{.*|[^=|\s]+=[^=|]*[,; ]+[^=|\s]+=.*")
LOOKED_AT = 1 << 20  # characters
FEWEST, FEWEST_FLAT, MOST = 3, 10, 500  # sentences
LONGEST_CELL = 200  # characters
MANY = 500  # words
Heads = Sequence[int]
# The name of a sentence, empty for none, and what it names.
Oddity = tuple[str, dict[str, object]]
# What a head is when it is counted in another way: of the word's number and the head.
WAYS: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("heads_from_0", lambda _word, head: head + 1),
    ("heads_from_2", lambda _word, head: head - 1),
    ("heads_from_here", lambda word, head: word + head if head else 0),
)


def odd_heads(scorer: Scorer, system: Source) -> Problem | None:
    """The oddity of heads and relations of trees, whoever reads them."""
    if CONLLU not in scorer.formats or len(system.files) > 1:
        return None
    text = system.single()[:LOOKED_AT].decode("utf-8", "replace")
    rows = [match.groups() for match in map(ROW.match, text.split("\n")) if match]
    sentences = [*_sentences(rows)][:MOST]
    name, about = _swapped_cells(rows)
    if len(sentences) >= FEWEST and not name:
        name, about = _other_cells(sentences)
        name, about = (name, about) if name else _way_of_counting(sentences)
    if not name:
        return None
    hints = {"swapped_heads": "part_heads", "heads": "count_heads"}
    hint = hints.get(name) or hints.get(name.partition("_")[0], "fill_in")
    return says(system.name, name, hint, **about)


def odd_feats(scorer: Scorer, system: Source) -> Problem | None:
    """Features of words that are not parted as CoNLL-U parts them."""
    if CONLLU not in scorer.formats or len(system.files) > 1:
        return None
    text = system.single()[:LOOKED_AT].decode("utf-8", "replace")
    cells = [match[2] for match in map(ROW.match, text.split("\n")) if match]
    odd = [cell for cell in cells if ODD_FEATS.fullmatch(cell[:LONGEST_CELL])]
    if len(odd) < FEWEST:
        return None
    message = MESSAGES("feats", found=brief(odd[0], 40), count=len(odd))
    return Problem("feats", message, system.name, hint=MESSAGES("write_feats"))


def _sentences(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[Heads, Heads]]:
    """Numbers and heads of the words of each sentence, of those with numbers alone."""
    words: list[int] = []
    heads: list[int] = []
    whole = True
    for number, _feats, head, _relation in [*rows, ("0", "", "0", "")]:
        if words and int(number) <= words[-1]:
            size = len(words)
            if whole and size > 1 and words == [*range(words[0], words[0] + size)]:
                yield words, heads
            words, heads, whole = [], [], True
        words.append(int(number))
        whole = whole and bool(NUMBER.fullmatch(head))
        heads.append(int(head) if whole else 0)


def _way_of_counting(
    sentences: Sequence[tuple[Heads, Heads]],
) -> Oddity:
    """The way of counting by which nearly all sentences are trees, where few are as
    they are written; empty for none."""
    if 2 * sum(_is_forest(heads) for _words, heads in sentences) > len(sentences):
        return _without_heads(sentences)
    for name, way in WAYS:
        meant = ([*map(way, words, heads)] for words, heads in sentences)
        count = sum(map(_is_tree, meant))
        if 10 * count >= 9 * len(sentences):
            return name, {"count": count, "all": len(sentences)}
    return _lines_moved(sentences)


def _lines_moved(
    sentences: Sequence[tuple[Heads, Heads]],
) -> Oddity:
    """Heads that stand one line above or below their words."""
    column = [head for _words, heads in sentences for head in heads]
    for moved in ([*column[1:], column[0]], [column[-1], *column[:-1]]):
        rest, count = iter(moved), 0
        for _words, heads in sentences:
            count += _is_tree([next(rest) for _head in heads])
        if 10 * count >= 9 * len(sentences):
            return "heads_moved", {"count": count, "all": len(sentences)}
    return "", {}


def _swapped_cells(rows: Sequence[tuple[str, ...]]) -> Oddity:
    """Relations in the place of heads, which stand in theirs."""
    swapped = sum(
        head[:1].isalpha() and bool(NUMBER.fullmatch(relation))
        for _number, _feats, head, relation in rows
    )
    if 2 * swapped > len(rows):
        return "swapped_heads", {"found": brief(rows[0][2], 40)}
    return "", {}


def _other_cells(sentences: Sequence[tuple[Heads, Heads]]) -> Oddity:
    """The oddity of a head for every word alike."""
    heads = [head for _words, own in sentences for head in own]
    if len({*heads}) == 1:
        return "unfilled", {"column": "HEAD", "found": heads[0], "all": len(heads)}
    pairs = [
        (word, head)
        for words, own in sentences
        for word, head in zip(words, own, strict=True)
    ]
    alike: tuple[tuple[str, bool], ...] = (
        ("own_heads", all(head == word for word, head in pairs)),
        ("chained", all(head == word - 1 for word, head in pairs)),
        (
            "chained_on",
            all(head in (word + 1, 0) for word, head in pairs) and len(heads) > MANY,
        ),
        ("flat", _are_flat([own for _words, own in sentences])),
    )
    name = next((name for name, is_so in alike if is_so), "")
    return name, {"all": len(heads)}


def _are_flat(sentences: Sequence[Heads]) -> bool:
    """Whether all words of each sentence have one head, and many have several words."""
    several = [heads for heads in sentences if len(heads) > FEWEST]
    alike = all(len({*heads} - {0}) == 1 and heads.count(0) == 1 for heads in several)
    return alike and len(several) >= max(FEWEST_FLAT, len(sentences) / 2)


def _without_heads(sentences: Sequence[tuple[Heads, Heads]]) -> Oddity:
    """Sentences of which every word has the head 0, as of parses that failed."""
    sizes = [len(heads) for _words, heads in sentences if not any(heads)]
    if sum(size > FEWEST for size in sizes) < FEWEST:
        return "", {}
    return "unparsed", {"count": len(sizes), "all": len(sentences)}


def _is_forest(heads: Heads) -> bool:
    """Whether all heads are words of the sentence, or 0, and none goes in a circle."""
    size = len(heads)
    if not all(0 <= head <= size for head in heads):
        return False
    ends = [False] * size
    for start in range(size):
        path, word = [], start + 1
        while word and not ends[word - 1]:
            path.append(word)
            if len(path) > size:
                return False
            word = heads[word - 1]
        for word in path:
            ends[word - 1] = True
    return True


def _is_tree(heads: Heads) -> bool:
    """Whether heads make a tree of one root, which may be its own head."""
    rooted = [0 if head == word else head for word, head in enumerate(heads, 1)]
    return rooted.count(0) == 1 and _is_forest(rooted)
