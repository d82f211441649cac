"""What an organizer should know of a task before it begins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from django.utils.translation import gettext as _

from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase, Task
from leaderboard.web.templatetags.units import unit_word

FEW_UNITS = 100
FEW_ON_A_STEP = 5


@dataclass(frozen=True)
class PhaseShown:
    """What the public does not see of a phase, in sentences; none if nothing."""

    phase: Phase
    lines: Sequence[str]


def setup_warnings(
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


def alike_warnings(
    task: Task, designs: Mapping[str, tuple[str, float] | None]
) -> Iterator[str]:
    """By title of test set: the grouping whose units answer alike, and how much."""
    said = _(
        "“{title}”: units inside one {group} answer alike (design effect {effect}); "
        "intervals by {unit} are {times} times too narrow. Take “{name}” as the "
        "resampled unit."
    )
    for title, found in designs.items():
        if found is not None:
            group, effect = found
            yield said.format(
                title=title,
                group=unit_word(group),
                name=unit_word(group),
                effect=f"{effect:.1f}",
                unit=unit_word(task.unit),
                times=f"{effect**0.5:.1f}",
            )


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
    """What one phase tells of a test set, another cannot withhold."""
    said = _(
        "“{test_set}” is in “{withholding}”, which withholds scores, and in "
        "“{telling}”, which shows them: whoever sends the same file to both reads "
        "there what is withheld."
    )
    of_parts = _(
        "“{test_set}” has a private part in “{withholding}”, and “{telling}” shows "
        "scores over other units of it before that part decides: whoever sends the "
        "same file to both can subtract. Take the test set out of one of the two, or "
        "let “{telling}” show nothing until “{withholding}” is revealed."
    )
    every = [shown.phase for shown in phases]
    for phase, other in permutations(every, 2):
        if _subtracts(phase, other):
            text = of_parts
        elif policy.withholds_scores(phase) and not policy.withholds_scores(other):
            text = said
        else:
            continue
        here = set(phase.test_sets.all())
        for test_set in other.test_sets.all():
            if test_set in here:
                yield text.format(
                    test_set=test_set.title,
                    withholding=phase.title,
                    telling=other.title,
                )


def _subtracts(phase: Phase, other: Phase) -> bool:
    """Whether another phase scores, in time, more than the public part of this one.

    With the same salt and share both have the same public part, until one is revealed.
    """
    if phase.private_share is None or other.who == Phase.Who.ORGANIZERS:
        return False
    same = (phase.salt, phase.private_share) == (other.salt, other.private_share)
    blind = other.policy == Phase.Policy.BLIND
    shows = policy.reveal_of(other) if same or blind else other.opens
    decides = policy.reveal_of(phase)
    return shows is not None and (decides is None or shows < decides)
