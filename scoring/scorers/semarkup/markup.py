"""SEMarkup files, CoNLL-U ending in semslot and semclass: reading and pairing."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring.counts import Flags, Integers
from scoring.errors import MOST_PROBLEMS, Findings, Refused, ScoringError, SetupError
from scoring.formats import field_prefixes
from scoring.formats.codes import Coded, of_texts
from scoring.formats.field_prefixes import TAB, equal
from scoring.formats.fields import ZERO, Fields
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorers.semarkup import rules
from scoring.scorers.semarkup.rules import NO_RULES, Categories, Rules, categories
from scoring.scorers.semarkup.taxonomy import ANONYMOUS
from scoring.scorers.treebanks import conllu
from scoring.scorers.treebanks.conllu import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    LEMMA,
    MISC,
    UPOS,
    ConlluTable,
)
from scoring.scorers.treebanks.lines import Prefetch
from scoring.source import Source, brief, look_alike

MESSAGES = Messages(
    unknown_class=_("class '%(name)s' is not in the taxonomy."),
    misplaced=_("sentence '%(sentence)s' where '%(expected)s' was expected."),
    missing_at_end=_("sentence '%(sentence)s' is missing at the end."),
    missing_before=_("sentence '%(sentence)s' is missing before '%(following)s'."),
    unexpected=_("sentence '%(sentence)s' is not expected."),
    option_taxonomy=_("Give one with the option taxonomy."),
    no_weight=_("category '%(category)s' has no weight."),
    sent_id=_("sent_id is '%(id)s'; expected '# sent_id = ...'."),
    head=_("HEAD is '%(head)s'; expected a whole number or '_'."),
    tokens=_("the sentence has %(count)s tokens; expected %(expected)s."),
    form=_("form '%(form)s'; expected '%(expected)s'."),
)

SEMSLOT, SEMCLASS = DEPS, MISC
WHOLE = re.compile(r"0|-?[1-9][0-9]*|_")
BLANK = 32
TEXTS = (FORM, LEMMA, UPOS, FEATS, DEPREL, SEMSLOT, SEMCLASS)
PREFETCH = Prefetch(numbers=(HEAD,), texts=TEXTS, stops=False)
NOTHING = Coded(np.zeros(0, dtype=np.int64), [])


@dataclass(frozen=True)
class Markup:
    """The token lines of a file, `n` of them; ranges and empty nodes are tokens too.

    `ids` are the sent_ids, in the order of the file.
    """

    table: ConlluTable
    ids: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each sentence that no other has."""
        unique = len(set(self.ids)) == len(self.ids)
        return self.ids if unique else self.table.sentence_names

    def field(self, column: int, rows: Integers | slice | None = None) -> Fields:
        """A column of all token lines, or of some. Blanks at the end of a line are no
        part of the semantic class."""
        fields = self.table.field(column, rows)
        return _trim(fields) if column == SEMCLASS else fields

    def coded(self, column: int, rows: Integers | slice | None = None) -> Coded:
        """Distinct texts of a column, and which of them each token has, or some."""
        coded = self.table.coded(column, rows)
        return _strip(coded) if column == SEMCLASS else coded

    @property
    def sizes(self) -> Integers:
        """Tokens per sentence (sentences,)."""
        return self.table.sizes

    @property
    def first(self) -> Integers:
        """Row of each sentence's first token (sentences,)."""
        return self.table.first

    def line_of(self, sentence: int) -> int:
        """Line on which a sentence begins: its first comment, else its first token."""
        line = int(self.table.lines[self.first[sentence]])
        comments = np.flatnonzero(self.table.comment_sentence == sentence)[:1]
        if not len(comments):
            return line
        begin = int(self.table.comment_fields.begins[comments[0]])
        newlines = np.count_nonzero(self.table.buffer[:begin] == conllu.NEWLINE)
        return min(line, int(newlines) + 1)


def _trim(fields: Fields) -> Fields:
    last = fields.buffer[np.maximum(fields.ends - 1, fields.begins)]
    blank = np.flatnonzero(last == BLANK).tolist()
    if not blank:
        return fields
    ends = fields.ends.copy()
    for row in blank:
        text = fields.buffer[fields.begins[row] : ends[row]].tobytes()
        ends[row] = fields.begins[row] + len(text.rstrip(b" "))
    return Fields(fields.buffer, fields.begins, ends)


def _strip(coded: Coded) -> Coded:
    values = [value.rstrip(" ") for value in coded.values]
    if values == coded.values:
        return coded
    places = of_texts(values)
    return Coded(places.codes[coded.codes], places.values)


def same(system: Markup, gold: Markup, column: int, rows: slice) -> Flags:
    """Flags of `rows` in which both sides hold the same bytes in a column."""
    left, right = (side.table.prefetched for side in (system, gold))
    if column in left.digits:
        alike, rest = field_prefixes.same_digits(
            left.digits[column], right.digits[column], rows
        )
    else:
        alike, rest = field_prefixes.same(
            left.prefixes[column][rows], right.prefixes[column][rows]
        )
    if len(rest):
        more = rest + rows.start
        alike[rest] = equal(*(x.table.field(column, more) for x in (system, gold)))
    return alike


@dataclass(frozen=True)
class MarkupGold:
    """Gold markup with the rules of the task; a published file has no rules.

    `feats` and `classes` are the codes of these columns, `categories` those of every
    FEATS there is.
    """

    markup: Markup
    rules: Rules
    feats: Coded = NOTHING
    classes: Coded = NOTHING
    categories: Mapping[str, Categories] = field(default_factory=dict)


def read_gold(source: Source, options: Options) -> MarkupGold:
    """Read gold and everything the task gives with it. Raises SetupError, also for a
    class that the taxonomy does not name and a category without a weight."""
    given = rules.read(options)
    markup = read(source, SetupError)
    findings = Findings(source.name)
    table = markup.table
    classes, feats = markup.coded(SEMCLASS), markup.coded(FEATS)
    for row, name in _unknown_classes(classes, given):
        message = MESSAGES("unknown_class", name=brief(name))
        hint = "" if options["taxonomy"] else MESSAGES("option_taxonomy")
        line = int(table.lines[row])
        findings.add("gold_class", message, line=line, hint=hint)
    parsed = dict(zip(feats.values, categories(feats.values), strict=True))
    for row, name in _categories_without_weight(feats, parsed, given):
        message = MESSAGES("no_weight", category=brief(name))
        findings.add("gold_category", message, line=int(table.lines[row]))
    findings.raise_if_any(SetupError)
    return MarkupGold(markup, given, feats, classes, parsed)


def _unknown_classes(coded: Coded, given: Rules) -> list[tuple[int, str]]:
    """Each class that is not in the taxonomy, with the first row that has it."""
    known = given.taxonomy.names.keys() | {ANONYMOUS}
    if known >= set(coded.values):
        return []
    firsts = zip(_first_rows(coded), coded.values, strict=True)
    return sorted((row, name) for row, name in firsts if name not in known)


def _categories_without_weight(
    coded: Coded, parsed: Mapping[str, Categories], given: Rules
) -> list[tuple[int, str]]:
    """Each category without a weight, with the first row that has it."""
    if all(own.keys() <= given.feats.keys() for own in parsed.values()):
        return []
    rows: dict[str, int] = {}
    for row, text in zip(_first_rows(coded), coded.values, strict=True):
        for name in parsed[text].keys() - given.feats.keys():
            rows[name] = min(row, rows.get(name, row))
    return sorted((row, name) for name, row in rows.items())


def _first_rows(coded: Coded) -> list[int]:
    """The first row of each distinct value."""
    firsts = np.zeros(len(coded.values), dtype=np.int64)
    last = np.arange(len(coded.codes))[::-1]
    firsts[coded.codes[last]] = last
    rows: list[int] = firsts.tolist()
    return rows


def read_blind(source: Source, _options: Options) -> MarkupGold:
    return MarkupGold(read(source, SetupError), NO_RULES)


def read(source: Source, kind: type[ScoringError]) -> Markup:
    """Read token lines of ten columns or more. Raises `kind` for a sentence without
    sent_id and for a HEAD that is neither a whole number nor "_"."""
    data = source.single(kind)
    table = conllu.read(source.name, data, kind, extra_columns=True, prefetch=PREFETCH)
    markup = Markup(table, table.labels("sent_id"))
    findings = Findings(source.name)
    for sentence in findings.capped(_nameless(markup.ids)):
        name = brief(markup.ids[sentence])
        message = MESSAGES("sent_id", id=name)
        findings.add("sent_id", message, line=markup.line_of(sentence))
    _check_heads(markup, findings)
    findings.raise_if_any(kind)
    return markup


def _nameless(ids: tuple[str, ...]) -> Integers:
    # Nearly always there is none, which is told without a look at each.
    places = [] if all(ids) else [place for place, name in enumerate(ids) if not name]
    return np.array(places, dtype=np.int64)


def _check_heads(markup: Markup, findings: Findings) -> None:
    first, second, third = markup.table.prefetched.digits[HEAD]
    # Nearly all heads are numbers from 0 to 99; of these, "00" to "09" are none.
    two = (first != ZERO) & (second - ZERO <= 9) & (third == TAB)
    odd = np.flatnonzero((first - ZERO > 9) | ((second != TAB) & ~two))
    heads = markup.table.field(HEAD, odd).coded()
    wrong = odd[heads.flags(lambda text: not WHOLE.fullmatch(text))]
    for row in findings.capped(wrong):
        text = markup.table.texts(HEAD, np.array([row]))[0]
        message = MESSAGES("head", head=brief(text))
        unit = brief(markup.ids[markup.table.sentence_of[row]])
        findings.add("head", message, line=int(markup.table.lines[row]), unit=unit)


def read_system(source: Source, _options: Options, gold: MarkupGold) -> Markup:
    """Read a system's file. Raises Refused when it has not the sentences and tokens of
    the gold."""
    system = read(source, Refused)
    pair(system, gold.markup)
    return system


def pair(system: Markup, gold: Markup) -> None:
    """Check that both have the same tokens in the same sentences.

    Raises Refused with every sentence that is missing, extra or of another length,
    else every form that differs; forms and sent_ids are in the published file too.
    """
    findings = Findings(system.table.name)
    if system.ids != gold.ids:
        _report_sentences(system, gold, findings)
        findings.raise_if_any(Refused)
    for sentence in findings.capped(np.flatnonzero(system.sizes != gold.sizes)):
        size, wanted = int(system.sizes[sentence]), int(gold.sizes[sentence])
        message = MESSAGES("tokens", count=size, expected=wanted)
        line, unit = system.line_of(sentence), brief(gold.ids[sentence])
        findings.add("tokens", message, line=line, unit=unit)
    findings.raise_if_any(Refused)
    _compare_forms(system, gold, findings)
    findings.raise_if_any(Refused)


def _report_sentences(system: Markup, gold: Markup, findings: Findings) -> None:
    """Missing and extra sentences in the order of the file, else what is misplaced."""
    places = sorted([*_missing(system, gold), *_extra(system, gold)])
    if not places:
        pairs = enumerate(zip(system.ids, gold.ids, strict=True))
        place, (name, wanted) = next((i, pair) for i, pair in pairs if len({*pair}) > 1)
        message = MESSAGES("misplaced", sentence=brief(name), expected=brief(wanted))
        places = [(place, name, message)]
    findings.left_out += len(places[MOST_PROBLEMS:])
    for place, name, message in places[:MOST_PROBLEMS]:
        inside = place < len(system.ids)
        line = system.line_of(place) if inside else int(system.table.lines[-1])
        findings.add("sentences", message, line=line, unit=brief(name))


def _missing(system: Markup, gold: Markup) -> list[tuple[int, str, str]]:
    """Missing ids, each with the sentence of the file it should stand before."""
    missing = Counter(gold.ids) - Counter(system.ids)
    where = {name: place for place, name in enumerate(system.ids)}
    place, places = len(system.ids), []
    for name in reversed(gold.ids):
        if missing[name] > 0:
            missing[name] -= 1
            places.append((place, name, _before(system, place, name)))
        else:
            place = where[name]
    return places


def _before(system: Markup, place: int, name: str) -> str:
    if place == len(system.ids):
        return MESSAGES("missing_at_end", sentence=brief(name))
    following = brief(system.ids[place])
    return MESSAGES("missing_before", sentence=brief(name), following=following)


def _extra(system: Markup, gold: Markup) -> list[tuple[int, str, str]]:
    """Ids that the gold has not, or not so often; the last ones are too many."""
    extra = Counter(system.ids) - Counter(gold.ids)
    places = []
    for place in range(len(system.ids) - 1, -1, -1):
        name = system.ids[place]
        if extra[name] > 0:
            extra[name] -= 1
            message = MESSAGES("unexpected", sentence=brief(name))
            places.append((place, name, message))
    return places


def _compare_forms(system: Markup, gold: Markup, findings: Findings) -> None:
    alike = same(system, gold, FORM, slice(0, len(system.table)))
    for row in findings.capped(np.flatnonzero(~alike)):
        pair = [_form(side, row) for side in (system, gold)]
        message = MESSAGES("form", form=brief(pair[0]), expected=brief(pair[1]))
        line, unit = (
            int(system.table.lines[row]),
            gold.ids[system.table.sentence_of[row]],
        )
        findings.add(
            "form", message, line=line, unit=brief(unit), hint=look_alike(*pair)
        )


def _form(side: Markup, row: int) -> str:
    return side.field(FORM, np.array([row])).texts()[0]
