"""Words of texts as ROUGE and the question answering scripts compare them."""

import re
import string
from collections.abc import Callable
from functools import cache
from typing import Any
from unicodedata import category

from scoring.libraries import needed

ROUGE_WORD = re.compile(r"[a-z0-9]+")
UNICODE_WORD = re.compile(r"[^\W_]+")
SHORTEST_STEMMED = 4
ARTICLES = re.compile(r"\b(a|an|the)\b")
ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)


def rouge_words(tokenizer: str, *, stems: bool) -> Callable[[str], list[str]]:
    """A function from text to words: the runs of a-z and 0-9 that rouge-score takes, or
    with "unicode" of letters and digits of any script. `stems` cuts endings off words
    of four letters or more, as Porter's stemmer does."""
    pattern = UNICODE_WORD if tokenizer == "unicode" else ROUGE_WORD
    stem = _stem() if stems else str

    def words(text: str) -> list[str]:
        found = pattern.findall(text.lower())
        return [stem(w) if len(w) >= SHORTEST_STEMMED else w for w in found]

    return words


def _stem() -> Callable[[str], str]:
    porter: Any = needed("texts", "nltk.stem.porter").PorterStemmer()
    return cache(porter.stem)


def normalised(text: str, how: str) -> str:
    """The text as exact match and token F1 compare it, its words parted by one space.

    "squad": lower case, without ASCII punctuation and English articles, by the rules of
    SQuAD's script. "words": lower case, without punctuation of any script. "none": as
    it stands.
    """
    if how == "squad":
        text = ARTICLES.sub(" ", text.lower().translate(ASCII_PUNCTUATION))
    elif how == "words":
        text = text.lower().translate(_Punctuation())
    return " ".join(text.split())


class _Punctuation(dict[int, str | None]):
    """Table for `str.translate` that takes out punctuation of all scripts."""

    def __missing__(self, code: int) -> str | None:
        out = category(chr(code)).startswith("P")
        self[code] = kept = None if out else chr(code)
        return kept
