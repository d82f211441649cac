"""Texts of users on pages, in pictures and files: time and memory by their length."""

import tracemalloc
from collections.abc import Callable

import pytest

from leaderboard.boards.exports.formats.csv import safe_csv
from leaderboard.extras.moving.pages import LONGEST as LONGEST_PAGE
from leaderboard.extras.moving.pages import turn_page
from leaderboard.extras.publishing.formats import bibtex, latex
from leaderboard.extras.publishing.formats import markdown as of_export
from leaderboard.web.markdown import LONGEST, render_markdown
from leaderboard.web.texts import fitting, one_line
from tests.loops import loop_over
from tests.timing import LEAST, LOOKS, MORE_LOOKS, seconds_of_short, takes_less

MEBIBYTE = 2**20
MOST_SECONDS, MOST_MEMORY = 0.5, 50 * MEBIBYTE
# Twice the length takes less than so many times as much.
TIMES = 3
# A small machine that others use is slower than that by so many times.
BUSY = 3
ANSWER = 8_000  # characters: as many as any answer, name or news has
Kind = tuple[Callable[[str], object], int, str]
PIECES = {
    "braces": "{}\\",
    "marks": "*_`|[]#<&>",
    "white space": " \n\t",
    "one word": "a",
    "wide letters": "字",
    "no letters": "\u0301\x07",
}
OF_USERS: dict[str, Callable[[str], object]] = {
    "one line": one_line,
    "a picture": lambda text: fitting(text, 16, 300),
    "a wide picture": lambda text: fitting(text, 16, 100_000),
    "LaTeX": latex.escape,
    "LaTeX that breaks": latex.breakable,
    "BibTeX": bibtex.escape,
    "Markdown of a board": of_export.escape,
    "CSV": lambda text: safe_csv([["fact"], [text]]),
}
KINDS: dict[str, Kind] = {
    f"{name}, {piece}": (work, ANSWER, letters)
    for name, work in OF_USERS.items()
    for piece, letters in PIECES.items()
} | {
    "description": (
        render_markdown,
        LONGEST,
        "An *otter* [carries](https://e.x) `it`.\n\n",
    ),
    "page of a bundle": (
        lambda text: turn_page("page.html", text),
        LONGEST_PAGE // 4,
        "<p>An <b>otter</b> <ul><li>carries</ul>\n",
    ),
    "page without an end": (
        lambda text: turn_page("page.html", text),
        LONGEST_PAGE // 4,
        "<ul><li>",
    ),
}


def peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
@loop_over("name", KINDS)
def test_a_text_twice_as_long_takes_less_than_three_times_as_much(name: str) -> None:
    work, length, piece = KINDS[name]
    whole = (piece * length)[:length]

    def anew(text: str) -> None:
        render_markdown.cache_clear()
        work(text)

    half = whole[: length // 2]
    # What passes whatever the half takes is not compared with it.
    if not takes_less(lambda: anew(whole), TIMES * LEAST, looks=1):
        few = max(seconds_of_short(lambda: anew(half)), LEAST)
        limit = min(TIMES * few, BUSY * MOST_SECONDS)
        assert takes_less(lambda: anew(whole), limit, LOOKS + MORE_LOOKS)
    large = peak_of(lambda: anew(whole))
    if large >= TIMES * MEBIBYTE / 4:
        assert large < TIMES * peak_of(lambda: anew(half))
    assert large < MOST_MEMORY


def test_texts_are_cut_where_they_are_too_wide_for_a_picture() -> None:
    # Ten letters of 0.62 and the dots of 0.95, each times 10, are 71.5 wide.
    assert fitting("a" * 11, 10, 68.2) == "a" * 11
    assert fitting("a" * 12, 10, 71.5) == "a" * 10 + "…"
    assert fitting("a" * 12, 10, 71.4) == "a" * 9 + "…"
    assert fitting("a b", 10, 1) == "…"
    assert fitting("", 10, 0) == ""
