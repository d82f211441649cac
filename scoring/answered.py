"""Remarks that every scorer makes alike: answers that say nothing.

A scorer tells how a file answers the units of its test set (`Scorer.answered`); what
is odd about it is said here, before a file is sent and beside its score. Some of it is
so odd that a person is asked first (`is_doubt`): hardly anybody means to send it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoring.errors import Problem
from scoring.messages import Messages, _
from scoring.oddities import (
    LEAST_ALIKE,
    LEAST_BEGINNING,
    LEAST_EQUAL,
    LEAST_FEW,
    Odd,
    common_text,
)
from scoring.source import brief

MESSAGES = Messages(
    unmet=_("the file answers none of the %(all)s %(units)s of this test set."),
    unmet_hint=_("Is it the file of this test set, and are its ids the same?"),
    empty=_("every answer is empty (%(count)s)."),
    empty_instead=_(
        "every answer is empty (%(count)s): there is '%(text)s', where "
        "'%(wanted)s' is read."
    ),
    some_empty=_("%(count)s of %(all)s answers are empty."),
    missing_words=_(
        "%(count)s of %(all)s answers are '%(answer)s', as programs write what is "
        "missing."
    ),
    equal=_("every answer is the same (%(count)s): '%(answer)s'."),
    is_meant=_("Is it the column, or the file, that you meant?"),
    begin_alike=_("every answer begins with '%(text)s'."),
    end_alike=_("every answer ends with '%(text)s'."),
    hold_alike=_("every answer holds '%(text)s'."),
    in_pieces=_("words are in pieces, as a model's tokenizer leaves them: '%(text)s'."),
    special=_(
        "answers have signs of a model or of markup, such as '%(text)s': each counts "
        "as a word."
    ),
    broken_off=_(
        "most answers break off at one length, %(text)s characters: were they cut?"
    ),
    loop=_("answers say the same again and again, as in '%(text)s'."),
    many_begin=_("many answers, and not all, begin with '%(text)s'."),
    many_end=_("many answers, and not all, end with '%(text)s'."),
    whole=_("most spans go over a whole sentence or text, as that of '%(text)s'."),
    scored=_("every answer ends with a number like that of a score: '%(text)s'."),
    compared=_("answers have marks of how two versions differ: '%(text)s'."),
    entities=_(
        "answers have signs as markup writes them, such as '%(text)s': each counts "
        "as other letters."
    ),
    written_out=_(
        "answers have signs written out, such as '%(text)s': each counts as letters."
    ),
    echoed=_("every answer begins with what the input file has in '%(text)s'."),
    in_a_row=_("each answer stands %(text)s times in a row."),
    represented=_("every answer is in quotes, as Python prints a text: '%(text)s'."),
    said_twice=_("every answer says the same twice, as '%(text)s'."),
    words_twice=_("each word stands twice, as in '%(text)s'."),
    letters_turned=_("letters stand from the last to the first, as in '%(text)s'."),
    encoded=_("every answer is written as in Base64, such as '%(text)s'."),
    recased=_(
        "every answer is what the input file has in '%(text)s', in other capitals."
    ),
    shifted=_(
        "the answers fit the items next to theirs better than their own: is a row "
        "missing, or too many?"
    ),
    sorted=_("the answers stand in the order of the alphabet: were they sorted?"),
    wordless=_("no answer has a letter or a digit, as '%(text)s'."),
    all_loud=_("every text is in capitals alone, such as '%(text)s'."),
    to_the_end=_("the last %(text)s answers are the same."),
    words_turned=_("words stand from the last to the first, as in '%(text)s'."),
    choices=_("every answer begins with the letter of a choice, such as '%(text)s'."),
    refused=_("answers refuse to answer, such as '%(text)s'."),
    mixed_in=_("digits stand inside of words, as in '%(text)s'."),
    hyphens=_("words are broken by hyphens, as in '%(text)s'."),
    lost_in=_("letters were lost within words, as in '%(text)s'."),
    first_twice=_("the first word stands twice, as in '%(text)s'."),
    loud_in=_("many answers, and not all, are in capitals alone, such as '%(text)s'."),
    cut_words=_("most answers have %(text)s words, and no end: were they cut?"),
    tagged=_("each word has something behind it, as in '%(text)s'."),
    digits=_("every answer is a row of numbers, such as '%(text)s'."),
    again=_("the answers begin anew after %(text)s of them, and are the same again."),
    alternatives=_(
        "many answers name alternatives, such as '%(text)s': each counts as one text."
    ),
    doubled=_("marks stand twice at the end of words, as in '%(text)s'."),
    some_equal=_("%(count)s of %(all)s answers are the same: '%(answer)s'."),
    in_letters=_("words are spelled letter by letter, as in '%(text)s'."),
    stm=_("every line is one of STM, with times before its text: '%(text)s'."),
    no_spaces=_("no answer has a space between words, as in '%(text)s'."),
    numbered=_("every answer begins with the number of its line, such as '%(text)s'."),
    numbers=_("every label has a number in it, such as '%(text)s'."),
    capitals=_("every label is in capitals, such as '%(text)s'."),
    markup_in=_(
        "answers have signs of markup, such as '%(text)s': each counts as a word."
    ),
    markup=_("the file looks like XML or HTML: it begins with '%(text)s'."),
    no_change=_("the file is the input file itself."),
    copied=_("every answer is what the input file asks (%(count)s)."),
    some_copied=_(
        "%(count)s of %(all)s answers are what the input file has in '%(column)s'."
    ),
    sentences=_("sentences"),
    items=_("items"),
    tokens=_("tokens"),
    words=_("words"),
    topics=_("topics"),
    instances=_("instances"),
    documents=_("documents"),
    files=_("files"),
)

UNMET = "unmet"
# What a program, or a spreadsheet, writes for an answer that it did not get.
FAILED = re.compile(
    r"(?:(?:[A-Z]{3,} )?(?:ERROR|\w*Error)(?: [cC]ode|\(.*?\)| \d+)?|\w*Exception):.*"
    r"|#[^\W\d_a-z]{2,}(?:/0)?[!?]|#N/A|[45]\d\d:? [A-Z][A-Za-z -]{3,40}\Z",
    re.DOTALL,
)
# What a program says in a few words of what it asked another one.
SAID = re.compile(
    r"(?i)(?:\w+ )?(?:connection|gateway|limit|operation|quota|read|request|server"
    r"|service)(?: \w+)? (?:aborted|closed|error|exceeded|failed|refused|reset"
    r"|timed[ -]?out|timeout|unavailable)[.!]?"
)
# Signs that a text begins with that is said in place of an answer.
OPENING = frozenset("[<{")
# What people write where they leave a text out.
BLANKS = frozenset(("-", "--", "?", "???", "_", "\u2014", "...", "\u2026"))
BLANKS |= {'""', "''", "\u201c\u201d"}
# What programs write for a value that is not there. Small letters may be a label.
NOT_THERE = frozenset(
    (
        *("#N/A", "<NA>", "N/A", "NAN", "NULL", "NaN", "None", "nan", "null"),
        *("undefined", "FIXME", "TBD", "TODO"),
    )
)
DOUBTS = frozenset(
    (
        *("alike", "all_empty", "all_equal", "alone", "copied", "few_answered"),
        *("few_labels", "is_blind", "misspelt", "missing_words", "nearly_empty"),
        "no_spans",
    )
)
# One answer in so many that are empty stands there by chance, or is just a mark.
ONE_IN, ONE_BLANK_IN = 10, 20
# Oddities that one answer may well have, and be meant so.
OF_SOME = frozenset(
    (
        *("all_loud", "echoed", "in_a_row", "recased", "to_the_end", "wordless"),
        *("many_end", "shifted", "sorted"),
        *("alternatives", "choices", "cut_words", "doubled", "entities"),
        *("first_twice", "hyphens", "in_pieces", "loop", "lost_in", "loud_in"),
        *("markup_in", "mixed_in", "refused", "whole", "written_out"),
    )
)


@dataclass(frozen=True)
class Answered:
    """How a file answers the `asked` units of a test set, which are `units` in words.

    `met` have an answer, `empty` of these say nothing. `single` is the one answer of
    all, where all are the same, `most` one that too many have and how many do.
    `copied` answers are what stands in the column `column` of the published file; of
    `other_words` than that hardly any should be. `odd` is what the texts of answers
    have in common, by the sentence that says it, `not_there` answers that programs
    write for none. `instead` is what stands where answers would, and what they are
    called.
    """

    asked: int
    met: int
    empty: int = 0
    single: str | None = None
    copied: int = 0
    column: str = ""
    units: str = "items"
    odd: Odd | None = None
    not_there: Sequence[str] = ()
    instead: tuple[str, str] | None = None
    most: tuple[str, int] = ("", 0)
    other_words: bool = False

    @classmethod
    def of_texts(
        cls,
        texts: Sequence[str],
        inputs: Mapping[str, Sequence[str]] | None = None,
        units: str = "items",
    ) -> "Answered":
        """Answers to all units, of what was asked in columns, each in its order."""
        size, first = len(texts), texts[0] if texts else ""
        same = all(text == first for text in texts)
        empty = sum(not text or text.isspace() for text in texts)
        copied, column = 0, ""
        for name, cells in (inputs or {}).items():
            alike = zip(texts, cells, strict=False)
            met = sum(one == other and one != "" for one, other in alike)
            if met > copied:
                copied, column = met, name
        single = first if same else None
        odd = None if same else common_text(texts)
        if not same and not odd and size >= LEAST_ALIKE:
            odd = _echo_of(texts, inputs or {}) or _capitals_of(texts, inputs or {})
        bare = [*map(str.strip, texts)]
        absent = [text for text in bare if is_not_there(text)]
        blanks = [text for text in bare if text in BLANKS]
        several = len(blanks) > 1 and ONE_BLANK_IN * len(blanks) >= size
        absent += blanks if several else []
        most = ("", 0) if same or size < LEAST_ALIKE else _most_said(bare)
        most = ("", 0) if most[0] in absent else most
        about = size, size, empty, single, copied, column, units, odd, absent
        return cls(*about, most=most)


def _echo_of(texts: Sequence[str], inputs: Mapping[str, Sequence[str]]) -> Odd | None:
    """The column of the published file whose cell each answer begins with."""
    for name, cells in inputs.items():
        pairs = [*zip(texts, cells, strict=False)]
        if all(cell and text.startswith(cell) for text, cell in pairs):
            longer = 2 * sum(text != cell for text, cell in pairs) > len(texts)
            return ("echoed", name) if longer else None
    return None


def _capitals_of(
    texts: Sequence[str], inputs: Mapping[str, Sequence[str]]
) -> Odd | None:
    """The column of the published file that all answers are but for its capitals."""
    for name, cells in inputs.items():
        for way in (str.lower, str.upper):
            if [*map(way, cells)] == [*texts] != [*cells]:
                return "recased", name
    return None


def is_not_there(text: str) -> bool:
    """Whether a text is what programs write for an answer that they have not."""
    return text in NOT_THERE or bool(FAILED.match(text))


# Of answers that stand beside their items.
SHIFTED, SORTED = str(MESSAGES("shifted")), str(MESSAGES("sorted"))


def is_doubt(problem: Problem) -> bool:
    """Whether a remark is one that a person is asked about before a file is sent."""
    return problem.code in DOUBTS


def is_blind(file: str) -> Problem:
    """The remark on a file that is the blind file, byte for byte."""
    hint = MESSAGES("is_meant")
    return Problem("is_blind", MESSAGES("no_change"), file, hint=hint)


def is_unmet(problem: Problem) -> bool:
    """Whether a file answers no unit of the test set: it is then refused before it is
    sent, and counts 0 where it was sent before."""
    return problem.code == UNMET


def remarks(coverage: Answered, file: str) -> Iterator[Problem]:
    """Remarks on answers that say nothing. They name nothing of the gold."""
    if coverage.asked and not coverage.met:
        message = MESSAGES("unmet", all=coverage.asked, units=MESSAGES(coverage.units))
        hint = MESSAGES("unmet_hint")
        if coverage.single is not None or coverage.odd is not None:
            name, text = coverage.odd or ("equal", coverage.single or "")
            about = {"text": brief(text, 40), "answer": brief(text, 40)}
            message = MESSAGES(name, count=coverage.asked, **about)
            hint = MESSAGES("is_meant")
        yield Problem(UNMET, message, file, hint=hint)
    elif coverage.empty and coverage.empty == coverage.met:
        message, hint = MESSAGES("empty", count=coverage.met), MESSAGES("is_meant")
        if coverage.instead:
            text, wanted = coverage.instead
            about = {"text": brief(text, 40), "wanted": wanted}
            message = MESSAGES("empty_instead", count=coverage.met, **about)
        yield Problem("all_empty", message, file, hint=hint)
    else:
        yield from _partly(coverage, file)


def _most_said(texts: Sequence[str]) -> tuple[str, int]:
    """The text that nearly all are, or a sentence that is said again and again among
    others that are not; and how many are it."""
    [(text, count)] = Counter(texts).most_common(1)
    size, kinds = len(texts), len({*texts})
    words, program = len(text.split()), bool(SAID.fullmatch(text))
    long = words > LEAST_BEGINNING or program
    least, part = (LEAST_EQUAL, 20) if long else (LEAST_FEW, ONE_IN)
    often = count >= max(least, size / part) and size - count < 2 * kinds
    several = words >= LEAST_BEGINNING or text[:1] in OPENING
    again = often and (several or program)
    few = few_but(count, size) and 2 * kinds < size
    return (text, count) if few or again else ("", 0)


def few_but(count: int, size: int) -> bool:
    """Whether all but some are so many."""
    return ONE_IN * (size - count) <= size


def _partly(coverage: Answered, file: str) -> Iterator[Problem]:
    if coverage.empty:
        message = MESSAGES("some_empty", count=coverage.empty, all=coverage.met)
        few = few_but(coverage.empty, coverage.met)
        yield Problem("nearly_empty" if few else "empty_answers", message, file)
    absent = len(coverage.not_there)
    if absent and coverage.single is None:
        answer = brief(coverage.not_there[0], 40)
        message = MESSAGES(
            "missing_words", count=absent, all=coverage.met, answer=answer
        )
        yield Problem("missing_words", message, file)
    if coverage.single is not None and coverage.met >= LEAST_EQUAL:
        message = MESSAGES(
            "equal", count=coverage.met, answer=brief(coverage.single, 40)
        )
        yield Problem("all_equal", message, file, hint=MESSAGES("is_meant"))
    elif coverage.most[0]:
        answer, count = coverage.most
        about = {"count": count, "all": coverage.met, "answer": brief(answer, 40)}
        yield Problem("some_equal", MESSAGES("some_equal", **about), file)
    elif coverage.copied and coverage.copied == coverage.met:
        message, hint = MESSAGES("copied", count=coverage.met), MESSAGES("is_meant")
        yield Problem("copied", message, file, hint=hint)
    elif 2 * coverage.copied >= max(coverage.met, 1) or (
        coverage.other_words
        and coverage.copied >= max(LEAST_EQUAL, coverage.met / ONE_IN)
    ):
        message = MESSAGES(
            "some_copied",
            count=coverage.copied,
            all=coverage.met,
            column=brief(coverage.column, 40),
        )
        yield Problem("copied_answers", message, file)
    if coverage.odd is not None:
        name, text = coverage.odd
        message, hint = MESSAGES(name, text=brief(text, 40)), MESSAGES("is_meant")
        code = "odd_words" if name in OF_SOME else "alike"
        yield Problem(code, message, file, hint=hint)
