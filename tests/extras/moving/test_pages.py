"""Pages in HTML become Markdown that reads the same and holds nothing active."""

from collections.abc import Callable

import pytest

from leaderboard.extras.moving.pages import turn_page
from leaderboard.web.markdown import render_markdown
from tests.loops import loop_over
from tests.timing import grows_linearly


@loop_over(
    ("html", "markdown"),
    [
        (
            "<h1>Tides</h1><p>High <b>and</b> <i>low</i>.</p>",
            "### Tides\n\nHigh **and** *low*.",
        ),
        ("<p>one</p><p>two<br>three</p>", "one\n\ntwo\\\nthree"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<ol><li>a</li><li>b<ul><li>c</li></ul></li></ol>", "1. a\n2. b\n    - c"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<pre>x = 1\ny *= 2</pre>", "```\nx = 1\ny *= 2\n```"),
        ("<p>Call <code>f(*x)</code></p>", "Call `f(*x)`"),
        ('<a href="https://example.org/a">here</a>', "[here](https://example.org/a)"),
        ("<p>2 * 3 * 4 and a_b_c [x]</p>", r"2 \* 3 \* 4 and a\_b\_c \[x\]"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
        ),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<div><div>a</div></div>b", "a\n\nb"),
        ("", ""),
    ],
)
def test_html_is_written_as_markdown(html: str, markdown: str) -> None:
    assert turn_page("page.html", html).text == markdown


def test_markdown_without_tags_stays_as_it_is() -> None:
    text = "# Tides\n\n* high\n* low, `1 < 2`"
    assert turn_page("page.md", text).text == text


def test_tags_in_markdown_are_turned_too() -> None:
    made = turn_page("page.md", "# Tides\n\n<center>High **and** low</center>\n\nend")
    assert "center" not in made.text
    assert made.text.startswith("### Tides") and made.text.endswith("end")


@loop_over(
    "active",
    [
        "<script>alert(1)</script>",
        '<a href="javascript:alert(1)">x</a>',
        '<p onclick="alert(1)">x</p>',
        '<img src="x" onerror="alert(1)">',
        "<style>p { color: expression(alert(1)) }</style>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        '<a href="https://example.org/) [y](javascript:alert(1)">x</a>',
        "<svg><script>alert(1)</script></svg>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
    ],
)
def test_nothing_active_comes_through(active: str) -> None:
    shown = str(render_markdown(turn_page("page.html", f"<p>before</p>{active}").text))
    assert "before" in shown
    for sign in ("<script", "javascript:", "onclick", "onerror", "<iframe", "<style"):
        assert sign not in shown


def test_what_a_page_lost_is_known() -> None:
    made = turn_page("page.html", '<img src="a.png"><a href="/forum">ask</a>')
    assert made.lost_pictures and made.lost_links and made.text == "ask"
    kept = turn_page("page.html", '<a href="https://example.org">ask</a>')
    assert not kept.lost_pictures and not kept.lost_links


def test_deep_pages_keep_their_text() -> None:
    deep = "<div>" * 5_000 + "x" + "</div>" * 5_000 + "<p>y</p>"
    assert turn_page("page.html", deep).text == "x\n\ny"
    assert len(turn_page("page.html", "<b>a" * 2_000).text) < 200_000


@pytest.mark.parametrize("html", ["<p>{}", "<ul>{}</ul>", "<table><tr>{}</table>"])
def test_what_is_never_closed_is_not_taken_for_deep(html: str) -> None:
    tag = {"<p>{}": "<p>", "<ul>{}</ul>": "<li>"}.get(html, "<tr><td>")
    rows = "".join(f"{tag}n{number}" for number in range(300))
    assert len(turn_page("page.html", html.format(rows)).text.split("\n")) >= 300


@loop_over(
    "html",
    [
        "a<!-- <p>b -->c",
        "a<!DOCTYPE html>c",
        "a<script>if (x < 1) '<p>b</p>'</SCRIPT>c",
        "a<STYLE>p { color: red }</style >c",
        "a</p>c</div>",
        "a<unknown x='<'>c</unknown>",
    ],
)
def test_what_is_no_text_stands_nowhere(html: str) -> None:
    assert turn_page("page.html", html).text.replace("\n", "") == "ac"


def test_a_page_beyond_the_longest_is_cut_and_says_so() -> None:
    page = turn_page("page.html", f"<p>{'a' * 300_000}</p>")
    assert page.cut and len(page.text) == 200_000 - len("<p>")


@loop_over(
    "piece",
    [
        "<div>",
        "<blockquote><ul><li>",
        "<p><b><i>x",  # never closed
        "<pre>",
        "</div>",
        "<div ",  # no tag at all
        "<a href='",
        "<div a=1 b=2>",
        "<a href=https://example.org/>y",
        "<!--",
        "<script>",
        "<table><tr><td>",
    ],
)
def test_a_longer_page_takes_longer_by_its_length_alone(piece: str) -> None:
    def turning(number: int) -> Callable[[], object]:
        page = piece * number
        return lambda: turn_page("page.html", page)

    assert grows_linearly(turning, 15_000 // len(piece))
