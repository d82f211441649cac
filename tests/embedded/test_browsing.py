"""The browser of the tests notices what our pages must not do."""

import pytest
from playwright.sync_api import Browser

from tests.browsing import watch
from tests.waiting import wait_until

HOME = "http://plumbline.test"
POLICY = '<meta http-equiv="Content-Security-Policy" content="script-src \'none\'">'


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ('<img src="http://elsewhere.test/x.png">', "http://elsewhere.test/x.png"),
        ('<link rel="stylesheet" href="//cdn.test/a.css">', "cdn.test/a.css"),
        ("<script>nowhere()</script>", "nowhere is not defined"),
        (f"{POLICY}<script>1</script>", "Content Security Policy"),
    ],
)
def test_it_is_noticed(browser: Browser, page: str, complaint: str) -> None:
    assert complaint in "".join(complaints_of(browser, page, wait=True))


def test_a_decent_page_is_fine(browser: Browser) -> None:
    page = '<img src="/logo.png"><img src="data:,"><script>let a = 1</script>'
    assert complaints_of(browser, page, wait=False) == []


def complaints_of(browser: Browser, body: str, wait: bool) -> list[str]:
    context = browser.new_context()
    context.route(
        "**/*", lambda route: route.fulfill(body=body, content_type="text/html")
    )
    complaints = watch(context, HOME)
    page = context.new_page()
    page.goto(f"{HOME}/")
    if wait:
        wait_until(lambda: page.evaluate("0") == 0 and complaints, what="a complaint")
    context.close()
    return complaints
