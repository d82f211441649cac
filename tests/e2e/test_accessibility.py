"""axe finds nothing to complain about, on any page, in light and in dark."""

from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page

from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn
from tests.leaderboard.small import both, one_wrong, scored, upload

Scheme = Literal["light", "dark"]

SCHEMES: tuple[Scheme, ...] = ("light", "dark")
HARMLESS = {"minor"}
RUN_AXE = "rules => axe.run({resultTypes: ['violations'], ...rules})"
# What another scheme of colours can change; the other rules are asked once.
OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
END_TRANSITIONS = """document.getAnimations()
    .filter(one => one instanceof CSSTransition)
    .forEach(one => one.finish())
"""
WIDTHS = (320, 390, 768, 1280)
PUBLIC = (
    "/",
    "/scorers/",
    "/scorers/attachment/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/1-nothing/",
    "/accounts/confirm-email/",
    "/accounts/confirm-email/nothing/",
    "/accounts/inactive/",
    "/tasks/otters/",
    "/tasks/otters/data/",
    "/tasks/otters/rules/",
    "/tasks/otters/results/",
    "/tasks/otters/test/board/",
    "/tasks/otters/test/board/?measure=uas&test_set=north&entries=all",
    "/tasks/otters/test/compare/",
    "/docs/",
    "/docs/operators/settings/",
    "/docs/search/?q=interval",
    "/no-such-page/",
)
PRIVATE = (
    "/",
    "/accounts/logout/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/tasks/new/",
    "/tasks/otters/join/",
    "/accounts/data/",
    "/accounts/messages/",
    "/tasks/otters/submissions/",
    "/tasks/otters/submissions/compare/",
    "/tasks/otters/test/submit/",
)


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> list[Submission]:
    """A scored submission, an incomplete one, and one that waits."""
    whole = scored(phase, entry, both({"north": one_wrong()}))
    part = scored(phase, entry, {"south": both()["south"]}, system="half")
    return [whole, part, accept.submit(upload(phase, entry, both()))]


def test_public_pages(page: Page, sent: list[Submission]) -> None:
    assert {url: found for url in PUBLIC if (found := faults(page, url))} == {}


def test_pages_of_participants(
    browser_context: BrowserContext, sign_in: SignIn, ben: User, sent: list[Submission]
) -> None:
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    urls = [*PRIVATE, *(one.get_absolute_url() for one in sent)]
    urls += [f"{urls[-1]}{name}/" for name in ("note", "withdraw")]
    urls += [f"{sent[0].get_absolute_url()}errors/{unit}" for unit in ("", "1/")]
    pair = "&".join(f"submission={one.pk}" for one in sent[:2])
    urls.append(f"/tasks/otters/submissions/compare/?{pair}")
    assert {url: found for url in urls if (found := faults(page, url))} == {}


def test_pages_of_organizers(
    browser_context: BrowserContext, sign_in: SignIn, ada: User, sent: list[Submission]
) -> None:
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    urls = [f"/tasks/otters/test/{name}/" for name in ("separation", "board")]
    pages = ("registration", "phases/test/extensions")
    urls += [f"/tasks/otters/organize/{name}/" for name in pages]
    assert {url: found for url in urls if (found := faults(page, url))} == {}


def test_pages_that_say_no(page: Page, phase: Phase) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Your name").fill("Cy")
    page.get_by_label("Email").fill("cy@example.org")
    page.get_by_label("Password", exact=True).fill("123")
    page.get_by_label("Password (again)").fill("12")
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    alert = page.get_by_role("alert")
    alert.get_by_role("link", name="Password").first.click()
    assert page.evaluate("document.activeElement.id") == "id_password1"
    assert violations(page) == []


def test_an_empty_board(page: Page, phase: Phase) -> None:
    assert complaints(page, "/tasks/otters/test/board/") == []
    assert page.locator("script[src*=plotly]").count() == 0


def test_the_first_tab_stop_skips_to_the_content(page: Page, phase: Phase) -> None:
    page.goto("/tasks/otters/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_wide_parts_of_a_description_are_scrolled_by_keyboard(
    page: Page, phase: Phase
) -> None:
    wide = "|".join("a_long_word_of_a_head" for _ in range(9))
    table = f"|{wide}|\n|{'-|' * 9}\n|{wide}|"
    phase.task.description = f"{table}\n\n```\n{'x' * 200}\n```\n"
    phase.task.save()
    page.set_viewport_size({"width": 390, "height": 800})
    assert complaints(page, "/tasks/otters/") == []


def faults(page: Page, url: str) -> list[str]:
    """What axe says of the page, and where it must be scrolled sideways."""
    found = complaints(page, url)
    return found + [f"wider than {width} px" for width in too_wide(page, url)]


def complaints(page: Page, url: str) -> list[str]:
    page.goto(url)
    return violations(page)


def violations(page: Page) -> list[str]:
    """Findings of axe in each scheme, each with the first element it names."""
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found += [
            f"{scheme}, {one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in axe(page, {} if scheme == SCHEMES[0] else OF_COLOURS)
            if one["impact"] not in HARMLESS
        ]
    return found


def axe(page: Page, rules: dict[str, Any]) -> list[dict[str, Any]]:
    """What axe says of a page as it is now; `rules` chooses some."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    # Colours fade into each other; half-way they are nobody's choice.
    page.evaluate(END_TRANSITIONS)
    found: list[dict[str, Any]] = page.evaluate(RUN_AXE, rules)["violations"]
    return found


def too_wide(page: Page, url: str) -> list[int]:
    """The widths of screens on which the page must be scrolled sideways."""
    if urlsplit(page.url)._replace(scheme="", netloc="").geturl() != url:
        page.goto(url)
    return [width for width in WIDTHS if overhang(page, width) > 0]


def overhang(page: Page, width: int) -> int:
    """By how many pixels the page is wider than a screen."""
    page.set_viewport_size({"width": width, "height": 800})
    pixels: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return pixels
