"""manage.py import_scores PATH: make a task with boards of published scores."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from leaderboard.extension.blobs import OverQuota
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import Evaluation, EvaluationState, Task, User
from leaderboard.extension.upkeep import delete_draft
from leaderboard.extras.published.tables import read
from leaderboard.extras.published.task import Header, create, half_made, order_support
from scoring.errors import ScoringError

WAITING = (EvaluationState.QUEUED, EvaluationState.RUNNING, EvaluationState.AWAITING)


class Command(BaseCommand):
    help = (
        "Make the draft of a task of published scores: a table with columns system, "
        "test_set, segment and one for each measure (or measure, score), a folder of "
        "such tables, one for each system, or files of Every Eval Ever. With --report "
        "say of the boards of such a task how many of the printed orders are resolved."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, nargs="?", metavar="TABLES")
        parser.add_argument("--organizer", help="mail address of the organizer")
        parser.add_argument("--title", default="", help="of the task")
        parser.add_argument("--slug", default="", help="the task in addresses")
        parser.add_argument(
            "--measure",
            action="append",
            default=[],
            help="a measure to take, the first ranks; without any, all are taken",
        )
        parser.add_argument(
            "--lower",
            action="append",
            default=[],
            metavar="MEASURE",
            help="a measure of which less is better",
        )
        parser.add_argument(
            "--report", metavar="TASK", help="slug of a task that was imported"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["report"]:
            self._report(options["report"])
        elif options["path"] is None or not options["organizer"]:
            raise CommandError("name the tables and --organizer, or --report TASK")
        else:
            self._create(options)

    def _create(self, options: dict[str, Any]) -> None:
        path: Path = options["path"]
        title = options["title"] or path.stem.replace("_", " ").replace("-", " ")
        slug = options["slug"] or slugify(title)[:50].strip("-_")
        organizer = User.objects.filter(email=options["organizer"].lower()).first()
        if organizer is None:
            raise CommandError(f"nobody has the address {options['organizer']}")
        try:
            scores = read(path, options["measure"])
            if options["measure"]:  # in the order of the call: the first ranks
                scores.measures = dict.fromkeys(options["measure"])
            if unknown := sorted({*options["lower"]} - {*scores.measures}):
                raise CommandError(f"--lower: there is no measure '{unknown[0]}'")
            header = Header(slug, title, frozenset(options["lower"]))
            if left := half_made(scores, header, organizer):
                delete_draft(left)
                self.stdout.write("removed what a call that was ended had left")
            task, again = create(scores, header, organizer)
        except ScoringError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        except (OverQuota, Refusal) as refusal:
            raise CommandError(refusal.sentence) from None
        sets, systems = len(scores.values), len(scores.systems)
        self.stdout.write(
            f"created {task.slug}: {task.get_absolute_url()} "
            f"(systems: {systems}, test sets: {sets}, measures: {len(scores.measures)})"
        )
        if again:
            names = ", ".join(again)
            self.stdout.write(f"teams of other tasks of yours, taken again: {names}")
        self.stdout.write(
            "It is a draft, and workers score its systems now. Then: "
            f"manage.py import_scores --report {task.slug}"
        )

    def _report(self, slug: str) -> None:
        task = Task.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"there is no task {slug}")
        waiting = Evaluation.objects.filter(
            submission__phase__task=task, state__in=WAITING
        ).count()
        if waiting:
            raise CommandError(f"{waiting} systems are not scored yet")
        for phase in task.phases.all():
            support = order_support(phase)
            line = f"{phase.title}: systems: {support.systems}, "
            if support.resolved is None:
                line += f"printed orders: {support.ordered}; nothing says how sure"
            else:
                share = 100 * support.resolved / max(1, support.ordered)
                line += (
                    f"printed orders: {support.ordered}, resolved: {support.resolved} "
                    f"({share:.0f}%); may be first: {', '.join(support.first)}"
                )
            self.stdout.write(line)
