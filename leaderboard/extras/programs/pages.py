"""The scoring program of a task: its limits, a trial, another one, and its runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.extension import sandbox
from leaderboard.extension.access import EDIT, access
from leaderboard.extension.blobs import source_of
from leaderboard.extension.forms import (
    UploadField,
    form_page,
    form_response,
    refusals_in,
)
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    GoldFile,
    Submission,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.extension.programs import (
    inventory,
    may_run_programs,
    nothing_is_scored,
    replace_options,
    run_limits,
    run_trial,
)
from leaderboard.extension.scores import Score
from leaderboard.extension.submissions import retry
from leaderboard.extras.programs.look import look_at
from leaderboard.extras.programs.models import ProgramRun
from scoring.errors import Problem, Refused
from scoring.formats.bundle import zip_files
from scoring.options import TRUE
from scoring.sandbox.codec import Request, problems_of
from scoring.sandbox.fork import JobFailed
from scoring.sandbox.scoring_program import over
from scoring.scorers.program import INGESTION, NAME, PROGRAM, RUN_CODE
from scoring.scorers.program.conventions import INPUT, REF, canonical
from scoring.source import Source

MOST_RUNS = 30
UNFINISHED = "trial_limit"  # a code of problems


@dataclass(frozen=True)
class ProgramTrial:
    """A run of the program on one file, watched by an organizer.

    `problems` say why it came to nothing; `refused`, why the program took the file for
    none that it can score.
    """

    seconds: float = 0.0
    output: str = ""
    scores: list[Score] = field(default_factory=list)
    units: int = 0
    problems: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def fine(self) -> bool:
        return not self.problems and not self.refused

    @property
    def is_unfinished(self) -> bool:
        """Whether a run may go on where the trial ended."""
        return any(problem.code == UNFINISHED for problem in self.problems)

    @property
    def remarks(self) -> list[str]:
        """Sentences on scores that are other than their measures say."""
        sentence = _(
            "“%(title)s” is declared as a share (percent), which is shown times 100: "
            "%(shown)s. If the program writes per cents, leave “percent” out."
        )
        return [
            sentence % {"title": score.measure.title, "shown": score.printed}
            for score in self.scores
            if score.measure.percent and abs(score.numbers.value or 0) > 1
        ]


def try_program(task: Task, gold: Source, submitted: Source) -> ProgramTrial:
    """Run the task's program on a file, in the sandbox, as a submission's would be.

    Raises JobFailed where the fault is ours, and QueueFull.
    """
    options = raw_options(task.options)
    program = next(iter(options.get(PROGRAM, ())), None)
    if not isinstance(program, Source):
        return ProgramTrial(
            problems=(Problem("program", _("The task has no program.")),)
        )
    name = str((options.get(NAME) or [""])[0])
    folder, code_log = "", ""
    if TRUE.intersection(options.get(RUN_CODE, ())):
        folder = REF
        given = options.get(INGESTION, ())
        files = [submitted, gold, *(file for file in given if isinstance(file, Source))]
        answer, left = run_trial("programs.run_code", files, INPUT)
        code_log = str(answer["output"])
        if answer["refused"]:
            refused = tuple(problems_of(answer["refused"]))
            return ProgramTrial(answer["seconds"], code_log, refused=refused)
        submitted = zip_files(
            submitted.name, dict(zip(answer["written"], left, strict=True))
        )
    files = [program, gold, submitted]
    answer, left = run_trial("programs.run_program", files, folder, name)
    trial = ProgramTrial(
        answer["seconds"],
        code_log + str(answer["output"]),
        problems=tuple(map(_of_trial, problems_of(answer["faults"]))),
        refused=tuple(problems_of(answer["refused"])),
    )
    if not trial.fine:
        return trial
    return _count_trial(task, trial, dict(zip(answer["left"], left, strict=True)))


def _of_trial(problem: Problem) -> Problem:
    """The problem with what a run may take, where a trial waits no longer."""
    waits, whole = run_limits(settings.CHECK_WALL_SECONDS), run_limits()
    ends = [over(name, waits).message for name in ("wall", "cpu")]
    if waits == whole or problem.message not in ends:
        return problem
    hint = _(
        "A trial waits no longer; a run of a submission may take %(seconds)s s in all."
    )
    hint %= {"seconds": f"{whole.wall_seconds:g}"}
    return replace(problem, code=UNFINISHED, hint=hint)


def _count_trial(
    task: Task, trial: ProgramTrial, left: Mapping[str, bytes]
) -> ProgramTrial:
    """The trial with what its result comes to."""
    drawn = task.plan(0)
    raw = raw_options(task.options)
    options = {n: v for n, v in raw.items() if n not in (PROGRAM, INGESTION)}
    plan = {"resamples": drawn.resamples, "seed": drawn.seed, "level": drawn.level}
    request = Request.scoring(task.scorer_name, options, plan=plan)
    for name, data in left.items():
        request.add(Source.of_bytes("nothing", b""), Source.of_bytes(name, data))
    answer, _files = sandbox.run("programs.outcome", request)
    if "measures" not in answer:
        return replace(
            trial,
            problems=tuple(problems_of(answer.get("faults", []))),
            refused=tuple(problems_of(answer.get("refused", []))),
        )
    scores = Score.of_task(task, answer["measures"])
    return replace(trial, scores=scores, units=int(answer["units"]))


class ReplaceForm(forms.Form):
    """A form for another program in place of the current one."""

    program = UploadField(label=gettext_lazy("Another program (zip)"))


class ProgramTrialForm(forms.Form):
    """A file to try the program on; without one the gold itself."""

    test_set = forms.ModelChoiceField(
        TestSet.objects.none(), label=gettext_lazy("Test set"), empty_label=None
    )
    sent = UploadField(
        required=False,
        label=gettext_lazy("A submission"),
        help_text=gettext_lazy("Without a file the gold is tried as a submission."),
    )

    def __init__(self, task: Task, *args: Any) -> None:
        super().__init__(*args)
        choice: Any = self.fields["test_set"]
        choice.queryset = task.test_sets.all()


@form_page
@access(EDIT)
def program(request: HttpRequest, task: Task) -> HttpResponse:
    """The view does as `action` says: "replace", "try" or "again"."""
    if not task.scorer.runs_program:
        return redirect("organize-scoring", task.slug)
    action = request.POST.get("action", "")
    posted = (request.POST, request.FILES)
    replacing = ReplaceForm(*(posted if action == "replace" else ()))
    trying = ProgramTrialForm(task, *(posted if action == "try" else ()))
    trial = None
    if replacing.is_valid():
        with refusals_in(replacing):
            _replace(request, task, replacing.cleaned_data["program"])
            return redirect("organize-program", task.slug)
    if trying.is_valid():
        with refusals_in(trying):
            trial = _try(task, trying.cleaned_data)
    if action == "again":
        _again(request, task)
        return redirect("organize-program", task.slug)
    source: Any = next(iter(raw_options(task.options).get(PROGRAM, ())), None)
    context = {
        "task": task,
        "replacing": replacing
        if nothing_is_scored(task) or has_baselines_alone(task)
        else None,
        "own": has_baselines_alone(task),
        "trying": trying,
        "trial": trial,
        "limits": run_limits(),
        "environment": inventory(),
        "look": look_at(source) if source else None,
        "allowed": may_run_programs(task),
        "program": next(iter(task.options.get(PROGRAM, ())), None),
        "runs": _runs(task),
        "failed": failures(task).count(),
    }
    return form_response(request, "programs/program.html", context)


def _replace(request: HttpRequest, task: Task, file: Any) -> None:
    given = canonical(source_of(file, "program.zip"))
    user: Any = request.user
    replace_options(task, {PROGRAM: [given]}, user, resend=has_baselines_alone(task))
    messages.success(request, _("Saved."))
    _again(request, Task.objects.get(pk=task.pk))


def has_baselines_alone(task: Task) -> bool:
    """Whether the task is a draft to which nothing but its own baselines was sent:
    with another program they are just sent again."""
    submissions = Submission.objects.filter(phase__task=task)
    others = submissions.exclude(baseline=True, withdrawn_at=None)
    return task.draft and submissions.exists() and not others.exists()


def _try(task: Task, given: dict[str, Any]) -> ProgramTrial:
    """Raises SetupError where the fault is ours."""
    live = task.gold_revisions.live()
    gold = GoldFile.objects.get(revision=live, test_set=given["test_set"]).source()
    file = given["sent"]
    try:
        return try_program(task, gold, source_of(file, "sent") if file else gold)
    except Refused as refusal:
        return ProgramTrial(problems=refusal.problems)
    except JobFailed as fault:
        return ProgramTrial(problems=(Problem("check_failed", str(fault)),))


def is_run_for(task: Task) -> bool:
    """Whether a program scores the task."""
    return task.scorer.runs_program


def failed_for(task: Task) -> bool:
    """Whether the program of the task failed on submissions, and teams wait."""
    return task.scorer.runs_program and failures(task).exists()


def failures(task: Task) -> Any:
    """Evaluations that the program failed on, and that nobody has tried again."""
    return Evaluation.objects.filter(
        submission__phase__task=task,
        state=EvaluationState.FAILED_SYSTEM,
        problems__0__code=Evaluation.PROGRAM_FAILED,
    )


def _again(request: HttpRequest, task: Task) -> None:
    """Score anew what the program failed on; nobody is charged for it."""
    failed = list(failures(task))
    for evaluation in failed:
        retry(evaluation, request.user)  # type: ignore[arg-type]
    if failed:
        words = ngettext(
            "%(n)d submission is scored again.",
            "%(n)d submissions are scored again.",
            len(failed),
        )
        messages.success(request, words % {"n": len(failed)})


def _runs(task: Task) -> list[ProgramRun]:
    """The newest runs, those that failed first."""
    runs = ProgramRun.objects.filter(evaluation__submission__phase__task=task)
    related = runs.select_related(
        "test_set",
        "evaluation__submission__participation__team",
        "evaluation__submission__phase",
    )
    newest = list(related.order_by("-pk")[:MOST_RUNS])
    return sorted(newest, key=lambda run: not run.problems)
