"""Texts of a system against one or more references for each segment.

A file holds `id` and `text` (CSV, TSV or JSON Lines; `scoring.formats.answers`) or a
text a line. Gold has further references in columns `text.2`, `text.3`, in a list of
JSON Lines, or in further members of a zip or directory, each with a text a line; there
a member `source` holds the lines to be translated, and `document` the document of each.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, compress, groupby, islice, pairwise, repeat
from operator import and_
from pathlib import PurePosixPath
from random import Random
from typing import Any
from unicodedata import name as name_of
from unicodedata import normalize

import numpy as np

from scoring import outlines
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats import answers, records
from scoring.formats.answers import (
    GROUPS,
    GROUPS_OPTION,
    INPUTS_OPTION,
    Answers,
    Layout,
)
from scoring.formats.bundle import documents, is_single, not_one_file
from scoring.formats.chosen_columns import with_columns
from scoring.formats.recognition import BOM, HEAD
from scoring.formats.text_forms import with_keys
from scoring.messages import Messages, _
from scoring.oddities import LEAST_BEGINNING, fit_the_next
from scoring.options import Option, Options
from scoring.picks import Spoil, each_file, some
from scoring.scorer import Cell, Details, Scorer, answer_itself
from scoring.source import Source, brief, list_names

# Fewer answers may be unlike their references by chance; more need not be looked at.
LEAST_PAIRS, MOST_PAIRS, MOST_LETTERS = 10, 1000, 60
# Texts whose words are compared with those of all references, and a good share of them.
MOST_MOVED, LIKE = 200, 0.4
# The share of texts that have a character which no reference has.
LEAST_LETTER, LEAST_SIGN = 0.6, 0.25
COMMON_SIGNS = frozenset(".,;:!?'\"()-\u2013\u2014\u2019\u201c\u201d")
LEAST_WORDS = 5  # of texts that are compared word by word
LEAST_IN_A_ROW = 12  # answers that have no word of their references
MESSAGES = Messages(
    long_text=_("a text of %(count)s characters; at most %(most)s are read."),
    shorten=_("See whether lines were joined; else shorten the text."),
    no_table=_("expected plain text with a segment a line, found a table with ids."),
    no_objects=_("expected plain text with a segment a line, found JSON."),
    lines_only=_("Write one line for each line of the input file, without ids."),
    length=_(
        "the answers have %(share)s percent as many characters as their closest "
        "references."
    ),
    script=_(
        "%(count)s of the first %(all)s answers are in another script than their "
        "references."
    ),
    capitals=_(
        "none of the first %(all)s answers has a capital letter, and %(count)s of "
        "their references have."
    ),
    repeated=_("%(count)s of %(all)s answers are the same: '%(text)s'."),
    keys_again=_("Each text begins with the id of its line once more."),
    headlines=_(
        "%(count)s of the first %(all)s answers begin each word with a capital letter, "
        "and their references do not."
    ),
    marks=_(
        "none of the references has a capital letter, and %(count)s of the first "
        "%(all)s answers have."
    ),
    sorted=_("the lines are in the order of the alphabet: were they sorted?"),
    in_order=_("Write them in the order of the input file."),
    loud=_("every text is in capitals alone, such as '%(text)s'."),
    all_capitals=_(
        "the first %(all)s answers are in capitals alone, and %(count)s of their "
        "references are not."
    ),
    characters=_(
        "answers have characters that no reference has: %(text)s, the first in "
        "%(count)s of %(all)s."
    ),
    lost_sign=_("no answer has '%(text)s', and %(count)s references have it."),
    beginnings=_(
        "%(count)s of the first %(all)s answers begin with a small letter where their "
        "references have a capital."
    ),
    moved=_(
        "%(count)s of the first %(all)s answers fit the references of other lines "
        "better than their own: was their order changed?"
    ),
    turned=_(
        "%(count)s of the first %(all)s answers have the words of their references in "
        "another order: were words sorted or turned round?"
    ),
    unlike=_(
        "%(count)s of the first %(all)s answers have no word of their references: are "
        "they in another language, or of another file?"
    ),
    shifted=_(
        "the answers fit the references of the lines next to theirs better than "
        "their own: is a line missing, or too many?"
    ),
    keys=_("Each line has an id of its own beside its text: it was read as that."),
    keys_for_lines=_(
        "each line has an id beside its text; expected lines of text alone, in the "
        "order of the input file."
    ),
    scores_for_lines=_(
        "a score stands before the text of each line, '%(score)s'; expected lines of "
        "text alone, in the order of the input file."
    ),
    no_lines=_("expected a table with ids, found lines of text."),
    name_columns=_("Begin the file with a line that names the columns: %(columns)s"),
    one_file_only=_("Put all segments into one file, in the order of the input file."),
    table=_("member '%(member)s' is a table with ids."),
    several=_("Several references as members of a zip: lines of text, without ids."),
    one_line_each=_(
        "Each member needs a line for each segment, an empty one for none."
    ),
    lines=_("the members differ in lines: %(sizes)s."),
    no_reference=_("none of the members is a reference."),
)

# A wrong text out of a text and those of all items.
Change = Callable[[str, Sequence[str], Random], str]
INPUTS = ("source", "question", "context", "document", "audio")
SOURCE = "source"
TEXT = "text"
# A decimal number, as of how sure a model is of a text.
SCORE = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
LIKE_A_REFERENCE = re.compile(r"(?i)(?:text|target|ref(?:erence)?s?)[ ._-]?\d*")
LAYOUT = Layout(TEXT, several=True, empty=True, plain=True)
OPTIONS = (replace(INPUTS_OPTION, default=INPUTS), GROUPS_OPTION)
AS_IS = "as-is"
UNICODE_FORM = Option(
    "unicode_form",
    "Unicode normal form of both sides",
    "choice",
    AS_IS,
    (AS_IS, "NFC", "NFKC"),
)


def scorer(longest: int, word: str, change: Change, **own: Any) -> Scorer:
    """A scorer of such texts: a system's have at most so many characters, a guess is
    always the same word, and an example is spoiled by `change`."""
    declared: dict[str, Any] = {
        "formats": ("CSV", "TSV", "JSON Lines", _("lines of text")),
        "read_gold": read_gold,
        "read_blind": lambda source, _options: read_blind(source),
        "read_system": lambda source, _options, gold: read_system(
            source, gold, longest
        ),
        "answered": lambda asked, system, _options: answers.count_answers(
            asked, system
        ),
        "outline": _outline,
        "blind": blind,
        "remarks": remarks,
        "gold_remarks": gold_remarks,
        "notes": notes,
        "guess": answers.guesser(LAYOUT, lambda _id: word),
        "spoil": spoiler(change),
        "ideal": ideal,
        "stand_in": answer_itself,
    }
    return with_columns(Scorer(**declared | own), TEXT)


def read_gold(source: Source, options: Options) -> Answers:
    """Segments with their references. Raises SetupError with all that is wrong."""
    files = _members(source, SetupError)
    if len(files) > 1:
        return _read_lines(source.name, files, options)
    single, keyed = _with_keys(_single(source, files))
    rows = answers.read_gold(single, _layout(single, options))
    return replace(rows, keyed=keyed)


def read_blind(source: Source) -> Answers:
    """The segments of the published file. Raises SetupError."""
    single, _keyed = _with_keys(_only(source, SetupError))
    rows = answers.read_blind(single, LAYOUT)
    # Of lines, what is asked is all there is.
    return replace(rows, inputs={SOURCE: rows.texts}) if rows.plain else rows


def read_system(source: Source, gold: Answers, longest: int) -> Answers:
    """A system's text of each segment, in the order of gold or blind file. Raises
    Refused with every line that is wrong, and for texts of more than `longest`
    characters."""
    single, keyed = _with_keys(_only(source, Refused))
    if answers.is_plain(single) != gold.plain:
        objects = not keyed and records.is_json_lines(single.single().decode()[:HEAD])
        keys = answers.read_blind(single, LAYOUT).ids if keyed else ()
        raise Refused(_other_format(single.name, gold, keys, objects=objects))
    rows = answers.read_system(single, replace(LAYOUT, several=False), gold)
    findings = Findings(single.name)
    if max(map(len, rows.texts), default=0) > longest:
        for text, line in zip(rows.texts, rows.lines.tolist(), strict=True):
            if len(text) > longest:
                message = MESSAGES("long_text", count=len(text), most=longest)
                hint = MESSAGES("shorten")
                findings.add("size", message, line=line, hint=hint)
    findings.raise_if_any()
    return replace(rows, keyed=keyed)


def notes(system: Answers, options: Options) -> list[Problem]:
    """Remarks on lines that begin with ids, or were sorted, and on texts in capitals
    alone, where capitals count."""
    texts, problems = system.texts, []
    if system.keyed:
        problems.append(Problem("keys", MESSAGES("keys"), system.name))
    several = len(texts) >= LEAST_PAIRS and 2 * len({*texts[:MOST_PAIRS]}) > len(
        texts[:MOST_PAIRS]
    )
    if several and system.plain and all(a <= b for a, b in pairwise(texts)):
        hint = MESSAGES("in_order")
        problems.append(Problem("sorted", MESSAGES("sorted"), system.name, hint=hint))
    loud = all(map(_is_loud, texts)) and any(text != text.lower() for text in texts)
    if several and not options.get("lowercase") and loud:
        message = MESSAGES("loud", text=brief(texts[0], 40))
        problems.append(Problem("capitals", message, system.name))
    ids = zip(texts, system.ids, strict=True)
    if system.keyed and all(text.startswith(name) for text, name in ids):
        problems.append(Problem("keys", MESSAGES("keys_again"), system.name))
    return problems


def _is_loud(text: str) -> bool:
    """Whether a text has no small letters."""
    return text == text.upper()


def _remarks_on_pairs(gold: Answers, system: Answers, options: Options) -> list[str]:
    """Remarks on answers that are unlike their references: of another length, script
    or place, or without their capitals."""
    pairs = [
        (text.strip(), [other for other in gold.of_item(row) if other.strip()])
        for row, text in enumerate(islice(system.texts, MOST_PAIRS))
    ]
    both = [(text, others) for text, others in pairs if text and others]
    if len(both) < LEAST_PAIRS:
        return []
    remarks = []
    own = sum(len(text) for text, _others in both)
    closest = sum(len(_closest(text, others)) for text, others in both)
    if not closest <= 2 * own <= 4 * closest:
        remarks.append(MESSAGES("length", share=round(100 * own / closest)))
    scripts = sum(
        bool(script := script_of(text)) and script not in [*map(script_of, others)]
        for text, others in both
    )
    if 10 * scripts >= len(both):
        remarks.append(MESSAGES("script", count=scripts, all=len(both)))
    upper = sum(any(other != other.lower() for other in o) for _text, o in both)
    small = all(text == text.lower() for text, _others in both)
    if small and 4 * upper >= len(both) and not options.get("lowercase", True):
        remarks.append(MESSAGES("capitals", count=upper, all=len(both)))
    titled = sum(text != text.lower() for text, _others in both)
    if not upper and 2 * titled >= len(both) and not options.get("lowercase", True):
        remarks.append(MESSAGES("marks", count=titled, all=len(both)))
    names = sum(map(_is_headline, (text for text, _others in both)))
    if 2 * names > len(both) and not options.get("lowercase", True):
        like = sum(any(map(_is_headline, others)) for _text, others in both)
        about = {"count": names, "all": len(both)}
        remarks += [MESSAGES("headlines", **about)] * (4 * like < names)
    lower = sum(any(other != other.upper() for other in o) for _text, o in both)
    loud = all(_is_loud(text) for text, _others in both)
    loud = loud and any(text != text.lower() for text, _others in both)
    if loud and 4 * lower >= len(both) and not options.get("lowercase", True):
        remarks.append(MESSAGES("all_capitals", count=lower, all=len(both)))
    return [
        *remarks,
        *_remarks_on_signs(both, options),
        *_remarks_on_places(both, gold),
    ]


def _is_headline(text: str) -> bool:
    """Whether each of several words begins with a capital and goes on without one."""
    return len(text.split()) >= LEAST_WORDS and text.istitle()


def _remarks_on_signs(
    pairs: Sequence[tuple[str, Sequence[str]]], options: Options
) -> Iterator[str]:
    """Remarks on characters that one side has, and the other has not, where these
    count."""
    if about := _odd_characters(pairs):
        yield MESSAGES("characters", **about)
    if "lowercase" not in options or options.get("punctuation", "keep") != "keep":
        return
    if about := _lost_sign(pairs):
        yield MESSAGES("lost_sign", **about)
    if not options["lowercase"] and (about := _lost_beginnings(pairs)):
        yield MESSAGES("beginnings", **about)


def _remarks_on_places(
    pairs: Sequence[tuple[str, Sequence[str]]], gold: Answers
) -> Iterator[str]:
    """Remarks on texts in the places of others, or with no word of their references."""
    scripts = sum(
        bool(script := script_of(text)) and script not in [*map(script_of, others)]
        for text, others in pairs
    )
    texts, firsts = [text for text, _o in pairs], [others[0] for _t, others in pairs]
    if again := _one_for_many(texts, firsts):
        yield MESSAGES("repeated", **again)
    if (gold.plain and _are_shifted(pairs)) or fit_the_next(texts, firsts):
        yield MESSAGES("shifted")
    elif about := _count_moved(pairs):
        yield MESSAGES("moved", **about)
    elif 10 * scripts < len(pairs) and (about := _without_words(pairs)):
        yield MESSAGES("unlike", **about)
    elif about := _in_other_order(pairs):
        yield MESSAGES("turned", **about)


def _one_for_many(texts: Sequence[str], firsts: Sequence[str]) -> dict[str, object]:
    """A text of few words that is the answer to many, whose references differ."""
    few = Counter(text for text in texts if 1 < len(text.split()) < LEAST_BEGINNING)
    [(text, count)] = few.most_common(1) or [("", 0)]
    asked = {*compress(firsts, [text == answer for answer in texts])}
    if count < max(3, len(texts) / 20) or 2 * len(asked) <= count:
        return {}
    return {"text": brief(text, 40), "count": count, "all": len(texts)}


def _odd_characters(pairs: Sequence[tuple[str, Sequence[str]]]) -> dict[str, object]:
    """The characters that no reference has and many of the texts have; letters only of
    the scripts of the references."""
    alphabet = {*"".join(other for _text, others in pairs for other in others)}
    scripts = {*map(_script_of_letter, alphabet)}
    times = Counter(
        character
        for text, _others in pairs
        for character in {*text} - alphabet
        if character.swapcase() not in alphabet and not character.isdigit()
    )
    odd = []
    for character, count in sorted(times.items(), key=lambda pair: (-pair[1], pair[0])):
        letter = character.isalpha()
        plain = normalize("NFKC", character)
        own = not letter or _script_of_letter(plain[0]) in scripts
        least = LEAST_LETTER if letter or character in COMMON_SIGNS else LEAST_SIGN
        if letter and plain != character:
            least = 0.0  # of a width or a font, as two letters that were set as one
        if own and count >= max(3, least * len(pairs)):
            odd.append(character)
    if not odd:
        return {}
    return {"text": list_names(odd, 5), "count": times[odd[0]], "all": len(pairs)}


def _lost_beginnings(pairs: Sequence[tuple[str, Sequence[str]]]) -> dict[str, object]:
    """How many texts begin with a small letter and their references with a capital;
    nothing where few do, or no text has a capital."""
    small = sum(
        text[0].islower() and all(other.strip()[0].isupper() for other in others)
        for text, others in pairs
    )
    titled = any(text != text.lower() for text, _others in pairs)
    if not titled or 4 * small < len(pairs):
        return {}
    return {"count": small, "all": len(pairs)}


def _lost_sign(pairs: Sequence[tuple[str, Sequence[str]]]) -> dict[str, object]:
    """The sign that most references have and no text has."""
    written = {*"".join(text for text, _others in pairs)}
    times = Counter(
        sign
        for _text, others in pairs
        for sign in {*"".join(others)} - written
        if not sign.isalnum() and not sign.isspace()
    )
    sign, count = max(times.items(), key=lambda pair: pair[::-1], default=("", 0))
    return {"text": sign, "count": count} if 4 * count >= 3 * len(pairs) else {}


def _count_moved(pairs: Sequence[tuple[str, Sequence[str]]]) -> dict[str, int]:
    """How many of the first texts have most words of the reference of another one, and
    few of their own; nothing where these are few."""
    some = pairs[:MOST_MOVED]
    own = [{*text.split()} for text, _others in some]
    asked = [{*" ".join(others).split()} for _text, others in some]
    moved = 0
    sides = zip(own, asked, strict=True)
    if 2 * sum(len(a & b) > len(a | b) / 2 for a, b in sides) >= len(some):
        return {}  # half of them have most words of their own
    for row, words in enumerate(own):
        shares = [len(words & other) / (len(words | other) or 1) for other in asked]
        moved += max(shares) >= LIKE and max(shares) > 2 * shares[row]
    about = {"count": moved, "all": len(some)}
    distinct = len({text for text, _others in some})
    return about if 2 * moved > len(some) and 2 * distinct > len(some) else {}


def _without_words(pairs: Sequence[tuple[str, Sequence[str]]]) -> dict[str, int]:
    """How many of the first texts of several words have no word of their references;
    nothing where most have one, and hardly any has none in a row of others."""
    sides = [
        ({*text.casefold().split()}, {*" ".join(others).casefold().split()})
        for text, others in pairs
        if len(text.split()) >= LEAST_WORDS
    ]
    odd = [not own & asked for own, asked in sides if len(asked) >= LEAST_WORDS]
    about = {"count": sum(odd), "all": len(pairs)}
    in_a_row = max((len([*run]) for unlike, run in groupby(odd) if unlike), default=0)
    several = 4 * in_a_row > len(pairs) and in_a_row >= LEAST_IN_A_ROW
    return about if several or 2 * sum(odd) > len(pairs) else {}


def _in_other_order(pairs: Sequence[tuple[str, Sequence[str]]]) -> dict[str, int]:
    """How many of the first texts have nearly all words of a reference, and hardly two
    of them next to each other as there; nothing where these are few."""
    turned = 0
    for text, others in pairs:
        words, asked = text.split(), others[0].split()
        shared = (Counter(words) & Counter(asked)).total()
        beside = {*pairwise(words)} & {*pairwise(asked)}
        alike = 5 * shared >= 4 * max(len(words), len(asked))
        turned += len(words) >= LEAST_WORDS and alike and 3 * len(beside) < len(words)
    return {"count": turned, "all": len(pairs)} if 2 * turned > len(pairs) else {}


def _are_shifted(pairs: Sequence[tuple[str, Sequence[str]]]) -> bool:
    """Whether texts share more words with the references next to theirs: all, those of
    the second half, or several in a row nearly all of their words."""
    own = [{*text.split()} for text, _others in pairs]
    asked = [{*" ".join(others).split()} for _text, others in pairs]
    nothing: set[str] = set()
    sums = [
        [0, *accumulate(map(len, map(and_, own, side)))]
        for side in (own, asked, [nothing, *asked[:-1]], [*asked[1:], nothing])
    ]
    size, half = len(pairs), len(pairs) // 2
    parts = [(0, size), (half, size)] if size - half >= LEAST_PAIRS else [(0, size)]
    for first, last in parts:
        words, here, *others = (side[last] - side[first] for side in sums)
        # Lines that were turned round have a neighbour's words in their middle alone.
        if 4 * max(others) > words and 2 * max(others) > 3 * here:
            return True
    for last in range(LEAST_PAIRS, size + 1):
        words, here, *others = (side[last] - side[last - LEAST_PAIRS] for side in sums)
        if 2 * max(others) > max(words, 4 * here):
            return True
    return False


def _closest(text: str, others: Sequence[str]) -> str:
    """The reference whose length is most like the text's."""
    return min(others, key=lambda other: abs(len(other) - len(text)))


@lru_cache(1 << 12)
def _script_of_letter(letter: str) -> str:
    script = name_of(letter, "").partition(" ")[0]
    return "CJK" if script in ("HANGUL", "HIRAGANA", "KATAKANA") else script


def script_of(text: str) -> str:
    """The script of most of the first letters, empty where there are none."""
    letters = Counter(map(_script_of_letter, filter(str.isalpha, text[:MOST_LETTERS])))
    return max(letters, key=lambda script: letters[script], default="")


def details(
    gold: Answers, system: Answers, columns: Mapping[str, Sequence[Cell]]
) -> Details:
    """One row per segment: the texts, and what is known of it in these columns."""
    texts = zip(
        gold.ids, map(gold.of_item, range(len(gold))), system.texts, strict=True
    )
    rows = (
        (name, "\n".join(others), text, *cells)
        for (name, others, text), *cells in zip(texts, *columns.values(), strict=True)
    )
    return Details(("id", "references", "system", *columns), rows)


def gold_remarks(gold: Answers, _options: Options) -> list[str]:
    """Columns that look like references and are not read."""
    keys = ["each line has an id of its own: answers are paired by these ids"]
    if gold.keyed:
        return keys
    empty = sum(
        not any(map(str.strip, own)) for own in map(gold.of_item, range(len(gold)))
    )
    if empty == len(gold):
        return [f"no segment of {empty} has a reference"]
    same = [] if len(gold.texts) == len(gold) else _same_references(gold)
    if same:
        return same
    like = [name for name in gold.unused if LIKE_A_REFERENCE.fullmatch(name)]
    if not like:
        return []
    named = ", ".join(f"'{brief(name)}'" for name in like)
    return [
        f"columns that look like references and are not read: {named}; further "
        f"references are called {TEXT}.2, {TEXT}.3 and so on"
    ]


def _same_references(gold: Answers) -> list[str]:
    """A remark on segments that have one reference twice."""
    twice = sum(len({*own}) < len(own) for own in map(gold.of_item, range(len(gold))))
    several = int((gold.sizes > 1).sum())
    if 2 * several < len(gold):
        return [
            f"{several} of {len(gold)} segments have more references than the others: "
            "is an id there twice?"
        ]
    if 2 * twice <= len(gold):
        return []
    return [f"{twice} of {len(gold)} segments have the same reference twice"]


def _other_format(
    name: str, gold: Answers, keys: Sequence[str], *, objects: bool = False
) -> Problem:
    if objects and gold.plain:
        message = MESSAGES("no_objects")
        hint = MESSAGES("lines_only")
    elif keys and all(map(SCORE.fullmatch, keys)):
        message = MESSAGES("scores_for_lines", score=keys[0])
        hint = MESSAGES("lines_only")
    elif keys:
        message = MESSAGES("keys_for_lines")
        hint = MESSAGES("lines_only")
    elif gold.plain:
        message = MESSAGES("no_table")
        hint = MESSAGES("lines_only")
    else:
        message = MESSAGES("no_lines")
        hint = MESSAGES("name_columns", columns=LAYOUT.header)
    return Problem("format", message, name, 1, hint=hint)


def columns(gold: Answers) -> list[list[str | None]]:
    """The first reference of each segment, the second, and so on; None where a segment
    has fewer. An empty one counts only where a segment has no other."""
    if gold.sizes.tolist() == [1] * len(gold):
        return [list(gold.texts)]
    rows = [
        [text for text in gold.of_item(row) if text.strip()] or [""]
        for row in range(len(gold))
    ]
    most = max(map(len, rows), default=1)
    padded = [[*row, *repeat(None, most - len(row))] for row in rows]
    return [list(column) for column in zip(*padded, strict=True)]


def remarks(gold: Answers, system: Answers, options: Options) -> list[str]:
    """Notes on segments whose references are all empty, and on answers that are unlike
    theirs."""
    unlike = _remarks_on_pairs(gold, system, options)
    first, *more = columns(gold)
    empty = sum(
        not any(text and text.strip() for text in row)
        for row in zip(first, *more, strict=True)
    )
    if not empty:
        return unlike
    return [
        f"{empty} of {len(gold)} segments have no reference or an empty one",
        *unlike,
    ]


def blind(gold: Source, options: Options) -> Source:
    """The published file: ids and inputs, or the lines of the member `source`; lines
    with their numbers where plain text comes without it. Raises SetupError."""
    files = _members(gold, SetupError)
    if len(files) == 1:
        single, _keyed = _with_keys(_single(gold, files))
        return answers.blind(single, _layout(single, options))
    rows = _read_lines(gold.name, files, options)
    lines = rows.inputs.get(SOURCE) or range(1, len(rows) + 1)
    text = "".join(f"{line}\n" for line in lines)
    return Source.of_bytes("segments.txt", text.encode())


def ideal(gold: Source, options: Options) -> Source:
    """A system's file with the first reference of each segment. Raises SetupError."""
    files = _members(gold, SetupError)
    rows = read_gold(gold, options)
    texts = [text or "" for text in columns(rows)[0]]
    name = "segments.txt" if len(files) > 1 else next(iter(files))
    return Source.of_bytes(name, _written(rows, texts, files).encode())


def spoiler(change: Change) -> Spoil:
    """Function that changes a share of the texts of a perfect system's file."""

    @each_file
    def spoil(text: str, share: float, random: Random) -> str:
        file, _keyed = _with_keys(Source.of_bytes("", text.encode()))
        rows = answers.read_blind(file, LAYOUT)
        rows = answers.read_system(file, replace(LAYOUT, several=False), rows)
        changed = list(rows.texts)
        for row in some(range(len(changed)), share, random):
            changed[row] = change(changed[row], rows.texts, random)
        rows = replace(rows, plain=answers.is_plain(file))
        return _written(rows, changed, file.files)

    return spoil


def _written(rows: Answers, texts: Sequence[str], files: Mapping[str, bytes]) -> str:
    """Texts in the format of the file that these answers were read from."""
    if rows.plain:
        return "".join(f"{text}\n" for text in texts)
    single = Source.of_bytes(rows.name, next(iter(files.values())))
    single, _keyed = _with_keys(single)
    table = records.read(single, Findings(rows.name), SetupError)
    return records.write({"id": rows.ids, TEXT: texts}, table.delimiter)


def _members(source: Source, kind: type[ScoringError]) -> dict[str, bytes]:
    """Members of the file; of several those that are not blank."""
    try:
        files = documents(source)
    except Refused as refusal:
        raise kind(refusal.problems) from None
    filled = {name: data for name, data in files.items() if data.strip()}
    return filled or dict(list(files.items())[:1])


def _single(source: Source, files: Mapping[str, bytes]) -> Source:
    """The only one of these members, a source of its own name if it was packed."""
    name, data = next(iter(files.items()))
    return Source.of_bytes(source.name if is_single(source) else name, data)


def _only(source: Source, kind: type[ScoringError]) -> Source:
    files = _members(source, kind)
    if len(files) != 1:
        problem = not_one_file(source.name, files)
        raise kind(replace(problem, hint=MESSAGES("one_file_only")))
    return _single(source, files)


def _with_keys(source: Source) -> tuple[Source, bool]:
    """Lines that begin with keys as a table of ids and texts, and whether they do."""
    data = source.single()
    try:
        text = data.removeprefix(BOM).decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return source, False  # whose reader says so
    keyed = with_keys(text, TEXT)
    if not keyed:
        return source, False
    return Source(source.name, {name: keyed.encode() for name in source.files}), True


def _outline(source: Source, options: Options) -> outlines.Outline:
    return outlines.items(LAYOUT)(_with_keys(source)[0], options)


def _layout(gold: Source, options: Options) -> Layout:
    """The layout with groups and inputs; those named by default may be missing."""
    named = LAYOUT.of(options)
    if tuple(options["inputs"]) != INPUTS or answers.is_plain(gold, SetupError):
        return named
    table = records.read(gold, Findings(gold.name), SetupError)
    there = tuple(name for name in INPUTS if table.called(name) is not None)
    return replace(named, inputs=there)


def _read_lines(name: str, files: Mapping[str, bytes], options: Options) -> Answers:
    """Gold of several members with a text a line each. Raises SetupError for members
    that differ in length, that are tables, and where no reference is among them."""
    findings = Findings(name)
    lines: dict[str, list[str]] = {}
    for member, data in files.items():
        single = Source.of_bytes(member, data)
        if not answers.is_plain(single, SetupError):
            message = MESSAGES("table", member=brief(member))
            hint = MESSAGES("several")
            findings.add("format", message, hint=hint)
            continue
        lines[member] = answers.read_gold(single, replace(LAYOUT, groups=())).texts
    sizes = {member: len(texts) for member, texts in lines.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{brief(member)} {size}" for member, size in sizes.items())
        hint = MESSAGES("one_line_each")
        findings.add("lines", MESSAGES("lines", sizes=listed), hint=hint)
    stems = {member: PurePosixPath(member).name.split(".")[0] for member in lines}
    labels = {stem: member for member, stem in stems.items() if stem in GROUPS}
    inputs = {stem: member for member, stem in stems.items() if stem == SOURCE}
    beside = {*labels.values(), *inputs.values()}
    references = [member for member in lines if member not in beside]
    if not references and not findings.problems:
        findings.add("reference", MESSAGES("no_reference"))
    findings.raise_if_any(SetupError)
    rows = [*zip(*(lines[member] for member in references), strict=True)]
    return Answers(
        name,
        [f"{number:06d}" for number in range(1, len(rows) + 1)],
        np.arange(1, len(rows) + 1),
        [text for row in rows for text in row],
        np.full(len(rows), len(references)),
        {stem: tuple(lines[member]) for stem, member in labels.items()},
        {stem: lines[member] for stem, member in inputs.items()},
        plain=True,
    )
