"""Pictures of all components, to be looked at: `python -m tests.components FOLDER`."""

import os
import sys
from pathlib import Path

import django
from playwright.sync_api import sync_playwright

from tests.servers import find_chromium


def main(folder: Path) -> None:
    from tests.components.page import SCHEMES, WIDTHS, open_page

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = open_page(browser.new_context(locale="en-GB"))
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                path = folder / f"components-{width}-{scheme}.png"
                page.screenshot(path=path, full_page=True)
        browser.close()


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # as in conftest.py
    django.setup()
    main(Path(sys.argv[1]))
