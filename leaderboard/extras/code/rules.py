"""Rules of a phase for the code that teams send: seconds of a day, size, and logs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from pydantic import Field

from leaderboard.extension.bundles import BundlePart, PlainName
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import Evaluation, Participation, Phase, Task
from leaderboard.extension.submissions import Upload
from leaderboard.extras.code.models import CodeRule, CodeRun
from scoring.errors import Problem, SetupError

MEGABYTE = 1_000_000


class CodeRulePlan(BundlePart):
    """The rule of one phase, which `name` is; 0 is no limit."""

    row: ClassVar[type[CodeRule]] = CodeRule
    name: PlainName
    seconds_a_day: int = Field(0, ge=0, le=CodeRule.MOST_SECONDS)
    most_megabytes: int = Field(0, ge=0, le=CodeRule.MOST_MEGABYTES)
    show_log: bool = False


class SecondsUsed(Refusal):
    """The code of the team ran for all the seconds of the day."""

    status = 429

    def __init__(self, rule: CodeRule, upload: Upload) -> None:
        message = _("the code of your team ran for all %(seconds)s s of today")
        message %= {"seconds": rule.seconds_a_day}
        super().__init__(message, code="seconds_used")
        self.zone = rule.phase.zone
        self.next_at = rule.phase.next_day_for(upload.participation, upload.arrived_at)


def rule_of(phase: Phase) -> CodeRule:
    """The rule of a phase, which limits nothing where there is none."""
    rule = CodeRule.objects.filter(phase=phase).first() or CodeRule()
    rule.phase = phase
    return rule


def refusal_of(upload: Upload) -> Refusal | None:
    """The reason why code may not be sent now: the day's seconds, or its size."""
    phase, entry = upload.phase, upload.participation
    if not phase.hides_input:
        return None
    rule = rule_of(phase)
    if seconds_left(rule, entry, upload.arrived_at) == 0:
        return SecondsUsed(rule, upload)
    archive = (upload.archive,) if upload.archive else ()
    uploads = (*archive, *(file for files in upload.runs for file in files.values()))
    largest = max((file.size or 0 for file in uploads), default=0)
    if 0 < rule.most_megabytes * MEGABYTE < largest:
        message = _(
            "a zip of code may have %(most)s MB in this phase, weights among them; "
            "this one has %(size)s MB"
        )
        message %= {
            "most": rule.most_megabytes,
            "size": f"{largest / MEGABYTE:.1f}",
        }
        return Refusal(message, code="code_too_large", status=413)
    return None


def seconds_left(
    rule: CodeRule, entry: Participation, moment: datetime
) -> float | None:
    """Seconds that code of a team may still run on the day of `moment`; None without a
    limit."""
    if not rule.seconds_a_day:
        return None
    end = rule.phase.next_day(moment)
    runs = CodeRun.objects.annotate(
        of=Coalesce("evaluation", "program_run__evaluation")
    )
    evaluations = Evaluation.objects.filter(
        submission__phase=rule.phase,
        submission__participation=entry,
        background=False,
        submission__received_at__gte=end - timedelta(hours=26),
        submission__received_at__lt=end,
    )
    arrived = dict(evaluations.values_list("pk", "submission__received_at"))
    today = rule.phase.day_of(moment)
    rows = runs.filter(of__in=list(arrived)).values_list("of", "seconds")
    used = sum(s for of, s in rows if rule.phase.day_of(arrived[of]) == today)
    return max(0.0, rule.seconds_a_day - used)


def plans_of(task: Task) -> list[CodeRulePlan]:
    """The rules of a task, in the order of its phases."""
    rows = CodeRule.objects.filter(phase__task=task).select_related("phase")
    return [
        CodeRulePlan.of_row(row, name=row.phase.name)
        for row in rows.order_by("phase__position", "phase__pk")
    ]


def write(task: Task, plans: Sequence[CodeRulePlan]) -> None:
    """Make the rules of a task those of a bundle. Raises SetupError for one of a phase
    that is not there."""
    phases = {phase.name: phase for phase in task.phases.all()}
    names = {plan.name for plan in plans}
    CodeRule.objects.filter(phase__task=task).exclude(phase__name__in=names).delete()
    for plan in plans:
        if plan.name not in phases:
            message = _("code_rules: there is no phase '%(name)s' in this task")
            raise SetupError(Problem("manifest", message % {"name": plan.name}))
        rule = rule_of(phases[plan.name])
        if rule.pk is None or plan.fields() != CodeRulePlan.of_row(rule).fields():
            for name, value in plan.fields().items():
                setattr(rule, name, value)
            rule.save()


def blockers(_before: object, _after: object) -> list[str]:
    """There are no blockers: rules bind what is sent from now on, and code reads other
    input when it is run again."""
    return []
