"""manage.py export_task SLUG PATH: write a task as a bundle that import_task takes."""

from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import export_bundle
from leaderboard.tasks.bundle.dump import bundle_of_plan
from leaderboard.tasks.models import Task
from leaderboard.web.written import written_to


class Command(BaseCommand):
    help = "Write a task as a bundle, gold included: a zip, or a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the task in addresses")
        parser.add_argument(
            "path", type=Path, help="a name that ends in .zip, or a new folder"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        task = Task.objects.filter(slug=options["slug"]).first()
        if task is None:
            raise CommandError(f"there is no task {options['slug']}")
        if path.exists():
            raise CommandError(f"{path} is there already")
        zipped = path.suffix == ".zip"
        if zipped:
            files = {path: export_bundle(task).single()}
        else:
            bundle = bundle_of_plan(whole_plan(task))
            files = {path / name: data for name, data in bundle.files.items()}
        with written_to(path):
            try:
                if zipped:
                    path.touch(mode=0o600)
                else:
                    path.mkdir(mode=0o700, parents=True)
                for target, data in files.items():
                    if not zipped:
                        target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data)
            except OSError:  # what was begun would be in the way of the next attempt
                with suppress(OSError):
                    path.unlink() if zipped else rmtree(path)
                raise
        self.stdout.write(f"wrote {task.slug} to {path}")
