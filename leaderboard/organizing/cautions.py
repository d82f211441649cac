"""What an organizer should know of a task before it begins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.tasks.models import Phase, Task

FEW_UNITS = 100
FEW_ON_A_STEP = 5


@dataclass(frozen=True)
class PhaseShown:
    """What the public does not see of a phase, in sentences; none if nothing."""

    phase: Phase
    lines: Sequence[str]


def cautions(
    task: Task, units: Mapping[str, int], phases: Sequence[PhaseShown]
) -> list[str]:
    """Sentences; `units` are those of each test set, by its title."""
    found = [*_few(task, units)]
    for shown in phases:
        found += _tags(task, shown)
        found += _grid(shown.phase, units)
    return [*found, *_shared(phases)]


def _few(task: Task, units: Mapping[str, int]) -> Iterator[str]:
    said = _(
        "“{title}” has few units ({unit}): {n}. Below {least}, intervals are rough and "
        "only large differences show."
    )
    for title, n in units.items():
        if n < FEW_UNITS:
            yield said.format(title=title, n=n, unit=task.unit, least=FEW_UNITS)


def _tags(task: Task, shown: PhaseShown) -> Iterator[str]:
    """A measure of few units tells more of each than the whole does."""
    named = [one.name for one in task.measures]
    named += [name for one in task.boards for name in one["measures"]]
    tags = dict.fromkeys(name for name in named if name.endswith("]"))
    if tags and shown.lines:
        said = _(
            "“{phase}” withholds scores and yet shows {measures}: a measure over few "
            "units tells more about the gold than the whole does."
        )
        yield said.format(phase=shown.phase.title, measures=", ".join(tags))


def _grid(phase: Phase, units: Mapping[str, int]) -> Iterator[str]:
    total = sum(units.get(one.title, 0) for one in phase.test_sets.all())
    on_a_step = total * (phase.step or 0) / 100
    if phase.publication != Phase.Publication.GRID or on_a_step >= FEW_ON_A_STEP:
        return
    said = _(
        "The grid of “{phase}” hides little: one step is worth {n} of its {total} "
        "units. Take {least} points or more."
    )
    least = 100 * FEW_ON_A_STEP / max(total, 1)
    yield said.format(
        phase=phase.title, n=f"{on_a_step:.1f}", total=total, least=f"{least:.2g}"
    )


def _shared(phases: Sequence[PhaseShown]) -> Iterator[str]:
    """What an open phase tells of a test set, another need not withhold."""
    said = _(
        "“{test_set}” is in “{withholding}”, which withholds scores, and in "
        "“{telling}”, which shows them: whoever sends the same file to both reads "
        "there what is withheld."
    )
    telling = [one.phase for one in phases if not one.lines]
    for shown in phases:
        here = set(shown.phase.test_sets.all()) if shown.lines else set()
        for other in telling:
            for test_set in other.test_sets.all():
                if test_set in here:
                    yield said.format(
                        test_set=test_set.title,
                        withholding=shown.phase.title,
                        telling=other.title,
                    )
