"""The handbook as files: a page for each Markdown file, and what the pages name."""

import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import mark_safe

from leaderboard.handbook.contents import ROOT, Page, pages, parts
from leaderboard.handbook.markdown import EXAMPLE, rendered

TEMPLATES = ROOT / "templates"
FILES = "files"


class NotInHandbook(ValueError):
    """A page names a file that is neither a page nor one that can be shown."""


def built() -> Path:
    """The folder of this version's pages; whichever process is asked first makes it.

    Its name is a hash of all that goes into it, so that an upgrade is a new folder and
    processes that begin together do each other no harm.
    """
    folder = Path(settings.DATA) / "handbook" / fingerprint()
    if not folder.is_dir():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        build(made)
        try:
            os.rename(made, folder)
        except OSError:  # another process was faster
            shutil.rmtree(made)
    return folder


@cache
def fingerprint() -> str:
    sources = [EXAMPLE, *(page.source for page in pages()), *TEMPLATES.rglob("*.html")]
    sources += Path(__file__).parent.glob("*.py")
    # Addresses of style sheets change with their content.
    sources += Path(settings.STATIC_ROOT).glob("staticfiles.json")
    whole = hashlib.sha256()
    for source in sorted(sources):
        whole.update(source.read_bytes())
    return whole.hexdigest()[:16]


def build(folder: Path) -> None:
    """Writes `<path>/index.html` for every page and copies the files that they name."""
    order = pages()
    with translation.override(settings.LANGUAGE_CODE):
        for before, page, after in zip(
            (None, *order[:-1]), order, (*order[1:], None), strict=True
        ):
            said = {"page": page, "before": before, "after": after, "parts": parts()}
            _write(folder, page, said)


def _write(folder: Path, page: Page, said: dict[str, object]) -> None:
    named: set[Path] = set()

    def address(target: Path) -> str:
        known = {one.source: one.path for one in pages()}
        if target in known:
            return page_address(known[target])
        named.add(target)
        return reverse("handbook-file", args=[_name(target)])

    text = rendered(page.source, address)
    html = {"text": text, "body": mark_safe(text.html)}
    target = folder / page.path / "index.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(render_to_string("handbook/page.html", said | html), "utf-8")
    for one in named:
        copy = folder / FILES / _name(one)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(one, copy)


def _name(target: Path) -> str:
    if not (target.is_file() and target.is_relative_to(ROOT)):
        raise NotInHandbook(str(target))
    return target.relative_to(ROOT).as_posix()


def page_address(path: str) -> str:
    return reverse("handbook-page", args=[path]) if path else reverse("handbook")
