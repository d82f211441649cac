"""Every component in every state fits its box, at any width, in light and in dark.

A page of all components is opened once and asked by script (`boxes.js`) for what a
reader would miss: parts beyond the window, names that are cut, texts out of order,
columns that a wider window takes away, colours that are hard to tell apart. Nothing
compares pixels, so no letter of another browser matters.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browsing import watch
from tests.components.page import SCHEMES, SITE, WIDTHS, open_page
from tests.e2e.test_accessibility import END_TRANSITIONS, HARMLESS, axe

FOLDER = Path(__file__).parent
BOARD_WIDTHS = (1024, 1440, 1920)
QUESTIONS = ("wide", "cut", "disordered")


@pytest.fixture(scope="module")
def components(browser: Browser) -> Iterator[Page]:
    browser_context = browser.new_context(locale="en-GB")
    complaints = watch(browser_context, SITE)
    page = open_page(browser_context)
    page.evaluate((FOLDER / "boxes.js").read_text())
    page.evaluate(Axe().axe_script)
    yield page
    browser_context.close()
    assert complaints == []


def asked(page: Page, question: str, width: int = WIDTHS[-1]) -> list[str]:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("scrollTo(0, 0)")
    found: list[str] = page.evaluate(f"boxes.{question}()")
    return found


def contrast(page: Page, part: str = "body") -> list[str]:
    """Texts that axe finds hard to read on their ground."""
    page.evaluate(END_TRANSITIONS)
    run = f"axe.run('{part}', {{runOnly: ['color-contrast']}})"
    found = page.evaluate(run)["violations"]
    return [node["html"][:200] for one in found for node in one["nodes"]]


def lost_columns(page: Page) -> list[str]:
    """Columns of the board that a wider window takes away."""
    visible = [asked(page, "columns", width) for width in BOARD_WIDTHS]
    assert all(visible)
    return [
        name for fewer, more in pairwise(visible) for name in fewer if name not in more
    ]


def test_every_component_fits_its_box_at_every_width(components: Page) -> None:
    wrong = {}
    for scheme in SCHEMES:
        components.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            for question in QUESTIONS:
                if found := asked(components, question, width):
                    wrong[f"{question}, {width} px, {scheme}"] = found
    assert wrong == {}


def test_a_wider_window_takes_no_column_of_the_board_away(components: Page) -> None:
    assert lost_columns(components) == []


def test_every_head_of_a_board_stays_in_sight(components: Page) -> None:
    components.set_viewport_size({"width": 1440, "height": 400})
    tops = components.evaluate("boxes.scrolledHeads()")
    assert len(tops) > 3 and set(tops) == {0}


def test_axe_finds_nothing_in_any_component(components: Page) -> None:
    components.emulate_media(color_scheme="light")
    found = [one for one in axe(components, {}) if one["impact"] not in HARMLESS]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    components.emulate_media(color_scheme="dark")
    assert contrast(components) == []


BROKEN = {
    "wide": ".notice { width: 1500px }",
    "cut": ".ranking .name { display: block; width: 3rem; overflow: hidden; "
    "white-space: nowrap }",
    "disordered": ".actions { display: flex; flex-direction: row-reverse }",
}
VANISHING = "@media (min-width: 85rem) { .room-48.number { display: none } }"
PALE = "main .muted { color: #aaa !important }"


@contextmanager
def with_rule(page: Page, rule: str) -> Iterator[None]:
    tag = page.add_style_tag(content=rule)
    yield
    tag.evaluate("tag => tag.remove()")


def test_broken_rules_are_noticed(components: Page) -> None:
    components.emulate_media(color_scheme="light")
    for question, rule in BROKEN.items():
        with with_rule(components, rule):
            assert asked(components, question), f"{rule} is not {question}"
        assert not asked(components, question)
    with with_rule(components, VANISHING):
        assert lost_columns(components) == ["board-short: UAS↑"]
    with with_rule(components, PALE):
        assert contrast(components, "#words")
    assert not contrast(components, "#words")
