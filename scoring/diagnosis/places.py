"""Problems of a refused file in the order of its lines: those of its reader, and every
place in which it differs from the blind file."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice

from scoring.diagnosis.refused_file import RefusedFile
from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import MESSAGES as COMMON
from scoring.errors import MOST_PROBLEMS, Problem
from scoring.source import brief

# Codes of problems that say how a file's units and words differ from the blind file's:
# behind the first one of each, others follow from it.
OF_WORDS, OF_UNITS = ("form", "words", "tokens", "text"), ("missing", "extra", "lines")
FOLLOWING = frozenset([*OF_WORDS, *OF_UNITS, "sentences", "sent_id"])
CAPPED = ("more_problems",)
FEW = 3  # equal problems that are listed one by one
MOST_PLACES = 2000  # of differences that are looked for


def with_places(case: RefusedFile) -> list[Problem]:
    """The reader's problems with every place in which units or words differ, of which
    a reader that compares line by line sees the first, or too many."""
    following = [problem for problem in case.problems if problem.code in FOLLOWING]
    first = following[:1]
    places = [*_places(case)]
    if first:
        places = [replace(problem, code=first[0].code) for problem in places]
    if not places and not case.disagrees:
        return [*case.problems]
    told = {problem.line for problem in places}
    passed = (*FOLLOWING, *CAPPED) if following else FOLLOWING
    rest = [problem for problem in case.problems if problem.code not in passed]
    own = first
    if first and (line := first[0].line):
        unit = first[0].unit
        same = {id(problem) for problem in places if unit and problem.unit == unit}
        own = [] if any(other and other <= line for other in told) else first
        places = [problem for problem in places if not own or id(problem) not in same]
    return [*_one_of_a_run(rest), *own, *places]


def _one_of_a_run(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Problems without wrong IDs of words behind another one, which follow from it."""
    numbers = {
        problem.line
        for problem in problems
        if problem.code == "word_id" and problem.line
    }
    for problem in problems:
        if (
            problem.code != "word_id"
            or problem.line is None
            or problem.line - 1 not in numbers
        ):
            yield problem


def _places(case: RefusedFile) -> Iterator[Problem]:
    """Words and sentences that differ, each with its line; nothing of a file that has
    little to do with this test set."""
    if not case.blind.words or not len(case.system) or case.borders:
        return
    if 2 * (len(case.missing) - len(case.pairs)) > len(case.blind):
        return
    yield from islice(_all_places(case), MOST_PLACES)


def _all_places(case: RefusedFile) -> Iterator[Problem]:
    for pair in case.readable_pairs:
        yield from _of_words(case, *pair)
    yield from _of_missing(case)
    yield from _of_extra(case)


def _of_words(case: RefusedFile, i: int, j: int) -> Iterator[Problem]:
    """Words of two sentences that are one."""
    size, unit = len(case.system.rows[j]), brief(case.blind.names[i])
    for (tag, has, wanted, row), line in case.changes(i, j):
        name = {"delete": "is_lost", "insert": "is_added"}.get(tag, "is_word")
        if name == "is_lost" and row == size:
            name = "is_lost_after"
        words = {"found": brief(" ".join(has)), "expected": brief(" ".join(wanted))}
        yield Problem("form", MESSAGES(name, **words), case.file, line, unit=unit)


def _of_missing(case: RefusedFile) -> Iterator[Problem]:
    """Sentences that are missing, a few of each run, at the line where it belongs."""
    blind, system = case.blind, case.system
    paired = {i for i, _j in case.pairs}
    place_of = {place: j for j, place in enumerate(case.places) if place >= 0}
    rest = [i for i in case.missing if i not in paired]
    for _run, numbered in groupby(enumerate(rest), lambda pair: pair[1] - pair[0]):
        run = [i for _n, i in numbered]
        after = place_of.get(run[-1] + 1)
        name, line = "is_missing_after", system.rows[-1][-1]
        if after is not None:
            name, line = "is_missing", system.lines[after]
        for unit in [blind.names[i] for i in run[:MOST_PROBLEMS]]:
            text = MESSAGES(name, unit=case.unit(unit))
            yield Problem("sentences", text, case.file, line, unit=brief(unit))


def _of_extra(case: RefusedFile) -> Iterator[Problem]:
    """Sentences that the blind file has not, or has once."""
    system = case.system
    paired, known = {j for _i, j in case.pairs}, set(case.blind.keys)
    for j in [j for j in case.extra if j not in paired][:MOST_PROBLEMS]:
        name = "is_repeated" if system.keys[j] in known else "is_extra"
        text = MESSAGES(name, unit=case.unit(system.names[j]))
        yield Problem("sentences", text, case.file, system.lines[j])


def group_by_line(problems: Sequence[Problem]) -> list[Problem]:
    """Problems by line, no more than can be read: of many equal ones the first, with
    how many there are."""
    rest = [problem for problem in problems if problem.code == "more_problems"]
    same: dict[tuple[str, ...], list[Problem]] = defaultdict(list)
    for problem in problems:
        if problem.code != "more_problems":
            key = (problem.code, problem.message, problem.hint, problem.file)
            same[key].append(problem)
    left = sum(int(problem.values.get("count", 0)) for problem in rest)
    alike = sum(int(problem.values.get("alike", 0)) for problem in rest)
    listed: list[Problem] = []
    for those in same.values():
        those.sort(key=_line)
        count = sum(problem.count for problem in those)
        if len(same) == 1 and len(those) > FEW:
            count, left = count + alike, left - alike
        several = len(those) > FEW
        listed += [replace(those[0], count=count)] if several else those
    listed.sort(key=_line)
    left += sum(problem.count for problem in listed[MOST_PROBLEMS:])
    if not left and (not rest or alike):
        return listed
    text = COMMON("more", count=left) if left else rest[0].message
    last = Problem("more_problems", text, problems[0].file)
    return [*listed[:MOST_PROBLEMS], last]


def _line(problem: Problem) -> int:
    return problem.line or 0
