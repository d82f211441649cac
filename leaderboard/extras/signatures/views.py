"""Keys, records with their proofs, and signed receipts and snapshots."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.extension import policy, snapshots
from leaderboard.extension.access import (
    ANYBODY,
    PHASE,
    SUBMISSION,
    TASK,
    access,
    scored_evaluation_or_404,
)
from leaderboard.extension.exports import attachment, text_of
from leaderboard.extension.models import EvaluationState, Phase, Submission, Task
from leaderboard.extension.scores import SubmissionStatus, receipt_of
from leaderboard.extras.signatures import keys, record
from leaderboard.extras.signatures.seal import ORIGIN, signed_zip
from scoring import merkle

FRESH_SECONDS = 60


def _public(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    return response


def _json(values: Any, task: Task | None = None) -> HttpResponse:
    response = JsonResponse(values, json_dumps_params={"indent": 1})
    if task is not None and task.draft:
        response["Cache-Control"] = "private, no-store"
        return response
    return _public(response)


@require_safe
@access(ANYBODY)
def published_keys(request: HttpRequest) -> HttpResponse:
    return _json(keys.published_keys())


@require_safe
@access(TASK)
def record_head(request: HttpRequest, task: Task) -> HttpResponse:
    return _json(record.head_of(task, record.leaves_of(task)), task)


@require_safe
@access(TASK)
def record_entries(request: HttpRequest, task: Task) -> HttpResponse:
    response = attachment(
        f"{task.slug}-record.jsonl", record.text_of(task), "application/jsonl"
    )
    response["Cache-Control"] = "private, no-store" if task.draft else "no-cache"
    return response


@require_safe
@access(TASK)
def record_proof(request: HttpRequest, task: Task) -> HttpResponse:
    """`?entry=` proves that an entry is in the record, `?first=` that the record begins
    with its first so many entries; `?size=` is that of an earlier record."""
    leaves = record.leaves_of(task)
    leaves = leaves[: _number(request, "size", len(leaves), len(leaves))]
    head = record.head_of(task, leaves)
    if "first" in request.GET:
        first = _number(request, "first", 0, len(leaves))
        old = record.head_of(task, leaves[:first])
        proof = merkle.consistency(leaves, first)
        values: dict[str, Any] = {"first": old, "head": head}
    else:
        entry = _number(request, "entry", 0, len(leaves) - 1)
        proof = merkle.inclusion(leaves, entry)
        values = {
            "entry": entry,
            "leaf": leaves[entry].hex(),
            "head": head,
        }
    return _json({**values, "proof": [step.hex() for step in proof]}, task)


def _number(request: HttpRequest, name: str, usual: int, most: int) -> int:
    """A whole number of the address from 0 to `most`; 404 for any other."""
    text = request.GET.get(name, str(usual))
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Http404
    if int(text) > most:
        raise Http404
    return int(text)


def has_receipts(user: Any, status: SubmissionStatus) -> bool:
    """Whether a reader may have the receipts of a submission."""
    scored = status.state == EvaluationState.SCORED
    return scored and policy.disclosure(user, status.submission.phase).receipts


@require_safe
@access(SUBMISSION)
def receipts(request: HttpRequest, submission: Submission) -> HttpResponse:
    """All receipts of a submission in a signed zip, for those who may see them."""
    evaluation = scored_evaluation_or_404(request.user, submission)
    units = policy.disclosure(request.user, submission.phase).units
    files = {}
    for file in submission.files.select_related("test_set"):
        if file.test_set.name not in evaluation.by_test_set:
            continue
        run = f".{file.run}" if file.run > 1 else ""
        receipt = receipt_of(evaluation, file.test_set, file.run, units=units)
        files[f"receipts/{file.test_set.name}{run}.json"] = receipt.as_json().encode()
    page = f"{settings.SITE_URL}{reverse('system', args=[submission.pk])}"
    files[ORIGIN] = text_of({"page": page}).encode()
    name = f"receipts-{submission.pk}.zip"
    response = attachment(name, signed_zip(name, files), "application/zip")
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
@access(PHASE)
def snapshot(request: HttpRequest, phase: Phase, start: str) -> HttpResponse:
    """A frozen board in a signed zip: the bytes of which it has its hash."""
    snapshot = snapshots.snapshot_or_404(phase, start)
    path = f"snapshots/{start}/snapshot.json"
    name = f"{phase.task.slug}-{phase.name}-{start}-signed.zip"
    data = signed_zip(name, {path: snapshots.canonical(snapshot.data)})
    response = attachment(name, data, "application/zip")
    open_to_all = not phase.task.draft
    response["Cache-Control"] = "no-cache" if open_to_all else "private, no-store"
    return response
