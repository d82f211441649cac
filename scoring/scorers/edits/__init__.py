"""Corrections of texts: edits in M2, compared as ERRANT compares them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from random import Random

import numpy as np

from scoring.answered import Answered, is_not_there
from scoring.errors import Findings, Problem, Refused, SetupError
from scoring.inspection import Inspection, ItemTable, Picture
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.outlines import Outline, Sentences, text_of
from scoring.picks import each_file, some
from scoring.scorer import DetailRows, Scorer, details_of
from scoring.scorers.edits import m2
from scoring.scorers.edits.comparison import (
    CORRECTION,
    LACKING,
    LEVELS,
    NOTHING,
    RIGHT,
    TOO_MANY,
    UNKNOWN,
    UNTYPED,
    Compared,
    Key,
    compare_edits,
    count,
)
from scoring.scorers.edits.figures import measures_of, measures_of_types, tables
from scoring.scorers.edits.m2 import NOOP, Annotated, Corrections
from scoring.scorers.edits.maxmatch import Lattice, apply_edits, found_edits
from scoring.source import Source, brief

# Levels at which edits of no known type do not count.
LEVELS_OF_TYPES = LEVELS[:2]
TYPE = re.compile(r"[MRU]:[A-Z:]+|UNK|noop")
MESSAGES = Messages(
    untyped=_("%(count)s of %(all)s edits are of the type UNK and do not count."),
    swapped=_("types stand in the place of corrections: are the two swapped?"),
    type_first=_(
        "An edit is written as 'A 2 3|||R:VERB|||sits|||REQUIRED|||-NONE-|||0'."
    ),
    name_types=_("Name their types, as errant_parallel does."),
    long=_(
        "the text has %(count)s words, the sentence %(expected)s: too many to be "
        "compared."
    ),
    unlike=_(
        "%(count)s of %(all)s texts have less than half of the words of their "
        "sentences, or twice as many: are the lines those of the input file?"
    ),
    from_1=_(
        "most edits are of the token behind the one that their correction is like: "
        "they seem to count tokens from 1."
    ),
    subtract=_("Count the tokens of a sentence from 0."),
    before=_(
        "most edits are of the token before the one that their correction is like: "
        "have they moved by one?"
    ),
    nothing=_(
        "%(count)s of %(all)s edits that replace or take out are of no token, as "
        "'%(text)s': does the end name the last token?"
    ),
    end=_("The end is the number of the first token behind the edit."),
    whole=_(
        "%(count)s of %(all)s edits are of all tokens of their sentences: are they "
        "corrected sentences?"
    ),
    part_edits=_("Write an edit for each change, of the tokens that change."),
    same=_("%(count)s of %(all)s edits write what stands there already: '%(text)s'."),
    one_text=_("every edit has the same correction (%(count)s): '%(text)s'."),
    none=_("no edit that replaces words has a correction (%(count)s)."),
    see_corrections=_("See whether it is the field that you meant."),
    small=_("no text has a capital letter, and each sentence has one."),
    keep_capitals=_("Keep capitals as they are: a word in small letters is another."),
    glued=_(
        "signs are not parted from words in %(count)s texts, as they are in the "
        "input file: '%(text)s'."
    ),
    part_words=_("Part the words as the input file does: each counts by itself."),
)
ENDS = frozenset(".,!?;:")
LEAST_ALIKE, LEAST_REPLACED = 3, 8  # edits, and different words
# Words of a sentence times those of its correction.
MOST_CELLS = 62_500
# An edit of so many words is looked through for each of them.
MOST_WORDS = 1_000
ERRANT, MAXMATCH = "errant", "maxmatch"
OPTIONS = (
    Option(
        "level",
        "what has to agree: tokens and correction; the type, too (classification); the "
        "tokens alone (span); single tokens (token)",
        "choice",
        CORRECTION,
        LEVELS,
    ),
    Option(
        "types",
        "how edits are told apart in the measures of types: R:NOUN as R:NOUN (full), "
        "NOUN (main) or R (operation)",
        "choice",
        "full",
        ("full", "main", "operation"),
    ),
    Option("leave_out", "types that are not scored", "list"),
    Option(
        "matching",
        "what is compared: the edits of a submission in M2 (errant), or a submission "
        "of corrected texts, a line each, with the edits found in it that agree most "
        "with an annotator's, as at CoNLL-2014 (maxmatch)",
        "choice",
        ERRANT,
        (ERRANT, MAXMATCH),
    ),
)
VERDICTS = {RIGHT: "match", TOO_MANY: "spurious", LACKING: "missing"}
COLUMNS = ("sentence", "verdict", "tokens", "type", "correction")
SHOWN = COLUMNS[1:]


def read_gold(source: Source, _options: Options) -> Corrections:
    return m2.read(source, SetupError)


def ideal(source: Source, _options: Options) -> Source:
    """The edits of the first annotator of each sentence, of those that overlap one."""
    sentences = m2.read(source, SetupError).sentences
    return Source.of_bytes(source.name, m2.written(tuple(map(m2.first_of, sentences))))


def read_system(source: Source, options: Options, gold: Corrections) -> Corrections:
    """Edits, or the texts that they make where texts are compared."""
    texts = options["matching"] == MAXMATCH
    if texts and not m2.is_m2(source):
        system = m2.read_texts(source, gold)
    else:
        system = m2.read(source, Refused)
        m2.pair(system, gold)
    if not texts:
        return system
    if not system.texts:
        made = (
            apply_edits(
                sentence.tokens,
                [edit for own in sentence.edits.values() for edit in own],
            )
            for sentence in system.sentences
        )
        system = replace(system, texts=tuple(made))
    _check_lengths(system)
    return system


def outline(source: Source, options: Options) -> Outline:
    """Sentences by their tokens. Raises Refused for a file without any."""
    sentences = Sentences()
    if options["matching"] == MAXMATCH:
        return _lines(source)
    for number, line in enumerate(text_of(source).split("\n"), 1):
        if line.startswith("S "):
            sentences.add("", line[2:].split(), [number])
    if not sentences.keys:
        raise Refused([])
    return sentences.outline()


def _lines(source: Source) -> Outline:
    """The lines of corrected texts, or the sentences of M2."""
    texts = text_of(source).removesuffix("\n").split("\n")
    if m2.is_m2(source):
        texts = [line[2:] for line in texts if line.startswith("S ")]
    numbers = [*map(str, range(1, len(texts) + 1))]
    return Outline("line", numbers, numbers, range(1, len(texts) + 1), fields=texts)


def _check_lengths(system: Corrections) -> None:
    """Raise Refused for texts that would take very long to be aligned."""
    findings = Findings(system.name)
    for sentence, text in zip(system.sentences, system.texts, strict=True):
        if len(sentence.tokens) * len(text) > MOST_CELLS or len(text) > MOST_WORDS:
            message = MESSAGES("long", count=len(text), expected=len(sentence.tokens))
            findings.add("size", message, line=sentence.line)
    findings.raise_if_any(Refused)


def stand_in(
    _published: Corrections, system: Corrections, _options: Options
) -> Corrections:
    """The edits of the answer, those that are found in its texts where it has some."""
    if not system.texts:
        return system
    sentences = []
    for sentence, text in zip(system.sentences, system.texts, strict=True):
        changes = found_edits(Lattice(sentence.tokens, text), [])
        edits = [(start, end, UNTYPED, " ".join(w)) for start, end, w, _no in changes]
        sentences.append(replace(sentence, edits={0: edits}))
    return replace(system, sentences=tuple(sentences))


def blind(gold: Source, options: Options) -> Source:
    """The sentences alone."""
    sentences = read_gold(gold, options).sentences
    alone = tuple(
        Annotated(sentence.tokens, {}, sentence.line) for sentence in sentences
    )
    return Source.of_bytes(gold.name, m2.written(alone))


def gold_remarks(gold: Corrections, _options: Options) -> list[str]:
    """Whether there is anything to correct."""
    kinds = {
        edit[2]
        for sentence in gold.sentences
        for edits in sentence.edits.values()
        for edit in edits
    }
    return [] if kinds - {NOOP} else ["no annotator has corrected anything"]


def count_answers(
    _asked: Corrections, system: Corrections, _options: Options
) -> Answered:
    """How the sentences are corrected: that none is, is odd, and texts without a word
    of theirs are those of others."""
    met = size = len(system.sentences)
    if system.texts:
        pairs = [
            (s.tokens, text)
            for s, text in zip(system.sentences, system.texts, strict=True)
        ]
        changed = any(tokens != text for tokens, text in pairs)
        met = sum(not text or _share_a_word(tokens, text) for tokens, text in pairs)
    else:
        changed = any(
            edit[2] != NOOP
            for sentence in system.sentences
            for edits in sentence.edits.values()
            for edit in edits
        )
    texts = [" ".join(text) for text in system.texts or ()]
    alike = Answered.of_texts(texts)
    odd, single = alike.odd, alike.single if texts and not met else None
    first = [text.partition(" ")[0] for text in texts]
    counted = ([*map(str, range(n, len(texts) + n))] for n in (0, 1))
    if texts and first in counted:
        odd = ("numbered", texts[-1])
    copied = 0 if changed else size
    corrections = [
        [e[3] for own in sentence.edits.values() for e in own if e[2] != NOOP]
        for sentence in system.sentences
    ]
    absent = [text for own in corrections for text in filter(is_not_there, own[:1])]
    if not texts:
        several = [*dict.fromkeys(chain.from_iterable(corrections))]
        odd = Answered.of_texts([text for text in several if text]).odd
    return Answered(
        size,
        met,
        single=single,
        copied=copied,
        units="sentences",
        odd=odd,
        not_there=absent,
    )


def notes(system: Corrections, options: Options) -> list[Problem]:
    """A remark on texts that are hardly corrections of their sentences, and on edits
    that count tokens from 1."""
    if moved := _moved_by(system):
        message, hint = MESSAGES(moved), MESSAGES("subtract")
        return [Problem("offsets", message, system.name, hint=hint)]
    if not system.texts and (empty := _empty_edits(system)):
        return empty
    kinds = [
        edit[2]
        for sentence in system.sentences
        for edits in sentence.edits.values()
        for edit in edits
    ]
    texts = [
        edit[3]
        for sentence in system.sentences
        for edits in sentence.edits.values()
        for edit in edits
    ]
    typed = sum(map(bool, map(TYPE.fullmatch, kinds)))
    if not typed and texts and all(map(TYPE.fullmatch, texts)):
        message, hint = MESSAGES("swapped"), MESSAGES("type_first")
        return [Problem("swapped", message, system.name, hint=hint)]
    if options["level"] in LEVELS_OF_TYPES and 2 * kinds.count(UNKNOWN) > len(kinds):
        text = MESSAGES("untyped", count=kinds.count(UNKNOWN), all=len(kinds))
        return [Problem("untyped", text, system.name, hint=MESSAGES("name_types"))]
    pairs = [
        (s.tokens, text)
        for s, text in zip(system.sentences, system.texts or (), strict=False)
    ]
    unlike = sum(
        len(text) > 2 * len(tokens)
        or 2 * len({*text} & {*tokens}) < len({*tokens})
        or (text[: len(tokens)] == tokens and 2 * len(text) > 3 * len(tokens))
        for tokens, text in pairs
    )
    if 10 * unlike >= max(len(pairs), 1):
        message = MESSAGES("unlike", count=unlike, all=len(pairs))
        return [Problem("unlike", message, system.name)]
    every = all(_has_capitals(tokens) for tokens, _text in pairs)
    if (
        pairs
        and every
        and not any(map(_has_capitals, (text for _tokens, text in pairs)))
    ):
        message, hint = MESSAGES("small"), MESSAGES("keep_capitals")
        return [Problem("small", message, system.name, hint=hint)]
    parted = [text for tokens, text in pairs if ENDS & {*tokens}]
    joined = [text for text in parted if not ENDS & {*text}]
    glued = [word for text in joined for word in text if word[-1] in ENDS]
    if 2 * len(joined) <= len(parted) or not glued:
        return []
    message = MESSAGES("glued", count=len(joined), text=brief(glued[0], 40))
    return [Problem("glued", message, system.name, hint=MESSAGES("part_words"))]


def _has_capitals(words: Sequence[str]) -> bool:
    return any(word != word.lower() for word in words)


def _empty_edits(system: Corrections) -> list[Problem]:
    """Remarks on edits that change nothing, all or all words, or each to the same."""
    every = [
        (start, end, text, sentence.tokens)
        for sentence in system.sentences
        for start, end, kind, text in chain.from_iterable(sentence.edits.values())
        if kind != NOOP
    ]
    # Of the kinds that take something away.
    taken = [
        (start, end, text, sentence.tokens)
        for sentence in system.sentences
        for start, end, kind, text in chain.from_iterable(sentence.edits.values())
        if kind[:2] in ("R:", "U:")
    ]
    of_none = [text for start, end, text, _tokens in taken if start == end]
    same = [
        text for a, b, text, tokens in every if a < b and _text_of(tokens, a, b) == text
    ]
    whole = [text for a, b, text, tokens in every if b - a == len(tokens) > LEAST_ALIKE]
    kinds = (
        ("nothing", "end", of_none, taken),
        ("same", "see_corrections", same, every),
        ("whole", "part_edits", whole, every),
    )
    for name, hint, own, among in kinds:
        if len(own) >= LEAST_ALIKE and 2 * len(own) > len(among):
            about = {"count": len(own), "all": len(among), "text": brief(own[0], 40)}
            problem = Problem(name, MESSAGES(name, **about), system.name)
            return [replace(problem, hint=MESSAGES(hint))]
    replaced = {_text_of(tokens, a, b) for a, b, _text, tokens in taken}
    texts = {text for _start, _end, text, _tokens in taken}
    # One word in small letters may be meant, again and again.
    word = all(text.islower() and text.isalpha() for text in texts)
    if not word and len(texts) == 1 and len(replaced) >= LEAST_REPLACED:
        (text,) = texts
        name = "one_text" if text else "none"
        message = MESSAGES(name, count=len(taken), text=brief(text, 40))
        hint = MESSAGES("see_corrections")
        return [Problem("one_text", message, system.name, hint=hint)]
    return []


def _text_of(tokens: Sequence[str], start: int, end: int) -> str:
    return " ".join(tokens[start:end])


def _moved_by(system: Corrections) -> str:
    """The sentence on words that are like those that an edit replaces, and stand before
    or behind them, in most edits; empty where they stand there."""
    here = before = behind = 0
    for sentence in system.sentences if not system.texts else ():
        for start, end, kind, text in chain.from_iterable(sentence.edits.values()):
            if (
                kind[:1] == "R"
                and end == start + 1
                and 0 <= start < len(sentence.tokens)
            ):
                here += _are_alike(sentence.tokens[start], text)
                before += _are_alike(_text_of(sentence.tokens, start - 1, start), text)
                behind += _are_alike(_text_of(sentence.tokens, end, end + 1), text)
    if before >= LEAST_ALIKE and before > 2 * here:
        return "from_1"
    return "before" if behind >= LEAST_ALIKE and behind > 2 * here else ""


def _are_alike(word: str, other: str) -> bool:
    """Whether two words begin with the same letters, more than a half of them."""
    half = (max(len(word), len(other)) + 1) // 2
    return word[:half].casefold() == other[:half].casefold()


def _share_a_word(tokens: Sequence[str], text: Sequence[str]) -> bool:
    """Whether a correction has a word of its sentence, in capitals or not; any has
    where the sentence is of other signs alone."""
    words = {token.casefold() for token in tokens if token.isalpha()}
    return not words or any(token.casefold() in words for token in text)


def make_guess(members: Mapping[str, bytes], _options: Options) -> dict[str, bytes]:
    """A submission that corrects nothing."""
    files = {}
    for name, data in members.items():
        sentences = m2.read(Source.of_bytes(name, data), Refused).sentences
        nothing = {0: [NOTHING]}
        answers = (
            Annotated(sentence.tokens, nothing, sentence.line) for sentence in sentences
        )
        files[name] = m2.written(tuple(answers))
    return files


@each_file
def spoil_edits(text: str, share: float, random: Random) -> str:
    """Some edits are gone, some have the correction of another."""
    lines = text.split("\n")
    edits = [
        i for i, line in enumerate(lines) if line[:2] == "A " and line[:7] != "A -1 -1"
    ]
    gone = set()
    for number, i in enumerate(some(edits, share, random)):
        fields = lines[i].split(m2.MARK)
        other = lines[random.choice(edits)].split(m2.MARK)[2]
        if number % 2 or other == fields[2]:
            gone.add(i)
        else:
            lines[i] = m2.MARK.join([*fields[:2], other, *fields[3:]])
    return "\n".join(line for i, line in enumerate(lines) if i not in gone)


def _cells(comparison: Compared, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Verdict, tokens, type and correction of every edit, by where they are."""
    for verdict, key, kind in sorted(
        comparison.verdicts,
        key=lambda verdict: (verdict[1][:2], verdict[0], verdict[2]),
    ):
        start, end = _span(key)
        of = " ".join(tokens[start:end])
        text = str(key[-1]) if len(key) > 2 else ""
        yield VERDICTS[verdict], f"{start}-{end} {of}".strip(), kind, text


def _span(key: Key) -> tuple[int, int]:
    start, end = key[0], key[1]
    assert isinstance(start, int) and isinstance(end, int)
    return start, end


@details_of(*COLUMNS)
def details(gold: Corrections, system: Corrections, options: Options) -> DetailRows:
    """One row per edit of the annotators that count."""
    comparisons = compare_edits(gold, system, options)
    for name, sentence, comparison in zip(
        gold.names, gold.sentences, comparisons, strict=True
    ):
        for cells in _cells(comparison, sentence.tokens):
            yield name, *cells


def inspect(gold: Corrections, system: Corrections, options: Options) -> Inspection:
    """Items are edits; a sentence is as long as its tokens are many."""
    comparisons = compare_edits(gold, system, options)
    rows = [
        [*_cells(comparison, sentence.tokens)]
        for comparison, sentence in zip(comparisons, gold.sentences, strict=True)
    ]
    unit_of = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    verdicts = np.array([cells[0] for own in rows for cells in own], dtype=np.str_)
    wrong = {kind: verdicts == kind for kind in ("missing", "spurious")}
    sizes = np.array(
        [len(sentence.tokens) for sentence in gold.sentences], dtype=np.int64
    )

    def picture(unit: int) -> Picture:
        own = rows[unit]
        sheet = ItemTable.by_verdict(SHOWN, own)
        sentence = " ".join(gold.sentences[unit].tokens)
        sides = [
            (
                sentence,
                *(
                    _text_of_cells(cells)
                    for cells in own
                    if cells[0] in ("match", kind)
                ),
            )
            for kind in ("missing", "spurious")
        ]
        return Picture(sheet, lines=(sides[0], sides[1]))

    return Inspection(sizes, unit_of, wrong, picture)


def _text_of_cells(cells: tuple[str, ...]) -> str:
    _verdict, tokens, kind, text = cells
    return f"{tokens} → {text or '∅'} ({kind})"


EXAMPLE = """\
S The boats sails at noon .
A 2 3|||R:VERB:SVA|||sail|||REQUIRED|||-NONE-|||0

S Ada buy lamp in harbour .
A 1 2|||R:VERB:SVA|||buys|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||0

S It is late .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""

SCORER = Scorer(
    name="edits",
    title=_("Edits"),
    summary=_(
        "Corrections of errors in texts: F0.5, precision and recall of edits, over all "
        "and by type of error, against one annotator or several, as ERRANT compares or "
        "by MaxMatch."
    ),
    formats=("M2", _("corrected lines")),
    example=EXAMPLE,
    units=("sentence",),
    headline="f05",
    options=OPTIONS,
    fixed_measures=tuple(measures_of()),
    tag_measures=measures_of_types,
    read_gold=read_gold,
    read_blind=read_gold,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    ideal=ideal,
    tables=tables,
    gold_remarks=gold_remarks,
    answered=count_answers,
    notes=notes,
    guess=make_guess,
    spoil=spoil_edits,
    inspect=inspect,
    stand_in=stand_in,
    outline=outline,
    version=3,  # blanks around a correction are none of it
)
