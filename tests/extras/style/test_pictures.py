"""Every part of the pages looks as it did, light and dark.

The pictures that it is compared with lie in `pictures/` beside it. After a change that
is meant, make them anew, look at them, and commit them:

    .venv/bin/python -m pytest -n 0 tests/extras/style --remake-pictures
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide
from tests.extras.style.pictures import (
    Pixels,
    difference,
    picture,
    read,
    set_in_blocks,
    write,
)

__all__ = ["sign_in", "static_files"]
Scheme = Literal["light", "dark"]
FOLDER = Path(__file__).parent / "pictures"
ALIKE = [
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
]
BYTES = 300_000
# Every part begins at a whole pixel, or a part of another height above it would shift
# its letters by a fraction of one.
WHOLE = """() => document.querySelectorAll("section.style-part").forEach(part => {
    const top = part.getBoundingClientRect().top + scrollY;
    part.style.marginTop = `${Math.ceil(top) - top}px`;
})"""
schemes = pytest.mark.parametrize("scheme", ["light", "dark"])


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("root@example.org", "x", name="root")


@pytest.fixture(scope="module")
def plain_browser(browser: Browser, chromium: str) -> Iterator[Browser]:
    """One that draws letters and colours alike, whatever the machine is set to."""
    plain = browser.browser_type.launch(executable_path=chromium, args=ALIKE)
    yield plain
    plain.close()


@pytest.fixture
def style(
    plain_browser: Browser,
    live_server: Any,
    sign_in: SignIn,
    staff: User,
    scheme: Scheme,
) -> Iterator[Page]:
    """The page in blocks; a strict policy would refuse the font and its rules."""
    context = plain_browser.new_context(
        base_url=live_server.url,
        bypass_csp=True,
        color_scheme=scheme,
        viewport={"width": 1000, "height": 800},
        locale="en-GB",
    )
    sign_in(context, staff)
    page = context.new_page()
    page.goto("/style/")
    set_in_blocks(page)
    page.evaluate(WHOLE)
    yield page
    context.close()


@pytest.fixture
def canvas(plain_browser: Browser) -> Iterator[Page]:
    context = plain_browser.new_context()
    yield context.new_page()
    context.close()


def pictures(page: Page, canvas: Page) -> dict[str, Pixels]:
    """Every part by its name."""
    parts = page.locator("section.style-part")
    return {
        str(part.get_attribute("id")): picture(part, canvas) for part in parts.all()
    }


@schemes
def test_every_part_looks_as_in_its_picture(
    style: Page, canvas: Page, scheme: Scheme, pytestconfig: pytest.Config
) -> None:
    now = pictures(style, canvas)
    if pytestconfig.getoption("--remake-pictures"):
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob(f"*-{scheme}.png"):
            old.unlink()
        for name, pixels in now.items():
            write(FOLDER / f"{name}-{scheme}.png", pixels)
    then = {
        path.stem.removesuffix(f"-{scheme}"): read(path)
        for path in FOLDER.glob(f"*-{scheme}.png")
    }
    assert now.keys() == then.keys()
    apart = {name: difference(now[name], then[name]) for name in now}
    assert {name: how for name, how in apart.items() if how} == {}


CHANGES = {
    "moved": ("badges", ".badge { position: relative; left: 6px; }"),
    "recoloured": ("buttons", ".button-primary { background: #2b6be0 !important; }"),
    "of another text colour": ("badges", ".badge-open { color: #777 !important; }"),
    "more rounded": ("notices", ".notice { border-radius: 1.5rem !important; }"),
    "larger": ("board-row", ".ranking td { padding-block: 0.6rem !important; }"),
    "gone": ("marks", ".bar-range { display: none; }"),
    "without its border": ("form", ".field input { border: 0 !important; }"),
}


@pytest.mark.parametrize("scheme", ["light"])
def test_a_part_that_changed_is_found(style: Page, canvas: Page) -> None:
    before = {
        part: picture(style.locator(f"#{part}"), canvas)
        for part, _rule in CHANGES.values()
    }
    for how, (part, rule) in CHANGES.items():
        tag = style.add_style_tag(content=rule)
        now = picture(style.locator(f"#{part}"), canvas)
        tag.evaluate("tag => tag.remove()")
        assert difference(now, before[part]), f"a part {how} was not found"
        again = picture(style.locator(f"#{part}"), canvas)
        assert not difference(again, before[part])


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.png")) < BYTES


def test_the_page_itself_is_for_everybody_who_may_see_it(
    browser_context: BrowserContext, sign_in: SignIn, staff: User
) -> None:
    sign_in(browser_context, staff)
    page = browser_context.new_page()
    assert complaints(page, "/style/") == []
    assert too_wide(page, "/style/") == []
