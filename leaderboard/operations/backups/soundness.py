"""What must hold in a site that was just put back, and can be looked at in minutes."""

from collections.abc import Iterator

from django.core.files.storage import storages
from django.db.models import Count, F, OuterRef, Q, Subquery

from leaderboard.operations.backups.named import named, of_site
from leaderboard.submissions.models import (
    Evaluation,
    Event,
    QuotaCounter,
    State,
    Submission,
)
from leaderboard.tasks import blobs


def faults(known_missing: set[str]) -> Iterator[str]:
    """Whatever does not hold, in words an operator can search for."""
    for digest in sorted(named(of_site).needed - known_missing):
        if not unharmed(digest):
            yield f"the file {digest} is gone or damaged"
    running = Evaluation.objects.filter(state=State.RUNNING).count()
    if running:
        yield f"{running} evaluations still run, in no worker"
    unscored = Submission.objects.filter(late=False, evaluations=None)
    for pk in unscored.values_list("pk", flat=True):
        yield f"submission {pk} has no evaluation"
    last = Event.objects.filter(evaluation=OuterRef("pk")).order_by("-pk")
    moved = Evaluation.objects.annotate(last=Subquery(last.values("new")[:1]))
    for pk in moved.exclude(last=F("state")).values_list("pk", flat=True):
        yield f"evaluation {pk} is not in the state of its last event"
    yield from _miscounted()


def unharmed(digest: str) -> bool:
    try:
        with storages["blobs"].open(blobs.place(digest)) as file:
            return blobs.digest_of(file) == digest
    except FileNotFoundError:
        return False


def _miscounted() -> Iterator[str]:
    open_entries = Count("entries", filter=Q(entries__refunded_at=None))
    counters = QuotaCounter.objects.exclude(kind=QuotaCounter.Kind.REFUSED)
    wrong = counters.annotate(open=open_entries).exclude(open=F("used"))
    for counter in wrong:
        yield f"quota counter {counter.pk}: {counter}, charged {counter.open}"
