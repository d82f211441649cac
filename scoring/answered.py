"""Remarks that every scorer makes alike: answers that say nothing.

A scorer tells how a file answers the units of its test set (`Scorer.answered`); what
is odd about it is said here, before a file is sent and beside its score. Some of it is
so odd that a person is asked first (`is_doubt`): hardly anybody means to send it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq

from scoring.errors import Problem
from scoring.messages import Messages, _
from scoring.source import brief, first_difference

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
    said_twice=_("every answer says the same twice, as '%(text)s'."),
    in_letters=_("words are spelled letter by letter, as in '%(text)s'."),
    stm=_("every line is one of STM, with times before its text: '%(text)s'."),
    no_spaces=_("no answer has a space between words, as in '%(text)s'."),
    numbered=_("every answer begins with the number of its line, such as '%(text)s'."),
    capitals=_("every label is in capitals, such as '%(text)s'."),
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

# Signs that labels may end with, as in "other (name)".
CLOSING = frozenset(")]}")
LEAST_NAMES = 2
# Fewer answers may well be the same by chance, or begin alike.
LEAST_EQUAL, LEAST_ALIKE = 3, 10
# Letters of a label that is no abbreviation.
LEAST_CAPITALS = 3
# Characters that answers may share, as those to one question do.
MOST_SHARED = 12
# What transformers calls labels whose names were not saved with the model.
NUMBERED_LABEL = "LABEL_"
# Between two texts of one line, and signs of pieces of words.
BETWEEN_TEXTS = ("|||", "\t")
PIECES = re.compile(r"\S*(?:@@ |\s\u2581|\s\u0120\w|\w\u0120\w|(?<=\w) ##(?=\w))\S*")
LINE_END = re.compile(
    r"\S*(?:\\[nt](?![a-z])|(?<=[\w.,!?])\\n(?!(?:abla|eq?|exists|i|less|ot|otin|u)\b)|\\u[\da-fA-F]{4}|(?<=\w)%[2-7][\dA-F](?=[%\w]))\S*"
)
# Tokens that belong to a model, and sounds that are no words.
SPECIAL = re.compile(
    r"</?(?:s|unk|pad|bos|eos|mask|think|thinking|reasoning|extra_id_\d+)>"
    r"|\[(?:UNK|PAD|CLS|SEP|MASK|INST|/INST|BLANK_AUDIO|[Nn]oise|[Ll]aughter|[Mm]usic)\]"
    r"|<\|[^|<>\n]{1,30}\|>|<[A-Z][A-Z_]+>|\[[A-Z_]{3,}\]|\b__[A-Za-z]{2,}__\b"
)
# Words that many answers begin with, which are then hardly part of them.
LEAST_BEGINNING = 4
# Items that are compared with those next to them.
LEAST_NEXT, MOST_NEXT = 12, 10_000
# Where many answers have the most characters that any has.
LEAST_CUT = 20
STM = re.compile(r"\S+ \S+ \S+ \d+\.\d+ \d+\.\d+ \S")
# A letter of an alphabet that is written in words of several.
LETTER = re.compile(r"[^\W\d_\u0e00-\uffff]")
LEAST_LETTERS = 5
TWICE = re.compile(r"\s*(?:(\S.*)\s+\1|(\S.{7,}\S)\2)\s*\Z", re.DOTALL)
# A word behind the end of a sentence.
BEHIND_END = re.compile(r"[.!?][^\w.!?]*\w+")
# A share behind a text, as of how sure a model is of it.
SCORED = re.compile(r"\s*\S.*[\s:;,|(\[][01]?\.\d+[)\]]?\s*\Z", re.DOTALL)
OF_ALL = (("stm", STM), ("said_twice", TWICE), ("scored", SCORED))
# What programs that compare texts write around what one has and the other has not.
COMPARED = re.compile(
    r"\[-[^\n]{1,200}?-\]\s?\{\+|\{\+[^\n]{1,200}?\+\}|\{--[^\n]{1,200}?--\}"
    r"|<(?:del|ins)>[^\n]{1,200}?</(?:del|ins)>"
)
# What one answer may well have, and be meant so.
OF_SOME = frozenset(("entities", "in_pieces", "loop", "whole", "written_out"))
ENTITY = re.compile(r"&(?:amp|apos|gt|lt|nbsp|quot|#\d{1,5}|#x[\da-f]{1,4});")
# A phrase that a model says again and again.
LOOP = re.compile(r"\b([^\W\d_]\w*+(?:[ ,]++\w++){,5}?)(?:[ ,.]++\1\b){4,}")
LOOKED_AT = 1 << 18  # characters
SIGNS = (
    ("in_pieces", PIECES),
    ("special", SPECIAL),
    ("compared", COMPARED),
    ("entities", ENTITY),
    ("loop", LOOP),
)
# Those that take long to look for.
SLOW = frozenset(("special", "compared", "loop"))
# Words that lost what was between them, in alphabets that write it.
RUN_TOGETHER = re.compile(r"[^\W\d_\u0e00-\uffff]+[,.!?]?")
LEAST_TOGETHER = 20  # letters
MARKUP = re.compile(r"<[?!A-Za-z][^<>]*>")
NUMBER = re.compile(r"\s*\(?(\d{1,9})(?:[.):](?!\d)|\s*$)")
# As in "Answer: ", and as in "out/run.txt:".
NAMED = re.compile(r"[^\W\d_][\w ]*: |[\w./-]*\.[a-z]{2,5}:")
SENTENCE_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f\u0964")
LEFT_OUT = ("...", "\u2026")
UNMET = "unmet"
# What a program, or a spreadsheet, writes for an answer that it did not get.
FAILED = re.compile(
    r"(?:ERROR|\w*Error|\w*Exception):.*|#[^\W\d_a-z]{2,}(?:/0)?[!?]|#N/A", re.DOTALL
)
# What programs write for a value that is not there. Small letters may be a label.
NOT_THERE = frozenset(
    ("#N/A", "<NA>", "N/A", "NAN", "NULL", "NaN", "None", "nan", "null", "undefined")
)
DOUBTS = frozenset(
    (
        *("alike", "all_empty", "all_equal", "alone", "copied", "few_answered"),
        *("few_labels", "is_blind", "misspelt", "missing_words", "nearly_empty"),
        "no_spans",
    )
)
# One answer in so many that are empty stands there by chance.
ONE_IN = 10


Odd = tuple[str, str]


@dataclass(frozen=True)
class Answered:
    """How a file answers the `asked` units of a test set, which are `units` in words.

    `met` have an answer, `empty` of these say nothing. `single` is the one answer of
    all, where all are the same. `copied` answers are what stands in the column
    `column` of the published file. `odd` is what the texts of answers have in common,
    by the sentence that says it, `not_there` answers that programs write for none.
    `instead` is what stands where answers would, and what they are called.
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
        odd = None if same else _common_text(texts)
        absent = [text for text in map(str.strip, texts) if is_not_there(text)]
        return cls(size, size, empty, single, copied, column, units, odd, absent)


def is_not_there(text: str) -> bool:
    """Whether a text is what programs write for an answer that they have not."""
    return text in NOT_THERE or bool(FAILED.match(text))


def names_in_common(names: Sequence[str]) -> Odd | None:
    """The part of all labels that hardly belongs to any, and its sentence."""
    if len(names) < LEAST_NAMES:
        return None
    begin, end = _common_start(names), _common_start([n[::-1] for n in names])[::-1]
    phrase = len(begin) > MOST_SHARED and " " in begin
    if begin == NUMBERED_LABEL or _is_mark(begin[:1]) or phrase:
        return "begin_alike", begin
    return ("end_alike", end) if _is_mark(end[-1:]) and end[-1] not in CLOSING else None


def in_capitals(names: Sequence[str]) -> Odd | None:
    """Labels of which none has a small letter, as few schemes of today write them."""
    spelled = [name for name in names if name.upper() != name.lower()]
    small = any(name != name.upper() for name in spelled)
    if small or max(map(len, spelled), default=0) < LEAST_CAPITALS:
        return None
    return "capitals", spelled[0]


# Of answers that stand beside their items.
SHIFTED = (
    "the answers fit the items next to theirs better than their own: is a row missing, "
    "or too many?"
)


def fit_the_next(own: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether answers are right for the items next to theirs much more often than for
    their own."""
    first, second = own[:MOST_NEXT], asked[:MOST_NEXT]
    sides = (first, second), (first, second[1:]), (first[1:], second)
    here, above, below = (sum(map(eq, *pair)) for pair in sides)
    many = len(second) >= LEAST_NEXT
    return many and 5 * (max(above, below) - here) >= 2 * len(second)


def _common_text(texts: Sequence[str]) -> Odd | None:
    """The oddity of `names_in_common`, of texts."""
    if len(texts) < LEAST_ALIKE:
        return None
    head, tail = texts[0].strip(), texts[-1].strip()
    if MARKUP.fullmatch(head) and (head[1] in "?!" or tail == f"</{head[1:]}"):
        return "markup", head
    numbers = [NUMBER.match(text) for text in texts]
    counted = [int(match[1]) for match in numbers if match]
    if counted in ([*range(len(texts))], [*range(1, len(texts) + 1)]):
        return "numbered", texts[1]
    return (
        _form_of_words(texts)
        or _common_ends(texts)
        or _common_beginning(texts)
        or _cut(texts)
    )


def _form_of_words(texts: Sequence[str]) -> Odd | None:
    """How words or lines look that no person writes so."""
    for name, form in OF_ALL:
        if all(map(form.match, texts)):
            return name, texts[0]
    if _are_spelled(texts):
        return "in_letters", texts[0]
    for mark in BETWEEN_TEXTS:
        if all(mark in text for text in texts):
            return "hold_alike", mark
    joined = "\n".join(texts)
    for name, sign in SIGNS:
        most = LOOKED_AT if name in SLOW else len(joined)
        if match := sign.search(joined, 0, most):
            return name, match[0].strip()
    if len(written := LINE_END.findall(joined)) >= LEAST_EQUAL:
        return "written_out", written[0]
    long = sum(map(len, texts)) > LEAST_TOGETHER * len(texts)
    if long and all(map(RUN_TOGETHER.fullmatch, texts)):
        return "no_spaces", texts[0]
    return None


def _common_beginning(texts: Sequence[str]) -> Odd | None:
    """The words that many different texts begin with, or dots that they end with, and
    others do not."""
    begins = Counter(
        " ".join(words[:LEAST_BEGINNING])
        for words in map(str.split, dict.fromkeys(texts))
        if len(words) > LEAST_BEGINNING
    )
    [(begin, count)] = begins.most_common(1) or [("", 0)]
    if count >= LEAST_EQUAL and 4 * count >= len(texts):
        return "many_begin", begin
    for end in LEFT_OUT:
        count = sum(text.rstrip().endswith(end) for text in texts)
        if count >= LEAST_EQUAL and 4 * count >= len(texts):
            return "many_end", end
    return None


def _cut(texts: Sequence[str]) -> Odd | None:
    """The length at which most of the texts break off."""
    most = max(map(len, texts))
    cut = {text for text in texts if len(text) == most and " " in text}
    open_ends = sum(text[-1] not in SENTENCE_ENDS for text in cut)
    # Of one form, as dates are, their spaces stand in one place.
    one_form = len({tuple(map(len, text.split(" "))) for text in cut}) < 2
    if most < LEAST_CUT or one_form or 2 * open_ends <= len(texts):
        return None
    return "broken_off", str(most)


def _are_spelled(texts: Sequence[str]) -> bool:
    """Whether most words of most texts are single letters."""
    spelled = 0
    for text in texts:
        words = text.split()
        single = sum(map(bool, map(LETTER.fullmatch, words)))
        spelled += len(words) >= LEAST_LETTERS and 3 * single > 2 * len(words)
    return 2 * spelled > len(texts)


def _common_ends(texts: Sequence[str]) -> Odd | None:
    """The characters that all texts begin or end with, hardly part of an answer."""
    begin, end = (
        _common_start(texts),
        _common_start([text[::-1] for text in texts])[::-1],
    )
    mark = begin.rstrip()[-1:]
    if len(begin) > MOST_SHARED or _is_mark(begin[:1]) or _is_mark(mark):
        return "begin_alike", begin
    first, space, _rest = begin.partition(" ")
    if space and not re.fullmatch(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,.!?:]?", first):
        return "begin_alike", f"{first} "
    if named := NAMED.match(begin):
        return "begin_alike", named[0]
    if end.endswith(LEFT_OUT) or BEHIND_END.search(end):
        return "end_alike", end
    if len(end) > MOST_SHARED or (_is_mark(end[-1:]) and end[-1] not in SENTENCE_ENDS):
        return "end_alike", end
    return None


def _common_start(texts: Sequence[str]) -> str:
    """The beginning that all texts share."""
    first, last = min(texts), max(texts)
    return first[: first_difference(first, last)]


def _is_mark(character: str) -> bool:
    return bool(character.strip()) and not character.isalnum()


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


def _partly(coverage: Answered, file: str) -> Iterator[Problem]:
    if coverage.empty:
        message = MESSAGES("some_empty", count=coverage.empty, all=coverage.met)
        few = ONE_IN * (coverage.met - coverage.empty) <= coverage.met
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
    elif coverage.copied and coverage.copied == coverage.met:
        message, hint = MESSAGES("copied", count=coverage.met), MESSAGES("is_meant")
        yield Problem("copied", message, file, hint=hint)
    elif 2 * coverage.copied >= max(coverage.met, 1):
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
