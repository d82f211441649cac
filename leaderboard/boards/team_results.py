"""The page of a team: all its results that everybody may see.

A team whose name no board shows has no page: whether it exists is not told.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.boards.board import Board
from leaderboard.boards.front_page import with_scores
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import board
from leaderboard.results.score_bars import Axis, Bar
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure
from leaderboard.teams.models import Membership, Team
from leaderboard.web.access import ANYBODY, access
from leaderboard.web.page_cache import PageKey, cached_page, share

MOST_PHASES = 60
Places = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class TeamResult:
    """A line of a board of the phase, as plain values for other processes."""

    phase: Phase
    line: Mapping[str, Any]

    @property
    def received_at(self) -> datetime:
        return datetime.fromisoformat(self.line["received_at"])

    @property
    def bar(self) -> Bar | None:
        """The rank and its range among all ranks, the first on the left."""
        low, high = self.line["names"]["rank_range"]
        if self.line["rank"] is None or self.line["of_all"] < 2:
            return None
        return Axis(1.0, self.line["of_all"]).bar((self.line["rank"], low, high))


class TeamResults(NamedTuple):
    """All public results of a team, the newest phase first.

    `since` is the beginning of the oldest phase that was looked through; None where no
    phase with results was left out.
    """

    results: Sequence[TeamResult]
    since: datetime | None


def results_of(team: str, moment: datetime) -> TeamResults:
    """The lines of a team on the public boards of the newest MOST_PHASES phases.

    `team` is the name that boards print. The policy is asked before the name: where
    a name is hidden, no more work is done than for one that nobody has. The lines of
    all teams of a phase are kept together until its board moves.
    """
    everybody = AnonymousUser()
    newest = list(with_scores(moment)[: MOST_PHASES + 1])
    phases = newest[:MOST_PHASES]
    since = phases[-1].opens if len(newest) > MOST_PHASES else None
    asked = [(phase, policy.disclosure(everybody, phase, moment)) for phase in phases]
    boards = [(phase, disclosure) for phase, disclosure in asked if disclosure.board]
    present = _phases_naming(team, boards)
    results = [
        TeamResult(phase, line)
        for phase, disclosure in boards
        if phase.pk in present
        for line in _places(phase, disclosure).get(team, ())
    ]
    return TeamResults(results, since)


def _phases_naming(
    team: str, boards: Sequence[tuple[Phase, Disclosure]]
) -> Collection[int]:
    """Phases whose boards print that name, as far as one query can tell."""
    named = [phase.pk for phase, shown in boards if shown.names]
    others = [phase.pk for phase, shown in boards if not shown.names]
    frozen = {phase.pk: shown.as_of for phase, shown in boards}
    hidden = Q(phase__in=others, participation__anonymous=False)
    sent = Submission.objects.counted().filter(
        Q(phase__in=named) | hidden,
        participation__team__name=team,
        baseline=False,
        evaluations__state=EvaluationState.SCORED,
    )
    times = sent.values_list("phase", "received_at").distinct()
    return {
        phase for phase, at in times if (until := frozen[phase]) is None or at <= until
    }


def _places(phase: Phase, shown: Disclosure) -> Places:
    parts = (*BoardQuery(phase).cache_parts(shown), get_language())
    key = PageKey("team-results", parts, phase.board_version)
    places: Places = cached_page(key, lambda: _places_of_team(phase, shown))
    return places


def _places_of_team(phase: Phase, shown: Disclosure) -> Places:
    places: dict[str, list[Mapping[str, Any]]] = {}
    for ranking in (board(query, shown) for query in rankings(phase)):
        ranked = [row for row in ranking.rows if row.ranked]
        for row in ranking.rows:
            if row.team_page:
                places.setdefault(row.team, []).append(_line(ranking, row, ranked))
    return places


def _line(ranking: Board, row: Row, ranked: Sequence[Row]) -> Mapping[str, Any]:
    own = ranking.test_set if not ranking.averages else None
    score = row.sorted_by
    first = ranked[0] if ranked else None
    above = ranked[ranked.index(row) - 1] if row in ranked[1:] else None
    return {
        "rank": row.rank,
        "rank_range": "" if row.rank_range == str(row.rank) else row.rank_range,
        "of_all": len(ranked),
        "leader": first.sorted_by.printed if first else "",
        "above": above.submission if above and ranking.disclosure.details else None,
        "system": row.system,
        # Where only a team's best entries are shown, systems have no page.
        "submission": row.submission if ranking.disclosure.everything else None,
        "measure": str(score.measure.title),
        "test_set": own.title if own is not None else "",
        "value": score.printed,
        "interval": score.interval,
        "numbers": dict(score.exact),
        "names": {
            "measure": score.measure.name,
            "test_set": own.name if own is not None else None,
            "rank_range": [row.standing.low, row.standing.high],
        },
        "received_at": row.received_at.isoformat(),
    }


def public_results(parameters: Mapping[str, str]) -> tuple[str, TeamResults]:
    """The name in `team` and its results; none, too, for a name that nobody has."""
    name = parameters.get("team", "").replace("\0", "")
    return name, results_of(name, timezone.now()) if name else TeamResults((), None)


def affiliations_of(name: str) -> str:
    """Affiliations of a team by its name, which must be known to the reader."""
    affiliations = Team.objects.filter(name=name).values_list("affiliations", flat=True)
    return affiliations.first() or ""


@require_safe
@access(ANYBODY)
def team_results(request: HttpRequest) -> HttpResponse:
    """`?team=` is the name as boards print it. Members see it without results."""
    name, results = public_results(request.GET)
    mine = None
    if request.user.is_authenticated:
        own = Membership.objects.filter(user=request.user, team__name=name)
        mine = own.select_related("team").first()
    if not (results.results or mine):
        raise Http404
    context = {
        "team": name,
        "affiliations": affiliations_of(name),
        "results": results.results,
        "since": results.since,
        "most": MOST_PHASES,
        "mine": mine,
    }
    return share(request, render(request, "boards/team.html", context))
