"""A campaign is set up: its form, and the answers that people will judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

from django import forms
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension import sandbox
from leaderboard.extension.access import lock_task
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import (
    Phase,
    Submission,
    SubmittedFile,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.extras.judgements import judgements
from leaderboard.extras.judging import results
from leaderboard.extras.judging.models import (
    Campaign,
    JudgedAnswer,
    JudgedUnit,
    KnownAnswer,
)
from leaderboard.extras.judging.questions import (
    LONGEST_KNOWN,
    SEVERITIES,
    asked_in,
    categories_in,
    known_in,
    lines_in,
    severities_in,
    steps_in,
)
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import JobFailed

SMALLEST = 2  # systems of a campaign


class CampaignForm(forms.ModelForm):
    """A campaign; its submissions and units are chosen when it is made."""

    phase = forms.ModelChoiceField(
        Phase.objects.none(), label=gettext_lazy("Phase"), empty_label=None
    )
    test_set = forms.ModelChoiceField(
        TestSet.objects.none(), label=gettext_lazy("Test set"), empty_label=None
    )
    questions = forms.CharField(
        required=False,
        label=gettext_lazy("Questions"),
        help_text=gettext_lazy(
            "One a line. Of two answers side by side there is one, as “Which "
            "translation is better?”. Of single answers write the column before it, as "
            "“adequacy: How much of the meaning is there?”. "
            "Where errors are marked, there may be none."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    steps = forms.CharField(
        required=False,
        label=gettext_lazy("Steps of a scale"),
        help_text=gettext_lazy("One a line, from the worst to the best."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    categories = forms.CharField(
        required=False,
        label=gettext_lazy("Categories of errors"),
        help_text=gettext_lazy("One a line, as “omission”. Empty for none."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    severities = forms.CharField(
        required=False,
        label=gettext_lazy("Severities of errors"),
        help_text=gettext_lazy("One a line, with what an error of it counts."),
        initial="\n".join(SEVERITIES),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    known = forms.CharField(
        required=False,
        label=gettext_lazy("Known answers"),
        help_text=gettext_lazy(
            "As a check, one a line. Of two answers side by side: a unit, the better "
            "and the worse answer, as “u7 | The boat leaves at nine. | Boat the.”. "
            "Of single answers: a unit, an answer, and the least and the most of its "
            "first value, as “u7 | Boat the nine. | 0 | 30”."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    class Meta:
        model = Campaign
        fields = (
            "title",
            "phase",
            "test_set",
            "kind",
            "instructions",
            "access",
            "per_unit",
            "daily",
            "controls",
            "spoiled",
            "training",
            "known_share",
            "sample",
        )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        fields["phase"].queryset = task.phases.all()
        fields["phase"].label_from_instance = lambda phase: phase.title
        fields["test_set"].queryset = task.test_sets.all()
        fields["test_set"].label_from_instance = lambda test_set: (
            test_set.title or test_set.name
        )
        fields["sample"].required, fields["sample"].min_value = False, 2
        fields["sample"].help_text = _("How many, drawn at random. Empty for all.")
        for name, most in (("per_unit", 1000), ("daily", 5000), ("controls", 50)):
            fields[name].max_value = most
            fields[name].min_value = 0 if name == "controls" else 1
        fields["per_unit"].help_text = _(
            "Of two answers side by side: of each unit. Of single answers: of each."
        )
        for name in ("spoiled", "training", "known_share"):
            fields[name].required = False
        fields["known_share"].help_text = _(
            "How often somebody gets a known answer, each of them once."
        )
        fields["spoiled"].help_text = _(
            "How often somebody gets an answer that was spoiled on purpose, as a check."
        )
        fields["training"].help_text = _(
            "So many spoiled answers come first, and judges are told what was right."
        )
        fields["controls"].help_text = _(
            "How often somebody gets what they judged before, with sides changed."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, least, most in (("per_unit", 1, 1000), ("daily", 1, 5000)):
            if not least <= cleaned.get(name, least) <= most:
                self.add_error(name, _("From %s to %s.") % (least, most))
        most_of = {"controls": 50, "spoiled": 50, "known_share": 50, "training": 20}
        for name, most in most_of.items():
            if cleaned.get(name) is None:
                cleaned[name] = 0
            elif cleaned[name] > most:
                self.add_error(name, _("From %s to %s.") % (0, most))
        phase, test_set = cleaned.get("phase"), cleaned.get("test_set")
        if phase and test_set and not phase.test_sets.filter(pk=test_set.pk).exists():
            self.add_error("test_set", _("The phase does not have this test set."))
        kind = cleaned.get("kind")
        if cleaned.get("sample") is not None and cleaned["sample"] < 2:
            self.add_error("sample", _("At least %s.") % 2)
        if kind:
            # A field with a mistake is taken out of what was cleaned.
            lines: dict[str, Any] = {}
            for name, read in (
                ("questions", asked_in),
                ("steps", steps_in),
                ("categories", categories_in),
                ("severities", severities_in),
            ):
                lines[name], wrong = read(kind, lines_in(cleaned.get(name, "")))
                cleaned[name] = lines[name]
                for sentence in wrong:
                    self.add_error(name, sentence)
            answers = lines_in(cleaned.get("known", ""), LONGEST_KNOWN)
            cleaned["known"], wrong = known_in(kind, answers, len(lines["steps"]))
            for sentence in wrong:
                self.add_error("known", sentence)
        return cleaned

    def make(self) -> Campaign:
        """The campaign, begun. Raises Refusal, Refused and QueueFull."""
        campaign: Campaign = self.save(commit=False)
        for name in ("questions", "steps", "categories", "severities", "known"):
            setattr(campaign, name, self.cleaned_data[name])
        campaign.name = free_name(campaign)
        start(campaign)
        return campaign


def free_name(campaign: Campaign) -> str:
    """A name of its own among those of the task, like its title."""
    rows = Campaign.objects.filter(phase__task=campaign.phase.task_id)
    taken = {other.key for other in rows.only("name")}
    plain = slugify(campaign.title)[:30].strip("-_") or "campaign"
    return next(
        name
        for number in count(1)
        if (name := f"{plain}-{number}" if number > 1 else plain) not in taken
    )


def start(campaign: Campaign) -> None:
    """Read what is judged and let people judge, with measures of their votes in the
    task where it has no judgements yet. Raises Refusal, Refused and QueueFull."""
    if campaign.phase.hides_input:
        sentence = _("Teams send code in this phase: people judge answers alone.")
        raise Refusal(sentence, code="code")
    submissions = _submissions(campaign.phase)
    if len(submissions) < SMALLEST:
        sentence = _("There are fewer than two submissions to judge in this phase.")
        raise Refusal(sentence, code="too_few")
    answers = _read(campaign, submissions)
    names = list(answers.answers)
    _require_known(campaign, answers)
    size = campaign.sample
    if size and size < len(names):
        names = sorted(Random(campaign.token).sample(names, size), key=names.index)
    with transaction.atomic():
        _declare(campaign)
        results.require_columns(campaign)
        if campaign.pk and Campaign.objects.get(pk=campaign.pk).has_begun:
            return  # by another click
        campaign.open = True
        campaign.save()
        _store(campaign, answers, names)


@dataclass(frozen=True)
class Found:
    """Inputs by unit, and answers by unit and submission."""

    inputs: Mapping[str, Any]
    answers: Mapping[str, Mapping[UUID, str]]


def _submissions(phase: Phase) -> list[Submission]:
    """Submissions with one run; several runs of a system answer differently."""
    return [
        submission for submission in judgements.to_judge(phase) if submission.runs == 1
    ]


def _read(campaign: Campaign, submissions: Sequence[Submission]) -> Found:
    """The answers that people will see, read in the sandbox."""
    test_set, task = campaign.test_set, campaign.phase.task
    units = judgements.units_of(campaign.phase, test_set)
    if units is None:
        raise Refusal(_("Nothing says yet which units there are."), code="no_units")
    options = raw_options(task.options)
    request = Request.scoring(task.scorer_name, options, units=list(units.names))
    files = SubmittedFile.objects.filter(
        submission__in=[submission.pk for submission in submissions],
        test_set=test_set,
        run=1,
    ).order_by("pk")
    for file in files:
        request.add(test_set.blind(), file.source())
    try:
        answer, _files = sandbox.run("answers_to_judge", request)
    except JobFailed:
        sentence = _("Reading the answers failed on our side; operators can see why.")
        raise Refusal(sentence, code="failed") from None
    texts = list(zip(files, answer["answers"], strict=True))
    answers = {
        unit: {file.submission_id: own[unit] for file, own in texts if unit in own}
        for unit in units.names
    }
    return Found(answer["inputs"], answers)


def _require_known(campaign: Campaign, answers: Found) -> None:
    """Raises Refusal where a known answer is of no unit of the test set."""
    if foreign := {line[0] for line in campaign.known} - answers.answers.keys():
        sentence = _(
            "Known answers are of units that the test set does not have: %(names)s."
        )
        names = ", ".join(sorted(foreign)[:5])
        raise Refusal(sentence % {"names": names[:200]}, code="no_unit")


def _store_known(campaign: Campaign, answers: Found) -> None:
    """Answers with known values, in units of their own where they are not judged."""
    units = {unit.name: unit for unit in campaign.units.all()}
    for name, text, *about in campaign.known:
        if name not in units:
            units[name] = JudgedUnit.objects.create(
                campaign=campaign, name=name, shown=answers.inputs.get(name, [])
            )
        unit = units[name]
        values: dict[str, Any] = {}
        if campaign.in_pairs:
            values["worse"] = JudgedAnswer.objects.create(unit=unit, text=about[0])
        else:
            values["low"], values["high"] = about
        better = JudgedAnswer.objects.create(unit=unit, text=text)
        KnownAnswer.objects.create(unit=unit, better=better, **values)


def _store(campaign: Campaign, answers: Found, names: Sequence[str]) -> None:
    rows = JudgedUnit.objects.bulk_create(
        JudgedUnit(campaign=campaign, name=name, shown=answers.inputs.get(name, []))
        for name in names
    )
    JudgedAnswer.objects.bulk_create(
        JudgedAnswer(unit=unit, submission_id=pk, text=text)
        for unit in rows
        for pk, text in answers.answers[unit.name].items()
    )
    _store_known(campaign, answers)


def add_latecomers(campaign: Campaign) -> int:
    """Take in submissions that came after the campaign was made; how many."""
    answers = JudgedAnswer.objects.filter(unit__campaign=campaign)
    there = set(answers.values_list("submission", flat=True))
    late = [
        submission
        for submission in _submissions(campaign.phase)
        if submission.pk not in there
    ]
    if not late:
        return 0
    texts = _read(campaign, late)
    keys = answers.exclude(submission=None).values("unit")
    judged = JudgedUnit.objects.filter(pk__in=keys)
    JudgedAnswer.objects.bulk_create(
        JudgedAnswer(unit=unit, submission_id=pk, text=text)
        for unit in judged
        for pk, text in texts.answers.get(unit.name, {}).items()
    )
    return len(late)


def _declare(campaign: Campaign) -> None:
    """Measures of the votes, in a task with a scorer and no measures of them so far."""
    task = lock_task(campaign.phase.task_id)
    by_itself = task.scorer.runs_program or task.scorer.counted_elsewhere
    there = judgements.columns(task) if task.takes_judgements else ()
    if not by_itself and not set(there) & set(campaign.columns):
        task.judgements = [*task.judgements, *results.lines_to_declare(campaign)]
        task.save(update_fields=["judgements"])
    # The scorer of a task is made once; this one has the new measures.
    campaign.phase.task = Task.objects.get(pk=task.pk)
