"""Bundles of whole tasks: their export, their import, what one changes, and their
page."""

from collections.abc import Container, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from leaderboard.organize import phases
from leaderboard.organize.baselines import (
    send_baselines,
    whole_plan,
    withdraw_baselines,
)
from leaderboard.organize.fact_sheet import answers_by_question
from leaderboard.organize.forms import FormPage, refusals_in
from leaderboard.organize.phase_form import PhaseValues, effects, questions_on_end
from leaderboard.organize.phases import announce_pause
from leaderboard.submissions import outside_counts
from leaderboard.submissions.gold.check import Corrected, check_correction
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    SubmittedFile,
)
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks import blobs, phase_rules
from leaderboard.tasks.access import EDIT, lock_phases, lock_task
from leaderboard.tasks.bundle.create import (
    Draft,
    Opened,
    add_phase,
    add_test_set,
    create,
    require_units,
    stored_options,
    uploaded_plan,
    write_added,
    write_parts,
)
from leaderboard.tasks.bundle.diff import FieldChange, changes, settle_plan
from leaderboard.tasks.bundle.dump import pack_bundle
from leaderboard.tasks.bundle.files import MANIFEST
from leaderboard.tasks.bundle.schema import PhasePlan, TaskPlan, TestSetPlan
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import GoldFile, Notice, Phase, Task
from leaderboard.tasks.organizer_quota import require_room_for
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.attachment import attachment
from leaderboard.web.extras import BundleKey, ProgramRunner, joined
from leaderboard.web.languages import in_english
from scoring.errors import Problem, SetupError
from scoring.source import Source, list_names

FIXED_IN_PHASE = ("test_sets", "private_share", "salt")
CHANGED = "changed_meanwhile"
SALT = "changed bundle"
MOST_NAMES = 5  # of files that a sentence lists
CONFIRM_SECONDS = 24 * 3600  # between the preview and its confirmation


def import_plan(plan: TaskPlan, organizer: User | None, publish: bool = False) -> Task:
    """Create a draft and send its baselines, all or nothing.

    Whoever read the plan has checked them against its test sets (`with_gold`).
    With `publish` a plan that says `draft: false` is a public task at once. Raises
    SetupError when the slug is taken, or there are baselines and nobody to send them.
    """
    if not publish:
        plan = plan.with_values(draft=True)
    if plan.baselines and organizer is None:
        message = "'baselines': an organizer has to be named, who sends them"
        raise SetupError(Problem("baselines", message, "task.yaml"))
    with transaction.atomic():
        task = create(plan, organizer)
        if organizer is not None:
            send_baselines(task, plan, organizer)
    return task


def import_opened(bundle: Opened, organizer: User | None) -> Draft:
    """Create a draft out of an uploaded bundle, by its importer if it has one."""
    if bundle.importer:
        return Draft(*bundle.importer.create(bundle.plan, bundle.rows, organizer))
    return Draft(import_plan(bundle.plan, organizer))


def note_on_draft(plan: TaskPlan) -> str:
    """The sentence that the uploaded task is a draft, whatever its bundle says, and
    that its scoring program cannot run or files are of no use, if that is seen."""
    sentences = _draft_sentence(plan), warning_of(plan), unnamed_files(plan)
    return " ".join(filter(None, sentences))


def unnamed_files(plan: TaskPlan) -> str:
    """A sentence on files of the bundle that its manifest does not name; empty where
    there are none."""
    if not plan.strays:
        return ""
    words = ngettext(
        "%(n)d file is not part of the task, as nothing in %(manifest)s names it: "
        "%(names)s.",
        "%(n)d files are not part of the task, as nothing in %(manifest)s names them: "
        "%(names)s.",
        len(plan.strays),
    )
    names = list_names(plan.strays, MOST_NAMES)
    return words % {"n": len(plan.strays), "manifest": MANIFEST, "names": names}


def _draft_sentence(plan: TaskPlan) -> str:
    if plan.draft is False:
        return _(
            "The task is there as a draft that only its organizers see: 'draft: false' "
            "in a bundle does not publish it. Check it, then publish."
        )
    return _(
        "The task is there as a draft that only its organizers see. Check it, then "
        "publish."
    )


def warning_of(plan: TaskPlan) -> str:
    """A sentence of the extra that runs a plan's program, if it cannot; else empty."""
    return " ".join(
        filter(None, (runner.warning(plan) for runner in joined(ProgramRunner)))
    )


def mendable() -> list[str]:
    """Options that may change until something was scored with them."""
    return [name for runner in joined(ProgramRunner) for name in runner.mendable]


def export_bundle(task: Task) -> Source:
    """The task as a zip; the same task gives the same bytes."""
    return pack_bundle(whole_plan(task))


@dataclass(frozen=True)
class SentParts:
    """Names of phases that were sent to, test sets with files, answered questions.

    `registration` are the answered questions to teams, `declared` the phases with a
    final ranking.
    """

    phases: frozenset[str]
    test_sets: frozenset[str]
    questions: frozenset[str] = frozenset()
    registration: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    # Whether values of submissions were counted outside.
    judged: bool = False

    @classmethod
    def of(cls, task: Task) -> "SentParts":
        submissions = Submission.objects.filter(phase__task=task)
        systems = answers_by_question(task, task.questions.all())
        teams = answers_by_question(task, task.registration_questions.all())
        files = SubmittedFile.objects.filter(submission__phase__task=task)
        return cls(
            frozenset(submissions.values_list("phase__name", flat=True)),
            frozenset(files.values_list("test_set__name", flat=True)),
            frozenset(name for name, number in systems.items() if number),
            frozenset(name for name, number in teams.items() if number),
            frozenset(
                task.phases.exclude(declared_at=None).values_list("name", flat=True)
            ),
            outside_counts.any_of(task),
        )

    def __bool__(self) -> bool:
        return bool(self.phases)


def nothing_is_scored(task: Task) -> bool:
    """Whether nothing was scored yet: a program may then still be mended."""
    scored = Evaluation.objects.filter(
        submission__phase__task=task, state=EvaluationState.SCORED
    )
    return not scored.exists()


def blockers(
    sent_parts: SentParts, before: TaskPlan, after: TaskPlan, mends: bool = False
) -> list[Problem]:
    """Every reason against a change, with what to do instead.

    With `mends` another scoring program blocks nothing: none was scored by this one.
    """
    if mends and sent_parts:
        old, new = before.scoring.options, after.scoring.options
        mended = {x: new[x] for x in mendable() if x in old and x in new}
        if mended:
            scoring = before.scoring.with_values(options={**old, **mended})
            before = before.with_values(scoring=scoring)
    return [
        *_task_blockers(sent_parts, before, after),
        *_measure_blockers(before, after),
        *_phase_blockers(sent_parts, before, after),
        *_test_set_blockers(sent_parts, before, after),
        *_question_blockers("fact_sheet", sent_parts.questions, before, after),
        *_question_blockers("registration", sent_parts.registration, before, after),
        *(
            _blocker(key.name, sentence)
            for key in joined(BundleKey)
            for sentence in key.blockers(before, after)
        ),
    ]


def _blocker(
    code: str,
    text: str,
    hint: str = "",
    *,
    file: str = "task.yaml",
    line: int | None = None,
    **names: str,
) -> Problem:
    return Problem(code, text.format(**names), file, line, hint=hint)


def _pairs(
    before: Iterable[Any], after: Iterable[Any], names: Container[str]
) -> Iterator[tuple[Any, Any]]:
    """Parts of these names, each with what becomes of it, or None."""
    left = {part.name: part for part in after}
    return ((part, left.get(part.name)) for part in before if part.name in names)


def what_to_do(task_is_draft: bool | None) -> str:
    """A sentence on how to change what is fixed all the same."""
    if task_is_draft:
        return _("Remove the baselines that were sent, then change it.")
    return _("Make a new task: download the bundle, give it another slug, upload it.")


def _task_blockers(
    sent_parts: SentParts, before: TaskPlan, after: TaskPlan
) -> Iterator[Problem]:
    if before.slug != after.slug:
        text = _("the bundle is of the task “{other}”, this one is “{own}”")
        hint = _("Upload it as a new task, or write this task's slug into it.")
        yield _blocker("slug", text, hint, other=after.slug, own=before.slug)
    if before.draft and not after.draft:
        hint = _("Leave 'draft: true' in the bundle and publish after the check.")
        yield _blocker("draft", _("a bundle does not publish a task"), hint)
    judged = "judgements"
    was, now = set(before.scoring.judgements), set(after.scoring.judgements)
    if sent_parts.judged and not was <= now:
        text = _("'{name}' can only be added to: submissions were judged by them")
        yield _blocker("fixed", text, name=judged)
    old, new = _fixed_parts(before), _fixed_parts(after)
    text = _("'{name}' cannot change any more: submissions were scored with it")
    for name in new if sent_parts else ():
        if new[name] != old[name]:
            yield _blocker("fixed", text, what_to_do(before.draft), name=name)


def _measure_blockers(before: TaskPlan, after: TaskPlan) -> Iterator[Problem]:
    """Boards, and parts of extras, that name measures which another scorer, or other
    options and judgements, have no more."""
    if before.scoring == after.scoring:
        return
    has = after.scoring.scorer.has_measure
    text = _("'{key}': “{part}” needs the measure '{name}', which would be gone")
    hint = _("Change it first, or remove it.")
    for key in ("boards", *(own.name for own in joined(BundleKey))):
        for part in getattr(after, key, ()):
            measures = [*getattr(part, "measures", ()), getattr(part, "headline", None)]
            for name in dict.fromkeys(filter(None, measures)):
                if not has(name):
                    yield _blocker(
                        "measure", text, hint, key=key, part=part.title, name=name
                    )


def _fixed_parts(plan: TaskPlan) -> dict[str, Any]:
    """A change of these gives other scores, or intervals, than those on the board."""
    scoring = plan.scoring
    return {
        "scorer": scoring.name,
        "options": scoring.options,
        "unit": scoring.unit,
        **plan.bootstrap.model_dump(),
    }


def _phase_blockers(
    sent_parts: SentParts, before: TaskPlan, after: TaskPlan
) -> Iterator[Problem]:
    for old, new in _pairs(before.phases, after.phases, sent_parts.phases):
        if new is None:
            text = _("phase '{name}' cannot be removed: submissions were sent to it")
            yield _blocker("phase", text, _("Close it, or pause it."), name=old.name)
            continue
        text = _(
            "phase '{phase}': '{name}' cannot change any more: "
            "submissions were scored with it"
        )
        hint = _("Add a phase with the new values beside it.")
        for name in FIXED_IN_PHASE:
            if getattr(old, name) != getattr(new, name):
                names = {"phase": old.name, "name": name}
                yield _blocker("phase", text, hint, line=new.lines.get(name), **names)
    # Of a draft that nobody sent anything to nothing was promised.
    promised = (
        sent_parts.phases if before.draft else {old.name for old in before.phases}
    )
    text = _("phase '{phase}': '{name}': {why}")
    for old, new in _pairs(before.phases, after.phases, promised):
        if new is not None:
            declared = old.name in sent_parts.declared
            for name, why in phase_rules.reasons_against_times(
                old, new, timezone.now(), declared=declared
            ):
                names = {"phase": old.name, "name": name, "why": why}
                yield _blocker("phase", text, line=new.lines.get(name), **names)


def _test_set_blockers(
    sent_parts: SentParts, before: TaskPlan, after: TaskPlan
) -> Iterator[Problem]:
    for old, new in _pairs(before.test_sets, after.test_sets, sent_parts.test_sets):
        if new is None:
            text = _("test set '{name}' cannot be removed: files were sent for it")
            hint = _("Take it out of the phases to come instead.")
            yield _blocker("test_set", text, hint, name=old.name)
            continue
        if old.blind != new.blind:
            text = _(
                "test set '{name}': the input file cannot change any more: "
                "files were made from it"
            )
            hint = _("Add a test set with the new file beside it.")
            yield _blocker("blind", text, hint, file=old.blind.name, name=old.name)
        if old.position != new.position:
            text = _(
                "test set '{name}': its place cannot change any more: "
                "it decides the draws of the intervals"
            )
            yield _blocker("position", text, name=old.name)
    # Of all once anything was scored: in a mean, a weight counts for the others too.
    every = {test_set.name for test_set in before.test_sets} if sent_parts else set()
    text = _(
        "test set '{name}': its weight cannot change any more: means over test sets "
        "were ranked with it"
    )
    for old, new in _pairs(before.test_sets, after.test_sets, every):
        if new is not None and old.weight != new.weight:
            yield _blocker("weight", text, what_to_do(before.draft), name=old.name)


def _question_blockers(
    key: str, answered: Container[str], before: TaskPlan, after: TaskPlan
) -> Iterator[Problem]:
    for old, new in _pairs(getattr(before, key), getattr(after, key), answered):
        if new is None:
            text = _("question '{name}' cannot be removed: it was answered")
            hint = _("Write 'hidden: true' into it instead; its answers are kept.")
            yield _blocker(key, text, hint, name=old.name)
        elif old.kind != new.kind:
            text = _("question '{name}': its kind cannot change: it was answered")
            hint = _("Hide it, and add a question of the new kind.")
            yield _blocker(key, text, hint, name=old.name)
        elif key == "registration" and old.public != new.public:
            text = _("question '{name}': who sees its answers stays: it was answered")
            hint = _("Hide it, and add another question.")
            yield _blocker(key, text, hint, name=old.name)


def apply(
    task: Task,
    plan: TaskPlan,
    user: User,
    seen: TaskPlan | None = None,
    asked_at: datetime | None = None,
    mail: bool = False,
) -> None:
    """Change the task into what the plan says, all or nothing.

    A plan made from one that was `seen` is refused where the task is no longer that.
    Gold of test sets that somebody sent files for becomes a draft revision; any other
    is replaced. `asked_at` is when the request came, see `phases.let_in`. With `mail`
    teams are written to about ends that may surprise them. Raises SetupError with what
    stands against it, OverQuota.
    """
    proposal = _proposal(task, plan, user)
    with transaction.atomic():
        task = lock_task(task.pk)
        before = whole_plan(task)
        ends = dict(task.phases.values_list("pk", "closes"))
        if seen not in (None, before):
            raise _changed_meanwhile()
        plan = settle_plan(before, plan)
        sent_parts = SentParts.of(task)
        require_units(plan, before)
        for runner in joined(ProgramRunner):
            runner.require(user, before, plan)
        if problems := blockers(sent_parts, before, plan, nothing_is_scored(task)):
            raise SetupError(problems)
        require_room_for(task, before, plan)
        _propose(proposal, _gold_in_use(before, plan, sent_parts))
        lock_phases(task.pk)  # what is sent from here on finds the changed task
        if SentParts.of(task) != sent_parts:
            raise _changed_meanwhile()
        _write_task(task, plan)
        announce_ranking(task, before.scoring.headline, task.headline, user)
        names = {board.name for board in before.boards}
        for old, new in _pairs(before.boards, plan.boards, names):
            if new:
                announce_ranking(task, old.headline, new.headline, user, new.title)
        _write_test_sets(task, plan, sent_parts)
        _write_phases(task, plan, user, mail)
        write_added(task, plan)
        _write_baselines(task, before, plan, user)
        Phase.objects.filter(task=task).touch_boards()
        for phase in task.phases.filter(pk__in=ends):
            phases.let_in(phase, ends[phase.pk], asked_at, user)


def sudden_ends(task: Task, after: TaskPlan) -> list[str]:
    """Sentences about new ends of phases that a form would ask about; none of a
    draft."""
    if task.draft:
        return []
    planned = {phase.name: phase for phase in after.phases}
    return [
        f"{new.title}: {end}"
        for phase in task.phases.all()
        if (new := planned.get(phase.name))
        and (end := questions_on_end(phase, new.closes, ZoneInfo(new.time_zone)))
    ]


def _changed_meanwhile() -> SetupError:
    return SetupError(
        Problem(CHANGED, _("The task was changed meanwhile: look again."))
    )


def changed_gold(before: TaskPlan, after: TaskPlan) -> dict[str, TestSetPlan]:
    """Test sets that stay and whose gold changes, by name."""
    old = {test_set.name: test_set.gold for test_set in before.test_sets}
    return {
        test_set.name: test_set
        for test_set in after.test_sets
        if test_set.name in old and test_set.gold.sha256 != old[test_set.name].sha256
    }


def _gold_in_use(
    before: TaskPlan, after: TaskPlan, sent_parts: SentParts
) -> dict[str, TestSetPlan]:
    """Test sets whose gold changes after files were sent for them, by name."""
    corrected = changed_gold(before, after)
    return {
        name: new for name, new in corrected.items() if name in sent_parts.test_sets
    }


def _proposal(task: Task, plan: TaskPlan, user: User) -> Corrected | None:
    """Corrected gold under which submissions are to be scored anew before it counts,
    checked before anything is locked."""
    before = whole_plan(task)
    in_use = _gold_in_use(before, settle_plan(before, plan), SentParts.of(task))
    if not in_use:
        return None
    files = {
        test_set: SimpleUploadedFile(
            in_use[test_set.name].gold.name, in_use[test_set.name].gold.single()
        )
        for test_set in task.test_sets.filter(name__in=in_use)
    }
    try:
        return check_correction(task, files, user, _("From a changed bundle"))
    except Refusal as reason:
        raise SetupError(Problem("gold", str(reason))) from None


def _propose(proposal: Corrected | None, in_use: Mapping[str, TestSetPlan]) -> None:
    """Make the proposal a draft revision, where it corrects just the gold `in_use`."""
    rows = proposal.rows if proposal else ()
    # Rows without changes are those of gold that stays.
    if {row.test_set.name for row in rows if row.changes} != in_use.keys():
        raise _changed_meanwhile()
    if proposal is None:
        return
    try:
        proposal.propose()
    except Refusal as reason:
        raise SetupError(Problem("gold", str(reason))) from None


def _write_task(task: Task, plan: TaskPlan) -> None:
    for name, value in plan.fields().items():
        setattr(task, name, value)
    task.options = stored_options(plan.scoring.options)
    for name in ("scorer", "parsed_options", "measures"):
        task.__dict__.pop(name, None)  # computed from what just changed
    task.save(update_fields=[*plan.fields(), "options"])
    write_parts(task.named_boards, plan.boards)
    write_parts(task.questions, plan.fact_sheet)
    write_parts(task.registration_questions, plan.registration)


def announce_ranking(
    task: Task, old: str, new: str, user: User, board: str = ""
) -> None:
    """Say in public that another measure ranks what was sent, on the board of this
    title, else on the main one."""
    if old == new or task.draft or not SentParts.of(task):
        return
    scorer = task.scorer
    titles = [
        scorer.measure(name).title if scorer.has_measure(name) else name
        for name in (old, new)
    ]
    with in_english():
        sentence = (
            _("The board “%(board)s” is ranked by %(new)s from now on, not by %(old)s.")
            if board
            else _("The main board is ranked by %(new)s from now on, not by %(old)s.")
        )
        text = sentence % {"board": board, "old": titles[0], "new": titles[1]}
    Notice.objects.create(task=task, kind=Notice.Kind.RULES, text=text, by=user)


def _write_test_sets(task: Task, plan: TaskPlan, sent_parts: SentParts) -> None:
    task.test_sets.exclude(
        name__in=[test_set.name for test_set in plan.test_sets]
    ).delete()
    stored = {test_set.name: test_set for test_set in task.test_sets.all()}
    gold = GoldFile.objects.filter(revision=task.gold_revisions.live())
    for planned in plan.test_sets:
        test_set = stored.get(planned.name)
        if test_set is None:
            add_test_set(task, planned)
            continue
        test_set.title, test_set.position = planned.title, planned.position
        test_set.weight = planned.weight
        test_set.blind_name = planned.blind.name
        test_set.blind_sha256 = blobs.keep(planned.blind.single())
        test_set.save(
            update_fields=["title", "position", "weight", "blind_name", "blind_sha256"]
        )
        if planned.name not in sent_parts.test_sets:
            # Nothing was scored with the old file: it simply goes.
            gold.filter(test_set=test_set).update(
                name=planned.gold.name,
                units=planned.units,
                sha256=blobs.keep(planned.gold.single()),
            )


def _write_phases(task: Task, plan: TaskPlan, user: User, mail: bool) -> None:
    task.phases.exclude(name__in=[phase.name for phase in plan.phases]).delete()
    stored = {phase.name: phase for phase in task.phases.all()}
    revision = task.gold_revisions.live()
    assert revision is not None
    for position, phase in enumerate(plan.phases):
        if phase.name not in stored:
            add_phase(task, revision, phase, position)
        else:
            _write_phase(stored[phase.name], phase, position, user, mail)


def _write_phase(
    phase: Phase, plan: PhasePlan, position: int, user: User, mail: bool
) -> None:
    before = PhaseValues.of(copy(phase))
    phase.position = position
    for name, value in plan.fields().items():
        setattr(phase, name, value)
    # Nothing else of it: gold and ranking are changed elsewhere.
    phase.save(update_fields=["position", *plan.fields()])
    phase.test_sets.set(phase.task.test_sets.filter(name__in=plan.test_sets))
    if phase.paused != before.phase.paused:
        announce_pause(phase, user)
    if not phase.task.draft:
        _announce(before, phase, user, mail)


def _announce(before: PhaseValues, phase: Phase, user: User, mail: bool) -> None:
    """Say in public what changes for those who take part, as form and deadline do."""
    old, kinds = before.phase, Notice.Kind
    about = {"task": phase.task, "phase": phase, "by": user}
    if old.closes != phase.closes:
        text = f"{phase.title} has no end any more."
        if phase.closes is not None:
            moment = f"{phase.closes.astimezone(phase.zone):%Y-%m-%d %H:%M}"
            text = f"{phase.title} now ends {moment} ({phase.zone.key})."
        notice = Notice.objects.create(kind=kinds.DEADLINE, text=text, **about)
        if mail and questions_on_end(old, phase.closes):
            phases.mail_end(notice)
    if old.state() != "upcoming" or phase.submissions.exists():
        with in_english():
            unfair = [str(effect) for effect in effects(before, PhaseValues.of(phase))]
        if unfair:
            text = " ".join([f"{phase.title}:", *unfair])
            Notice.objects.create(kind=kinds.RULES, text=text, **about)


def _write_baselines(task: Task, before: TaskPlan, plan: TaskPlan, user: User) -> None:
    gone = [
        baseline.system
        for baseline in before.baselines
        if baseline not in plan.baselines
    ]
    withdraw_baselines(task, gone)
    new = tuple(
        baseline for baseline in plan.baselines if baseline not in before.baselines
    )
    send_baselines(task, plan.with_values(baselines=new), user)


@require_safe
@access(EDIT)
def download(request: HttpRequest, task: Task) -> HttpResponse:
    bundle = export_bundle(task)
    return attachment(bundle.name, bundle.single(), "application/zip", secret=True)


@dataclass(frozen=True)
class Preview:
    """The changes of a bundle; `token` confirms just these.

    `ends` are those of phases that may surprise teams, in words.
    """

    changes: list[FieldChange]
    drafts: list[str]
    ends: list[str]
    unnamed: str
    token: str


class BundlePage(FormPage):
    """Takes a changed bundle, shows what it changes, and does so when confirmed."""

    mark = EDIT
    form_class = BundleForm
    of_row = False
    template_name = "organize/bundle.html"
    title = gettext_lazy("Bundle")
    lead = gettext_lazy(
        "The whole task as text: download it, keep it under version control, upload it "
        "again with changes."
    )
    button = gettext_lazy("Show what would change")
    preview: Preview | None = None

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        if "token" not in request.POST:
            return super().post(request)
        form = BundleForm()
        with refusals_in(form):
            seen, data = _confirmed_bundle(request.POST["token"], self.task)
            if seen == export_bundle(self.task).sha256:
                user = self.request.user
                before, after = _plans(self.task, data, user)
                mail = "mail" in request.POST
                apply(self.task, after, user, before, arrived_at(request), mail)
                messages.success(request, _("The bundle was applied."))
                return self.done_response()
            messages.warning(request, _("The task was changed meanwhile: look again."))
            self.preview = _preview(self.task, data, self.request.user)
        return self.show(form)

    def save(self, form: BundleForm) -> HttpResponse:
        data = form.cleaned_data["bundle"].read()
        self.preview = _preview(self.task, data, self.request.user)
        return self.show(form)


def _preview(task: Task, data: bytes, by: User) -> Preview:
    """The preview of an uploaded zip. Raises SetupError."""
    before, after = _plans(task, data, by)
    sent_parts = SentParts.of(task)
    if problems := blockers(sent_parts, before, after, nothing_is_scored(task)):
        raise SetupError(problems)
    require_room_for(task, before, after)
    named = {"bundle": blobs.keep(data), "seen": pack_bundle(before).sha256}
    token = signing.dumps({"task": task.pk, **named}, salt=SALT)
    drafts = [plan.title for plan in _gold_in_use(before, after, sent_parts).values()]
    ends = sudden_ends(task, after)
    return Preview(changes(before, after), drafts, ends, unnamed_files(after), token)


def _plans(task: Task, data: bytes, by: User) -> tuple[TaskPlan, TaskPlan]:
    before = whole_plan(task)
    return before, settle_plan(before, uploaded_plan("bundle.zip", BytesIO(data), by))


def _confirmed_bundle(text: str, task: Task) -> tuple[str, bytes]:
    """Hash of the task that was looked at, and the bundle. Raises SetupError."""
    try:
        token = signing.loads(text, salt=SALT, max_age=CONFIRM_SECONDS)
        data = blobs.read(token["bundle"])
    except (signing.BadSignature, FileNotFoundError):
        hint = _("Upload the bundle again.")
        problem = Problem("old", _("this page is too old"), hint=hint)
        raise SetupError(problem) from None
    return token["seen"] if token["task"] == task.pk else "", data
