"""`python -m tests.e2e.site_walk`: every kind of page as each of its readers sees it.

The demonstration, and a board of 61 systems with names as people give them. Each kind
of page (by route, and by the first of those it is open to) is loaded in three languages
and at three widths, and looked at in light and in dark: findings of axe, scrolling
sideways, errors on the console, text that is cut, bytes, largest paint and shifts of
the layout. The exit code is 1 where one of the limits is broken. Times are those of
this machine under its load; all else does not depend on it.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import astuple, dataclass, field
from functools import partial
from itertools import groupby, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.transactions import undone

LANGUAGES = ("en-gb", "de", "ru")
WIDTHS = (1440, 1024, 390)
HEIGHTS = {390: 844}
SYSTEMS = 61
SCHEMES = ("light", "dark")
TOGETHER = 10
ROLES = ("visitor", "participant", "organizer", "administrator")
CROWDED = "/tasks/crowded/"
# What everybody has looks otherwise to who is signed in.
FOR_EACH = (
    "/",
    "/tasks/river-parsing/",
    "/tasks/river-parsing/test/board/",
    f"{CROWDED}test/board/",
)
# Other pages of that task are as those of any task.
LONG_NAMES = re.compile(
    r"/tasks/crowded/(?!organize/)|/tasks/crowded/organize/(people|submissions|ranking)/"
)
# Where links to pages of one's own stand.
DOORS = re.compile(r"/|/tasks/[\w-]+/([\w-]+/board/)?|/account\w*/.*")
BEGIN = (
    *FOR_EACH,
    CROWDED,
    f"{CROWDED}test/board/?entries=all",
    f"{CROWDED}test/compare/",
    "/tasks/across-the-watershed/",
    "/admin/queue/",
    "/no-such-page/",
    "/accounts/inactive/",
    "/accounts/password/reset/",
)
GRAVE = {"serious", "critical"}
NOT_OURS = ("/static/", "/admin/", "/accounts/logout", "/i18n/")
LINK = re.compile(r'href="(/[^"#]*)')
BASES = (
    "Llama-3.1-70B-Instruct",
    "mDeBERTa-v3-base + biaffine",
    "Qwen2.5-72B",
    "XLM-RoBERTa-large",
    "UDPipe 2.12 (official models)",
    "百川大模型 Baichuan2-13B-Chat",
    "Лингвопарсер-2",
    "spaCy en_core_web_trf",
    "Übersetzungsgedächtnis",
    "gemma-2-27b-it",
    "BiLSTM-CRF",
    "日本語構文解析器",
)
RECIPES = (
    "",
    ", 5-shot, chain of thought",
    " (ensemble of 5 seeds)",
    " — fine-tuned on all treebanks, final submission",
    "_run3_lr2e-5_bs32_warmup0.1_ckpt48000",
    " v2",
)
GROUPS = (
    "Institut für Maschinelle Sprachverarbeitung",
    "NLP@Uni",
    "Лаборатория компьютерной лингвистики",
    "東京大学 自然言語処理研究室",
    "baseline-busters",
    "Centre for Language Technology & Digital Humanities",
)
PAINTED = """() => new Promise(resolve => {
  let last = 0;
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) last = one.startTime;
  }).observe({type: "largest-contentful-paint", buffered: true});
  setTimeout(() => resolve(last), 50);
})"""
CUT = """() => [...document.querySelectorAll("body *")].filter(one => {
  const style = getComputedStyle(one);
  return style.textOverflow === "ellipsis" && one.clientWidth > 1 &&
    one.scrollWidth > one.clientWidth + 1;
}).map(one => one.textContent.trim().replace(/\\s+/g, " ").slice(0, 70))"""
# Words of the page itself: not what people wrote, which is in their language.
WORDS = """() => {
  const found = new Set(), walker = document.createTreeWalker(document.body, 4);
  const foreign = ".prose, [lang], code, pre, script, style, template, .task-text";
  while (walker.nextNode()) {
    const inside = walker.currentNode.parentElement;
    const text = walker.currentNode.nodeValue.trim().replace(/\\s+/g, " ");
    if (text && !inside.closest(foreign)) found.add(text);
  }
  for (const name of ["aria-label", "title", "placeholder", "alt"])
    for (const one of document.querySelectorAll(`[${name}]`))
      if (!one.closest(foreign)) found.add(one.getAttribute(name));
  return [...found];
}"""
DECIMAL_POINT = re.compile(r"(?<![\d.\w/-])\d+\.\d{1,4}(?![\d.\w])")
MONTH = re.compile(
    r"(?<!\d\. )\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.? \d|"
    r"\d (January|February|March|May|June|July|October|December)\b"
)
ENGLISH = re.compile(r"\b(the|of|and|is|are|to|for|with|not|in|a|by|from|this)\b")


@dataclass(frozen=True)
class Kind:
    """A page, and the first role that may open it."""

    role: str
    address: str


@dataclass
class Look:
    """What was found on one page at one width, in light and in dark."""

    kind: Kind
    language: str
    width: int
    bytes: int = 0
    painted: float = 0
    shifted: float = 0
    overhang: int = 0
    runs: int = 0
    cut: list[str] = field(default_factory=list)
    violations: list[tuple[str, str]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.kind.role} {self.language} {self.width} {self.kind.address}"


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m tests.e2e.site_walk")
    called.add_argument("--data", type=Path, help="of a site; kept, for another walk")
    called.add_argument("--only", default="", help="addresses that match this")
    called.add_argument("--languages", default=",".join(LANGUAGES))
    called.add_argument("--widths", default=",".join(map(str, WIDTHS)))
    called.add_argument("--jobs", type=int, default=2, help="browsers at once (2)")
    called.add_argument("--without-axe", action="store_true", help="the rest is quick")
    called.add_argument("--pictures", type=Path, help="a folder for screenshots")
    called.add_argument("--words", type=Path, help="a file for words to read")
    options = called.parse_args(arguments)
    with ExitStack() as stack:
        data = options.data or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="plumbline-walk-"))
        )
        home = stack.enter_context(demonstration(data))
        kinds = [
            one
            for one in known_kinds(home, data / "kinds.json")
            if re.search(options.only, one.address)
        ]
        print(f"{len(kinds)} kinds of pages ...", file=sys.stderr, flush=True)
        pool = stack.enter_context(
            ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn"))
        )
        stack.callback(pool.shutdown, cancel_futures=True)
        widths = [int(width) for width in options.widths.split(",")]
        how = (widths, options.pictures, not options.without_axe)
        walks = [
            pool.submit(walk, home, part, language, *how)
            for language in options.languages.split(",")
            for part in parts(kinds if language == LANGUAGES[0] else translated(kinds))
        ]
        looks, broken = [], []
        for number, one in enumerate(as_completed(walks), 1):
            print(f"part {number} of {len(walks)}", file=sys.stderr, flush=True)
            looks += one.result()
            for fault in faults(one.result()):
                broken.append(fault)
                print(fault, flush=True)
    print("\n".join(table(looks)))
    if options.words:
        options.words.write_text("\n".join(words_to_read(looks)))
    print(f"limits broken          {len(broken)}")
    return 1 if broken else 0


def translated(kinds: Iterable[Kind]) -> list[Kind]:
    """Without the handbook, whose text is English in all of them."""
    return [one for one in kinds if not one.address.startswith("/docs/")]


def parts(kinds: Iterable[Kind]) -> Iterator[list[Kind]]:
    """So many pages that a role opens one after the other."""
    for _role, group in groupby(kinds, lambda one: one.role):
        own = list(group)
        yield from (own[i : i + TOGETHER] for i in range(0, len(own), TOGETHER))


def demonstration(data: Path) -> Any:
    """The demo with the large board, served; gives its address."""
    os.environ["PLUMBLINE_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    import django

    django.setup()
    from contextlib import contextmanager

    from benchmarks.site import serving

    @contextmanager
    def started() -> Iterator[str]:
        with serving.site(data, "--demo") as site:
            crowd()
            yield site.address.rstrip("/")

    return started()


def crowd() -> None:
    """The board of 61, unless an earlier walk has made it."""

    from benchmarks._treebanks import pair
    from benchmarks.site import filling
    from leaderboard.submissions.models import Submission, SubmittedFile
    from leaderboard.tasks import blobs
    from leaderboard.tasks.models import Task

    if Task.objects.filter(slug=filling.SLUG).exists():
        return
    with undone():
        phase = filling.fill(0, SYSTEMS)
        test_set = phase.test_sets.get()
        data = pair()[1]
        file = {"name": "main.conllu", "sha256": blobs.keep(data), "size": len(data)}
        for number, one in enumerate(
            Submission.objects.filter(phase=phase).select_related("participation__team")
        ):
            recipe = RECIPES[number // len(BASES) % len(RECIPES)]
            one.system = f"{BASES[number % len(BASES)]}{recipe}"[:80]
            one.save(update_fields=["system"])
            SubmittedFile.objects.create(submission=one, test_set=test_set, **file)
            team = one.participation.team
            team.name = f"{GROUPS[number % len(GROUPS)]} {number // len(GROUPS) + 1}"
            team.save(update_fields=["name"])


def known_kinds(home: str, kept: Path) -> list[Kind]:
    """As an earlier walk of the same site found them, if there was one."""
    if not kept.exists():
        kept.write_text(json.dumps([astuple(one) for one in all_kinds(home)]))
    return [Kind(*one) for one in json.loads(kept.read_text())]


def all_kinds(home: str) -> list[Kind]:
    """Whatever links lead to, one address of each kind."""
    found: dict[Any, Kind] = {}
    with browser() as chromium:
        for role in ROLES:
            context = visitor(chromium, home, role, "en-gb")
            waiting, seen = list(BEGIN), set()
            while waiting:
                address = waiting.pop(0)
                kind = kind_of(address)
                if kind is None or kind in seen:
                    continue
                seen.add(kind)
                known = any((kind, other) in found for other in ROLES)
                if known and not DOORS.fullmatch(address):
                    continue
                answer = context.request.get(address, max_redirects=0)
                if answer.status in (301, 302):
                    waiting.append(urlsplit(answer.headers["location"]).path)
                    continue
                if "html" not in answer.headers.get("content-type", ""):
                    continue
                shown = answer.text()
                if "<html" not in shown:
                    continue
                if address in FOR_EACH or not known:
                    found[kind, role] = Kind(role, address)
                links = (one.replace("&amp;", "&") for one in LINK.findall(shown))
                waiting.extend(one for one in links if not one.startswith(NOT_OURS))
            context.close()
    return list(found.values())


def kind_of(address: str) -> Any:
    """None for what is no page of its own: choices multiply."""
    from django.urls import Resolver404, resolve

    path, query = urlsplit(address)[2:4]
    choices = parse_qsl(query, keep_blank_values=True)
    if len(choices) > 1 or path.startswith("/api/v1"):
        return None
    try:
        route = resolve(path).route
    except Resolver404:
        route = path
    named = [(name, value if name == "chart" else "") for name, value in choices]
    own = path if path.startswith("/docs/") else bool(LONG_NAMES.match(path))
    return (route, tuple(named), own)


def browser() -> Any:
    from contextlib import contextmanager

    from playwright.sync_api import sync_playwright

    from tests.servers import find_chromium

    @contextmanager
    def started() -> Iterator[Any]:
        with sync_playwright() as play:
            chromium = play.chromium.launch(
                executable_path=find_chromium(), args=["--no-sandbox"]
            )
            yield chromium
            chromium.close()

    return started()


def visitor(chromium: Any, home: str, role: str, language: str) -> Any:
    """A context of somebody who is signed in, if the role says so."""
    from leaderboard.demo.story import LOGINS

    context = chromium.new_context(base_url=home, locale=language)
    context.add_cookies([{"name": "django_language", "value": language, "url": home}])
    for name, email, password in LOGINS:
        if name == role:
            page = context.new_page()
            page.goto("/accounts/login/")
            page.locator("[name=login]").fill(email)
            page.locator("[name=password]").fill(password)
            page.locator("[name=password]").press("Enter")
            page.wait_for_url(lambda address: "/login/" not in address)
            page.close()
    return context


def walk(
    home: str,
    kinds: Sequence[Kind],
    language: str,
    widths: Sequence[int],
    pictures: Path | None,
    with_axe: bool,
) -> list[Look]:
    """Pages of one role in one language, in a browser of their own."""
    import django

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    django.setup()
    from tests.browsing import watch

    looks = []
    with browser() as chromium:
        context = visitor(chromium, home, kinds[0].role, language)
        complaints = watch(context, home)
        page = context.new_page()
        page.on("console", partial(noted, complaints))
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        for kind, width in product(kinds, widths):
            # Weighed once, as somebody meets it who was never here.
            first = {"cacheDisabled": width == widths[0] and language == LANGUAGES[0]}
            session.send("Network.setCacheDisabled", first)
            complaints.clear()
            look = load(page, Look(kind, language, width))
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                if with_axe:
                    complain(page, look, scheme)
                if pictures:
                    photograph(page, look, scheme, pictures)
            look.complaints = list(complaints)
            looks.append(look)
    return looks


def noted(complaints: list[str], said: Any) -> None:
    """A page that says no has an answer that says so, which is no fault of it."""
    if said.type == "error" and "status of 4" not in said.text:
        complaints.append(said.text)


def load(page: Any, look: Look) -> Look:
    """What can be measured once, in light."""
    from tests.charts.test_browser import SHIFTED, WEIGHED
    from tests.e2e.test_accessibility import overhang

    page.emulate_media(color_scheme=SCHEMES[0])
    size = {"width": look.width, "height": HEIGHTS.get(look.width, 900)}
    page.set_viewport_size(size)
    page.goto(look.kind.address)
    look.painted = page.evaluate(PAINTED)
    look.shifted = page.evaluate(SHIFTED)
    weights = page.evaluate(WEIGHED)
    look.bytes = sum(size for name, size in weights if "woff2" not in name)
    look.overhang = overhang(page, look.width)
    look.cut = page.evaluate(CUT)
    if look.width == max(WIDTHS):
        look.words = page.evaluate(WORDS)
    return look


def complain(page: Any, look: Look, scheme: str) -> None:
    from tests.e2e.test_accessibility import OF_COLOURS, axe

    look.runs += 1
    for one in axe(page, {} if scheme == SCHEMES[0] else OF_COLOURS):
        told = f"{scheme}, {one['id']}: {one['nodes'][0]['html'][:200]}"
        look.violations.append((one["impact"], told))


def photograph(page: Any, look: Look, scheme: str, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    name = re.sub(r"\W+", "-", f"{look} {scheme}")[:120]
    path = folder / f"{name}.jpg"
    page.screenshot(path=path, type="jpeg", quality=60, full_page=True)


def faults(looks: Iterable[Look]) -> list[str]:
    """What breaks a limit, each with where."""
    from tests.charts.test_browser import MOST_BYTES, MOST_SHIFTED

    found = []
    for look in looks:
        wrong = [text for impact, text in look.violations if impact in GRAVE]
        wrong += look.complaints
        if look.overhang > 0:
            wrong.append(f"{look.overhang} px wider than the screen")
        if look.shifted >= MOST_SHIFTED:
            wrong.append(f"shifted by {look.shifted:.3f}")
        if look.bytes > MOST_BYTES:
            wrong.append(f"{look.bytes / 1000:.0f} kB")
        found += [f"{look}: {text}" for text in wrong]
    return found


def table(looks: Sequence[Look]) -> Iterator[str]:
    kinds = {look.kind for look in looks}
    impacts = Counter(impact for look in looks for impact, _text in look.violations)
    yield f"pages                  {len(kinds)}"
    for role in ROLES:
        yield f"  first open to {role:<14} {sum(one.role == role for one in kinds)}"
    yield f"runs of axe            {sum(look.runs for look in looks)}"
    for impact in ("critical", "serious", "moderate", "minor"):
        yield f"  {impact:<20} {impacts[impact]}"
    wide = sum(look.overhang > 0 for look in looks)
    yield f"wider than the screen  {wide} of {len(looks)}"
    yield f"complaints             {sum(len(look.complaints) for look in looks)}"
    rules: dict[str, list[str]] = defaultdict(list)
    for look in looks:
        for impact, text in look.violations:
            rules[f"{impact} {text}"].append(str(look))
    for rule, places in rules.items():
        yield f"  {rule} ({len(places)}: {places[0]})"
    for title, value in (
        ("kB without the typeface", lambda one: one.bytes / 1000),
        ("shift", lambda one: one.shifted),
        ("largest paint, ms", lambda one: one.painted),
    ):
        yield f"most {title}"
        worst: dict[Kind, Look] = {}
        for look in sorted(looks, key=value):
            worst[look.kind] = look
        for look in sorted(worst.values(), key=value, reverse=True)[:8]:
            yield f"  {value(look):10.3f}  {look}"
    cut = {text: str(look) for look in looks for text in look.cut}
    yield f"texts cut              {len(cut)}"
    yield from (f"  {where}: {text}" for text, where in list(cut.items())[:20])


def words_to_read(looks: Iterable[Look]) -> Iterator[str]:
    """For a person to judge: what is the same in English, and how numbers are told."""
    english = {look.kind: set(look.words) for look in looks if look.language == "en-gb"}
    seen = set()
    for look in looks:
        if look.language == "en-gb":
            continue
        for text in look.words:
            if any(name in text for name in (*BASES, *GROUPS)):
                continue
            same = text in english.get(look.kind, ()) and ENGLISH.search(text)
            odd = DECIMAL_POINT.search(text) or MONTH.search(text)
            for name, wrong in (("English", same), ("number or date", odd)):
                if wrong and (look.language, text) not in seen:
                    seen.add((look.language, text))
                    yield f"{name}: {look}: {text[:200]}"


if __name__ == "__main__":
    sys.exit(main())
