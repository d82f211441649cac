"""Remarks on a file that can be scored and looks wrong."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from scoring.diagnosis.heads import odd_feats, odd_heads
from scoring.diagnosis.near_misses import (
    BROKEN_OFF,
    Way,
    broken_off,
    cat_marks,
    full_width,
    name_unseen,
    near_miss,
    other_alphabet,
    other_encoding,
)
from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import Problem, Refused
from scoring.formats.bundle import members
from scoring.formats.forms import recognise, remarks_on_form
from scoring.options import Options
from scoring.outlines import MOST_BYTES, Outline, outline_of
from scoring.scorer import Scorer
from scoring.source import BOM, Source, brief

# Letters that were lost, and marks and controls that no answer has.
LOST = "\ufffd".encode()
UNSEEN = re.compile(
    rb"\x1b\[[0-9;]*m|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
    rb"|\xc2\xad|\xe2\x80\x8b|\xe2\x81\xa0|\xef\xbb\xbf"
    # Joiners within words of letters that are not joined, and forms of no sign.
    rb"|(?<=[A-Za-z])\xe2\x80[\x8c\x8d](?=[A-Za-z])|(?<=[A-Za-z)])\xef\xb8[\x80-\x8f]"
    # Directions of writing where all is written from the left.
    rb"|(?:(?<=[\n\t ,;])|^)\xe2\x80[\x8e\x8f](?=[ -~]*[\t\n,;]|[ -~]*\Z)"
)
# What programs write into the cells of columns where something is missing.
NOT_THERE = re.compile(rb"\t(nan|NaN|None|null|<NA>)(?=[\t\r\n])")
CUPT = "cupt"
LEAST_CELLS, ONE_IN, FIRST_BYTES = 5, 20, 1 << 17
# A cell that is a number, in digits of full width.
DIGITS_OF_WIDTH = "\uff10".encode()[:2]
WIDE_NUMBER = re.compile(rb"(?m)(?:^|\t)(?:\xef\xbc[\x90-\x99])+(?=[\t\r]|$)")
# A HEAD of CoNLL-U with a sign, as offsets of relative heads have one.
PLUS_HEAD = re.compile(rb"(?m)^\d+(?:\t[^\t\n]+){5}\t(\+\d+)\t")
ENTITY = re.compile(rb"&(?:lt|gt|amp|quot|apos|#\d{2,5});")
# Bytes with which one begins, which are looked for four times as fast.
MAY_BE_UNSEEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xc2\xe2\xef]")


def remarks(
    scorer: Scorer,
    blind: Source,
    system: Source,
    options: Options,
    answered_units: Callable[[], int] = int,
) -> list[Problem]:
    """Remarks on a file that can be scored and looks wrong: characters of no answer,
    units that may be left out and are, columns that nobody reads, and another form than
    the task's. `answered_units` says how many units the file answers."""
    form = remarks_on_form(system, options, scorer.called)
    blind, system = (
        recognise(source, options, Refused, scorer.called) for source in (blind, system)
    )
    head = outline_of(scorer.outline, _first_lines(blind), options)
    return [
        *(Problem("read_as", text, system.name) for text in form),
        *_odd_characters(blind, system),
        *_odd_cells(scorer, blind, system),
        *filter(None, (odd(scorer, system) for odd in (odd_heads, odd_feats))),
        *_other_words(scorer, (blind, system), options),
        *_coverage(scorer, head, (blind, system), options, answered_units),
        *_unused_columns(scorer, head, system, options),
    ]


def _odd_characters(blind: Source, system: Source) -> Iterator[Problem]:
    """Characters that the blind file has not, and that say nothing."""
    try:
        files = [members(side).values() for side in (blind, system)]
    except Refused:
        return  # nor was any scored
    sides = [b"\n".join(side) for side in files]
    if len(sides[1]) > MOST_BYTES:
        return
    asked, sent = (side.removeprefix(BOM) for side in sides)
    texts = [side.decode("utf-8", "replace") for side in (asked, sent)]
    reencoded = _made_by((other_encoding,), texts, system.name)
    yield from reencoded
    if LOST in sent and LOST not in asked:
        line, count = sent.count(b"\n", 0, sent.index(LOST)) + 1, sent.count(LOST)
        text = MESSAGES("lost", count=count, line=line)
        yield Problem("characters", text, system.name, hint=MESSAGES("save_again"))
    elif not reencoded and (first := _unseen(sent)) and not _unseen(asked):
        about = {
            "found": name_unseen(first[0].decode()),
            "count": len(UNSEEN.findall(sent)),
            "line": sent.count(b"\n", 0, first.start()) + 1,
        }
        text, hint = MESSAGES("unseen", **about), MESSAGES("take_unseen_out")
        yield Problem("characters", text, system.name, hint=hint)
    yield from _made_by((cat_marks, other_alphabet), texts, system.name)


def _made_by(ways: Sequence[Way], texts: Sequence[str], name: str) -> list[Problem]:
    """Remarks on characters that a way would write otherwise, and that the blind file
    has not."""
    problems = []
    for way in ways:
        asked, sent = (next(way(text), None) for text in texts)
        if sent and not asked:
            _copy, sentence, hint, about = sent
            text, help = MESSAGES(sentence, **about), MESSAGES(hint)
            problems.append(Problem("characters", text, name, hint=help))
    return problems


def _odd_cells(scorer: Scorer, blind: Source, system: Source) -> Iterator[Problem]:
    """Signs that programs write into columns, trees and graphs. Of answers in
    tables and lines the words themselves are looked at."""
    files = [*blind.files.values()][:1], [*system.files.values()]
    if "CSV" in scorer.formats or len(files[1]) > 1:
        return
    asked, sent = (b"".join(side).removeprefix(BOM) for side in files)
    if len(sent) > MOST_BYTES:
        return
    yield from _empty_cells(asked, sent, system.name)
    if problem := broken_off(blind, system, (BROKEN_OFF,)):
        yield problem
    # Bytes are looked for much faster than patterns, and few files have these.
    if DIGITS_OF_WIDTH in sent and (wide := WIDE_NUMBER.search(sent)):
        if DIGITS_OF_WIDTH in asked and WIDE_NUMBER.search(asked):
            return
        _plain, sentence, hint, about = next(full_width(wide[0].decode()))
        about["line"] = sent.count(b"\n", 0, wide.end()) + 1
        text, help = MESSAGES(sentence, **about), MESSAGES(hint)
        yield Problem("characters", text, system.name, hint=help)
    if b"\t+" in sent and (plus := PLUS_HEAD.search(sent)):
        about = {
            "found": plus[1].decode(),
            "line": sent.count(b"\n", 0, plus.start()) + 1,
        }
        about["expected"] = plus[1].decode().lstrip("+")
        yield Problem("head", MESSAGES("plus_heads", **about), system.name)
    if b"&" in sent and (entity := ENTITY.search(sent)) and not ENTITY.search(asked):
        line = sent.count(b"\n", 0, entity.start()) + 1
        text = MESSAGES("written_out", found=entity[0].decode(), line=line)
        yield Problem("characters", text, system.name, hint=MESSAGES("as_signs"))


def _empty_cells(asked: bytes, sent: bytes, name: str) -> Iterator[Problem]:
    """Cells of columns that programs fill where they have nothing; one word or the
    other may be called so."""
    # What is seldom among the first lines is not in one line of twenty.
    if not NOT_THERE.search(sent[:FIRST_BYTES]):
        return
    cells = Counter(NOT_THERE.findall(sent))
    if not cells:
        return
    [(word, count)] = cells.most_common(1)
    own = Counter(NOT_THERE.findall(asked))[word]
    if count < LEAST_CELLS or ONE_IN * (count - own) < sent.count(b"\n"):
        return
    line = sent.count(b"\n", 0, sent.index(b"\t" + word)) + 1
    about = {"count": count, "found": word.decode(), "line": line}
    text, hint = MESSAGES("not_there", **about), MESSAGES("write_cells")
    yield Problem("empty_cells", text, name, line, hint=hint)


def _unseen(data: bytes) -> re.Match[bytes] | None:
    begin = MAY_BE_UNSEEN.search(data)
    return UNSEEN.search(data, begin.start()) if begin else None


def _other_words(
    scorer: Scorer, sides: tuple[Source, Source], options: Options
) -> Iterator[Problem]:
    """Sentences of .cupt with other words than the input file's: expressions are
    compared by the numbers of words."""
    if CUPT not in scorer.formats:
        return
    first, second = (outline_of(scorer.outline, side, options) for side in sides)
    if not first or not second or not (first.words and second.words):
        return
    own = dict(zip(second.names, second.words, strict=True))
    pairs = zip(first.names, first.words, strict=True)
    unlike = [
        (name, own[name], words)
        for name, words in pairs
        if name in own and [*own[name]] != [*words]
    ]
    if not unlike:
        return
    name, has, wanted = unlike[0]
    size = min(len(has), len(wanted))
    place = next((n for n in range(size) if has[n] != wanted[n]), size)
    about = {
        "count": len(unlike),
        "all": len(first),
        "unit": MESSAGES("one_sentence", name=brief(name, 40)),
        "found": brief(" ".join(has[place : place + 1])),
        "expected": brief(" ".join(wanted[place : place + 1])),
    }
    text, hint = MESSAGES("words", **about), MESSAGES("copy_words")
    yield Problem("words", text, sides[1].name, hint=hint)


def _coverage(
    scorer: Scorer,
    head: Outline | None,
    sides: tuple[Source, Source],
    options: Options,
    answered_units: Callable[[], int],
) -> Iterator[Problem]:
    """`head` is the outline of the first lines of the blind file."""
    if head is None or head.whole:
        return
    first, second = (outline_of(scorer.outline, side, options) for side in sides)
    if not first or not second or second.kind != first.kind:
        return
    keys = set(second.keys)
    answered = sum(key in keys for key in first.keys)
    if 2 * answered < len(first) and (
        problem := near_miss(scorer, (first, second), sides[1], options, [])
    ):
        yield problem
        return
    answered = max(answered, answered_units())
    if answered < len(first):
        units = MESSAGES(f"{first.kind}s")
        text = MESSAGES("few_answered", found=answered, all=len(first), units=units)
        code = "few_answered" if 2 * answered <= len(first) else "some_answered"
        yield Problem(code, text, sides[1].name, hint=MESSAGES("see_which"))


def _unused_columns(
    scorer: Scorer, head: Outline | None, system: Source, options: Options
) -> Iterator[Problem]:
    second = outline_of(scorer.outline, _first_lines(system), options)
    if head is None or second is None or not second.columns:
        return
    read = {name.lower() for name in (*second.columns, *second.optional, *head.header)}
    unused = [name for name in second.header if name and name.lower() not in read]
    if unused:
        listed = ", ".join(f"'{brief(name, 30)}'" for name in unused[:6])
        text, hint = MESSAGES("unused", columns=listed), MESSAGES("only_these")
        yield Problem("unused_columns", text, system.name, 1, hint=hint)


def _first_lines(source: Source) -> Source:
    """The header with the line below it."""
    data = next(iter(source.files.values()), b"")
    end = data.find(b"\n", data.find(b"\n") + 1)
    return Source.of_bytes(source.name, data[: end + 1 or len(data)])
