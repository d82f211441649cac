"""`python -m benchmarks.site.browser`: what a person feels on one page of many rows.

A board of 2,000 rows, all on one page, in Chromium: how large the page is, when it is
painted, and how long frames take while it is scrolled from top to bottom, at its left
edge and moved sideways. Times between frames depend on what else the machine does; the
processor time of the page's thread does not. Playwright and its browser come with the
requirements of the tests.
"""

import gzip
import os
import sys
import tempfile
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

ROWS = 2000
VISITS = 3
VIEWPORT = {"width": 1280, "height": 900}
PATHS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
FRAME = 1000 / 60
CLOCK = 0.1  # milliseconds: the browser tells times no finer
# Resolves to the milliseconds between frames while the page goes by.
SCROLL = """() => new Promise(done => {
  const table = document.querySelector(".ranking-region");
  const inside = table.scrollHeight > table.clientHeight + 1;
  const moved = inside ? table : document.scrollingElement;
  moved.scrollTop = 0;
  const frames = [], step = moved.clientHeight / 2;
  let last = performance.now();
  const next = now => {
    frames.push(now - last);
    last = now;
    const before = moved.scrollTop;
    moved.scrollBy({top: step, behavior: "instant"});
    if (moved.scrollTop === before) done(frames.slice(1));
    else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""
PAINTED = (
    """() => performance.getEntriesByName("first-contentful-paint")[0].startTime"""
)
LOADED = (
    """() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd"""
)
SIDEWAYS = """() => new Promise(done => {
  document.querySelector(".ranking-region").scrollLeft = 200;
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
FOUND = """() => document.querySelectorAll(
  "table.ranking tbody tr:not(.opened-row)"
).length"""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        print("\n".join(measured(Path(folder))))
    return 0


def measured(data: Path) -> list[str]:
    """Lines of a table. Makes a board of its own in an empty folder."""
    os.environ["PLUMBLINE_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    from benchmarks.site import alone, serving

    print(f"making a board of {ROWS} rows ...", file=sys.stderr, flush=True)
    alone.prepare(0, ROWS)
    with serving.site(data) as started:
        board = f"{started.address}tasks/{alone.SLUG}/test/board/?entries=all&page=all"
        while (answer := urlopen(board)).status == HTTPStatus.ACCEPTED:
            pass  # being computed; the server waits a while each time
        size = len(gzip.compress(answer.read()))
        return described(visited(board), size)


def visited(board: str) -> list[Mapping[str, Any]]:
    """Times of visits with an empty cache; the first warms the server."""
    from playwright.sync_api import sync_playwright

    path = next((path for path in PATHS if Path(path).exists()), None)
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        visits = [visit(chromium, board) for _ in range(VISITS + 1)]
        chromium.close()
    return visits[1:]


def visit(chromium: Any, board: str) -> dict[str, Any]:
    context = chromium.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.goto(board, wait_until="load")
    scripts = {"painted": PAINTED, "loaded": LOADED, "rows": FOUND}
    figures = {name: page.evaluate(script) for name, script in scripts.items()}
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    figures["straight"], figures["work"] = scrolled(page, session)
    page.evaluate(SIDEWAYS)
    figures["sideways"], figures["work sideways"] = scrolled(page, session)
    context.close()
    return figures


def scrolled(page: Any, session: Any) -> tuple[list[float], float]:
    """Milliseconds between frames, and the page's own work in each of them."""
    before = busy(session)
    frames = page.evaluate(SCROLL)
    return frames, 1000 * (busy(session) - before) / len(frames)


def busy(session: Any) -> float:
    """Seconds of processor time of the thread that runs the page."""
    told = session.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in told if metric["name"] == "TaskDuration")


def described(visits: list[Mapping[str, Any]], size: int) -> list[str]:
    from benchmarks.site.alone import line

    assert all(visit["rows"] == ROWS for visit in visits)
    straight, sideways = (
        [frame for visit in visits for frame in visit[name]]
        for name in ("straight", "sideways")
    )
    painted, loaded, work, work_sideways = (
        median(visit[name] for visit in visits)
        for name in ("painted", "loaded", "work", "work sideways")
    )
    return [
        line(f"{ROWS:,} rows on one page, a frame in scrolling", straight, "p95 33 ms"),
        line("the same, moved sideways", sideways, ""),
        f"| of {len(straight)} frames later than two of 60 Hz | {late(straight)} | | |",
        f"| the same, moved sideways | {late(sideways)} | | |",
        f"| the page's processor time in a frame | {work:.1f} ms | | |",
        f"| the same, moved sideways | {work_sideways:.1f} ms | | |",
        f"| {ROWS:,} rows: first paint | {painted:.0f} ms | | |",
        f"| {ROWS:,} rows: all of it there | {loaded:.0f} ms | | |",
        f"| {ROWS:,} rows, compressed | {size / 1000:.0f} kB | | |",
    ]


def late(frames: list[float]) -> str:
    return f"{sum(frame > 2 * FRAME + CLOCK for frame in frames) / len(frames):.1%}"


if __name__ == "__main__":
    sys.exit(main())
