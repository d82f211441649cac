"""A diagnosis of a refused file: one sentence, as a colleague would say it.

The file and the blind file are compared by their outlines (`scoring.outlines`): is it
the file of this test set, are all units there, in their order, with their words? Then
what was answered is looked at. Gold plays no part, so nothing of it can be told.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property
from itertools import groupby, islice

from scoring.errors import MESSAGES as COMMON
from scoring.errors import MOST_PROBLEMS, Problem
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline, outline_of
from scoring.picks import likely
from scoring.scorer import Scorer
from scoring.source import Source, brief

MESSAGES = Messages(
    {
        # Units, as sentences name one of them and all.
        "one_sentence": _("sentence %(name)s"),
        "one_passage": _("the passage '%(name)s'"),
        "one_item": _("item %(name)s"),
        "one_line": _("line %(name)s"),
        "one_document": _("document %(name)s"),
        "one_topic": _("topic %(name)s"),
        "one_instance": _("instance %(name)s"),
        "sentences": _("sentences"),
        "passages": _("passages"),
        "items": _("items"),
        "lines": _("lines"),
        "documents": _("documents"),
        "topics": _("topics"),
        "instances": _("instances"),
        # Whole files.
        "blind": _("This is the blind file itself: nothing is filled in."),
        "fill_in": _("Fill in your system's answers and send that file."),
        "other_test_set": _(
            "This is the file of %(other)s: %(found)s of its %(all)s %(units)s are in "
            "it, and %(own)s of the %(wanted)s of this test set."
        ),
        "send_there": _("Choose the file of this test set, or send it where it goes."),
        "other_format": _(
            "The file is in another format: it looks like %(kind)s, and this task "
            "takes %(formats)s."
        ),
        "spaces": _(
            "The columns are separated by spaces; this format separates them with tabs."
        ),
        "by_tabs": _("Separate the columns by single tabs."),
        "json": _("JSON"),
        "xml": _("XML or HTML"),
        "conllu": _("CoNLL-U"),
        "csv": _("a table with commas"),
        "columns": _("columns of tokens and tags"),
        "text": _("plain text"),
        "see_format": _(
            "See what the task says about its format, and the starting kit."
        ),
        "foreign": _(
            "This file belongs to something else: none of the %(all)s %(units)s of "
            "this test set is in it."
        ),
        "see_which": _("See whether this is the file you meant."),
        "ids_differ": _(
            "The ids are written differently: '%(found)s' where the blind file has "
            "'%(expected)s', and so for %(count)s of %(all)s."
        ),
        "copy_ids": _("Copy the ids of the blind file character by character."),
        "order": _("All %(all)s of %(all)s %(units)s are there, in another order."),
        "as_in_blind": _("Write them in the order of the blind file."),
        "one_missing": _("%(unit)s is missing; %(found)s of %(all)s found."),
        "some_missing": _(
            "%(count)s %(units)s are missing, first %(unit)s; %(found)s of %(all)s "
            "found."
        ),
        "end_missing": _(
            "The file ends after %(unit)s: the last %(count)s of %(all)s %(units)s "
            "are missing."
        ),
        "begin_missing": _(
            "The file begins with %(unit)s: the first %(count)s of %(all)s %(units)s "
            "are missing."
        ),
        "look_for_end": _(
            "Check whether it was cut off while it was written or copied."
        ),
        "add_missing": _("Add what is missing, in its place."),
        "one_repeated": _("%(unit)s is there twice; the blind file has it once."),
        "some_repeated": _(
            "%(count)s %(units)s are there twice, first %(unit)s; the blind file has "
            "each once."
        ),
        "one_extra": _(
            "%(unit)s is not in the blind file; all %(all)s of %(all)s are there."
        ),
        "some_extra": _(
            "%(count)s %(units)s are not in the blind file, first %(unit)s; all "
            "%(all)s of %(all)s are there."
        ),
        "take_out": _("Take it out."),
        "both": _(
            "Missing: %(count)s of %(all)s %(units)s, first %(unit)s; not in the blind "
            "file: %(others)s, first %(other)s."
        ),
        "passages_differ": _(
            "The text differs in %(count)s of %(all)s passages: '%(found)s' where the "
            "blind file has '%(expected)s'."
        ),
        "copy_text": _("Take the text of the blind file as it is."),
        "number_of_lines": _("%(found)s lines found, %(all)s expected."),
        "one_line_each": _("Write one answer for each line of the blind file."),
        "borders": _(
            "The sentences are divided differently: %(found)s where the blind file "
            "has %(all)s, first at %(unit)s."
        ),
        "keep_blank_lines": _("Copy the blank lines of the blind file."),
        "docstart": _(
            "The lines -DOCSTART- are missing: %(all)s expected, %(found)s found."
        ),
        "many_docstarts": _(
            "There are %(found)s lines -DOCSTART-, where the blind file has %(all)s."
        ),
        "copy_docstart": _("Copy them from the blind file, each with a blank line."),
        # Words.
        "word": _(
            "One word of %(all)s differs from the blind file, in %(unit)s: '%(found)s' "
            "where it has '%(expected)s'."
        ),
        "words": _(
            "Words of %(count)s of %(all)s sentences differ from the blind file, first "
            "in %(unit)s: '%(found)s' where it has '%(expected)s'."
        ),
        "case": _(
            "The words differ from the blind file in capitals only, in %(count)s of "
            "%(all)s sentences: '%(found)s' where it has '%(expected)s'."
        ),
        "forms": _(
            "The words differ from the blind file in Unicode normal form only, in "
            "%(count)s of %(all)s sentences, first %(unit)s."
        ),
        "tokens": _(
            "%(count)s of %(all)s sentences are divided into words differently, "
            "first %(unit)s: '%(found)s' where the blind file has '%(expected)s'."
        ),
        "lost_word": _(
            "A word is missing in %(unit)s: '%(expected)s'; the other sentences have "
            "theirs."
        ),
        "added_word": _(
            "%(unit)s has a word too many: '%(found)s'; the other sentences have "
            "theirs."
        ),
        "copy_words": _("Copy the words of the blind file and fill in answers only."),
        # Tables.
        "no_header": _(
            "The first line is an answer already: the names of the columns are missing."
        ),
        "add_header": _("Begin the file with this line: %(header)s"),
        "near_column": _(
            "There is no column '%(column)s', but there is '%(found)s': did you mean "
            "it?"
        ),
        "rename": _("Call it '%(column)s' in the first line."),
        "other_header": _(
            "The header is of another table: it has no column '%(column)s', but "
            "%(found)s."
        ),
        "of_labels": _(
            "There is a column for each label (%(found)s); expected one, '%(column)s'."
        ),
        "name_best": _("Put the label you choose into it."),
        # Answers.
        "label_case": _(
            "Labels differ in capitals only: '%(found)s' where the task has "
            "'%(expected)s', and so for %(count)s of %(all)s."
        ),
        "label_numbers": _(
            "%(count)s of %(all)s answers are numbers, such as '%(found)s', where "
            "the task has labels: %(labels)s."
        ),
        "label_unknown": _(
            "Not among the labels of the task: '%(found)s' (%(count)s of %(all)s)."
        ),
        "label_near": _(
            "Not among the labels of the task: '%(found)s' (%(count)s of %(all)s); did "
            "you mean '%(expected)s'?"
        ),
        "separator": _(
            "Several labels are separated by '%(found)s'; this task separates them "
            "with '%(expected)s'."
        ),
        "write_labels": _("Write the labels as the task does: %(labels)s."),
        "unfilled": _(
            "Nothing is filled in: %(column)s is '%(found)s' in all %(all)s words."
        ),
        "empty_answers": _("Answers are empty: %(count)s of %(all)s."),
        "comma": _(
            "%(count)s of %(all)s numbers have a decimal comma, such as '%(found)s'."
        ),
        "point": _("Write a decimal point: %(found)s"),
        "no_numbers": _(
            "%(count)s of %(all)s answers are not numbers, such as '%(found)s'."
        ),
        # Tags.
        "no_names": _(
            "The lines '# sent_id = ...' are missing, in %(count)s of %(all)s "
            "sentences."
        ),
        "copy_comments": _("Copy the comment lines of the blind file."),
        "no_tags": _(
            "There are no tags: each line has only a token, such as '%(found)s'."
        ),
        "no_tokens": _(
            "There are no tokens: each line has only a tag, such as '%(found)s'."
        ),
        "add_tags": _("Write token, tab and tag in each line."),
        "bioes": _(
            "The tags look like BIOES, such as '%(found)s' (%(count)s of %(all)s); "
            "this task takes %(scheme)s."
        ),
        "convert": _("Write B- for S- and I- for E-."),
        "underscore": _(
            "Tags have '_' after their prefix, such as '%(found)s' (%(count)s of "
            "%(all)s); expected '%(expected)s'."
        ),
        "small_prefix": _(
            "Tags have lower-case prefixes, such as '%(found)s' (%(count)s of "
            "%(all)s); expected '%(expected)s'."
        ),
        "no_prefix": _(
            "Tags have no prefix, such as '%(found)s' (%(count)s of %(all)s); "
            "expected '%(expected)s'."
        ),
        "number_tags": _(
            "There are numbers where tags are expected, such as '%(found)s' "
            "(%(count)s of %(all)s)."
        ),
        "other_tags": _(
            "%(count)s of %(all)s tags are not in the scheme, first '%(found)s'."
        ),
        "write_tags": _("Write O, or a prefix with the label: B-NAME, I-NAME."),
        "few_answered": _(
            "Only %(found)s of the %(all)s %(units)s of this test set are answered."
        ),
        "unused": _("These columns are not read: %(columns)s."),
        "only_these": _("Check that the answers are in the column that is read."),
        # Problems of single places.
        "is_word": _("the word is '%(found)s'; expected '%(expected)s'."),
        "is_lost": _("a word is missing before this line: '%(expected)s'."),
        "is_lost_after": _("a word is missing after this line: '%(expected)s'."),
        "is_added": _("'%(found)s' is a word too many."),
        "is_missing": _("%(unit)s is missing before this line."),
        "is_missing_after": _("%(unit)s is missing after this line."),
        "is_repeated": _("%(unit)s is here a second time."),
        "is_extra": _("%(unit)s is not in the blind file."),
    }
)

# Codes of problems that say how a file's units and words differ from the blind file's:
# behind the first one of each, others follow from it.
FOLLOWING = frozenset(
    [
        "form",
        "words",
        "sentences",
        "tokens",
        "text",
        "missing",
        "extra",
        "lines",
        "sent_id",
    ]
)
CAPPED = ("more_problems",)
MOST_WORDS = 60  # between the first and the last that differ in a sentence
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
COMMA = re.compile(r"[+-]?\d*,\d+")
PREFIXES = {"iob1": "BI", "iob2": "BI", "any": "BIESLU", "bioes": "BIESLU"}
SCHEMES = {"iob1": "IOB1 (B-, I-)", "iob2": "IOB2 (B-, I-)"}
PREFIX = "diagnosis_"
# What names a format among those of a scorer.
MARKS = {"json": "json", "xml": "xml", "conllu": "conll-u"}
NOWHERE = -1
FEW = 3  # equal problems that are listed one by one
LONGEST_ID = 200
MOST_PLACES = 2000  # of differences that are looked for

Others = Mapping[str, Source]


def is_diagnosis(problem: Problem) -> bool:
    """Whether a problem is a diagnosis of a whole file."""
    return problem.code.startswith(PREFIX)


def may_be_of_another(problem: Problem) -> bool:
    """Whether the file may be that of another test set: units of this one are missing
    or other ones."""
    kinds = ("foreign", "both", "ids_differ", "words", "some_missing")
    return problem.code in (f"{PREFIX}{kind}" for kind in kinds)


def diagnosis(
    scorer: Scorer,
    blind: Source,
    system: Source,
    options: Options,
    problems: Sequence[Problem],
    others: Others,
) -> tuple[Problem | None, list[Problem]]:
    """The diagnosis of a refused file, and its problems in the order of its lines.

    `others` are blind files of other test sets by what people call them. Without a
    diagnosis the first problem says it all.
    """
    first = outline_of(scorer.outline, blind, options)
    second = outline_of(scorer.outline, system, options)
    if first is None or second is None or not len(first):
        return None, grouped(problems)
    head = _head(system)
    case = _Case(scorer, options, first, second, system.name, problems, head)
    same = _bytes(blind) == _bytes(system)
    found = case.says("blind", "fill_in") if same else None
    for look in LOOKS if case.same_kind else (_format,):
        found = found or look(case)
    if found and may_be_of_another(found):
        found = _other_test_set(case, others) or found
    if found and found.code in (f"{PREFIX}blind", f"{PREFIX}unfilled"):
        return found, [*problems[:1]]
    return found, grouped(_with_places(case) if case.same_kind else problems)


def _head(source: Source) -> str:
    first = next(iter(source.files.values()), b"")[:4096]
    return first.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _bytes(source: Source) -> list[bytes]:
    return [data.replace(b"\r", b"").strip() for data in source.files.values()]


def _with_places(case: "_Case") -> list[Problem]:
    """The reader's problems with every place in which units or words differ, of which
    a reader that compares line by line sees the first, or too many."""
    following = [one for one in case.problems if one.code in FOLLOWING]
    first = following[:1]
    places = [*_places(case)]
    if first:
        places = [replace(one, code=first[0].code) for one in places]
    if not places and not case.disagrees:
        return [*case.problems]
    told = {one.line for one in places}
    passed = (*FOLLOWING, *CAPPED) if following else FOLLOWING
    rest = [one for one in case.problems if one.code not in passed]
    own = first
    if first and (line := first[0].line):
        unit = first[0].unit
        same = {id(one) for one in places if unit and one.unit == unit}
        own = [] if any(other and other <= line for other in told) else first
        places = [one for one in places if not own or id(one) not in same]
    return [*_one_of_a_run(rest), *own, *places]


def _one_of_a_run(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Without wrong IDs of words right behind another one, which follow from it."""
    numbers = {one.line for one in problems if one.code == "word_id" and one.line}
    for one in problems:
        if one.code != "word_id" or one.line is None or one.line - 1 not in numbers:
            yield one


def grouped(problems: Sequence[Problem]) -> list[Problem]:
    """Problems by line, no more than can be read: of many equal ones the first, with
    how many there are."""
    rest = [one for one in problems if one.code == "more_problems"]
    same: dict[tuple[str, ...], list[Problem]] = defaultdict(list)
    for problem in problems:
        if problem.code != "more_problems":
            key = (problem.code, problem.message, problem.hint, problem.file)
            same[key].append(problem)
    left = sum(int(one.values.get("count", 0)) for one in rest)
    alike = sum(int(one.values.get("alike", 0)) for one in rest)
    listed: list[Problem] = []
    for those in same.values():
        those.sort(key=_line)
        count = sum(one.count for one in those)
        if len(same) == 1 and len(those) > FEW:
            count, left = count + alike, left - alike
        several = len(those) > FEW
        listed += [replace(those[0], count=count)] if several else those
    listed.sort(key=_line)
    left += sum(one.count for one in listed[MOST_PROBLEMS:])
    if not left and (not rest or alike):
        return listed
    text = COMMON("more", count=left) if left else rest[0].message
    last = Problem("more_problems", text, problems[0].file)
    return [*listed[:MOST_PROBLEMS], last]


def _line(problem: Problem) -> int:
    return problem.line or 0


@dataclass(frozen=True)
class _Case:
    """One file to be diagnosed: outlines of blind file and system's file."""

    scorer: Scorer
    options: Options
    blind: Outline
    system: Outline
    file: str
    problems: Sequence[Problem]
    head: str

    @property
    def same_kind(self) -> bool:
        """Whether units of both files can be compared."""
        kinds = {self.blind.kind, self.system.kind}
        return len(kinds) == 1 or kinds == {"item", "line"}

    def says(self, name: str, hint: str = "", /, **values: object) -> Problem:
        helps = MESSAGES(hint, **values) if hint else ""
        text = MESSAGES(name, **values)
        return Problem(PREFIX + name, text, self.file, hint=helps)

    def unit(self, name: str) -> str:
        return MESSAGES(f"one_{self.blind.kind}", name=brief(name, 40))

    @property
    def units(self) -> str:
        return MESSAGES(f"{self.blind.kind}s")

    @property
    def codes(self) -> set[str]:
        return {problem.code for problem in self.problems}

    @cached_property
    def places(self) -> list[int]:
        """The unit of the blind file for each of the system's, -1 for none."""
        return _matched(self.blind, self.system)

    @cached_property
    def missing(self) -> list[int]:
        found = set(self.places)
        return [i for i in range(len(self.blind)) if i not in found]

    @cached_property
    def extra(self) -> list[int]:
        return [i for i, place in enumerate(self.places) if place < 0]

    @property
    def disagrees(self) -> bool:
        """Whether the units are others, or in another order."""
        in_order = [place for place in self.places if place >= 0]
        moved = self.blind.ordered and in_order != sorted(in_order)
        return moved or bool(self.missing or self.extra)

    @cached_property
    def broken(self) -> set[int]:
        """Lines whose fields are not separated as they must be; they have no words."""
        wrong = (one for one in self.problems if one.code == "columns")
        return {line for one in wrong for line in (one.line, *one.also) if line}

    @cached_property
    def told_pairs(self) -> list[tuple[int, int]]:
        """Pairs whose words differ in lines that are in order."""
        if not self.broken:
            return self.pairs
        return [pair for pair in self.pairs if any(_changed_lines(self, *pair))]

    @cached_property
    def borders(self) -> bool:
        """Whether sentences that differ have the same words in a row."""
        if not self.blind.words or not (self.missing and self.extra):
            return False
        both = (self.blind, self.missing), (self.system, self.extra)
        one, other = (
            [w for row in rows for w in side.words[row]] for side, rows in both
        )
        return one == other

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Sentences of the blind file and the system's that are one, with other
        words."""
        return _pairs(self)


def _matched(first: Outline, second: Outline) -> list[int]:
    """Equal units paired: from both ends, of one name where they have any, and then
    each with the next that is free."""
    blind, system = first.keys, second.keys
    if first.named and second.named:
        blind = [f"{name} {key}" for name, key in zip(first.names, blind, strict=True)]
        system = [
            f"{name} {key}" for name, key in zip(second.names, system, strict=True)
        ]
    size = min(len(blind), len(system))
    head = next((i for i in range(size) if blind[i] != system[i]), size)
    left = size - head
    tail = next((i for i in range(left) if blind[-1 - i] != system[-1 - i]), left)
    middle, rows = range(head, len(blind) - tail), range(head, len(system) - tail)
    named = {blind[i]: i for i in reversed(middle)}
    found = [named.pop(system[j], NOWHERE) for j in rows]
    taken = set(found)
    free: dict[str, deque[int]] = defaultdict(deque)
    for i in middle:
        if i not in taken:
            free[first.keys[i]].append(i)
    for row, j in enumerate(rows):
        if found[row] == NOWHERE and free.get(second.keys[j]):
            found[row] = free[second.keys[j]].popleft()
    last = range(len(blind) - tail, len(blind))
    return [*range(head), *found, *last]


def _pairs(case: _Case) -> list[tuple[int, int]]:
    """Missing and extra sentences that belong together: of one name, or of one run
    of as many between sentences that agree."""
    names = {case.blind.names[i]: i for i in case.missing}
    if not case.blind.words:
        return []
    found: list[tuple[int, int]] = []
    rest, taken = [], set()
    for j in case.extra:
        i = names.get(case.system.names[j])
        if i is not None and i not in taken and _related(case, i, j):
            found.append((i, j))
            taken.add(i)
        else:
            rest.append(j)
    missing = [i for i in case.missing if i not in taken]
    before, runs = NOWHERE, defaultdict[int, list[int]](list)
    others = set(rest)
    for j, place in enumerate(case.places):
        before = place if place >= 0 else before
        if j in others:
            runs[before].append(j)
    for before, js in runs.items():
        start = bisect_right(missing, before)
        free = missing[start : start + len(js)]
        both = [(i, j) for i, j in zip(free, js, strict=False) if i <= before + len(js)]
        found += [pair for pair in both if _related(case, *pair)]
    return sorted(found)


def _related(case: _Case, i: int, j: int) -> bool:
    """Whether two sentences share half of their words, or all of their characters."""
    one, other = case.blind.words[i], case.system.words[j]
    folded = [[word.casefold() for word in words] for words in (one, other)]
    shared = sum((Counter(folded[0]) & Counter(folded[1])).values())
    same = _plain("".join(one)) == _plain("".join(other))
    return same or 2 * shared >= max(len(one), len(other))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold() if len(text) < 10_000 else text


# Looks, in their order: the first that sees something says it.


def _format(case: _Case) -> Problem | None:
    """Another format, where nothing in the file reads as this one."""
    kind, formats = _looks_like(case.head), ", ".join(case.scorer.formats)
    alike = case.same_kind and (len(case.system) or case.system.header)
    mark = MARKS.get(kind, "")
    marked = mark and mark not in formats.casefold()
    if not marked and (alike or mark):
        return None
    if alike and len(case.missing) < len(case.blind):
        return None
    if kind == "spaces":
        return case.says("spaces", "by_tabs")
    about = {"formats": formats, "kind": MESSAGES(kind)}
    return case.says("other_format", "see_format", **about)


def _looks_like(head: str) -> str:
    first, *more = head.lstrip().split("\n", 5)
    if re.match(r"\{\s*[\"}]|\[\s*[\[{\"\]]", first):
        return "json"
    if re.match(r"<[?!A-Za-z]", first):
        return "xml"
    lines = [line for line in (first, *more[:4]) if line and line[0] != "#"] or [""]
    if all(re.match(r"\d+ +\S+ +\S+ ", line) for line in lines[:3]):
        return "spaces"
    if all(line.count("\t") == 9 for line in lines[:3]):
        return "conllu"
    if all(re.fullmatch(r"\S+[\t ]\S+", line) for line in lines[:3]):
        return "columns"
    return (
        "csv" if "," in first and first.count(",") == lines[-1].count(",") else "text"
    )


def _header(case: _Case) -> Problem | None:
    if "header" not in case.codes:
        return None
    layout, header = list(case.system.columns), case.system.header
    if not header:
        return None
    wanted = [name for name in layout if name not in map(str.lower, header)]
    if not wanted:
        return None
    if set(header) & set(case.blind.names):
        return case.says("no_header", "add_header", header=",".join(layout))
    if wanted == layout[1:] and set(header) == set(case.blind.header):
        return case.says("blind", "fill_in")
    named = {name.casefold(): name for name in header}
    for column in wanted:
        near = get_close_matches(column, named, 1, 0.75)
        near = (
            near or [n for n in named if n.startswith(column) and n not in layout][:1]
        )
        if near and len(wanted) < len(layout) + (column != "id"):
            found = brief(named[near[0]], 40)
            return case.says("near_column", "rename", column=column, found=found)
    labels = case.options.get("labels") or ()
    rest = [name for name in header if name.lower() not in layout]
    listed = set(rest) <= set(labels) if labels else _numbers_below(case, rest)
    if len(wanted) == 1 and len(rest) > 1 and listed:
        shown = ", ".join(brief(name, 30) for name in rest[:6])
        return case.says("of_labels", "name_best", found=shown, column=wanted[0])
    if len(wanted) == 1 and len(rest) == 1:
        return case.says(
            "near_column", "rename", column=wanted[0], found=brief(rest[0], 40)
        )
    shown = ", ".join(f"'{brief(name, 30)}'" for name in (rest or header)[:6])
    return case.says("other_header", "see_which", column=wanted[0], found=shown or "''")


def _numbers_below(case: _Case, names: Sequence[str]) -> bool:
    """Whether the first record has a number in each of these columns."""
    header = case.system.header
    for mark in ",\t;":
        rows = [line.split(mark) for line in case.head.splitlines()[:2]]
        if [len(row) for row in rows] == [len(header)] * 2:
            cells = dict(zip(header, rows[1], strict=True))
            return all(NUMBER.fullmatch(cells[name].strip()) for name in names)
    return False


def _unfilled(case: _Case) -> Problem | None:
    fields = case.system.fields
    if case.blind.kind == "sentence" and fields and "head" in case.codes:
        written = set(fields)
        if len(written) == 1 and not (only := written.pop()).isdigit():
            about = {"column": "HEAD", "found": only, "all": len(fields)}
            return case.says("unfilled", "fill_in", **about)
    if "answer" in case.codes and fields:
        empty = sum(not text.strip() for text in fields)
        if empty:
            return case.says("empty_answers", count=empty, all=len(fields))
    return None


def _units(case: _Case) -> Problem | None:
    blind, system = case.blind, case.system
    if not len(system) or case.codes & {"header", "fields"}:
        return None
    if not blind.words and case.codes & {"columns", "json"}:
        return None  # lines that cannot be read would be missing
    if blind.kind == "line":
        return _lines(case)
    if case.borders:
        return _borders(case)
    pairs = case.pairs
    missing = sorted(set(case.missing) - {i for i, _j in pairs})
    extra = sorted(set(case.extra) - {j for _i, j in pairs})
    if not blind.whole:
        missing = missing if len(missing) == len(blind) else []
    found = len(blind) - len(missing)
    about = {"all": len(blind), "found": found, "units": case.units}
    if len(case.missing) == len(blind) and 2 * len(pairs) < len(blind):
        return _written_otherwise(case) or case.says("foreign", "see_which", **about)
    if missing and extra:
        if blind.kind == "passage" and len(missing) == len(extra):
            return _passages(case, missing, extra)
        return _written_otherwise(case) or case.says(
            "both",
            "see_which",
            count=len(missing),
            unit=case.unit(blind.names[missing[0]]),
            others=len(extra),
            other=case.unit(system.names[extra[0]]),
            **about,
        )
    if missing:
        return _missing(case, missing, about)
    if extra:
        return _extra(case, extra, about)
    in_order = [place for place in case.places if place >= 0]
    if blind.ordered and in_order != sorted(in_order):
        return case.says("order", "as_in_blind", **about)
    return None


def _lines(case: _Case) -> Problem | None:
    found, wanted = len(case.system), len(case.blind)
    if found == wanted or case.system.kind != "line":
        return None
    return case.says("number_of_lines", "one_line_each", found=found, all=wanted)


def _passages(case: _Case, missing: Sequence[int], extra: Sequence[int]) -> Problem:
    has, wanted = case.system.names[extra[0]], case.blind.names[missing[0]]
    about = {"found": brief(has), "expected": brief(wanted)}
    sizes = {"count": len(missing), "all": len(case.blind)}
    return case.says("passages_differ", "copy_text", **about, **sizes)


def _missing(
    case: _Case, missing: Sequence[int], about: Mapping[str, object]
) -> Problem:
    blind, count = case.blind, len(missing)
    in_a_row = missing[-1] - missing[0] + 1 == count and count > 1
    if in_a_row and blind.ordered and missing[-1] == len(blind) - 1:
        unit = case.unit(blind.names[missing[0] - 1])
        return case.says("end_missing", "look_for_end", unit=unit, count=count, **about)
    if in_a_row and blind.ordered and missing[0] == 0:
        unit = case.unit(blind.names[missing[-1] + 1])
        name = "begin_missing"
        return case.says(name, "look_for_end", unit=unit, count=count, **about)
    unit = case.unit(blind.names[missing[0]])
    name = "one_missing" if count == 1 else "some_missing"
    return case.says(name, "add_missing", unit=unit, count=count, **about)


def _extra(case: _Case, extra: Sequence[int], about: Mapping[str, object]) -> Problem:
    known = set(case.blind.keys)
    repeated = [j for j in extra if case.system.keys[j] in known]
    kind, chosen = ("repeated", repeated) if repeated else ("extra", extra)
    name = f"one_{kind}" if len(chosen) == 1 else f"some_{kind}"
    unit = case.unit(case.system.names[chosen[0]])
    return case.says(name, "take_out", unit=unit, count=len(chosen), **about)


def _borders(case: _Case) -> Problem:
    unit = case.unit(case.blind.names[case.missing[0]])
    about = {"all": len(case.blind), "found": len(case.system), "unit": unit}
    return case.says("borders", "keep_blank_lines", **about)


def _written_otherwise(case: _Case) -> Problem | None:
    """Ids that are the blind file's but for capitals, zeros, blanks or a part."""
    if case.blind.words or not case.missing:
        return None
    for way in WAYS:
        known = {way(case.blind.keys[i][:LONGEST_ID]): i for i in case.missing}
        if len(known) < len(case.missing):
            continue
        if way is _number_in and not all(map(str.isdigit, case.system.keys)):
            continue  # other ids that are numbered, too
        pairs = [
            (known.get(way(case.system.keys[j][:LONGEST_ID])), j) for j in case.extra
        ]
        hits = [(i, j) for i, j in pairs if i is not None]
        if 2 * len(hits) > len(case.missing):
            i, j = hits[0]
            return case.says(
                "ids_differ",
                "copy_ids",
                found=brief(case.system.names[j], 40),
                expected=brief(case.blind.names[i], 40),
                count=len(hits),
                all=len(case.blind),
            )
    return None


def _number_in(text: str) -> str:
    """The number alone, of an id that is nothing else or ends with it."""
    match = re.search(r"\d+$", text)
    return match[0].lstrip("0") if match else text


WAYS: tuple[Callable[[str], str], ...] = (
    str.casefold,
    lambda text: re.sub(r"[\W_]+", "", text).casefold(),
    lambda text: text.rpartition("/")[2].partition(".")[0],
    lambda text: re.sub(r"(?<!\d)0+(?=\d)", "", text),
    _number_in,
)


def _documents(case: _Case) -> Problem | None:
    wanted, found = case.blind.documents, case.system.documents
    if wanted == found or (wanted <= 1 and not found):
        return None
    name = "docstart" if found < wanted else "many_docstarts"
    return case.says(name, "copy_docstart", all=wanted, found=found)


def _words(case: _Case) -> Problem | None:
    """Words of sentences that differ."""
    blind, system, pairs = case.blind, case.system, case.told_pairs
    if not pairs or not blind.words:
        return None
    sides = [(blind.words[i], system.words[j]) for i, j in pairs]
    ways: Mapping[str, Callable[[Sequence[str]], object]] = {
        "forms": lambda words: [unicodedata.normalize("NFC", w) for w in words],
        "case": lambda words: [w.casefold() for w in words],
        "tokens": "".join,
    }
    i = pairs[0][0]
    about = {
        "count": len(pairs),
        "all": len(blind),
        "unit": case.unit(blind.names[i]),
        "found": "",
        "expected": "",
    }
    changes = list(_changes(*sides[0]))
    if changes:
        _tag, has, wanted, _row = changes[0]
        about |= {"found": brief(" ".join(has)), "expected": brief(" ".join(wanted))}
    for name, way in ways.items():
        if all(way(one) == way(other) for one, other in sides):
            return case.says(name, "copy_words", **about)
    if len(pairs) == 1 and len(changes) == 1 and changes[0][0] != "replace":
        name = "lost_word" if changes[0][0] == "delete" else "added_word"
        return case.says(name, "copy_words", **about)
    if len(pairs) == 1 and len(changes) == 1 and len(changes[0][1]) == 1:
        about["all"] = sum(map(len, blind.words))
        return case.says("word", "copy_words", **about)
    return case.says("words", "copy_words", **about)


def _changed_lines(case: _Case, i: int, j: int) -> Iterator[int]:
    rows = case.system.rows[j]
    for *_more, row in _changes(case.blind.words[i], case.system.words[j]):
        line = rows[min(row, len(rows) - 1)]
        if line not in case.broken:
            yield line


Change = tuple[str, Sequence[str], Sequence[str], int]


def _changes(blind: Sequence[str], system: Sequence[str]) -> Iterator[Change]:
    """The changes: words that are there, those expected, and where."""
    size = min(len(blind), len(system))
    head = next((n for n in range(size) if blind[n] != system[n]), size)
    rest = size - head
    tail = next((n for n in range(rest) if blind[-1 - n] != system[-1 - n]), rest)
    one, other = blind[head : len(blind) - tail], system[head : len(system) - tail]
    if max(len(one), len(other)) > MOST_WORDS:
        yield "replace", other[:1], one[:1], head
        return
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "replace" and i_end - i == j_end - j:
            for n in range(i_end - i):
                has, wanted = other[j + n : j + n + 1], one[i + n : i + n + 1]
                yield tag, has, wanted, head + j + n
        elif tag != "equal":
            yield tag, other[j:j_end], one[i:i_end], head + j


def _labels(case: _Case) -> Problem | None:
    """Answers that are not among the labels of the task."""
    known: Sequence[str] = case.options.get("labels") or ()
    if not known or "label" not in case.codes:
        return None
    if problem := _separator(case, known):
        return problem
    written = [text.strip() for text in case.system.fields if text.strip()]
    written = [part.strip() for text in written for part in _separated(case, text)]
    names = set(known)
    wrong = [text for text in written if text not in names]
    if not wrong:
        return None
    folded = {name.casefold(): name for name in known}
    about = {
        "count": len(wrong),
        "all": len(written),
        "found": brief(wrong[0], 40),
        "labels": ", ".join(brief(name, 30) for name in known[:12]),
        "expected": likely(wrong[0], known),
    }
    if all(text.casefold() in folded for text in wrong):
        return case.says("label_case", "write_labels", **about)
    if all(NUMBER.fullmatch(text) for text in wrong):
        return case.says("label_numbers", "write_labels", **about)
    name = "label_near" if about["expected"] else "label_unknown"
    return case.says(name, "write_labels", **about)


def _separator(case: _Case, known: Sequence[str]) -> Problem | None:
    """Another separator of labels, where all between it are the task's."""
    own = case.options.get("separator")
    cells = [text for text in case.system.fields if text.strip()]
    for mark in "|;, ":
        parts = [part.strip() for text in cells for part in text.split(mark)]
        several = len(parts) > len(cells) and set(parts) <= {*known, ""}
        if own and several and mark != {"space": " "}.get(own, own):
            return case.says("separator", found=mark, expected=own)
    return None


def _separated(case: _Case, text: str) -> Sequence[str]:
    separator = case.options.get("separator")
    if separator is None:
        return (text,)
    return text.split(" " if separator == "space" else separator)


def _sent_ids(case: _Case) -> Problem | None:
    """Sentences without the names that the format asks for."""
    nameless = [one for one in case.problems if one.code == "sent_id"]
    if not nameless or case.system.named:
        return None
    size = len(case.system)
    return case.says("no_names", "copy_comments", count=size, all=size)


def _numbers(case: _Case) -> Problem | None:
    if "number" not in case.codes:
        return None
    written = [text.strip() for text in case.system.fields if text.strip()]
    commas = [text for text in written if COMMA.fullmatch(text)]
    if commas:
        about = {"count": len(commas), "all": len(written), "found": brief(commas[0])}
        problem = case.says("comma", **about)
        hint = MESSAGES("point", found=brief(commas[0]).replace(",", "."))
        return Problem(problem.code, problem.message, problem.file, hint=hint)
    wrong = [text for text in written if not NUMBER.fullmatch(text)]
    if not wrong:
        return None
    about = {"count": len(wrong), "all": len(written), "found": brief(wrong[0])}
    return case.says("no_numbers", **about)


def _tags(case: _Case) -> Problem | None:
    """Tags of spans that are none of the scheme."""
    fields = case.system.fields
    if not case.blind.words or "scheme" not in case.options or not fields:
        return None
    if all(not tag for tag in fields):
        word = brief(case.system.words[0][0], 40)
        alone = {word for words in case.system.words for word in words}
        only_tags = all(tag == "O" or _fits(tag, "BIESLU") for tag in alone)
        name = "no_tokens" if only_tags else "no_tags"
        return case.says(name, "add_tags", found=word)
    if "tag" not in case.codes:
        return None
    scheme = case.options["scheme"]
    filled = [tag for tag in fields if tag not in ("", "O")]
    wrong = [tag for tag in filled if not _fits(tag, PREFIXES[scheme])]
    if not wrong:
        return None
    first = wrong[0]
    about = {
        "count": len(wrong),
        "all": len(filled),
        "found": brief(first, 40),
        "scheme": SCHEMES.get(scheme, scheme),
        "expected": "",
    }
    ways = (
        ("bioes", r"[SEUL]-.+", "convert", ""),
        ("underscore", r"([BIESLU])_(.+)", "write_tags", r"\1-\2"),
        ("small_prefix", r"([bieslu])[-_](.+)", "write_tags", ""),
        ("number_tags", NUMBER.pattern, "write_tags", ""),
        ("no_prefix", r"[^\W\d_][\w.]*", "write_tags", r"B-\g<0>"),
    )
    for name, pattern, hint, expected in ways:
        if all(re.fullmatch(pattern, tag) for tag in wrong):
            if name == "small_prefix":
                about["expected"] = brief(first[:1].upper() + "-" + first[2:], 40)
            elif expected:
                about["expected"] = brief(re.sub(pattern, expected, first), 40)
            return case.says(name, hint, **about)
    return case.says("other_tags", "write_tags", **about)


def _fits(tag: str, prefixes: str) -> bool:
    return tag[:1] in prefixes and tag[1:2] == "-" and len(tag) > 2


LOOKS = (
    _format,
    _header,
    _tags,
    _unfilled,
    _units,
    _documents,
    _words,
    _labels,
    _numbers,
    _sent_ids,
)


def _other_test_set(case: _Case, others: Others) -> Problem | None:
    """The test set whose units most of the file's are."""
    best: tuple[float, str, int, int] = (0.0, "", 0, 0)
    own = len(case.blind) - len(case.missing)
    keys = set(case.system.keys)
    for name, source in others.items():
        theirs = outline_of(case.scorer.outline, source, case.options)
        if theirs is None or not len(theirs) or theirs.kind == "line":
            continue
        found = sum(key in keys for key in theirs.keys)
        best = max(best, (found / len(theirs), name, found, len(theirs)))
    share, name, found, size = best
    if share < 0.5 or found <= own:
        return None
    return case.says(
        "other_test_set",
        "send_there",
        other=name,
        found=found,
        all=size,
        own=own,
        wanted=len(case.blind),
        units=case.units,
    )


# Problems of single places, in the lines where they are.


def _places(case: _Case) -> Iterator[Problem]:
    """Words and sentences that differ, each with its line; nothing of a file that has
    little to do with this test set."""
    if not case.blind.words or not len(case.system) or case.borders:
        return
    if 2 * (len(case.missing) - len(case.pairs)) > len(case.blind):
        return
    yield from islice(_all_places(case), MOST_PLACES)


def _all_places(case: _Case) -> Iterator[Problem]:
    blind, system = case.blind, case.system
    paired = {i for i, _j in case.pairs}
    for i, j in case.told_pairs:
        rows, unit = system.rows[j], blind.names[i]
        for tag, has, wanted, row in _changes(blind.words[i], system.words[j]):
            name = {"delete": "is_lost", "insert": "is_added"}.get(tag, "is_word")
            line = rows[min(row, len(rows) - 1)]
            if line in case.broken:
                continue
            if name == "is_lost" and row == len(rows):
                name = "is_lost_after"
            text = MESSAGES(
                name, found=brief(" ".join(has)), expected=brief(" ".join(wanted))
            )
            yield Problem("form", text, case.file, line, unit=brief(unit))
    place_of = {place: j for j, place in enumerate(case.places) if place >= 0}
    rest = [i for i in case.missing if i not in paired]
    for _run, numbered in groupby(enumerate(rest), lambda pair: pair[1] - pair[0]):
        run = [i for _n, i in numbered]
        after = place_of.get(run[-1] + 1)
        name, line = "is_missing_after", system.rows[-1][-1]
        if after is not None:
            name, line = "is_missing", system.lines[after]
        for i in run[:MOST_PROBLEMS]:
            text = MESSAGES(name, unit=case.unit(blind.names[i]))
            yield Problem(
                "sentences", text, case.file, line, unit=brief(blind.names[i])
            )
    others, known = {j for _i, j in case.pairs}, set(blind.keys)
    for j in [j for j in case.extra if j not in others][:MOST_PROBLEMS]:
        name = "is_repeated" if system.keys[j] in known else "is_extra"
        text = MESSAGES(name, unit=case.unit(system.names[j]))
        yield Problem("sentences", text, case.file, system.lines[j])


def remarks(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> list[Problem]:
    """Remarks on a file that can be scored and looks wrong: units that may be left out
    and mostly are, and columns that nobody reads."""
    return [
        *_coverage(scorer, blind, system, options),
        *_unused_columns(scorer, blind, system, options),
    ]


def _coverage(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> Iterator[Problem]:
    first = outline_of(scorer.outline, _first_line(blind), options)
    if first is None or first.whole:
        return
    first = outline_of(scorer.outline, blind, options)
    second = outline_of(scorer.outline, system, options)
    if not first or not second or second.kind != first.kind:
        return
    keys = set(second.keys)
    found = sum(key in keys for key in first.keys)
    if 2 * found < len(first):
        units = MESSAGES(f"{first.kind}s")
        text = MESSAGES("few_answered", found=found, all=len(first), units=units)
        hint = MESSAGES("see_which")
        yield Problem("few_answered", text, system.name, hint=hint)


def _unused_columns(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> Iterator[Problem]:
    sides = (
        outline_of(scorer.outline, _first_line(s), options) for s in (blind, system)
    )
    first, second = sides
    if first is None or second is None or not second.columns:
        return
    read = {name.lower() for name in (*second.columns, *first.header)}
    unused = [name for name in second.header if name and name.lower() not in read]
    if unused:
        shown = ", ".join(f"'{brief(name, 30)}'" for name in unused[:6])
        text, hint = MESSAGES("unused", columns=shown), MESSAGES("only_these")
        yield Problem("unused_columns", text, system.name, 1, hint=hint)


def _first_line(source: Source) -> Source:
    data = next(iter(source.files.values()), b"")
    return Source.of_bytes(source.name, data[: data.find(b"\n") + 1 or len(data)])
