"""Errors that judges mark in an answer: words from and to, category, severity.

Words are numbered from 1, so that they can be marked by typing. Where a script writes
no spaces, each sign is a word.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

SIGNS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff"
)
WORD = re.compile(rf"[{SIGNS}]|[^\s{SIGNS}]+")
AROUND = ".,;:!?\"'()[]«»„“”\u2018\u2019…"
MOST = 100  # in one answer
EMPTY_ROWS = 3


@dataclass(frozen=True)
class Word:
    """A word with what stands between it and the next."""

    number: int
    text: str
    after: str


@dataclass(frozen=True)
class SpanRow:
    """A row of the form as it was filled in."""

    start: str = ""
    end: str = ""
    category: str = ""
    severity: str = ""

    @property
    def is_empty(self) -> bool:
        return not any((self.start, self.end, self.category, self.severity))


def words_of(text: str) -> list[Word]:
    words = list(WORD.finditer(text))
    ends = [match.start() for match in words[1:]] + [len(text)]
    return [
        Word(number, match.group(), text[match.end() : end])
        for number, (match, end) in enumerate(zip(words, ends, strict=False), 1)
    ]


def rows_in(form: Any) -> list[SpanRow]:
    """The rows of a form that say something."""
    names = ("start", "end", "category", "severity")
    columns = [[text.strip() for text in form.getlist(f"span-{x}")] for x in names]
    rows = [SpanRow(*cells) for cells in zip_longest(*columns, fillvalue="")]
    return [row for row in rows[:MOST] if not row.is_empty]


def rows_of(spans: Sequence[Mapping[str, Any]]) -> list[SpanRow]:
    """The rows of a form that say these."""
    return [
        SpanRow(
            str(span["start"] or ""),
            str(span["end"] or ""),
            span["category"],
            span["severity"],
        )
        for span in spans
    ]


def spans_of(rows: Sequence[SpanRow], words: Sequence[Word]) -> list[dict[str, Any]]:
    """Spans of the rows, unchecked: words by number or as they stand in the answer."""
    spans = []
    for row in rows:
        start = _place(row.start, words, 1)
        end = _place(row.end, words, start or 1) if row.end else start
        spans.append(
            {
                "start": start,
                "end": end,
                "category": row.category,
                "severity": row.severity,
            }
        )
    return spans


def _place(text: str, words: Sequence[Word], least: int) -> int | None:
    """The number of a word; 0, which no word has, where it stands nowhere."""
    if not text:
        return None
    if text.isascii() and text.isdecimal() and len(text) < 7:
        return int(text)
    same = (
        word.number for word in words[least - 1 :] if _plain(word.text) == _plain(text)
    )
    return next(same, 0)


def _plain(text: str) -> str:
    return text.strip(AROUND).casefold()


def check_spans(campaign: Any, given: Any, words: int) -> list[dict[str, Any]] | None:
    """Spans as they are kept; None where one is no span of an answer of so many words.

    One without words is of something that is missing.
    """
    if not isinstance(given, list) or len(given) > MOST:
        return None
    severities = {name for name, _weight in campaign.severities}
    checked = []
    for span in given:
        if not isinstance(span, Mapping):
            return None
        start, end = span.get("start"), span.get("end")
        category, severity = span.get("category", ""), span.get("severity")
        wanted = campaign.categories or [""]
        if category not in wanted or severity not in severities:
            return None
        if (start, end) != (None, None):
            if type(start) is not int or type(end) is not int:
                return None
            if not 1 <= start <= end <= words:
                return None
        checked.append(
            {"start": start, "end": end, "category": category, "severity": severity}
        )
    return checked
