"""Two people form a team by a link, and one of them secures the account."""

import re
from collections.abc import Iterator
from time import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import Browser, BrowserContext, Page, expect

from leaderboard.teams.models import Membership
from tests.browsing import watch
from tests.e2e.test_accessibility import complaints, faults

PASSWORD = "rain-over-the-river"
PAGES = (
    "/accounts/",
    "/accounts/name/",
    "/accounts/email/",
    "/accounts/2fa/",
    "/accounts/password/change/",
    "/teams/",
)


@pytest.fixture
def second(browser: Browser, page: Page) -> Iterator[BrowserContext]:
    """Another person's browser."""
    page.goto("/")
    context = browser.new_context(base_url=page.url.rstrip("/"))
    found = watch(context, page.url.rstrip("/"))
    yield context
    context.close()
    assert found == []


def sign_up(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Email").fill(f"{name.lower()}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()


def code(secret: str, ahead: int = 0) -> str:
    """The code of RFC 6238 that an app would show now, or some steps later."""
    return str(format_hotp_value(hotp_value(secret, int(time()) // 30 + ahead)))


def test_two_people_form_a_team_and_one_signs_in_with_a_second_factor(
    page: Page, second: BrowserContext
) -> None:
    page.goto("/accounts/signup/")
    sign_up(page, "Dee")
    page.goto("/teams/")
    page.get_by_label("Name of the new team").fill("Dippers")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Make an invitation link").click()
    link = page.get_by_label(re.compile("Made by Dee")).input_value()
    team = page.url

    theirs = second.new_page()
    theirs.goto("/teams/" + link.partition("/teams/")[2])
    expect(
        theirs.get_by_text("Dee invites you to join the team Dippers")
    ).to_be_visible()
    assert complaints(theirs, theirs.url) == []
    theirs.get_by_role("main").get_by_role("link", name="Sign up").click()
    sign_up(theirs, "Eve")
    theirs.get_by_role("button", name="Join Dippers").click()
    expect(theirs.get_by_role("heading", name="Dippers")).to_be_visible()

    page.goto(team)
    page.get_by_role("button", name="Make Eve a leader").click()
    expect(page.get_by_role("button", name="Make Eve a member")).to_be_visible()
    assert Membership.objects.filter(role="leader").count() == 2
    looked_at = {url: faults(page, url) for url in (*PAGES, team)}
    assert {url: found for url, found in looked_at.items() if found} == {}
    secured(page)


def secured(page: Page) -> None:
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Set up an app").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    assert complaints(page, page.url) == []
    secret = page.get_by_label("Key").input_value()
    page.get_by_label("code").fill("000000")
    page.get_by_role("button", name="Switch it on").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("code").fill(code(secret))
    page.get_by_role("button", name="Switch it on").click()
    expect(page.locator(".codes li")).to_have_count(10)
    page.get_by_role("button", name="Sign out").click()

    cache.clear()  # the limit on tries, and codes that were used
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill("dee@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Your second factor")).to_be_visible()
    page.get_by_label("code").fill(code(secret, ahead=1))
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.goto("/accounts/")
    expect(page.get_by_text("asked for when you sign in")).to_be_visible()
