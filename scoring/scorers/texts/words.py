"""Words of texts as ROUGE and the question answering scripts compare them."""

import re
import string
from collections.abc import Callable
from functools import cache
from typing import Any
from unicodedata import category

from scoring.libraries import import_library

ROUGE_WORD = re.compile(r"[a-z0-9]+")
SHORTEST_STEMMED = 4
ARTICLES = re.compile(r"\b(a|an|the)\b")
ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)


class _Kept(dict[int, str]):
    """Table for `str.translate` that replaces characters by the first letter of their
    Unicode category; what it has looked up once it knows."""

    def __init__(self, keeps: Callable[[str], bool], instead: str) -> None:
        super().__init__()
        self.keeps, self.instead = keeps, instead

    def __missing__(self, code: int) -> str:
        kept = self.keeps(category(chr(code))[0])
        self[code] = character = chr(code) if kept else self.instead
        return character


# Vowel signs of many scripts are marks, not letters.
LETTERS = _Kept(lambda kind: kind in "LMN", " ")
PUNCTUATION = _Kept(lambda kind: kind != "P", "")


def rouge_words(tokenizer: str, *, stems: bool) -> Callable[[str], list[str]]:
    """A function from text to words: the runs of a-z and 0-9 that rouge-score takes, or
    with "unicode" of letters and digits of any script. `stems` cuts endings off words
    of four letters or more, as Porter's stemmer does."""
    stem = _stem() if stems else str

    def words(text: str) -> list[str]:
        if tokenizer == "unicode":
            words = text.lower().translate(LETTERS).split()
        else:
            words = ROUGE_WORD.findall(text.lower())
        return [stem(w) if len(w) >= SHORTEST_STEMMED else w for w in words]

    return words


def _stem() -> Callable[[str], str]:
    porter: Any = import_library("texts", "nltk.stem.porter").PorterStemmer()
    return cache(porter.stem)


def normalise(text: str, how: str) -> str:
    """The text as exact match and token F1 compare it.

    "squad": lower case, without ASCII punctuation and English articles, by the rules of
    SQuAD's script. "words": lower case, without punctuation of any script. Of both the
    words are separated by one space. "none": as it stands, white space and all.
    """
    if how == "squad":
        text = ARTICLES.sub(" ", text.lower().translate(ASCII_PUNCTUATION))
    elif how == "words":
        text = text.lower().translate(PUNCTUATION)
    return text if how == "none" else " ".join(text.split())
