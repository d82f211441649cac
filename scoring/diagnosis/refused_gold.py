"""A diagnosis of a refused answer key: one sentence for the organizer who uploads it.

There is no blind file to compare it with yet. It is compared with itself: what stands
around its lines, its header, its tags. Where a copy without a mistake can be read, that
mistake is what is wrong with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from scoring.diagnosis import (
    SAID_ONCE,
    UNREADABLE,
    answers,
    diagnosis,
    first_text,
    units,
)
from scoring.diagnosis.near_misses import broken_off, cut_off, one_mistake
from scoring.diagnosis.places import group_by_line
from scoring.diagnosis.refused_file import RefusedFile
from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import Problem, ScoringError
from scoring.formats.bundle import is_zip, out_of_zip
from scoring.options import Options
from scoring.outlines import outline_of
from scoring.scorer import Scorer
from scoring.source import Source

Look = Callable[[RefusedFile], Problem | None]
OF_COLUMNS = (
    answers.late_header,
    answers.decimal_commas,
    answers.header,
    answers.header_again,
)
OF_ANSWERS = (answers.tags, answers.labels, answers.numbers)
NOTHING = Source("", {"": b""})


def diagnosed_gold(
    scorer: Scorer, gold: Source, options: Options, problems: Sequence[Problem]
) -> list[Problem]:
    """The problems of an answer key, behind the sentence on the whole of it where
    there is one."""
    if {problem.code for problem in problems} & UNREADABLE - {"csv"}:
        return group_by_line(problems)

    def can_be_read(copy: Source) -> bool:
        try:
            scorer.read_gold(copy, options)
        except ScoringError:
            return False
        return True

    plain = out_of_zip(gold)
    problem = (
        one_mistake(plain, problems, can_be_read)
        or broken_off(NOTHING, plain)
        or cut_off(plain, problems)
        or _of_itself(scorer, gold, options, problems)
    )
    if problem is None:
        return group_by_line(problems)
    rest = problems[:1] if problem.code in SAID_ONCE else group_by_line(problems)
    return [problem, *rest]


def unlike_blind(
    scorer: Scorer,
    pair: tuple[Source, Source],
    options: Options,
    problems: Sequence[Problem],
) -> list[Problem]:
    """Problems of gold that does not fit a blind file, as of a system's file; `pair`
    are the two, blind file first."""
    problem, listed = diagnosis(scorer, *pair, options, problems, {})
    return [problem, *listed] if problem else listed


def _of_itself(
    scorer: Scorer, gold: Source, options: Options, problems: Sequence[Problem]
) -> Problem | None:
    own = outline_of(scorer.outline, gold, options)
    if own is None:
        return None
    gold = gold if own.kind == "document" else out_of_zip(gold)
    several = len(gold.files) > 1 or is_zip(gold)
    case = RefusedFile(
        scorer,
        options,
        replace(own, header=()),
        own,
        gold.name,
        problems,
        first_text(gold),
        several,
    )
    if own.kind == "topic":
        if units.is_run(case):
            return case.says("run_for_gold", "see_scorer")
        other = units.of_other_kind(case)
        return other and replace(other, hint=MESSAGES("see_scorer"))
    if problem := units.file_format(case):
        return replace(problem, hint=MESSAGES("see_scorer"))
    # Where gold has other columns than answers, an outline knows those of answers.
    if not scorer.example_gold:
        unasked = replace(own, header=(), keys=(), names=())
        columns = replace(case, blind=unasked)
        problem = _first(OF_COLUMNS, columns)
        # It may well have more columns than answers have.
        if problem and not problem.code.endswith("other_header"):
            return problem
    return _first(OF_ANSWERS, case)


def _first(looks: Sequence[Look], case: RefusedFile) -> Problem | None:
    return next(filter(None, (look(case) for look in looks)), None)
