"""The built pages, handed out as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe

from leaderboard.handbook.building import FILES, built, fingerprint

# All else is text to be read, whatever it would be to a browser.
KINDS = {".png": "image/png", ".html": "text/html; charset=utf-8"}
TEXT = "text/plain; charset=utf-8"
SECONDS = 300


def _version(request: HttpRequest, name: str = "") -> str:
    return f'"{fingerprint()}"'


@require_safe
@condition(etag_func=_version)
def page(request: HttpRequest, name: str = "") -> HttpResponse:
    return _file(f"{name}/index.html")


@require_safe
@condition(etag_func=_version)
def file(request: HttpRequest, name: str) -> HttpResponse:
    return _file(f"{FILES}/{name}")


def _file(name: str) -> HttpResponse:
    folder = built().resolve()
    found = (folder / name.lstrip("/")).resolve()
    if not (found.is_file() and found.is_relative_to(folder)):
        raise Http404
    kind = KINDS.get(found.suffix, TEXT)
    answer = HttpResponse(found.read_bytes(), content_type=kind)
    answer["Cache-Control"] = f"public, max-age={SECONDS}"
    return answer
