"""Results that an older engine stored, summarised anew from their counts.

After an upgrade every sweep takes some of them, so that no file is scored again and
boards go on from the old numbers until it is their turn. Each is one conditional
UPDATE: whoever dies in between, or does the same at the same time, changes nothing.
"""

import logging
import random
import time

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from leaderboard.submissions.answers import digest
from leaderboard.submissions.evaluation import summarised
from leaderboard.submissions.models import Evaluation, State, StoredCounts
from leaderboard.tasks.models import Phase
from scoring import VERSION, Counts

log = logging.getLogger(__name__)

SECONDS = 1.0  # of one sweep: others wait behind it
AT_ONCE = 100  # processes that sweep at the same time mostly take different ones
LOOK_AGAIN = 60.0  # seconds after none was found

_failed: set[int] = set()
_next_look = 0.0


def outdated() -> QuerySet[Evaluation]:
    """Scored with counts by another engine, and not by this one, too."""
    counts = StoredCounts.objects.filter(evaluation=OuterRef("pk"))
    same = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        gold_revision=OuterRef("gold_revision"),
        engine=VERSION,
    )
    scored = Evaluation.objects.filter(state=State.SCORED).exclude(engine=VERSION)
    return scored.filter(Exists(counts), ~Exists(same))


def upkeep() -> int:
    """Part of each sweep: a second's worth of them; how many were done."""
    global _next_look
    if time.monotonic() < _next_look:
        return 0
    waiting = outdated().exclude(pk__in=_failed).order_by("-pk")
    found = list(waiting.values_list("pk", flat=True)[:AT_ONCE])
    if not found:
        _next_look = time.monotonic() + LOOK_AGAIN
        return 0
    random.shuffle(found)
    until, done = time.monotonic() + SECONDS, 0
    for pk in found:
        done += _attempt(pk)
        if time.monotonic() >= until:
            break
    return done


def _attempt(pk: int) -> bool:
    try:
        return summarise_again(pk)
    except Exception:  # one that cannot be read must not keep all others waiting
        log.exception("evaluation %s: its counts cannot be summarised", pk)
        _failed.add(pk)
        return False


def summarise_again(pk: int) -> bool:
    """Whether this call did it: not where another was first."""
    related = Evaluation.objects.select_related("submission__phase__task")
    evaluation = related.defer("results").filter(pk=pk).first()
    if evaluation is None:
        return False
    phase = evaluation.submission.phase
    stored = StoredCounts.objects.filter(evaluation=pk).select_related("test_set")
    counts = {one.test_set: Counts.load(bytes(one.data)) for one in stored}
    results = summarised(phase, list(phase.test_sets.all()), counts)
    old = Evaluation.objects.filter(pk=pk, engine=evaluation.engine, state=State.SCORED)
    with transaction.atomic():
        done = old.update(
            engine=VERSION, results=results, result_sha256=digest(counts, results)
        )
        shown = Phase.objects.filter(
            pk=phase.pk, gold_revision=evaluation.gold_revision_id
        )
        if done:
            shown.update(board_version=F("board_version") + 1)
    if done:
        log.info("evaluation %s summarised by engine %s", pk, VERSION)
    return bool(done)
