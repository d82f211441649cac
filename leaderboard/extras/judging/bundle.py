"""The key `judging` of a bundle: campaigns of a task, declared."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Self

from django.db.models import Model
from django.utils.translation import gettext as _
from pydantic import (
    Field,
    Strict,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails

from leaderboard.extension.bundles import (
    BundlePart,
    PlainName,
    Text,
    Title,
    Words,
    expected_error,
    refusal_error,
)
from leaderboard.extension.models import Task
from leaderboard.extras.judging.models import Campaign, CampaignKind
from leaderboard.extras.judging.questions import (
    asked_in,
    categories_in,
    known_in,
    known_lines,
    severities_in,
    severity_lines,
    steps_in,
    written,
)

# What people were asked, and about what, stays once they see it.
FIXED = (
    *("phase", "test_set", "kind", "questions", "steps", "categories"),
    *("sample", "known"),
)
# Keys that campaigns had in version 0.3, and why one that says something is refused.
REMOVED = {
    "adaptive": "pairs are no longer chosen by how much a vote on them is expected to "
    "say, all pairs of systems come equally often: take this line out",
    "covariates": "ratings no longer take into account how long answers are and which "
    "stands first: take this key out",
}


def _between(least: int, most: int) -> Any:
    return Annotated[int, Strict(), Field(ge=least, lt=most + 1)]


class CampaignPlan(BundlePart):
    """One campaign in which people judge.

    Without `phase` or `test_set` it is about the first. `begun` is whether people see
    answers already; no manifest says so.
    """

    row = Campaign
    name: PlainName
    title: Annotated[Title, Field(max_length=200)] = Field(None, validate_default=True)
    phase: Text = Field(None, validate_default=True)
    test_set: Text = Field(None, validate_default=True)
    kind: CampaignKind = CampaignKind.PAIRS
    questions: Words = Field((), validate_default=True)
    steps: Words = Field((), validate_default=True)
    categories: Words = Field((), validate_default=True)
    severities: Words = Field((), validate_default=True)
    instructions: Annotated[str, Field(max_length=20_000)] = ""
    access: Campaign.Admission = Campaign.Admission.LINK
    per_unit: _between(1, 1000) = 3  # type: ignore[valid-type]
    sample: _between(2, 1_000_000) | None = None  # type: ignore[valid-type]
    daily: _between(1, 5000) = 60  # type: ignore[valid-type]
    controls: _between(0, 50) = 10  # type: ignore[valid-type]
    spoiled: _between(0, 50) = 0  # type: ignore[valid-type]
    training: _between(0, 20) = 0  # type: ignore[valid-type]
    known: Words = Field((), validate_default=True)
    known_share: _between(0, 50) = 5  # type: ignore[valid-type]
    begun: bool = Field(False, exclude=True)

    @classmethod
    def of_row(cls, row: Model, **more: Any) -> Self:
        assert isinstance(row, Campaign)
        return super().of_row(
            row,
            name=row.key,
            phase=row.phase.name,
            test_set=row.test_set.name,
            questions=tuple(written(row.kind, row.questions)),
            severities=tuple(severity_lines(row.severities)),
            known=tuple(known_lines(row.known)),
            **more,
        )

    def fields(self) -> dict[str, Any]:
        """The values of the row, by field, all but the phase and the test set."""
        return {
            **super().fields(),
            "questions": asked_in(self.kind, self.questions)[0],
            "severities": severities_in(self.kind, self.severities)[0],
            "known": known_in(self.kind, self.known, len(self.steps))[0],
        }

    @model_validator(mode="before")
    @classmethod
    def _without_removed(cls, values: Any) -> Any:
        """A removed key may stand there with the value that changed nothing."""
        if not isinstance(values, Mapping):
            return values
        refusals = [name for name in REMOVED if values.get(name)]
        if refusals:
            raise ValidationError.from_exception_data(
                "judging",
                [
                    InitErrorDetails(
                        type=refusal_error(REMOVED[name]), loc=(name,), input=None
                    )
                    for name in refusals
                ],
            )
        return {name: value for name, value in values.items() if name not in REMOVED}

    @field_validator("phase", "test_set", mode="before")
    @classmethod
    def _check_known_answer(cls, name: Any, info: ValidationInfo) -> Any:
        if info.context is None:
            return name
        names = info.context.names(f"{info.field_name}s")
        if name is None and names:
            return names[0]
        if name not in names:
            words = f"one of {', '.join(names)}" if names else f"a {info.field_name}"
            raise expected_error(words)
        return name

    @field_validator("questions")
    @classmethod
    def _whole(cls, lines: Words, info: ValidationInfo) -> Words:
        if info.context is not None and "kind" in info.data:
            _refuse(asked_in(info.data["kind"], lines)[1])
        return lines

    @field_validator("steps", "categories", "severities")
    @classmethod
    def _of_kind(cls, lines: Words, info: ValidationInfo) -> Words:
        if info.context is None or "kind" not in info.data:
            return lines
        if info.field_name == "severities":
            severities, wrong = severities_in(info.data["kind"], lines)
            _refuse(wrong)
            return tuple(severity_lines(severities))
        read = steps_in if info.field_name == "steps" else categories_in
        parsed, wrong = read(info.data["kind"], lines)
        _refuse(wrong)
        return tuple(parsed)

    @field_validator("known")
    @classmethod
    def _right(cls, lines: Words, info: ValidationInfo) -> Words:
        if info.context is not None and {"kind", "steps"} <= info.data.keys():
            steps = len(info.data["steps"])
            entries, wrong = known_in(info.data["kind"], lines, steps)
            _refuse(wrong)
            return tuple(known_lines(entries))
        return lines

    def for_everybody(self, phases: AbstractSet[str]) -> Self | None:
        """The plan without known answers, and only of a phase that has begun."""
        return self.with_values(known=()) if self.phase in phases else None

    @property
    def severity_names(self) -> list[str]:
        """Names of severities, which stay as they are while weights may change."""
        return [name for name, _ in severities_in(self.kind, self.severities)[0]]


def _refuse(sentences: Sequence[str]) -> None:
    if sentences:
        raise refusal_error(" ".join(sentences))


def declared_campaigns(task: Task) -> list[CampaignPlan]:
    """The campaigns of a task, in the order in which they were made."""
    rows = Campaign.objects.filter(phase__task=task).select_related("phase", "test_set")
    begun = set(rows.filter(units__isnull=False).values_list("pk", flat=True))
    return [
        CampaignPlan.of_row(row, begun=row.pk in begun)
        for row in rows.order_by("created_at", "pk")
    ]


def write(task: Task, plans: Sequence[CampaignPlan]) -> None:
    """Make the campaigns of a task those of a bundle; new ones are not begun."""
    rows = Campaign.objects.filter(phase__task=task).select_related("phase", "test_set")
    stored = {row.key: row for row in rows}
    for name in stored.keys() - {plan.name for plan in plans}:
        stored[name].delete()
    for plan in plans:
        values = {
            **plan.fields(),
            "phase": task.phases.get(name=plan.phase),
            "test_set": task.test_sets.get(name=plan.test_set),
        }
        row = stored.get(plan.name)
        if row is None:
            Campaign.objects.create(**values, open=False)
            continue
        changed = [name for name in values if getattr(row, name) != values[name]]
        for name in changed:
            setattr(row, name, values[name])
        if changed:
            row.save(update_fields=changed)


def blockers(
    before: Sequence[CampaignPlan], after: Sequence[CampaignPlan]
) -> Iterator[str]:
    """Reasons why a bundle cannot change a campaign in which people see answers
    already."""
    left = {plan.name: plan for plan in after}
    for old in before:
        if not old.begun:
            continue
        new = left.get(old.name)
        if new is None:
            text = _("campaign '{name}' cannot be removed: people judge in it")
            yield text.format(name=old.name)
            continue
        text = _("campaign '{name}': '{field}' cannot change any more: people judge")
        for field in (*FIXED, "severity_names"):
            if getattr(old, field) != getattr(new, field):
                key = field.removesuffix("_names").replace("severity", "severities")
                yield text.format(name=old.name, field=key)
