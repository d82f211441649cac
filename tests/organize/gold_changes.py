"""Scoring what waits, and making corrected gold live, as tests do it."""

from leaderboard.organize import gold_preview
from leaderboard.submissions import dispatch, evaluation
from leaderboard.submissions.gold import publish
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import GoldRevision
from leaderboard.teams.models import User
from tests.leaderboard.small import inline


def score_all() -> int:
    ids = dispatch.in_turn(Evaluation.objects.ready(), 99, count_hints=False)
    with inline:
        ran = sum(evaluation.run(pk) for pk in ids)
    return ran + score_all() if ran else 0


def make_live(revision: GoldRevision, by: User, accepted: tuple[str, ...] = ()) -> None:
    summary = gold_preview.in_public(revision)
    publish.make_live(revision, by, "A head was wrong.", accepted, summary)
