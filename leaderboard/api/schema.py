"""The OpenAPI document, and the page that explains it."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
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
from leaderboard.web.page_cache import share

# Recorded by tests/api/test_answers_shown.py, which holds them against today's.
EXAMPLES = Path(__file__).parent / "examples.json"
PREFIX = "/api/v1"
FEW_LINES = 14


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
    """The scheme is found by drf-spectacular through its base class."""

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


@cache
def examples() -> Mapping[str, Any]:
    """An answer of each form, by its name in the schema."""
    examples: dict[str, Any] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return examples


@require_safe
@access(ANYBODY)
def page(request: HttpRequest) -> HttpResponse:
    """The schema as plain HTML: no script, nothing from elsewhere."""
    operations = [
        {
            "key": operation["operationId"],
            "method": method.upper(),
            "path": path,
            "short": path.removeprefix(PREFIX),
            "subject": path.removeprefix(PREFIX).strip("/").partition("/")[0],
            "summary": operation["description"].partition("\n\n")[0],
            "more": operation["description"].partition("\n\n")[2],
            "parameters": operation.get("parameters", []),
            "sent": list(operation.get("requestBody", {}).get("content", {})),
            "answers": list(_answers(operation["responses"])),
        }
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
    ]
    subjects = [
        (subject, list(some))
        for subject, some in groupby(operations, lambda operation: operation["subject"])
    ]
    context = {
        "operations": operations,
        "subjects": subjects,
        "codes": CODES.items(),
        "problem": _example_text(examples().get("Problem")),
    }
    return share(request, render(request, "api/docs.html", context))


def component_of(described: Mapping[str, Any]) -> tuple[str, bool]:
    """The name of what an answer consists of, and whether it is a list of them."""
    listed = described.get("items")
    reference = (listed or described).get("$ref", "")
    return reference.rpartition("/")[2], listed is not None


def _answers(responses: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Status, form and example of every answer that is no problem document."""
    for status, answer in responses.items():
        for media_type, content in answer.get("content", {}).items():
            if media_type == MEDIA_TYPE:
                continue
            name, many = component_of(content["schema"])
            example = examples().get(name)
            text = _example_text([example] if many and example is not None else example)
            yield {
                "status": status,
                "form": f"{name}[]" if name and many else name or media_type,
                "example": text,
                "short": text.count("\n") < FEW_LINES,
            }


def _example_text(example: object) -> str:
    if example is None:
        return ""
    return json.dumps(example, indent=2, ensure_ascii=False)
