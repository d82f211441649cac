"""Made-up pairs of files over one text whose tokens, words and sentences differ."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random

UPOS = ("NOUN", "VERB", "ADP", "DET")
XPOS = ("_", "a", "b")
FEATS = (
    "_",
    "Case=Nom",
    "Case=Acc|Number=Sing",
    "Number=Sing|Case=Acc",
    "Case=Nom|Own=1",
    "Own=1",
    "Case=Nom|Case=Nom",
    "Number=Plur",
)
RELATIONS = (
    "nsubj",
    "nsubj:pass",
    "obj",
    "case",
    "case:of",
    "det",
    "cop",
    "aux",
    "mark",
    "punct",
    "clf",
    "nmod",
    "odd",
)
LETTERS = "abAéß"


def pair(seed: int) -> tuple[str, str]:
    """Gold and system of the same characters, both valid CoNLL-U."""
    random = Random(seed)
    size = random.randint(1, 24)
    text = "".join(random.choices(LETTERS, k=size))
    cuts = _cuts(random, size, 0.5)
    other = cuts if random.random() < 0.3 else _moved(random, cuts, size)
    multiword = random.choice((0.0, 0.2, 0.6))
    return _file(random, text, cuts, multiword), _file(random, text, other, multiword)


def _cuts(random: Random, size: int, rate: float) -> list[int]:
    return [0, *(i for i in range(1, size) if random.random() < rate), size]


def _moved(random: Random, cuts: list[int], size: int) -> list[int]:
    """Some of the cuts, and some others."""
    kept = {cut for cut in cuts if random.random() < 0.7}
    added = {i for i in range(1, size) if random.random() < 0.2}
    return sorted({0, size} | kept | added)


def _file(random: Random, text: str, cuts: list[int], multiword: float) -> str:
    sentences: list[list[list[str]]] = [[]]
    for begin, end in pairwise(cuts):
        token = text[begin:end]
        words = [token]
        if random.random() < multiword:
            words = [token, *_words(random, token)]
        sentences[-1].append(words)
        if random.random() < 0.25 and end < len(text):
            sentences.append([])
    return "".join("\n".join(_lines(random, s)) + "\n\n" for s in sentences)


def _words(random: Random, token: str) -> list[str]:
    """Words of a multiword token: its pieces, or others."""
    if random.random() < 0.6:
        cuts = _cuts(random, len(token), 0.6)
        return [
            token[a:b].swapcase() if random.random() < 0.2 else token[a:b]
            for a, b in pairwise(cuts)
        ]
    number = random.randint(1, 3)
    return [
        "".join(random.choices(LETTERS, k=random.randint(1, 2))) for _ in range(number)
    ]


def _lines(random: Random, tokens: list[list[str]]) -> Iterator[str]:
    words = [word for token in tokens for word in (token[1:] or token)]
    heads = _heads(random, len(words))
    place = 0
    for token in tokens:
        if len(token) > 1:
            name = f"{place + 1}-{place + len(token) - 1}"
            yield "\t".join([name, token[0], *"_" * 8])
        for word in token[1:] or token:
            place += 1
            yield _line(random, place, word, heads[place - 1])
        if random.random() < 0.05:
            yield "\t".join([f"{place}.1", *"_" * 9])


def _heads(random: Random, size: int) -> list[int]:
    """A tree: every word hangs on one that came before it in a random order."""
    order = random.sample(range(1, size + 1), size)
    heads = [0] * size
    for i, word in enumerate(order[1:], 1):
        heads[word - 1] = random.choice(order[max(0, i - 3) : i])
    return heads


def _line(random: Random, place: int, word: str, head: int) -> str:
    lemma = random.choice(("_", word.lower(), word.lower(), "x"))
    fields = (
        place,
        word,
        lemma,
        random.choice(UPOS),
        random.choice(XPOS),
        random.choice(FEATS),
        head,
        random.choice(RELATIONS),
        "_",
        "_",
    )
    return "\t".join(map(str, fields))
