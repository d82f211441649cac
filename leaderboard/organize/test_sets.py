"""Test sets: listed, added, changed and removed, their gold checked in the sandbox."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import SentParts, apply
from leaderboard.organize.forms import FormPage, ShowsValues, refusals_in
from leaderboard.sandbox import client
from leaderboard.submissions.accept import OUR_FAULT
from leaderboard.submissions.models import SubmittedFile
from leaderboard.submissions.uploads import source_of
from leaderboard.tasks import blobs
from leaderboard.tasks.access import EDIT, row_of
from leaderboard.tasks.bundle.schema import TaskPlan, TestSetPlan
from leaderboard.tasks.models import GoldFile, Task, TestSet
from leaderboard.tasks.models.task import LEAST_WEIGHT, MOST_WEIGHT
from leaderboard.teams.models import User, check_seen
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import access
from leaderboard.web.forms import UploadField, longest, posted_data
from scoring.errors import Problem, Refused, ScoringError, SetupError
from scoring.formats.bundle import as_one_file, is_zip, members
from scoring.formats.records import some_names
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import JobFailed, LimitExceeded
from scoring.scorer import no_labels
from scoring.source import Source

TEST_SETS = TestSet.objects.select_related("task")
LABELS = "labels"
EDIT_TEST_SET = row_of(EDIT, TEST_SETS, "test_set", "name")


def check_gold(
    plan: TaskPlan, given: TestSetPlan
) -> tuple[str, list[str], TestSetPlan]:
    """The test set, its gold scored against itself and the blind file.

    Without a blind file one is made. Before the test set the unit that was counted:
    the plan's, or the finest that this gold knows where the plan states none; and the
    labels that the task could declare, where it declares none. Raises
    SetupError with every problem, its file, line and column.
    """
    gold = as_stored(given.gold)
    own = as_stored(given.blind) if given.blind else None
    request = request_for(plan, own=own is not None)
    request.add(own or gold, gold)
    try:
        values, (blind,) = sandbox_answer("gold.trial", request, gold.name)
    except SetupError as error:
        raise SetupError(
            [_with_way_out(problem) for problem in error.problems]
        ) from None
    new = given.with_values(
        gold=gold,
        blind=Source.of_bytes(values["name"], blind),
        units=int(values["units"]),
    )
    return values["unit"], values["labels"], new


def _with_way_out(problem: Problem) -> Problem:
    """A declared list of labels binds submissions; its organizer may change it."""
    if not problem.code.startswith("diagnosis_label_"):
        return problem
    hint = _(
        "Write them as the labels of the task, or change these on the page “Scoring”."
    )
    return replace(problem, hint=hint)


def as_stored(source: Source) -> Source:
    """One plain file, or a zip as we write it, whatever wrote the one given.

    Raises SetupError for a zip that is not plain.
    """
    if not is_zip(source):
        return source
    try:
        return as_one_file(Source(source.name, members(source)))
    except ScoringError as error:
        raise SetupError(error.problems) from None


def request_for(plan: TaskPlan, /, **values: Any) -> Request:
    scoring = plan.scoring
    return Request.scoring(scoring.name, scoring.options, unit=scoring.unit, **values)


def sandbox_answer(
    job: str, request: Request, name: str
) -> tuple[dict[str, Any], list[bytes]]:
    """The answer about the file called `name`. Raises SetupError, QueueFull."""
    try:
        return client.run(job, request)
    except LimitExceeded as limit:
        raise SetupError(replace(limit.problems[0], file=name)) from None
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    except JobFailed:
        message = _("trying the file failed on our side; the operators can see why")
        raise SetupError(Problem("check_failed", message, name)) from None


def declares_labels(task: Task) -> bool:
    """Whether the task could declare its labels and declares none."""
    scorer, declared = task.scorer, task.declared_options
    kinds = {option.name: option.kind for option in scorer.options}
    could = kinds.get(LABELS) == "list" and scorer.labels is not no_labels
    return could and not declared.get(LABELS) and not declared.get("many")


class TestSetForm(forms.Form):
    """Adds a test set beside `others` of the task."""

    title = forms.CharField(
        max_length=longest(TestSet, "title"),
        label=gettext_lazy("Title"),
        validators=[check_seen],
    )
    name = forms.SlugField(
        max_length=longest(TestSet, "name"),
        label=gettext_lazy("Name"),
        help_text=gettext_lazy(
            "For addresses and files: letters, digits, “-” and “_”."
        ),
    )
    gold = UploadField(
        label=gettext_lazy("Gold"),
        help_text=gettext_lazy(
            "The answers: one file, or a zip of several. Never published."
        ),
    )
    blind = UploadField(
        required=False,
        label=gettext_lazy("Input file"),
        help_text=gettext_lazy(
            "What participants get. Made from the gold if you give none."
        ),
    )
    position = forms.IntegerField(
        min_value=0,
        max_value=1000,
        label=gettext_lazy("Place"),
        help_text=gettext_lazy("The order; it also fixes the draws of the intervals."),
    )

    weight = forms.FloatField(
        min_value=LEAST_WEIGHT,
        max_value=MOST_WEIGHT,
        initial=1,
        required=False,
        label=gettext_lazy("Weight"),
        help_text=gettext_lazy(
            "In the mean over test sets: 2 counts twice as much as 1. It stays once "
            "something was scored."
        ),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )

    declare = forms.BooleanField(
        required=False,
        initial=True,
        label=gettext_lazy("Declare the labels of this gold as those of the task"),
        help_text=gettext_lazy(
            "A file with any other label is then refused before it uses an attempt, "
            "and told which one was meant. Everybody reads the list; change it, and "
            "its order, on the page “Scoring”."
        ),
    )

    def __init__(self, others: Collection[TestSet], *args: Any, **kwargs: Any) -> None:
        offers = kwargs.pop("offers", False)
        super().__init__(*args, **kwargs)
        if not offers:
            del self.fields["declare"]
        self.taken = {
            field: {getattr(other, field) for other in others}
            for field in ("title", "name", "position")
        }
        last = max(self.taken["position"], default=-1)
        self.initial.setdefault("position", last + 1)

    def clean_title(self) -> str:
        title = str(self.cleaned_data["title"])
        if title in self.taken["title"]:
            raise forms.ValidationError(_("Another test set has this title."))
        return title

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if name in self.taken["name"]:
            raise forms.ValidationError(_("There is a test set of this name."))
        return name

    def clean_position(self) -> int:
        place = int(self.cleaned_data["position"])
        if place in self.taken["position"]:
            raise forms.ValidationError(_("Another test set has this place."))
        return place

    def test_set_plan(self) -> TestSetPlan:
        """The test set as it was sent, perhaps without a blind file."""
        values = self.cleaned_data
        name, blind = values["name"], values["blind"]
        return TestSetPlan.model_construct(
            name=name,
            title=values["title"],
            position=values["position"],
            weight=values["weight"] or 1.0,
            gold=source_of(values["gold"], name),
            blind=source_of(blind, name) if blind else None,
        )


class ChangeTestSetForm(ShowsValues, TestSetForm):
    """Changes a test set; its name stays, and files that are not given.

    Once files were sent for it (`kept`), its blind file and its place stay too.
    """

    field_order = ("title", "gold", "blind", "position", "weight")

    def __init__(
        self, plan: TestSetPlan, others: Collection[TestSet], *args: Any, **kwargs: Any
    ) -> None:
        has_files, scored = kwargs.pop("has_files", False), kwargs.pop("scored", False)
        super().__init__(others, *args, **kwargs)
        self.plan = plan
        del self.fields["name"]
        self.fields["gold"].required = False
        for name, file in (("gold", plan.gold), ("blind", plan.blind)):
            text = _("Now: %s. A new file replaces it.") % file.name
            self.fields[name].help_text = text
        if has_files:
            del self.fields["blind"]
            self.fields["position"].disabled = True
        self.fields["weight"].disabled = scored
        about = {"title": plan.title, "position": plan.position, "weight": plan.weight}
        self.initial.update(about)
        self.shows([*about.values(), plan.gold.sha256, plan.blind.sha256])


def _plan_with_test_sets(plan: TaskPlan, test_sets: Iterable[TestSetPlan]) -> TaskPlan:
    ordered = sorted(test_sets, key=lambda test_set: test_set.position)
    return plan.with_values(test_sets=tuple(ordered))


def add_test_set(
    task: Task, given: TestSetPlan, user: User, *, declare: bool = False
) -> list[str]:
    """The labels of its gold that the task declares from now on, where it is to
    `declare` them. Raises SetupError with what is wrong with the gold."""
    plan = whole_plan(task)
    unit, labels, new = check_gold(plan, given)
    after = _plan_with_test_sets(plan.with_unit(unit), (*plan.test_sets, new))
    declared = labels if declare else []
    if declared:
        options = {**after.scoring.options, LABELS: declared}
        after = after.with_values(scoring=after.scoring.with_values(options=options))
    apply(task, after, user, plan)
    return declared


def change_test_set(
    task: Task, plan: TaskPlan, old: TestSetPlan, form: ChangeTestSetForm, user: User
) -> str:
    """Change a test set into what the form says; the sentence for the organizer.

    Raises SetupError with what stands against it.
    """
    values = form.cleaned_data
    new = old.with_values(
        title=values["title"],
        position=values["position"],
        weight=values["weight"] or old.weight,
    )
    has_files = old.name in SentParts.of(task).test_sets
    gold, blind = values["gold"], values.get("blind")
    if gold or blind:
        if blind:
            new = new.with_values(blind=source_of(blind, old.name))
        elif not has_files and _made_blind(plan, old):
            new = new.with_values(blind=None)  # made from the new gold
        if gold:
            new = new.with_values(gold=source_of(gold, old.name))
        _unit, _labels, new = check_gold(plan, new)
    others = [test_set for test_set in plan.test_sets if test_set.name != new.name]
    apply(task, _plan_with_test_sets(plan, (*others, new)), user, plan)
    if has_files and new.gold != old.gold:
        return _(
            "Saved. The new gold is a draft revision: preview it, then make it live."
        )
    return _("Saved.")


def _made_blind(plan: TaskPlan, old: TestSetPlan) -> bool:
    """Whether the blind file is the one that is made from the gold."""
    scoring = plan.scoring
    blind = as_one_file(scoring.scorer.blind(old.gold, scoring.parsed_options))
    return blobs.digest_of(blind.single()) == old.blind.sha256


def remove_test_set(task: Task, name: str, user: User) -> None:
    """Raises SetupError when files were sent for it, or a phase has no other."""
    plan = whole_plan(task)
    phases = []
    for phase in plan.phases:
        left = tuple(other for other in phase.test_sets if other != name)
        if not left and phase.test_sets:
            message = _("“{phase}” scores on this test set alone")
            hint = _("Change or remove that phase first.")
            text = message.format(phase=phase.title)
            raise SetupError(Problem("phase", text, hint=hint))
        phases.append(phase.with_values(test_sets=left))
    test_sets = tuple(test_set for test_set in plan.test_sets if test_set.name != name)
    added = {
        key: tuple(part for part in parts if not part.is_of(name))
        for key, parts in plan.extra_parts.items()
    }
    after = plan.with_values(test_sets=test_sets, phases=tuple(phases), **added)
    apply(task, after, user, plan)


def recheck_gold(plan: TaskPlan, before: TaskPlan) -> TaskPlan:
    """The plan with all gold tried under its options, units counted anew, and blind
    files that were made from the gold made again.

    Raises SetupError where the gold does not fit them.
    """
    checked = []
    same = plan.scoring.options == before.scoring.options
    for test_set in plan.test_sets:
        if not same and _made_blind(before, test_set):
            test_set = test_set.with_values(blind=None)
        unit, _labels, new = check_gold(plan, test_set)
        plan = plan.with_unit(unit)
        checked.append(new)
    return plan.with_values(test_sets=tuple(checked))


def check_baselines(plan: TaskPlan) -> None:
    """The files of a plan's baselines fit its test sets: asked before anything is
    locked. Raises SetupError, also where the check failed on our side, and QueueFull.
    """
    blinds = {test_set.name: test_set.blind for test_set in plan.test_sets}
    for entry in plan.baselines:
        if plan.brings_code(entry):
            continue  # code, which is tried when it is sent
        request = request_for(plan)
        for name, file in entry.files.items():
            blind = blinds[name]
            assert blind is not None, name
            if len(entry.files) > 1:  # findings must tell them apart
                file = Source.of_bytes(f"{name}/{file.name}", file.single())
            request.add(blind, file)
        try:
            sandbox_answer("uploads.check", request, entry.system)
        except JobFailed:
            raise SetupError(OUR_FAULT) from None


class TestSetsPage(FormPage):
    """The test sets, and the form for one more."""

    mark = EDIT
    form_class = TestSetForm
    template_name = "organize/test_sets.html"
    title = gettext_lazy("Test sets")
    button = gettext_lazy("Check the gold and add")
    saved = gettext_lazy("The test set was added: its gold is sound.")
    marks_optional = True
    done = "organize-test-sets"

    def get_form(self) -> TestSetForm:
        others = self.task.test_sets.all()
        # Only the first gold: of further ones every label has to be on the list.
        offers = not others and declares_labels(self.task)
        return TestSetForm(others, *posted_data(self.request), offers=offers)

    def save(self, form: TestSetForm) -> str:
        declare = bool(form.cleaned_data.get("declare"))
        user = self.request.user
        labels = add_test_set(self.task, form.test_set_plan(), user, declare=declare)
        if not labels:
            return str(self.saved)
        message = _(
            "The test set was added: its gold is sound. The task has these labels now, "
            "and no others: %s."
        )
        return message % some_names(labels)

    def context(self, form: TestSetForm) -> dict[str, Any]:
        files = GoldFile.objects.filter(revision=self.task.gold_revisions.live())
        submitted = SubmittedFile.objects.filter(test_set=OuterRef("test_set"))
        files = files.annotate(sent=Exists(submitted)).select_related("test_set")
        files = files.order_by("test_set__position")
        return {"files": files.prefetch_related("test_set__phases")}


class TestSetPage(FormPage):
    """A test set that is changed."""

    mark = EDIT_TEST_SET
    template_name = "organize/test_set.html"
    marks_optional = True
    done = "organize-test-sets"
    test_set: TestSet

    def get_form(self) -> ChangeTestSetForm:
        name, sent_parts = self.test_set.name, SentParts.of(self.task)
        self.title = self.test_set.title
        self.plan = whole_plan(self.task)
        self.old = next(
            test_set for test_set in self.plan.test_sets if test_set.name == name
        )
        self.has_files, scored = name in sent_parts.test_sets, bool(sent_parts)
        data = posted_data(self.request)
        others = self.task.test_sets.exclude(pk=self.test_set.pk)
        about = {"has_files": self.has_files, "scored": scored}
        return ChangeTestSetForm(self.old, others, *data, **about)

    def save(self, form: ChangeTestSetForm) -> str:
        user = self.request.user
        return change_test_set(self.task, self.plan, self.old, form, user)

    def context(self, form: ChangeTestSetForm) -> dict[str, Any]:
        return {"kept": self.has_files}


@require_POST
@access(EDIT_TEST_SET)
def remove(request: SignedInRequest, test_set: TestSet) -> HttpResponse:
    """Remove a test set; the list again where it stays."""
    task, name = test_set.task, test_set.name
    form = TestSetForm(task.test_sets.all())
    with refusals_in(form):
        remove_test_set(task, name, request.user)
        messages.success(request, _("%s was removed.") % test_set.title)
        return redirect("organize-test-sets", task.slug)
    page = TestSetsPage()
    page.setup(request, task=task)
    return page.show(form)
