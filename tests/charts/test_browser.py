"""Charts, comparison, system and static pages in a browser, with hostile names."""

from itertools import product
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

from playwright.sync_api import Page, expect

from leaderboard.submissions.models import Evaluation, StoredCounts, Submission
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.teams.models import Team
from tests.charts.conftest import build
from tests.e2e.test_accessibility import violations

TASK = "/tasks/otters/test"
CORE = (
    "<script>hit()</script>",
    "<img src=x onerror=hit()>",
    "<svg onload=hit()>",
    '<a href="javascript:hit()">go</a>',
    "<b onclick=hit()>b</b>",
    "<br><i>i</i>",
    "javascript:hit()",
    "{{ hit() }}",
    "{% hit %}",
    "${hit()}",
    "%{customdata}",
    "$\\href{javascript:hit()}{x}$",
    "<style>*{color:red}</style>",
    "&lt;script&gt;",
    "&#60;script&#62;hit()",
    "<iframe srcdoc=hit>",
    "<base href=//evil.test>",
    "</title><p>",
    "<sup>1</sup><sub>2</sub>",
    "<span style='x:url(//evil.test)'>",
)
DRAWN = ("scores", "measures", "pairs", "slices", "variance")
PAYLOADS = [f"{lead}{core}" for lead, core in product(("", '">', "</script>"), CORE)]
MARKS = (
    "main :is(script[src*=evil], img, iframe, base, a[href^=javascript], b[onclick])"
)


def cloned(first: Submission, system: str) -> Submission:
    """The same submission once more under another name, scored already."""
    (done,) = first.evaluations.all()
    counts = list(StoredCounts.objects.filter(evaluation=done))
    sent = Submission.objects.get(pk=first.pk)
    sent.pk, sent.key, sent.system = uuid4(), uuid4().hex, system[:80]
    sent.save(force_insert=True)
    again = Evaluation.objects.get(pk=done.pk)
    again.pk, again.submission = None, sent
    again.save(force_insert=True)
    for one in counts:
        one.pk, one.evaluation = None, again
    StoredCounts.objects.bulk_create(counts)
    return sent


def renamed(first: Submission) -> list[Submission]:
    """Sixty payloads as names of systems, and some in every other name."""
    found = [cloned(first, payload) for payload in PAYLOADS]
    Team.objects.filter(name="Bens").update(name=CORE[3][:60])
    Team.objects.filter(name="Cys").update(name=PAYLOADS[41][:60])
    Task.objects.update(title=CORE[1], summary=PAYLOADS[20])
    Phase.objects.update(title=CORE[3])
    TestSet.objects.filter(name="north").update(title=CORE[0])
    return found


def unharmed(page: Page, *addresses: str) -> None:
    for address in addresses:
        page.goto(address)
        if page.locator(".chart").count():
            drawn = page.locator(".picture-wide").locator(".mark, rect")
            expect(drawn).not_to_have_count(0)
        if page.locator("[data-zoom]").count():
            page.get_by_role("button", name="Zoom in").click()
            expect(page.locator(".chart-zoomed[data-drawn]")).to_have_count(1)
        assert page.locator(MARKS).count() == 0, address
        strange = "svg:not(.picture-links) a, svg script, svg a:not([href^='?'])"
        assert page.locator(strange).count() == 0, address


def test_charts_systems_and_comparisons(
    page: Page, transactional_db: None, static_files: None, tmp_path: Path
) -> None:
    """To a chart, a file, another measure, three systems; then with hostile names."""
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.add_init_script("window.hit = () => alert('hit')")
    sent = build().sent
    page.goto(f"{TASK}/board/")
    assert page.locator("script[src*=plotly]").count() == 0
    page.get_by_role("link", name="Charts", exact=True).click()
    chart = page.get_by_role("img", name="LAS of each system")
    expect(chart.locator(".mark")).to_have_count(2)
    assert page.locator("script[src*=plotly]").count() == 0
    page.goto(f"{TASK}/charts/?level=99&slice=genre:letter")
    saved_whole(page, tmp_path)
    page.get_by_label("Measure").select_option("uas")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("img", name="UAS of each system")).to_be_visible()
    compared = three_compared(page)
    assert accessible(page, compared, sent) == {}
    named_with_care(page, renamed(sent[0]))
    assert dialogs == []


WEIGHED = """() => {
  const all = [...performance.getEntriesByType("navigation"),
               ...performance.getEntriesByType("resource")];
  return all.map(one => [one.name, one.transferSize]);
}"""
SHIFTED = """() => new Promise(resolve => {
  let shifted = 0;
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) shifted += one.value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(shifted), 300);
})"""
BEYOND_ITS_EDGE = """() => [...document.querySelectorAll("svg.picture text")]
  .filter(one => one.getBBox().x < 0).map(one => one.textContent)"""
MOST_BYTES, MOST_SHIFTED = 120_000, 0.02


def test_a_chart_is_light_and_stands_still_until_somebody_zooms_in(
    page: Page, transactional_db: None, static_files: None
) -> None:
    """All but the typeface, which every page has; and nothing from elsewhere."""
    first = build().sent[0]
    for number in range(28):
        cloned(first, f"system {number}")
    page.goto("/")
    for name in DRAWN:
        page.goto(f"{TASK}/charts/?chart={name}&entries=all&new={name}")
        shifted = page.evaluate(SHIFTED)
        assert shifted < MOST_SHIFTED, (name, shifted)
        weights = page.evaluate(WEIGHED)
        own = page.url.partition("/tasks")[0]
        assert all(address.startswith(own) for address, _bytes in weights)
        own_bytes = sum(n for address, n in weights if "woff2" not in address)
        assert 0 < own_bytes < MOST_BYTES, (name, own_bytes)
        assert not any("plotly" in address for address, _bytes in weights)
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator(".chart-zoomed[data-drawn]")).to_have_count(1)
    assert any("plotly" in address for address, _bytes in page.evaluate(WEIGHED))


def test_a_board_has_its_charts_as_a_second_view_under_the_same_choices(
    page: Page, transactional_db: None, static_files: None
) -> None:
    """The table asks for none, and has the width of the page."""
    first = build().sent[0]
    for number in range(28):
        cloned(first, f"XLM-RoBERTa-LARGE, WMT {number}")
    renamed(first)
    for width in (390, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{TASK}/board/?entries=all&new={width}")
        assert page.evaluate(BEYOND_ITS_EDGE) == []
        assert page.locator(MARKS).count() == 0
        weights = page.evaluate(WEIGHED)
        assert not any("chart" in name or "plotly" in name for name, _size in weights)
        table = page.get_by_role("region", name="Ranking").bounding_box()
        head = page.locator(".board-head").bounding_box()
        assert table and head
        left, right = table["x"], width - table["x"] - table["width"]
        assert abs(left - right) <= 1 and abs(left - head["x"]) <= 1
    assert violations(page) == []
    page.get_by_role("link", name="Charts", exact=True).click()
    expect(page.get_by_role("img", name="LAS of each system").first).to_be_visible()
    assert "entries=all" in page.url
    page.get_by_role("link", name="Since when?", exact=True).click()
    page.get_by_role("link", name="Table", exact=True).click()
    expect(page.get_by_role("region", name="Ranking")).to_be_visible()
    assert "entries=all" in page.url and "chart=" not in page.url


def three_compared(page: Page) -> str:
    page.goto(f"{TASK}/compare/")
    for name in ("alder", "birch", "cedar"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Every pair, with second opinions").click()
    lines = page.get_by_role("region", name="Comparisons").locator("tbody tr")
    expect(lines).to_have_count(3)
    return page.url


def saved_whole(page: Page, folder: Path) -> None:
    for kind, role in (("svg", "link"), ("png", "button")):
        with page.expect_download() as download:
            page.get_by_role(role, name=f"Save as {kind.upper()}").click()
        stem = "otters-test-scores-las-genreletter-99"
        assert download.value.suggested_filename == f"{stem}.{kind}"
        download.value.save_as(folder / kind)
    root = ElementTree.parse(folder / "svg").getroot()
    assert root.tag.endswith("svg")
    words = "".join(root.itertext())
    assert "alder" in words
    assert "LAS of each system · Slice: genre: letter · Intervals: 99%" in words
    assert f"{TASK}/charts/?level=99&slice=genre%3Aletter" in words
    assert (folder / "png").read_bytes().startswith(b"\x89PNG")


def accessible(
    page: Page, compared: str, sent: list[Submission]
) -> dict[str, list[str]]:
    """Findings of axe on the public pages, light and dark."""
    addresses = [
        "/",
        "/about/",
        "/privacy/",
        "/accessibility/",
        compared,
        f"/submissions/{sent[1].pk}/system/",
        f"{TASK}/charts/?chart=slices",
        f"{TASK}/charts/?chart=pairs",
    ]
    found = {}
    for address in addresses:
        page.goto(address)
        if broken := violations(page):
            found[address] = broken
    return found


def named_with_care(page: Page, hostile: list[Submission]) -> None:
    chosen = "&".join(f"system={one.pk}" for one in hostile[:8])
    kinds = [f"{TASK}/charts/?chart={name}&entries=all" for name in DRAWN]
    unharmed(page, *kinds)
    unharmed(page, f"{TASK}/compare/?{chosen}", "/", "/?q=hit")
    unharmed(page, f"/submissions/{hostile[3].pk}/system/")
