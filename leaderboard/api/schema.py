"""The OpenAPI document: what it says beside what drf-spectacular finds by itself."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema as Generated


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

    target_class = "leaderboard.api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "plb_…"}
