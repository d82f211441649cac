"""How much work an evaluation is: what would hold up others goes to a queue of its own.

The guess is in seconds of one core: the megabytes that were sent times what the scorer
takes for one, and units times resamples. It is rough, which is enough to tell minutes
from moments; whoever scores does not ask it.
"""

from collections import defaultdict
from collections.abc import Sequence

from django.conf import settings
from django.db.models import Sum

from leaderboard.brokers import HEAVY, LIGHT
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import GoldFile

# Seconds for a megabyte, measured with the scorers' benchmarks; the rest reads columns.
COLUMNS = 0.03
COSTS = {"unl-graph": 0.8, "unl-text": 0.2}
DRAWN = 1e-8  # seconds for one unit in one resample


def guess(scorer: str, size: int, draws: int) -> float:
    """Seconds; `size` in bytes, `draws` are units times resamples."""
    return COSTS.get(scorer, COLUMNS) * size / 1_000_000 + DRAWN * draws


def weigh(evaluations: Sequence[Evaluation]) -> None:
    """Set `heavy` of rows that are not saved yet, all by two questions."""
    sent = Submission.objects.filter(pk__in={e.submission_id for e in evaluations})
    rows = sent.annotate(size=Sum("files__size")).values_list(
        "pk", "size", "phase", "phase__task__scorer_name", "phase__task__resamples"
    )
    known = {pk: rest for pk, *rest in rows}
    units = _units({e.gold_revision_id for e in evaluations})
    for one in evaluations:
        size, phase, scorer, resamples = known[one.submission_id]
        draws = units[one.gold_revision_id, phase] * resamples
        one.heavy = guess(scorer, size or 0, draws) > settings.HEAVY_SECONDS


def _units(revisions: set[int]) -> dict[tuple[int, int], int]:
    """How many are drawn from, by revision and phase."""
    found: dict[tuple[int, int], int] = defaultdict(int)
    gold = GoldFile.objects.filter(revision__in=revisions)
    rows = gold.values_list("revision", "test_set__phases").annotate(Sum("units"))
    for revision, phase, units in rows:
        found[revision, phase] = units
    return found


def queue_of(heavy: bool) -> str:
    return HEAVY if heavy else LIGHT
