"""Whether gold can be scored at all: against itself, and from its blind file."""

from typing import Any

import numpy as np

from scoring import Counts
from scoring.engine import Job, count_file, silent
from scoring.errors import Problem, Refused, SetupError, UsageError
from scoring.formats.forms import remarks_on_form
from scoring.messages import Messages, _
from scoring.source import Source

MESSAGES = Messages(
    holds_answers=_(
        "as a submission this input file gets everything right: it holds the answers"
    ),
    other_units=_("the gold does not answer what this input file asks"),
    same_units=_(
        "Give an input file of the same units, or none: then one is made from the gold."
    ),
    take_out=_(
        "Take out what is to be predicted, or send no input file: "
        "then one is made from the gold."
    ),
)


def read_gold(job: Job, gold: Source) -> Any:
    """The gold as its scorer reads it. Raises SetupError that begins with what is wrong
    with the whole, where that can be said."""
    try:
        return job.scorer.read_gold(gold, job.options)
    except SetupError as error:
        from scoring.diagnosis.refused_gold import diagnosed_gold  # few need it

        problems = error.problems
        more = diagnosed_gold(job.scorer, gold, job.options, problems)
        raise SetupError(more) from None


def blind_of(job: Job, gold: Source) -> Source:
    """A blind file made of the gold. Raises SetupError."""
    read_gold(job, gold)  # what is wrong with it is said better there
    return job.scorer.blind(gold, job.options)


def units_of(job: Job, gold: Source, blind: Source) -> int:
    """Score gold against itself and the blind file, as a submission would be.

    Returns the number of units. Raises SetupError with what is wrong with the gold,
    and for a blind file that gives every answer away. Where a program of the task tells
    the units it has not run yet: 0 says that nobody knows them.
    """
    scorer, options = job.scorer, job.options
    if scorer.runs_program:
        return _units_of_program(job, gold, blind)
    try:
        answers = read_gold(job, gold)
        scorer.read_blind(blind, options)
        ideal = scorer.perfect(gold, options)
        _require_fit(job, gold, ideal, blind)
        perfect = count_file(job, answers, ideal)
    except (Refused, UsageError) as refusal:
        raise SetupError(refusal.problems) from None
    if _is_perfect(job, answers, blind, perfect):
        # Where nothing is to be predicted, what we make ourselves is perfect as well.
        own_blind = scorer.blind(gold, options)
        if not _is_perfect(job, answers, own_blind, perfect):
            raise SetupError(_given_away(blind))
    return len(perfect.units)


def require_fit(job: Job, blind: Source, ideal: Source) -> None:
    """Raises Refused where gold as a submission does not fit the blind file, with what
    is wrong with the whole first, where that can be said."""
    scorer, options = job.scorer, job.options
    try:
        scorer.read_system(ideal, options, scorer.read_blind(blind, options))
    except Refused as refusal:
        from scoring.diagnosis.refused_gold import unlike_blind  # few need it

        pair, problems = (blind, ideal), refusal.problems
        raise Refused(unlike_blind(scorer, pair, options, problems)) from None


def _require_fit(job: Job, gold: Source, ideal: Source, blind: Source) -> None:
    """Raises SetupError where gold as a submission does not fit the blind file."""
    scorer, options = job.scorer, job.options
    try:
        require_fit(job, blind, ideal)
    except Refused as refusal:
        own_blind = scorer.read_blind(scorer.blind(gold, options), options)
        # Where this is refused too, the gold is at fault.
        scorer.read_system(ideal, options, own_blind)
        message, hint = MESSAGES("other_units"), MESSAGES("same_units")
        unlike = Problem("blind", message, blind.name, hint=hint)
        raise SetupError([unlike, *refusal.problems]) from None


def _units_of_program(job: Job, gold: Source, blind: Source) -> int:
    job.scorer.read_gold(gold, job.options)
    job.scorer.read_blind(blind, job.options)
    whole = all(measure.of_file for measure in job.scorer.measures(()))
    return 1 if whole else 0


def remarks_on_gold(job: Job, gold: Source) -> list[str]:
    """Remarks for an organizer on gold that can be scored and looks wrong: those of its
    scorer, those on its form, and what would be odd about its answers in a submission.
    Raises SetupError."""
    from scoring.diagnosis.near_misses import broken_off  # few need it

    scorer, options = job.scorer, job.options
    answers = read_gold(job, gold)
    remarks = scorer.gold_remarks(answers, options)
    remarks += remarks_on_form(gold, options, scorer.called)
    if scorer.runs_program or scorer.answered is None:
        return remarks
    ideal = scorer.read_system(scorer.perfect(gold, options), options, answers)
    odd = silent(scorer, (answers, ideal), options, gold.name)
    if scorer.ideal is None:  # it is read as a submission is
        odd += scorer.notes(ideal, options)
    if broken := broken_off(Source("", {"": b""}), gold):
        odd.append(broken)
    return remarks + [f"{x.message} {x.hint}".rstrip() for x in odd]


def unit_of(job: Job, gold: Source) -> str:
    """The unit that the task gets where it states none. Raises SetupError."""
    if job.unit or not job.scorer.finest:
        return job.unit or job.scorer.units[0]
    return job.scorer.unit_of(read_gold(job, gold))


def _is_perfect(job: Job, answers: Any, file: Source, perfect: Counts) -> bool:
    """Whether the file, sent as a submission, counts all that the gold does."""
    try:
        counts = count_file(job, answers, file)
    except Refused:
        return False
    return _same(counts, perfect)


def _same(counts: Counts, others: Counts) -> bool:
    if (counts.units, counts.columns) != (others.units, others.columns):
        return False
    if counts.finer is not None and others.finer is not None:
        return _same(counts.finer.counts, others.finer.counts)
    return bool(np.array_equal(counts.table, others.table))


def _given_away(blind: Source) -> Problem:
    return Problem(
        "blind_answers",
        MESSAGES("holds_answers"),
        blind.name,
        hint=MESSAGES("take_out"),
    )
