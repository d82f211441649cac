"""The rows of a board: what table, charts and API print alike."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from django.contrib.auth.models import AnonymousUser

from leaderboard.boards import choices, history, levels, making, ordering, queries
from leaderboard.boards.choices import BoardQuery, UnknownChoice
from leaderboard.boards.facts import chosen_columns, chosen_filters, keeps_all
from leaderboard.boards.frames import Board
from leaderboard.boards.making import NOT_RANKED, Beside, Found, Row
from leaderboard.boards.named import chosen_board, named_boards
from leaderboard.boards.queries import Entry, Sent
from leaderboard.boards.rounded_ranks import overlap_standings
from leaderboard.submissions import board_sample
from leaderboard.submissions.board_sample import Field, Split
from leaderboard.submissions.scores import climber, published, released
from leaderboard.submissions.status import headline_first
from leaderboard.tasks import facts as sheets
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Counts, Disclosure
from scoring.standings import Standing

__all__ = ["NOT_RANKED", "Board", "BoardQuery", "Row", "UnknownChoice", "board"]

Teams = Mapping[int, Entry]


def board(phase: Phase, view: BoardQuery, shown: Disclosure | None = None) -> Board:
    """The board of a phase under the gold revision it shows, as far as it is shown.

    By default as the public sees it now. Raises UnknownChoice for a measure, test
    set, slice, part or level it does not have, for what is no date, and for entries
    that are not shown.
    """
    shown = shown or policy.disclosure(AnonymousUser(), phase)
    if view.everything and not shown.everything:
        raise UnknownChoice("entries")
    phase, shown = _as_of(phase, view, shown)
    past = queries.scored(phase, not shown.everything) if shown.board else []
    # Read later, so that everybody is there who has sent something.
    teams = queries.entries(phase) if past else {}
    sent = _standing(phase, shown, past, teams)
    frame = _frame(phase, view, shown, sent)
    scores = published(frame.field_of(sent), frame.measures, shown)
    found = making.found_of(sent, scores, frame.measure)
    better = frame.measure.higher_is_better
    ranked = ordering.one_per_team(found, _counts(shown), better)
    frame = replace(frame, family=_family(ranked, better))
    beside = _beside(frame, sent, teams)
    rows = ordering.ranked(
        found if view.everything else ranked,
        beside,
        lambda found: _standings(frame, found, beside.complete),
    )
    return _filtered(frame, rows)


def _family(found: Sequence[Found], higher_is_better: bool) -> tuple[Sent, ...]:
    """Systems with a rank, the best first."""
    ordered = ordering.in_order(found, higher_is_better)
    return tuple(one.sent for one in ordered if one.may_rank)


def _as_of(
    phase: Phase, view: BoardQuery, shown: Disclosure
) -> tuple[Phase, Disclosure]:
    """Both at the moment that was asked for: never later than the reader may see."""
    moment = history.moment_of(view.at, phase.zone)
    if moment is None:
        return phase, shown
    until = moment if shown.as_of is None else min(moment, shown.as_of)
    return history.under(phase, moment), replace(shown, as_of=until)


def _filtered(frame: Board, rows: tuple[Row, ...]) -> Board:
    """Filters choose what is shown; ranks stay those of the whole board."""
    found = rows
    if frame.narrowed:
        found = tuple(ordering.kept(rows, lambda row: _keeps(frame, row)))
    return replace(frame, rows=found, in_all=len(rows))


def _keeps(frame: Board, row: Row) -> bool:
    name = f"{row.team}\n{row.system}".casefold()
    return frame.search.casefold() in name and keeps_all(frame.filters, row.facts)


def _counts(shown: Disclosure) -> str:
    """What a team has published last is its best by the headline."""
    return shown.counts if shown.everything else Counts.LAST


def _standing(
    phase: Phase, shown: Disclosure, past: Sequence[Sent], teams: Teams
) -> Sequence[Sent]:
    """What may be on the board, in order of receipt."""
    whole = shown.everything or not past
    found = past if whole else _released(phase, shown, past, teams)
    if shown.as_of is None:
        return found
    return [sent for sent in found if sent.received_at <= shown.as_of]


def _released(
    phase: Phase, shown: Disclosure, past: Sequence[Sent], teams: Teams
) -> list[Sent]:
    split = Split.of(phase, shown.parts[0])
    field = Field(phase, tuple(phase.test_sets.all()), tuple(past), split=split)
    climbers = [
        climber(sent.submission_id, sent.baseline, teams[sent.participation_id])
        for sent in past
    ]
    allowed = released(field, shown, climbers)
    counted = queries.counted(phase)
    return [e for e in past if e.pk in allowed and e.submission_id in counted]


def _frame(
    phase: Phase, view: BoardQuery, shown: Disclosure, evaluations: Sequence[Sent]
) -> Board:
    """The board with its choices made, still without rows."""
    level = levels.chosen_level(phase, shown, view.level)
    frame = _scored_on(phase if level is None else levels.at_level(phase, level), view)
    part = choices.chosen_part(shown, view.part)
    slices = choices.slices(phase, evaluations, Split.of(phase, part), shown)
    questions = sheets.public(phase.task)
    ranks = choices.chosen_measure(frame.offered, view.measure)
    return replace(
        frame,
        shown=shown,
        measure=ranks,
        measures=choices.chosen_measures(frame.offered, view.measures, ranks),
        test_set=choices.chosen_test_set(frame.test_sets, view.test_set),
        everything=view.everything,
        part=part,
        slice=choices.chosen_slice(slices, view.slice),
        slices=slices,
        questions=questions,
        columns=chosen_columns(questions, view.columns),
        filters=chosen_filters(questions, view.facts),
        search=view.search,
        at=history.moment_of(view.at, phase.zone),
        recounted=level is not None,
    )


def _scored_on(phase: Phase, view: BoardQuery) -> Board:
    """What the main board, or the one that was named, shows: measures, test sets."""
    of_phase = tuple(phase.test_sets.all())
    boards = named_boards(phase, of_phase)
    named = chosen_board(boards, view.board)
    measures = named.measures if named else tuple(headline_first(phase))
    test_sets = named.test_sets if named else of_phase
    return Board(
        phase=phase,
        shown=Disclosure(),
        measures=measures,
        measure=measures[0],
        test_sets=test_sets,
        test_set=None,
        everything=False,
        named=named,
        boards=boards,
        offered=measures,
        some_test_sets=len(test_sets) < len(of_phase),
    )


def _beside(frame: Board, sent: Sequence[Sent], teams: Teams) -> Beside:
    phase, some = frame.phase, frame.some_test_sets
    measures, shown = frame.measures, frame.shown
    found = Beside(frame.measure, measures, phase.closes, frame.questions, shown)
    if not sent:
        return found
    complete = making.complete(sent, frame.test_sets, some)
    if frame.test_set is not None:
        complete = {one.pk for one in sent}
    return replace(
        found,
        teams=teams,
        entries=queries.entries_per_team(phase, frame.shown.as_of),
        descriptions=queries.descriptions(phase) if frame.shown.everything else {},
        complete=complete,
    )


def _standings(
    frame: Board, found: Sequence[Found], whole: Collection[int]
) -> Sequence[Standing]:
    """How sure the ranks of these are."""
    if not frame.shown.exact:
        scores = [one.scores[frame.measure.name] for one in found]
        complete = [one.sent.pk in whole for one in found]
        better, level = frame.measure.higher_is_better, frame.level
        return overlap_standings(scores, better, level, complete)
    field = frame.field_of([one.sent for one in found])
    return board_sample.tests_of(field, frame.measure).standings
