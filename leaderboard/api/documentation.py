"""The schema of the API and the page that explains it; the answer to all else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import is_valid_path
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.endpoint import Endpoint
from leaderboard.api.problems import CODES, MEDIA_TYPE

METHODS = ("get", "post", "put", "patch", "delete")


def schema() -> dict[str, Any]:
    """The same for everybody: it names addresses, not what they hold."""
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return found


@extend_schema(exclude=True)
class Schema(Endpoint):
    renderer_classes = [OpenApiYamlRenderer, OpenApiJsonRenderer]

    def get(self, request: Request) -> Response:
        """The OpenAPI document, as YAML or by Accept as JSON."""
        return Response(schema())


@extend_schema(exclude=True)
class Nothing(Endpoint):
    """Every address below /api/ that is none, so that errors have one form."""

    http_method_names = ["get", "head", "post", "put", "patch", "delete", "options"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise Http404

    def get(self, request: Request, rest: str) -> Response:
        raise Http404

    post = put = patch = delete = get

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A reader who forgot the last slash is led on, as on the pages."""
        slashed = f"{request.path_info}/"
        known = not request.path_info.endswith("/") and _known(slashed)
        if known and request.method in ("GET", "HEAD"):
            return HttpResponseRedirect(request.get_full_path(force_append_slash=True))
        return super().dispatch(request, *args, **kwargs)


def _known(path: str) -> bool:
    match = is_valid_path(path)
    return bool(match) and match.url_name != "api-nothing"  # type: ignore[union-attr]


@dataclass(frozen=True)
class Operation:
    """One method of one address, for the page."""

    key: str
    method: str
    path: str
    summary: str
    more: str
    parameters: list[Mapping[str, Any]]
    sent: list[str]
    answers: list[tuple[str, str]]


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The schema as plain HTML: no script, nothing from elsewhere."""
    context = {"operations": list(operations(schema())), "codes": CODES.items()}
    return render(request, "api/docs.html", context)


def operations(found: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in found["paths"].items():
        for method in METHODS:
            if method in methods:
                yield _operation(path, method, methods[method])


def _operation(path: str, method: str, said: Mapping[str, Any]) -> Operation:
    summary, _, more = said.get("description", "").partition("\n\n")
    sent = said.get("requestBody", {}).get("content", {})
    return Operation(
        key=said["operationId"],
        method=method.upper(),
        path=path,
        summary=summary,
        more=more,
        parameters=said.get("parameters", []),
        sent=list(sent),
        answers=list(_answers(said["responses"])),
    )


def _answers(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Status and form of what is no problem document."""
    for status, answer in found.items():
        for media_type, content in answer.get("content", {}).items():
            if media_type != MEDIA_TYPE:
                yield status, _form(content["schema"]) or media_type


def _form(found: Mapping[str, Any]) -> str:
    """The name of the component that an answer is, or holds a list of."""
    inner = found.get("items", found)
    name = inner.get("$ref", "").rpartition("/")[2]
    return f"{name}[]" if name and "items" in found else name
