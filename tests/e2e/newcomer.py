"""What somebody does who was never here before."""

from playwright.sync_api import Page, expect


def sign_up(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Sign up", exact=True).click()
    page.get_by_label("Your name").fill("Cy")
    page.get_by_label("Email").fill("cy@example.org")
    page.get_by_label("Password", exact=True).fill("stones-in-the-river")
    page.get_by_label("Password (again)").fill("stones-in-the-river")
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("link", name="Cy", exact=True)).to_be_visible()
