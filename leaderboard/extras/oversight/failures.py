"""Failures of a task by cause and day: refused uploads, and evaluations that failed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.extension.access import SEE, access
from leaderboard.extension.models import Evaluation, EvaluationState, Phase, Task
from leaderboard.extension.submissions import TEXTS, Upload
from leaderboard.extras.oversight.models import LONGEST, RefusedUpload
from scoring.diagnosis.places import CAPPED
from scoring.errors import Problem
from scoring.messages import PLACES

DAYS = (7, 30, 90)
USUAL = 30
REFUSED = "refused"
NO_CAUSES = (*CAPPED, Evaluation.ATTEMPT_KEPT)
FAILED = (
    EvaluationState.INVALID,
    EvaluationState.TIMEOUT,
    EvaluationState.FAILED_SYSTEM,
)
STAGES: Mapping[str, Any] = {
    REFUSED: _("Refused at upload"),
    **{state.value: TEXTS[state][0] for state in FAILED},
}


def keep(upload: Upload, problems: Sequence[Problem], **_signal: Any) -> None:
    """Keep the kinds of problems of a refused upload, and nothing of its files."""
    kinds = {problem.code: problem.message for problem in reversed(problems)}
    at = timezone.now()
    RefusedUpload.objects.bulk_create(
        RefusedUpload(
            phase=upload.phase,
            participation=upload.participation,
            code=code[:60],
            template=getattr(message, "template", "")[:LONGEST],
            at=at,
        )
        for code, message in kinds.items()
        if code not in NO_CAUSES
    )


class Failure(NamedTuple):
    """One kind of problem of one upload or evaluation."""

    stage: str
    code: str
    template: str
    phase: int
    team: int
    at: datetime


@dataclass(frozen=True)
class Cause:
    """All failures of one kind at one stage."""

    stage: str
    code: str
    failures: Sequence[Failure]

    @property
    def title(self) -> Any:
        return STAGES[self.stage]

    @property
    def sentence(self) -> str:
        """The sentence of most of them, with "…" for what is of a single file."""
        templates = Counter(
            failure.template for failure in self.failures if failure.template
        )
        if templates:
            template = templates.most_common(1)[0][0]
            return PLACES.sub(_blank, gettext(template))
        return (
            "" if self.stage == REFUSED else str(TEXTS[EvaluationState(self.stage)][1])
        )

    @property
    def number(self) -> int:
        return len(self.failures)

    @property
    def teams(self) -> int:
        return len({failure.team for failure in self.failures})

    @property
    def last(self) -> datetime:
        return max(failure.at for failure in self.failures)

    @property
    def is_listed(self) -> bool:
        """Whether what failed is in the list of submissions; refused files are not."""
        return self.stage != REFUSED


def _blank(place: Any) -> str:
    return "%" if place[0] == "%%" else "…"


class Day(NamedTuple):
    """The failures of a day: how many, and how many of each cause."""

    day: date
    number: int
    causes: Sequence[tuple[str, int]]


def failures_of(task: Task, phase: Phase | None, since: datetime) -> list[Failure]:
    """Failures since then, of all phases or of one; two queries."""
    refused = RefusedUpload.objects.filter(phase__task=task, at__gte=since)
    failed = Evaluation.objects.filter(
        submission__phase__task=task,
        gold_revision=F("submission__phase__gold_revision"),
        state__in=FAILED,
        state_since__gte=since,
    )
    if phase is not None:
        refused = refused.filter(phase=phase)
        failed = failed.filter(submission__phase=phase)
    fields = ("code", "template", "phase", "participation", "at")
    rows = failed.values_list(
        *("state", "problems", "submission__phase", "submission__participation"),
        "state_since",
    )
    return [
        *(Failure(REFUSED, *row) for row in refused.values_list(*fields)),
        *(
            Failure(state, code, template, in_phase, team, at)
            for state, problems, in_phase, team, at in rows
            for code, template in _kinds(state, problems)
        ),
    ]


def _kinds(state: str, problems: Any) -> Iterator[tuple[str, str]]:
    """Code and template of each kind of problem of an evaluation."""
    kinds: dict[str, str] = {}
    for row in problems:
        code = row.get("code", "")  # an evaluation of long ago has none
        if code and code not in NO_CAUSES:
            wording = (row.get("wordings") or {}).get("message")
            kinds.setdefault(code, wording[0] if wording else "")
    yield from (kinds or {state: ""}).items()


def causes_of(failures: Iterable[Failure]) -> list[Cause]:
    """The causes, the most frequent first."""
    by_cause: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        by_cause.setdefault((failure.stage, failure.code), []).append(failure)
    causes = [Cause(stage, code, of) for (stage, code), of in by_cause.items()]
    return sorted(causes, key=lambda cause: (-cause.number, cause.code, cause.stage))


def days_of(failures: Iterable[Failure]) -> list[Day]:
    """Days on which something failed, the last first, by the clock of the reader."""
    days: dict[date, Counter[str]] = {}
    for failure in failures:
        day = timezone.localdate(failure.at)
        days.setdefault(day, Counter())[failure.code] += 1
    return [
        Day(day, sum(codes.values()), codes.most_common())
        for day, codes in sorted(days.items(), reverse=True)
    ]


@require_safe
@access(SEE)
def page(request: HttpRequest, task: Task) -> HttpResponse:
    """Failures by cause and by day; `?phase=` of one phase, `?days=` of how many."""
    number = request.GET.get("days", "")
    days = next((days for days in DAYS if str(days) == number), USUAL)
    phases = list(task.phases.all())
    name = request.GET.get("phase", "")
    phase = next((phase for phase in phases if phase.name == name), None)
    failures = failures_of(task, phase, timezone.now() - timedelta(days=days))
    context = {
        "task": task,
        "phases": phases,
        "phase": phase,
        "days": days,
        "choices": DAYS,
        "causes": causes_of(failures),
        "by_day": days_of(failures),
    }
    return render(request, "oversight/failures.html", context)
