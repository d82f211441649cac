"""The key `combinations` of a bundle: measures of a task in one rank, declared."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from leaderboard.extension.bundles import (
    BundlePart,
    MeasureName,
    PlainName,
    Title,
    expected_error,
)
from leaderboard.extension.models import Task
from leaderboard.extras.criteria.models import Combination

MOST = 1e6  # times the weight of another measure


class CombinationPlan(BundlePart):
    """Two measures or more in one rank; without `weights` all weigh the same."""

    row = Combination
    name: PlainName
    title: Annotated[Title, Field(max_length=120)] = Field(None, validate_default=True)
    way: Combination.Way = Combination.Way.RANKS
    measures: Annotated[tuple[MeasureName, ...], Field(min_length=2, max_length=30)]
    weights: tuple[float, ...] = ()

    @field_validator("measures")
    @classmethod
    def _once(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise expected_error("each measure once; weights say which counts more")
        return names

    @field_validator("weights", mode="before")
    @classmethod
    def _one_each(cls, weights: Any, info: ValidationInfo) -> tuple[float, ...]:
        given: list[Any] = (
            list(weights) if isinstance(weights, list | tuple) else [None]
        )
        size = len(info.data.get("measures", given))
        numbers = [
            w
            for w in given
            if isinstance(w, int | float) and not isinstance(w, bool) and 0 < w <= MOST
        ]
        if given and (len(numbers) < len(given) or len(given) != size):
            raise expected_error(f"{size} numbers above 0, the weight of each measure")
        return tuple(map(float, numbers))


def rows(task: Task) -> Any:
    return Combination.objects.filter(task=task)


def declared_combinations(task: Task) -> list[CombinationPlan]:
    """The combinations of a task, in the order of the bundle."""
    return [CombinationPlan.of_row(row) for row in rows(task)]


def write(task: Task, plans: Sequence[CombinationPlan]) -> None:
    """Make the combinations of a task those of a bundle, in their order."""
    stored = {row.name: row for row in rows(task)}
    for name in stored.keys() - {plan.name for plan in plans}:
        stored[name].delete()
    for position, plan in enumerate(plans):
        values = {**plan.fields(), "position": position}
        row = stored.get(plan.name) or Combination(task=task)
        if row.pk is None or any(getattr(row, k) != v for k, v in values.items()):
            for name, value in values.items():
                setattr(row, name, value)
            row.save()


def blockers(before: Any, after: Any) -> list[str]:
    """There are no blockers: what is declared here says nothing that submissions stand
    on."""
    return []
