"""Tests of pairs that stay as they were when the later of the two arrived.

On a board whose differences stay a newcomer must not change the test of two others. It
does where runs or judges vary, since what is usual of them follows from all systems. So
the p-value of each pair is stored when both stand on the board for the first time. With
corrected gold, other judgements or another version of the engine tests are new ones.
"""

from collections.abc import Sequence

from django.db import transaction

from leaderboard.results.stored_statistics import pack, unpack
from leaderboard.submissions.models import LastingTests
from leaderboard.tasks.models import Phase
from leaderboard.web.cache import digest
from scoring import VERSION
from scoring.counts import Floats
from scoring.statistics.arrivals import KeptTests


def lasting_p_values(
    phase: Phase, units: object, systems: Sequence[str], measure: str, p_value: Floats
) -> Floats:
    """The p-values (pairs,) of these systems, given by digests of what was counted: as
    they were, and of pairs that are new to the board as they are now. `units` is all
    else that tests depend on."""
    if not len(p_value):
        return p_value
    scorer = phase.task.scorer
    engine = VERSION, scorer.name, scorer.package
    board = digest(("lasting", phase.pk, units, measure, engine))
    with transaction.atomic():
        before = _lock_row(phase, board)
        known = KeptTests(**unpack(bytes(before.data)))
        after = known.beside(systems, p_value)
        if after is not known:
            before.data = _pack(after)
            before.save(update_fields=["data"])
    return after.of(systems)


def _lock_row(phase: Phase, board: str) -> LastingTests:
    """The row of a board, which others wait for: a pair has one p-value, though two
    compute the board at once."""
    rows = LastingTests.objects
    empty = LastingTests(phase=phase, board=board, data=_pack(KeptTests.none()))
    rows.bulk_create([empty], ignore_conflicts=True)
    return rows.select_for_update().get(board=board)


def _pack(tests: KeptTests) -> bytes:
    return pack({"systems": list(tests.systems), "p_value": tests.p_value})
