"""manage.py bundle_schema: the JSON Schema of `task.yaml`, for editors."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.tasks.bundle.schema import TaskPlan


class Command(BaseCommand):
    help = "Print a JSON Schema of task.yaml, by which editors complete and check it."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(json.dumps(TaskPlan.whole().model_json_schema(), indent=2))
