"""Results of an older engine: boards go on, numbers follow, files are not read."""

from typing import Any

import pytest

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions import evaluation, jobs
from leaderboard.submissions.models import Evaluation, StoredCounts
from leaderboard.tasks.models import Participation, Phase
from scoring import VERSION
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
NEW = ("percentile_low", "percentile_high", "informative_units")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_next_look", 0.0)
    monkeypatch.setattr(evaluation, "_failed", set())


@pytest.fixture
def old(phase: Phase, entry: Participation) -> list[dict[str, Any]]:
    """Two evaluations as engine 0.1.1 left them; what this one makes of them."""
    for system, answers in (("a", both()), ("b", both({"south": one_wrong("south")}))):
        scored(phase, entry, answers, system=system)
    expected = list(Evaluation.objects.order_by("pk").values())
    for one in Evaluation.objects.all():
        results = one.results
        for part in (results, *results["test_sets"].values()):
            for found in part.get("measures", part.get("overall")).values():
                low, high, _ = (found.pop(name) for name in NEW)
                found.update(low=low, high=high)
        rows = Evaluation.objects.filter(pk=one.pk)
        rows.update(results=results, engine="0.1.1", result_sha256="0" * 64)
    return expected


def test_a_board_goes_on_from_old_numbers(phase: Phase, old: list[Any]) -> None:
    rows = board(BoardQuery(phase, everything=True)).rows
    assert [row.rank for row in rows] == [1, 2]
    assert {score.few for row in rows for score in row.scores} == {None}
    assert "[n/a]" not in rows[0].scores[0].interval


def test_sweeps_summarise_stored_counts_and_score_no_file_again(
    phase: Phase, old: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "score_in_child", None)  # nothing is scored
    phase.refresh_from_db()
    version = phase.board_version
    jobs.sweep()
    assert list(Evaluation.objects.order_by("pk").values()) == old
    phase.refresh_from_db()
    assert phase.board_version == version + 2
    rows = board(BoardQuery(phase, everything=True)).rows
    assert {score.few for row in rows for score in row.scores} == {True}
    assert evaluation.summarise_outdated() == 0
    assert not evaluation.outdated_evaluations().exists()


def test_the_second_of_two_at_the_same_time_changes_nothing(
    old: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one is done while this one computes."""
    rows = Evaluation.objects.filter(pk=old[0]["id"])
    summarised = evaluation.estimates_of

    def meanwhile(*given: Any) -> Any:
        found = summarised(*given)
        rows.update(engine=VERSION, result_sha256="f" * 64)
        return found

    monkeypatch.setattr(evaluation, "estimates_of", meanwhile)
    assert not evaluation.summarise_again(old[0]["id"])
    assert rows.get().result_sha256 == "f" * 64


def test_one_that_dies_in_between_leaves_the_rest_for_the_next(
    old: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "SUMMARY_SECONDS", 0.0)
    for left in (1, 0):
        assert evaluation.summarise_outdated() == 1
        assert evaluation.outdated_evaluations().count() == left


def test_counts_that_cannot_be_read_keep_no_other_waiting(old: list[Any]) -> None:
    StoredCounts.objects.filter(evaluation=old[0]["id"]).update(data=b"none")
    assert evaluation.summarise_outdated() == 1
    (left,) = evaluation.outdated_evaluations()
    assert left.pk == old[0]["id"]
    assert left.engine == "0.1.1" and left.results
    assert evaluation.summarise_outdated() == 0


def test_what_was_scored_by_this_engine_too_is_left(old: list[Any]) -> None:
    one = Evaluation.objects.get(pk=old[0]["id"])
    one.pk, one.engine = None, VERSION
    one.save()
    waiting = evaluation.outdated_evaluations().values_list("pk", flat=True)
    assert list(waiting) == [old[1]["id"]]
