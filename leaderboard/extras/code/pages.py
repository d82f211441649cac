"""The code of a task's teams: rules, hidden inputs, a trial, and runs, also again."""

from dataclasses import dataclass, field, replace

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.extension import blobs, sandbox
from leaderboard.extension.access import EDIT, access, lock_task
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
    Phase,
    Submission,
    Task,
    TestSet,
    User,
    raw_options,
)
from leaderboard.extension.programs import (
    inventory,
    may_run_programs,
    run_limits,
    run_trial,
)
from leaderboard.extension.scores import Score
from leaderboard.extras.code.inputs import give
from leaderboard.extras.code.models import CodeRule, CodeRun, HiddenInput
from leaderboard.extras.code.reruns import run_again, to_run_again
from leaderboard.extras.code.rules import rule_of
from leaderboard.extras.code.runs import (
    given_to_code,
    ingestion_of,
    is_in_gold,
    one_file,
)
from scoring.errors import Problem, Refused
from scoring.sandbox.code_failure import FAILED
from scoring.sandbox.codec import Request, problems_of
from scoring.sandbox.fork import JobFailed
from scoring.source import Source

MOST_RUNS = 30


def is_sent_to(task: Task) -> bool:
    """Whether a phase of the task takes code."""
    return any(phase.hides_input for phase in task.phases.all())


@dataclass(frozen=True)
class CodeTrial:
    """A run of code on the input of a test set, watched by an organizer, and what its
    output comes to. `problems` say why that is nothing, `remarks` what is odd about
    answers that can be scored."""

    seconds: float = 0.0
    megabytes: int | None = None
    output: str = ""
    written: tuple[str, ...] = ()
    scores: list[Score] = field(default_factory=list)
    units: int = 0
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Problem, ...] = ()


def try_code(task: Task, test_set: TestSet, code: Source) -> CodeTrial:
    """Run code in the sandbox, as a submission's would be.

    Raises Refused, JobFailed where the fault is ours, and QueueFull.
    """
    live = task.gold_revisions.live()
    gold = GoldFile.objects.get(revision=live, test_set=test_set).source()
    given = given_to_code(task, test_set, gold)
    files = filter(None, (code, given.source, ingestion_of(task)))
    answer, data = run_trial("programs.run_code", list(files), given.folder)
    written = dict(zip(answer["written"], data, strict=True))
    trial = CodeTrial(
        float(answer["seconds"]),
        answer["megabytes"],
        str(answer["output"]),
        tuple(f"{name} ({len(own)})" for name, own in written.items()),
        problems=tuple(map(_for_organizers, problems_of(answer["refused"]))),
    )
    if trial.problems or task.scorer.runs_program:
        return trial
    return _with_scores(task, test_set, gold, written, trial)


def _for_organizers(problem: Problem) -> Problem:
    """The problem without the hint that what code printed is not shown: here it is."""
    return replace(problem, hint="") if problem.code == FAILED else problem


def _with_scores(
    task: Task,
    test_set: TestSet,
    gold: Source,
    written: dict[str, bytes],
    trial: CodeTrial,
) -> CodeTrial:
    """The trial with scores of what code wrote, or the scorer's problems of it."""
    drawn = task.plan(test_set.position)
    plan = {"resamples": drawn.resamples, "seed": drawn.seed, "level": drawn.level}
    options = raw_options(task.options)
    request = Request.scoring(task.scorer_name, options, plan=plan, unit=task.unit)
    request.add(gold, one_file(written, test_set, for_program=False))
    answer, _files = sandbox.run("programs.scored_output", request)
    if "measures" not in answer:
        return replace(trial, problems=tuple(problems_of(answer.get("refused", []))))
    scores = Score.of_task(task, answer["measures"])
    remarks = _remarks(task, test_set, written)
    return replace(trial, scores=scores, units=int(answer["units"]), remarks=remarks)


def _remarks(
    task: Task, test_set: TestSet, written: dict[str, bytes]
) -> tuple[Problem, ...]:
    """Remarks on what code wrote, as a team that sends files gets them."""
    request = Request.scoring(task.scorer_name, raw_options(task.options))
    request.add(test_set.blind(), one_file(written, test_set, for_program=False))
    try:
        answer, _files = sandbox.run("uploads.check", request)
    except Refused:  # code may have read other input than the blind file
        return ()
    return tuple(problems_of(answer["remarks"]))


class OfTestSet(forms.Form):
    """A form with a choice of a test set."""

    test_set = forms.ModelChoiceField(
        TestSet.objects.none(), label=gettext_lazy("Test set"), empty_label=None
    )

    def __init__(self, task: Task, request: HttpRequest | None) -> None:
        super().__init__(*((request.POST, request.FILES) if request else ()))
        choice = self.fields["test_set"]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = task.test_sets.all()


class CodeTrialForm(OfTestSet):
    """Code to try, and the test set to try it on."""

    sent = UploadField(
        label=gettext_lazy("Code"),
        help_text=gettext_lazy("A zip with predict.py, as a team would send it."),
    )


class InputForm(OfTestSet):
    """The input that code reads for a test set, in place of the blind file."""

    file = UploadField(
        required=False,
        label=gettext_lazy("Input"),
        help_text=gettext_lazy(
            "A file, or a zip whose files the code finds unpacked. Empty: the input "
            "file again, which is made of the answer key."
        ),
    )


class RuleForm(forms.ModelForm):
    """Limits of the code of teams in one phase."""

    class Meta:
        model = CodeRule
        fields = ("seconds_a_day", "most_megabytes", "show_log")


def _rule_forms(task: Task, data: QueryDict | None) -> list[RuleForm]:
    """A form for each phase that takes code."""
    return [
        RuleForm(data, instance=rule_of(phase), prefix=phase.name)
        for phase in _phases(task)
    ]


def _phases(task: Task) -> list[Phase]:
    phases = task.phases.select_related("task").order_by("position", "pk")
    return [phase for phase in phases if phase.hides_input]


@form_page
@access(EDIT)
def code(request: HttpRequest, task: Task) -> HttpResponse:
    """The view does as `action` says: "rules", "input", "try", "phase" or "one", of
    which the last two run code again."""
    if not is_sent_to(task):
        return redirect("organize-phases", task.slug)
    action = request.POST.get("action", "")
    trying = CodeTrialForm(task, request if action == "try" else None)
    giving = InputForm(task, request if action == "input" else None)
    ruling = _rule_forms(task, request.POST if action == "rules" else None)
    trial = None
    if trying.is_valid():
        with refusals_in(trying):
            values = trying.cleaned_data
            trial = _try(task, values["test_set"], values["sent"])
    if giving.is_valid() and not is_in_gold(task):
        with refusals_in(giving):
            _give(task, **giving.cleaned_data)
            messages.success(request, _("Saved. Run code again where it should count."))
            return redirect("organize-code", task.slug)
    allowed = may_run_programs(task)
    if action in ("phase", "one") and allowed:
        _again(request, task, action)
        return redirect("organize-code", task.slug)
    if action == "rules" and all([form.is_valid() for form in ruling]):
        with transaction.atomic():
            lock_task(task.pk)
            for form in ruling:
                form.save()
        messages.success(request, _("Saved."))
        return redirect("organize-code", task.slug)
    own = HiddenInput.objects.filter(test_set__task=task)
    phases = _phases(task)
    submissions = to_run_again(phases).order_by().values_list("phase")
    counts = dict(submissions.annotate(number=Count("pk")))
    context = {
        "task": task,
        "allowed": allowed,
        "limits": run_limits(),
        "environment": inventory(of_code=True),
        "trying": trying,
        "trial": trial,
        "giving": None if is_in_gold(task) else giving,
        "inputs": list(own.select_related("test_set").order_by("test_set__position")),
        "ruling": ruling,
        "phases": [(phase, counts.get(phase.pk, 0)) for phase in phases],
        "under_way": _under_way(phases),
        "runs": _runs(task),
    }
    return form_response(request, "code/code.html", context)


def _try(task: Task, test_set: TestSet, file: UploadedFile) -> CodeTrial:
    try:
        return try_code(task, test_set, blobs.source_of(file, "code"))
    except Refused as refusal:
        return CodeTrial(problems=tuple(refusal.problems))
    except JobFailed as fault:
        return CodeTrial(problems=(Problem("check_failed", str(fault)),))


def _give(task: Task, test_set: TestSet, file: UploadedFile | None) -> None:
    """Raises OverQuota and NoRoom."""
    with transaction.atomic():
        lock_task(task.pk)
        HiddenInput.objects.filter(test_set=test_set).delete()
        if file is not None:
            source = blobs.source_of(file, test_set.name)
            blobs.require_room(task, len(source.single()))
            give(test_set, source)


def _again(request: HttpRequest, task: Task, action: str) -> None:
    """Run the code of one submission or of all of a phase again."""
    if action == "phase":
        name = request.POST.get("phase", "")
        phase = get_object_or_404(task.phases, name=name)
        rows = to_run_again([phase])
    else:
        choice = forms.ModelChoiceField(Submission.objects.filter(phase__task=task))
        try:
            submission = choice.clean(request.POST.get("submission", ""))
        except forms.ValidationError:
            raise Http404 from None
        rows = to_run_again([submission.phase]).filter(pk=submission.pk)
    assert isinstance(request.user, User)
    number_of = run_again(task, rows, request.user)
    words = ngettext(
        "The code of %(n)d submission runs again; its score stands until then.",
        "The code of %(n)d submissions runs again; their scores stand until then.",
        number_of,
    )
    messages.success(request, words % {"n": number_of})


def _under_way(phases: list[Phase]) -> list[Evaluation]:
    """Submissions whose code runs or waits, the first of them where there are many."""
    states = (EvaluationState.RUNNING, EvaluationState.QUEUED)
    rows = Evaluation.objects.filter(submission__phase__in=phases, state__in=states)
    related = rows.select_related("submission__participation__team")
    return list(related.order_by("background", "pk")[:MOST_RUNS])


def _runs(task: Task) -> list[CodeRun]:
    """The newest runs, those that failed first."""
    own = CodeRun.objects.filter(evaluation__submission__phase__task=task)
    begun = own.exclude(facts={}, problems=[])  # ordered, and not begun
    related = begun.select_related(
        "test_set",
        "evaluation__submission__participation__team",
        "evaluation__submission__phase",
    )
    newest = list(related.order_by("-pk")[:MOST_RUNS])
    for run in newest:
        problems = map(Problem.of_row, run.problems)
        run.problems = [_for_organizers(problem).as_row() for problem in problems]
    return sorted(newest, key=lambda run: not run.problems)
