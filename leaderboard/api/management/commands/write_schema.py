"""Write docs/openapi.yaml; a test holds it against what is served."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from drf_spectacular.renderers import OpenApiYamlRenderer

from leaderboard.api.schema import schema


class Command(BaseCommand):
    help = "Write the OpenAPI document of the API to docs/openapi.yaml."

    def handle(self, *args: Any, **options: Any) -> None:
        text = OpenApiYamlRenderer().render(schema(), renderer_context={})
        (settings.BASE_DIR / "docs" / "openapi.yaml").write_bytes(text)
