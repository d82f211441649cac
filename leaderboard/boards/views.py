"""Pages of boards: the board, its systems, snapshots and starting kit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards import snapshots
from leaderboard.boards.board import Board
from leaderboard.boards.exports.table import ExportTable
from leaderboard.boards.query import (
    BoardQuery,
    UnknownChoice,
    earlier_revisions,
    query_or_404,
    rankings,
)
from leaderboard.boards.render import own_rank, own_submissions, page_of
from leaderboard.boards.rows import descriptions
from leaderboard.boards.stored_board import NotComputed, board, newest_board
from leaderboard.boards.submission_rank import (
    SOONEST,
    SubmissionRank,
    ranks_of_submission,
    seconds_to_rank,
)
from leaderboard.boards.systems import SystemOverview, overview_on, overviews_of
from leaderboard.results.queue_progress import queue_progress
from leaderboard.results.score_progress import common_test_set, gains
from leaderboard.results.status import SubmissionStatus, status_of, statuses_of
from leaderboard.results.waiting_pages import unless_unchanged
from leaderboard.submissions import system_description
from leaderboard.submissions.access import ON_BOARD, SUBMISSION
from leaderboard.submissions.kit import Baseline, kit_of
from leaderboard.submissions.models import Submission
from leaderboard.submissions.views import told_beside
from leaderboard.tasks import policy
from leaderboard.tasks.access import PHASE, PHASE_AMONG_ALL, TASK
from leaderboard.tasks.models import Phase, Task, answers_to
from leaderboard.tasks.policy import Disclosure
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access, or_404
from leaderboard.web.attachment import attachment
from leaderboard.web.extras import (
    SYSTEM_PLACES,
    BoardNote,
    SystemsPage,
    joined,
    parts_of_extras,
)
from leaderboard.web.page_cache import share
from leaderboard.web.requests import HtmxRequest
from scoring.measures import Measure
from scoring.sandbox.fork import JobFailed
from scoring.statistics.comparison import Comparison

NO_KIT = "the kit could not be made; the operators can see why\n"


def reader_of(request: HttpRequest) -> Any:
    """The user whose board is asked for; `?as=public` asks for anybody's."""
    as_public = request.GET.get("as") == "public"
    return AnonymousUser() if as_public else request.user


def board_for(reader: User | AnonymousUser, query: BoardQuery) -> Board:
    """The board as a reader sees it, without rows where it is not shown yet."""
    return board(query, policy.disclosure(reader, query.phase))


def detailed_board_or_404(request: HttpRequest, query: BoardQuery) -> Board:
    """Every entry, where its details are shown too, the newest among them; tested as on
    the board of the query."""
    disclosure = policy.disclosure(reader_of(request), query.phase)
    shown = replace(query, everything=query.everything or disclosure.everything)
    newest = newest_board(shown, disclosure, for_readers=True)
    ranking = replace(newest, beside_teams=not query.everything)
    if not ranking.disclosure.details:
        raise Http404
    return ranking


@require_safe
@access(TASK)
def task_board(request: HttpRequest, task: Task) -> HttpResponse:
    """The board of the phase that matters now: the last one that has begun."""
    phases = list(task.phases.all())
    if not phases:
        messages.info(request, _("There are no phases yet."))
        return redirect(task)
    begun = [phase for phase in phases if phase.state() != "upcoming"]
    phase = begun[-1] if begun else phases[0]
    address = reverse("board", args=[task.slug, phase.name], query=request.GET)
    return redirect(address)


@require_safe
@access(PHASE_AMONG_ALL)
def phase_board(request: HttpRequest, phase: Phase) -> HttpResponse:
    query = query_or_404(request, phase)
    ranking = board_for(reader_of(request), query)
    own = own_submissions(request, phase)
    sheet = page_of(ranking)
    # The rows of the page are read first: leaders and the reader's best are among most.
    _ = ranking.rows[sheet.first - 1 : sheet.last]
    lead = ranking.lead
    context = {
        "task": phase.task,
        "phase": phase,
        "sheet": sheet,
        "state": phase.state(),
        "phases": phase.task.phases.all(),
        "board": ranking,
        "lead": lead,
        "own": own,
        "own_rank": own_rank(ranking, own),
        "earlier": earlier_revisions(phase),
        "final": phase.declared_at and snapshots.newest_final(phase),
        "pages": list(joined(SystemsPage)) if ranking.disclosure.details else [],
        "joined_notes": [
            x for note in joined(BoardNote) for x in note.sentences(phase)
        ],
    }
    return share(request, render(request, "boards/board.html", context))


@require_safe
@access(TASK.signed_in)
def compare_own(request: HttpRequest, task: Task) -> HttpResponse:
    """Two of one's own, `?submission=` twice; without them only how to choose."""
    chosen = request.GET.getlist("submission")
    context: dict[str, Any] = {"task": task, "chosen": len(chosen)}
    if len(chosen) == 2:
        related = ("phase__task", "participation__team")
        own = Submission.objects.by_person(request.user).filter(phase__task=task)
        rows = own.select_related(*related).prefetch_related(*Submission.RELATED)
        submissions = [get_object_or_404(rows, pk=_key_or_404(key)) for key in chosen]
        statuses = statuses_of(submissions, request.user)
        try:
            context["gains"] = gains(
                statuses[0],
                statuses[1],
                lambda *of: corrected_on_board(statuses, *of),
                cache(lambda: board_of(statuses).family),
            )
        except Refusal:
            context["refused"] = True
    return render(request, "results/compare.html", context)


def corrected_on_board(
    pair: Sequence[SubmissionStatus], measure: Measure, comparison: Comparison
) -> Comparison:
    """Corrected for all pairs of the board by that measure, as the team sees it."""
    try:
        return board_of(pair, measure.name).tests.corrected(comparison)
    except UnknownChoice:  # A measure that the board does not have.
        return comparison


def board_of(pair: Sequence[SubmissionStatus], measure: str = "") -> Board:
    """The board that two submissions were sent to, by that measure, as their team sees
    it. Raises UnknownChoice for a measure that it does not have."""
    first, second = pair
    own = common_test_set(first, second)
    name = own.name if own is not None else ""
    query = BoardQuery(first.submission.phase, measure=measure, test_set=name)
    return newest_board(query, first.shown, for_readers=True)


def _key_or_404(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


@require_safe
@unless_unchanged
@access(SUBMISSION)
def submission(request: HtmxRequest, submission: Submission) -> HttpResponse:
    """One submission; htmx asks again for the status part while it can change."""
    status = status_of(submission, request.user)
    template = "results/_status.html" if request.htmx else "results/detail.html"
    scored = status.headline is not None
    standings, seconds = _ranks(submission, status.shown) if scored else ([], 0)
    context = {
        "submission": submission,
        "task": submission.phase.task,
        "status": status,
        "watch": queue_progress(status),
        "standings": standings,
        "seconds_to_rank": seconds,
    }
    if not request.htmx:
        context |= told_beside(request.user, submission)
    elif status.headline:
        entry, baseline = submission.participation, submission.baseline
        context["speaks"] = policy.speaks_for(request.user, entry, baseline)
    answer = render(request, template, context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def _ranks(
    submission: Submission, shown: Disclosure
) -> tuple[list[SubmissionRank], int]:
    """The ranks of a submission that has a score, and the seconds after which one may
    come; 0 where none will."""
    try:
        ranks = ranks_of_submission(submission, shown)
        ranked = any(rank.rank for rank in ranks)
        return ranks, 0 if ranked else seconds_to_rank(submission, shown)
    except NotComputed:
        return [], SOONEST


@require_safe
@access(ON_BOARD)
def system(request: HtmxRequest, submission: Submission) -> HttpResponse:
    """A system as its board shows it; its team sees the rest of the fact sheet.

    A row of a board that opens asks htmx for what it has no column for.
    """
    if request.htmx and not request.htmx.boosted:
        return _opened_row(request, submission)
    own = policy.sees_entry(request.user, submission.participation)
    entry, baseline = submission.participation, submission.baseline
    speaks = own and policy.speaks_for(request.user, entry, baseline)
    task = submission.phase.task
    disclosure = policy.disclosure(request.user, submission.phase)
    asked = task.fact_sheet() if own else task.public_questions()
    systems = overviews_of(submission, disclosure)
    chosen = _chosen_ranking(systems, request.GET.get("test_set", ""))
    context = {
        "task": task,
        "phase": submission.phase,
        "submission": submission,
        "own": own,
        "shown": disclosure,
        "system": chosen,
        "systems": systems,
        "parts": parts_of_extras(SYSTEM_PLACES, chosen, request.user) if chosen else (),
        "answers": answers_to(asked, submission.facts),
        "described": system_description.newest(submission),
        "corrects": bool(asked) and speaks,
        "describes": speaks and submission.phase.has_ended(),
    }
    answer = share(request, render(request, "boards/system.html", context))
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def _opened_row(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Values that an opened row shows of its system, as its board is chosen."""
    phase = submission.phase
    query = query_or_404(request, phase)
    disclosure = policy.disclosure(reader_of(request), phase)
    overview = or_404(overview_on(query, submission, disclosure))
    context = {
        "submission": submission,
        "system": overview,
        "parts": parts_of_extras(["row"], overview, request.user),
        "answers": answers_to(phase.task.public_questions(), submission.facts),
        "described": system_description.newest(submission),
    }
    answer = render(request, "boards/_opened.html", context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def _chosen_ranking(
    systems: Sequence[SystemOverview], test_set: str
) -> SystemOverview | None:
    """That of the test set, by default the first. Raises Http404 for another one."""
    if not test_set:
        return systems[0] if systems else None
    for system in systems:
        if system.test_set is not None and system.test_set.name == test_set:
            return system
    raise Http404


@require_safe
@access(TASK)
def results(request: HttpRequest, task: Task) -> HttpResponse:
    """Final rankings, other snapshots and the archive of the whole task."""
    rows = snapshots.of_task(task)
    context = {
        "task": task,
        "final": [row for row in rows if row.final],
        "others": [row for row in rows if not row.final],
    }
    return render(request, "boards/results.html", context)


@require_safe
@access(PHASE)
def snapshot_list(request: HttpRequest, phase: Phase) -> HttpResponse:
    context = {
        "task": phase.task,
        "phase": phase,
        "snapshots": snapshots.of_phase(phase),
    }
    return render(request, "boards/snapshots.html", context)


@require_safe
@access(PHASE)
def snapshot(request: HttpRequest, phase: Phase, start: str) -> HttpResponse:
    """The frozen rows; beside them what teams told about their systems since."""
    frozen = snapshots.snapshot_or_404(phase, start)
    disclosure = policy.disclosure(request.user, phase)
    described = descriptions(phase) if disclosure.everything else {}
    newest = snapshots.newest_final(phase)
    context = {
        "task": phase.task,
        "phase": phase,
        "snapshot": frozen,
        "boards": ExportTable.of_snapshot(frozen, set(map(str, described))),
        "replaced_by": newest if frozen.final and newest != frozen else None,
        "open_ranges": snapshots.has_open_ranges(frozen),
    }
    return render(request, "boards/snapshot.html", context)


@require_safe
@access(PHASE)
def snapshot_rows(request: HttpRequest, phase: Phase, start: str) -> HttpResponse:
    """The canonical JSON: the SHA-256 of these bytes is the snapshot's hash."""
    data = snapshots.snapshot_or_404(phase, start).data
    return HttpResponse(snapshots.canonical(data), content_type="application/json")


@require_safe
@access(PHASE)
def kit(request: HttpRequest, phase: Phase) -> HttpResponse:
    """A zip of what is public; the same bytes until it changes."""
    if not policy.sees_kit(request.user, phase):
        raise Http404
    try:
        made = kit_of(phase, request.build_absolute_uri("/"), baselines(phase))
    except JobFailed:
        return HttpResponse(NO_KIT, status=503, content_type="text/plain")
    response = attachment(made.name, made.data, "application/zip")
    response["ETag"] = quote_etag(made.digest)
    patch_vary_headers(response, ["Accept-Language"])
    unchanged = get_conditional_response(
        request, etag=response["ETag"], response=response
    )
    return unchanged or response


def baselines(phase: Phase) -> list[Baseline]:
    """Systems of the organizers with the scores that anybody may see, best first."""
    disclosure = policy.disclosure(AnonymousUser(), phase)
    has_any = phase.submissions.filter(baseline=True).exists()
    if not (disclosure.board and has_any):
        return []
    rows = []
    for query in rankings(phase):
        ranking = board(query, disclosure)
        own = ranking.test_set
        rows += [
            Baseline(
                f"{row.system}, {own.title}" if own else row.system,
                row.sorted_by.printed,
            )
            for row in ranking.rows
            if row.baseline
        ]
    return rows
