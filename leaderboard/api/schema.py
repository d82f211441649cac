"""What the schema says beside what drf-spectacular finds by itself."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema as Generated


class AutoSchema(Generated):
    """Operations go by class and method, as in `one_task_get`."""

    def get_operation_id(self) -> str:
        words = re.findall(r"[A-Z][a-z]*", type(self.view).__name__)
        return "_".join([*map(str.lower, words), self.method.lower()])


class BearerScheme(OpenApiAuthenticationExtension):
    """Found by drf-spectacular through its base class."""

    target_class = "leaderboard.api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "plb_…"}
