"""The OpenAPI document, and the page that explains it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema as Generated
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.problems import CODES, MEDIA_TYPE
from leaderboard.api.views.base import Endpoint
from leaderboard.web.access import ANYBODY, access


def schema() -> dict[str, Any]:
    """The same for everybody: it names addresses, not what they hold."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document


class AutoSchema(Generated):
    """Operations go by class and method, as in `one_task_get`."""

    def get_operation_id(self) -> str:
        name = type(self.view).__name__.removesuffix("View")
        words = re.findall(r"[A-Z][a-z]*", name)
        return "_".join([*map(str.lower, words), self.method.lower()])


class BearerScheme(OpenApiAuthenticationExtension):
    """Found by drf-spectacular through its base class."""

    target_class = "leaderboard.api.requests.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "plb_…"}


class SchemaView(Endpoint):
    access = ANYBODY
    schema = None  # no part of itself
    renderer_classes = [OpenApiYamlRenderer, OpenApiJsonRenderer]

    def get(self, request: Request) -> Response:
        """The OpenAPI document, as YAML or by Accept as JSON."""
        return Response(schema())


@require_safe
@access(ANYBODY)
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
