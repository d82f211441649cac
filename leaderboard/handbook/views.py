"""The built pages of the handbook, handed out as files."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe

from leaderboard.handbook.pages import FILES, built, fingerprint
from leaderboard.web.access import ANYBODY, access

# All else is text to be read, whatever it would be to a browser.
KINDS = {".png": "image/png", ".html": "text/html; charset=utf-8"}
TEXT = "text/plain; charset=utf-8"
SECONDS = 300


def _version(request: HttpRequest, name: str = "") -> str:
    return f'"{fingerprint()}"'


@require_safe
@condition(etag_func=_version)
@access(ANYBODY)
def page(request: HttpRequest, name: str = "") -> HttpResponse:
    return _file(f"{name}/index.html")


@require_safe
@condition(etag_func=_version)
@access(ANYBODY)
def file(request: HttpRequest, name: str) -> HttpResponse:
    return _file(f"{FILES}/{name}")


def _file(name: str) -> HttpResponse:
    path = _files(built()).get(name.lstrip("/"))
    if path is None:
        raise Http404
    kind = KINDS.get(path.suffix, TEXT)
    response = HttpResponse(path.read_bytes(), content_type=kind)
    response["Cache-Control"] = f"public, max-age={SECONDS}"
    return response


@cache
def _files(folder: Path) -> Mapping[str, Path]:
    """All files by name: no name that somebody asks for reaches the disk."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}
