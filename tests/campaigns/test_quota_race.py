"""P8: many requests at once, and exactly the limit is accepted, every round."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from leaderboard.submissions import accept, quota
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.models import Participation, Phase
from scoring.errors import Problem
from tests.campaigns.conftest import sizes
from tests.campaigns.invariants import violations
from tests.leaderboard.small import both, upload

pytestmark = [pytest.mark.usefixtures("no_queue"), pytest.mark.databases("locks")]
THREADS = 40
LIMIT = 5


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests meet at the transaction, not at the reading of the file."""
    barrier = Barrier(THREADS)
    monkeypatch.setattr(quota.QuotaUsage, "refusal", lambda _: None)

    def nothing_found(*_about: object) -> list[Problem]:
        barrier.wait(60)
        return []

    monkeypatch.setattr(accept, "find_problems", nothing_found)


@pytest.mark.parametrize("limited", ["daily_limit", "total_limit"])
@sizes(2, 100)
def test_exactly_the_limit_is_accepted_in_every_round(
    size: int,
    limited: str,
    open_phase: Phase,
    teams: list[Participation],
    together: None,
) -> None:
    setattr(open_phase, limited, LIMIT)
    open_phase.save()
    for number in range(size):
        QuotaCounter.objects.update(used=0)
        Submission.objects.all().delete()
        assert race(open_phase, teams[number % len(teams)]) == LIMIT
        assert Submission.objects.count() == LIMIT
        assert set(QuotaCounter.objects.values_list("used", flat=True)) <= {0, LIMIT}
        assert violations() == []


def race(phase: Phase, team: Participation) -> int:
    """How many of the threads were accepted; any other error ends the campaign."""
    accepted: list[str] = []
    errors: list[BaseException] = []
    requests = [upload(phase, team, both()) for _ in range(THREADS)]

    def send(request: accept.Upload) -> None:
        try:
            accepted.append(str(accept.submit(request).pk))
        except quota.QuotaUsed:
            pass
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [Thread(target=send, args=(request,)) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    return len(accepted)
