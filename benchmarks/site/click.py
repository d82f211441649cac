"""`python -m benchmarks.site.click`: from the click on Submit until the score is there.

One person sends files of 25,000 words one after the other in Chromium, to a whole site
with a worker and a board of a hundred. The clock runs in the browser's own process.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FILES = 30
SECONDS = 60  # a file that takes longer is a failure
SCORED = "() => document.querySelector('#status:not([hx-get])')"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        print("\n".join(measured(Path(folder))))
    return 0


def measured(data: Path) -> list[str]:
    """Lines of a table. Makes a task of its own in an empty folder."""
    os.environ["PLUMBLINE_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    from benchmarks._treebanks import pair
    from benchmarks.site import alone, serving

    alone.prepare(0, 100)
    session = signed_in()
    system = data / "m.conllu"
    system.write_bytes(pair()[1])
    with serving.site(data) as started:
        times = sent(started.address, alone.SLUG, session, system)
    name = f"click to score in Chromium, {FILES} files of 25,000 words"
    return [alone.line(name, times, "p50 500 ms, p95 1000 ms")]


def signed_in() -> str:
    """The key of a session of one person."""
    from django.conf import settings
    from django.contrib.auth import (
        BACKEND_SESSION_KEY,
        HASH_SESSION_KEY,
        SESSION_KEY,
    )
    from django.contrib.sessions.backends.db import SessionStore

    from leaderboard.tasks.models import Phase
    from leaderboard.teams.models import User

    Phase.objects.update(daily_limit=None, total_limit=None)
    user = User.objects.order_by("pk")[0]
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)


def sent(address: str, slug: str, session: str, system: Path) -> list[float]:
    """Milliseconds of each file; the first ones warm the site."""
    from playwright.sync_api import sync_playwright

    from benchmarks.site.browser import PATHS

    path = next((path for path in PATHS if Path(path).exists()), None)
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = chromium.new_context()
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page, form = context.new_page(), f"{address}tasks/{slug}/test/submit/"
        clicks = [one(page, form, system, number) for number in range(FILES + 3)]
        chromium.close()
    return clicks[3:]


def one(page: Any, form: str, system: Path, number: int) -> float:
    page.goto(form, wait_until="load")
    page.fill("input[name=system]", f"system {number}")
    # No two files of a team may be the same.
    words = f"# number = {number}\n".encode() + system.read_bytes()
    file = {"name": "m.conllu", "mimeType": "text/plain", "buffer": words}
    page.set_input_files("input[type=file]", [file])
    start = time.perf_counter()
    page.click("form[data-limit-mb] button[type=submit]", no_wait_after=True)
    page.wait_for_url("**/submissions/*/", timeout=1000 * SECONDS)
    # Asked in every frame of the page; a wait for a selector looks twice a second.
    page.wait_for_function(SCORED, timeout=1000 * SECONDS)
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    sys.exit(main())
