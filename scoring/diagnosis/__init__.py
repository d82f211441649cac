"""A diagnosis of a refused file: one sentence, as a colleague would say it.

The file and the blind file are compared by their outlines (`scoring.outlines`): is it
the file of this test set, are all units there, in their order, with their words? Then
what was answered is looked at. Gold plays no part, so nothing of it can be told.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from scoring.diagnosis import answers, units
from scoring.diagnosis.heads import odd_heads
from scoring.diagnosis.near_misses import broken_off, cut_off, near_miss
from scoring.diagnosis.places import group_by_line, with_places
from scoring.diagnosis.refused_file import PREFIX, RefusedFile
from scoring.errors import Problem, Refused
from scoring.formats.bundle import is_zip, out_of_zip
from scoring.options import Options
from scoring.outlines import outline_of
from scoring.scorer import Scorer
from scoring.source import Source

# Codes of files whose text nobody could read.
UNREADABLE = frozenset(
    ("encoding", "empty_file", "line_ends", "zip", "zip_member", "one_file", "csv")
)
# Codes of what is wrong with heads.
HEADS = frozenset(("circle", "cycle", "head", "roots", "word_id"))
# In their order: the first that sees something says it.
LOOKS = (
    answers.repeated_columns,
    answers.glued_header,
    answers.goes_on,
    units.swapped_answers,
    answers.late_header,
    answers.decimal_commas,
    answers.labels_in_cells,
    units.texts_alone,
    units.other_form,
    units.file_format,
    answers.header,
    answers.header_again,
    answers.columns_of_tokens,
    answers.tags,
    answers.headings,
    answers.find_unfilled,
    units.empty_ids,
    units.running_text,
    units.first_words,
    units.swapped_parts,
    units.sorted_tokens,
    units.missing_units,
    units.document_lines,
    units.words,
    answers.labels,
    answers.numbers,
    answers.unread_shares,
    units.sentence_names,
)


# Diagnoses of files that may well be those of another test set.
MAY_BE_OF_ANOTHER = frozenset(
    (
        "both",
        "foreign",
        "ids_differ",
        "ids_unlike",
        "row_numbers",
        "some_missing",
        "text_differs",
        "words",
    )
)
# Diagnoses that say the same of every line.
SAID_ONCE = [f"{PREFIX}{name}" for name in ("blind", "unfilled", "decimal_heads")]


def is_diagnosis(problem: Problem) -> bool:
    """Whether a problem is a diagnosis of a whole file."""
    return problem.code.startswith(PREFIX)


def may_be_of_another(problem: Problem) -> bool:
    """Whether the file may be that of another test set: units of this one are missing
    or other ones."""
    return problem.code.removeprefix(PREFIX) in MAY_BE_OF_ANOTHER


def diagnosis(
    scorer: Scorer,
    blind: Source,
    system: Source,
    options: Options,
    problems: Sequence[Problem],
    others: units.Others,
) -> tuple[Problem | None, list[Problem]]:
    """The diagnosis of a refused file, and its problems in the order of its lines.

    `others` are blind files of other test sets by what people call them. Without a
    diagnosis the first problem says it all.
    """
    unreadable = {problem.code for problem in problems} & UNREADABLE
    if unreadable - {"csv"}:  # nobody knows what is in it
        return None, group_by_line([p for p in problems if p.code in unreadable])
    first = outline_of(scorer.outline, blind, options)
    if first is None or not len(first):
        return None, group_by_line(problems)
    system = system if first.kind == "document" else out_of_zip(system)
    second = outline_of(scorer.outline, system, options)
    problems_of = partial(_problems_of, scorer, blind, options)
    sides = first, second
    if problem := near_miss(scorer, sides, system, options, problems, problems_of):
        return problem, [*problems[:1]]
    whole = units.in_folders(first, blind, system)
    if whole := whole or units.other_text(first, blind, system):
        return whole, group_by_line(problems)
    if cut := broken_off(blind, system) or cut_off(system, problems):
        return cut, group_by_line(problems)
    of_heads = {problem.code for problem in problems} & HEADS
    if of_heads and (odd := odd_heads(scorer, system)):
        return odd, [*problems[:1]]
    head = first_text(system)
    no_columns = bool(first.words or first.kind == "line") and units.is_data(head)
    if second is None and not unreadable and (no_columns or units.unread_form(head)):
        second = replace(first, keys=(), names=(), lines=(), words=(), header=())
    if second is None or unreadable:
        return None, group_by_line(problems)
    several = len(system.files) > 1 or is_zip(system)
    name = system.name
    about = first, second, name, problems, head, several, first_text(blind, None)
    case = RefusedFile(scorer, options, *about)
    same = _bytes(blind) == _bytes(system)
    problem = case.says("blind", "fill_in") if same else None
    for look in LOOKS if case.same_kind else (units.file_format,):
        problem = problem or look(case)
    if problem and may_be_of_another(problem):
        problem = units.other_test_set(case, others) or problem
    if problem and problem.code in SAID_ONCE:
        return problem, [*problems[:1]]
    return problem, group_by_line(with_places(case) if case.same_kind else problems)


def _problems_of(
    scorer: Scorer, blind: Source, options: Options, copy: Source
) -> Sequence[Problem]:
    """Problems that a reader finds in a copy of the file."""
    reader = scorer.read_submission or scorer.read_system
    try:
        reader(copy, options, scorer.read_blind(blind, options))
    except Refused as refusal:
        return refusal.problems
    return ()


def first_text(source: Source, size: int | None = 4096) -> str:
    """The beginning of the first file with plain line ends, for looks at its lines."""
    first = next(iter(source.files.values()), b"")[:size].replace(b"\r\n", b"\n")
    return first.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _bytes(source: Source) -> list[bytes]:
    plain = (data.removeprefix(b"\xef\xbb\xbf") for data in source.files.values())
    return [data.replace(b"\r", b"").strip() for data in plain]
