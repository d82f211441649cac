"""The OpenAPI document and the page that explains it; the answer to all else."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import is_valid_path
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.problems import CODES, MEDIA_TYPE
from leaderboard.api.schema import schema
from leaderboard.api.views.base import Endpoint


@extend_schema(exclude=True)
class SchemaView(Endpoint):
    renderer_classes = [OpenApiYamlRenderer, OpenApiJsonRenderer]

    def get(self, request: Request) -> Response:
        """The OpenAPI document, as YAML or by Accept as JSON."""
        return Response(schema())


@extend_schema(exclude=True)
class NotFoundView(Endpoint):
    """Every address below /api/ that is none, so that errors have one form."""

    http_method_names = ["get", "head", "post", "put", "patch", "delete", "options"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise Http404

    def get(self, request: Request, rest: str) -> Response:
        raise Http404

    post = put = patch = delete = get

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A reader who forgot the last slash is led on, as on the pages."""
        if request.method in ("GET", "HEAD") and not request.path_info.endswith("/"):
            match = is_valid_path(f"{request.path_info}/")
            if match and match.url_name != "api-nothing":
                address = request.get_full_path(force_append_slash=True)
                return HttpResponseRedirect(address)
        return super().dispatch(request, *args, **kwargs)


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The schema as plain HTML: no script, nothing from elsewhere."""
    operations = [
        {
            "key": operation["operationId"],
            "method": method.upper(),
            "path": path,
            "summary": operation["description"].partition("\n\n")[0],
            "more": operation["description"].partition("\n\n")[2],
            "parameters": operation.get("parameters", []),
            "sent": list(operation.get("requestBody", {}).get("content", {})),
            "answers": list(_answers(operation["responses"])),
        }
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
    ]
    context = {"operations": operations, "codes": CODES.items()}
    return render(request, "api/docs.html", context)


def _answers(responses: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Status and component of every answer that is no problem document."""
    for status, answer in responses.items():
        for media_type, content in answer.get("content", {}).items():
            if media_type == MEDIA_TYPE:
                continue
            listed = content["schema"].get("items")
            reference = (listed or content["schema"]).get("$ref", "")
            name = reference.rpartition("/")[2]
            yield status, f"{name}[]" if name and listed else name or media_type
