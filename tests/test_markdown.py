"""Markdown of organizers: what it may become, in bounded time and memory."""

import tracemalloc
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from markdown_it.parser_inline import ParserInline

from leaderboard.tasks.models import Task
from leaderboard.web.markdown import (
    LONGEST,
    MOST_BRACKETS,
    MOST_CELLS,
    check_markdown,
    parser,
    render_markdown,
)
from tests.loops import loop_over
from tests.timing import seconds_of, takes_less

MEBIBYTE = 2**20
LOOKS = 8  # of which one that is short is enough: work beside may lengthen some
LEAST = 0.05  # seconds: below some hundredths a processor says little
WIDE = "|".join("a" * 1000) + "\n" + "|".join("-" * 1000) + "\n" + "a\n" * 66 + "\n"
# What is repeated, and makes more of a parser's work than its length says
KINDS = {
    "wide tables": WIDE,
    "tables in quotes": "> a|b\n> -|-\n> a\n\n",
    "tables without an end": "a|b\n-|-\n",
    "rows of one cell": "a\n",
    "open links": "[",
    "open pictures": "![",
    "links": "[a](",
    "references": "[x] ",
    "emphasis": "*a_ **b ",
    "code": "`a``b",
    "addresses": "<http://a.example> ",
    "headings": "# a\n",
    "lists": "- ",
    "quotes": ">",
    "entities": "&amp;",
}


def text_of(piece: str, length: int) -> str:
    return ("[x]: /u\n\n" + piece * (length // len(piece)))[:length]


def anew(text: str) -> str:
    render_markdown.cache_clear()
    return render_markdown(text)


@pytest.mark.thorough
@loop_over("name", KINDS)
def test_no_text_takes_much_memory_or_more_than_in_proportion(name: str) -> None:
    whole, half = (text_of(KINDS[name], length) for length in (LONGEST, LONGEST // 2))
    seconds = max(seconds_of(partial(anew, half)), LEAST)
    assert takes_less(partial(anew, whole), 3 * seconds, LOOKS)
    assert len(render_markdown(whole)) < 20 * LONGEST
    quarter = text_of(KINDS[name], LONGEST // 4)
    tracemalloc.start()
    anew(quarter)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * MEBIBYTE / 4


def test_small_tables_are_tables_and_those_beyond_the_bound_stay_text() -> None:
    small = "|a|b|\n|-|-|\n|1|2|\n\n"
    assert render_markdown(small).count("<td>") == 2
    many = small * (MOST_CELLS // 4)
    assert render_markdown(many).count("<td>") == 2 * (MOST_CELLS // 4)
    check_markdown(many)
    over = many + small
    assert render_markdown(over).count("<td>") == 2 * (MOST_CELLS // 4)
    assert "|1|2|" in render_markdown(over)
    with pytest.raises(ValidationError, match=r"more than 5,000 cells"):
        check_markdown(over)


def test_cells_that_are_not_written_count_too() -> None:
    with pytest.raises(ValidationError, match="cells, empty ones included"):
        check_markdown(WIDE)
    inside = "> " + WIDE.replace("\n", "\n> ")
    for text in (WIDE, inside, "- " + WIDE.replace("\n", "\n  ")):
        assert "<td" not in render_markdown(text)
        assert "<td" not in parser(html=True).render(text)


def test_brackets_within_brackets_are_read_as_far_as_anybody_writes_them() -> None:
    linked = "[" * MOST_BRACKETS + "a" + "]" * MOST_BRACKETS + "(https://b.example)"
    assert render_markdown(linked).count("<a ") == 1
    assert render_markdown("[![a](/b.png) *c*](https://d.example)").count("<a ") == 1
    deep = "[" * 9 + "a" + "]" * 9 + "(https://b.example)"
    assert render_markdown(deep) == f"<p>{deep}</p>\n"
    opened = "[" * 9 + "a](https://b.example)"
    assert render_markdown(opened).startswith("<p>[[[[[[[[<a ")


def test_cells_are_counted_without_what_stands_inside_of_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ParserInline, "parse", None)
    check_markdown("*a* [b](c)\n\n|a|\n|-|\n|1|\n")
    with pytest.raises(ValidationError, match="cells"):
        check_markdown(WIDE)


def test_what_is_too_long_is_refused_and_shown_as_written_where_it_is_stored() -> None:
    check_markdown("*a* " * (LONGEST // 4))
    long = "*a* <b> " * (LONGEST // 8 + 1)
    with pytest.raises(ValidationError, match=r"40,008 characters; at most 40,000"):
        check_markdown(long)
    assert render_markdown(long).startswith("<pre tabindex='0'>*a* &lt;b&gt;")


def test_texts_of_tasks_that_become_pages_are_checked() -> None:
    with pytest.raises(ValidationError) as refused:
        Task(description=WIDE, terms="a" * (LONGEST + 1)).clean_fields()
    assert {"description", "terms"} <= refused.value.message_dict.keys()
