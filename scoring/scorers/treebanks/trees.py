"""Dependency trees on the words of a CoNLL-U file, paired by position."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from scoring.answered import Answered
from scoring.counts import Flags, Integers
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats import field_prefixes
from scoring.formats.codes import Coded
from scoring.formats.field_prefixes import Prefixes, equal
from scoring.formats.fields import NOT_A_NUMBER, Fields, Words, in_a_row
from scoring.messages import Messages, _
from scoring.oddities import names_of_trees
from scoring.options import Options
from scoring.scorers.treebanks import conllu
from scoring.scorers.treebanks.conllu import (
    DEPREL,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    ROWS,
    UPOS,
    Comments,
    ConlluTable,
)
from scoring.scorers.treebanks.lines import Prefetch
from scoring.scorers.treebanks.relations import coarse
from scoring.source import Source, brief, look_alike
from scoring.spellings import Kinds

# Words whose heads are followed at a time
WORDS = 1 << 20
MESSAGES = Messages(
    word_id=_("word ID '%(id)s' where %(expected)s was expected."),
    blank=_("Is there a blank line within the sentence? Take it out."),
    no_blank=_("Is the blank line between two sentences missing above?"),
    no_words=_("the sentence has no words."),
    head=_("HEAD is '%(head)s'; expected a number from 0 to %(most)s."),
    roots=_("the sentence has %(count)s roots; this task expects one."),
    circle=_("the heads go round in a circle."),
    in_circle=_("the heads of the sentence go round in a circle: it is no tree."),
    one_value=_("%(column)s is '%(text)s' for every word."),
    other_upos=_(
        "%(count)s of the first %(all)s words have another UPOS than those of "
        "Universal Dependencies, such as '%(text)s'."
    ),
    subtypes=_(
        "%(count)s relations have no colon before their subtype, such as '%(text)s'."
    ),
    own_head=_("HEAD is the word's own ID: it counts as a wrong head."),
    no_deprel=_("DEPREL is empty: it counts as a wrong label."),
    form=_("word %(word)s is '%(form)s'; expected '%(expected)s'."),
    words=_("the sentence has %(count)s words; expected %(expected)s."),
    sentences=_(
        "%(count)s sentences found, %(expected)s expected; the first %(same)s agree."
    ),
)

NOWHERE = -1
FEW = 30  # words, of which several have another tag
SUBTYPE, FEW_SUBTYPES = re.compile(r"([a-z]+)[^\w:][a-z]+|([a-z]+)_[a-z]+"), 2
# Relations of trees without names of them.
UNNAMED = frozenset(("", "_", "dep"))
FIRST_WORDS = 1000
# The universal parts of speech.
UPOS_TAGS = re.compile(
    "ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X|_"
)
PREFETCH = Prefetch(numbers=(ID, HEAD), texts=(FORM, DEPREL), stops=False)
Pair = tuple[Integers, Integers]
Items = TypeVar("Items", Integers, Words)


@dataclass(frozen=True)
class Trees:
    """The `n` words of a file; multiword ranges and empty nodes are left out.

    `heads` (n,) are positions in the sentence, 0 the root, NOT_A_NUMBER in a blind
    file.
    """

    table: ConlluTable
    heads: Integers

    @property
    def name(self) -> str:
        return self.table.name

    @cached_property
    def sentence_of(self) -> Integers:
        """Sentence of each word (n,), from 0."""
        return _pick(self.table.sentence_of, self.table.some_words)

    @cached_property
    def sizes(self) -> Integers:
        """Words per sentence (sentences,)."""
        if self.table.some_words is None:
            return self.table.sizes
        return np.bincount(self.sentence_of, minlength=self.table.sentences)

    @cached_property
    def first(self) -> Integers:
        """Row of each sentence's first word (sentences,)."""
        return np.concatenate(([0], np.cumsum(self.sizes)[:-1]))

    @cached_property
    def relations(self) -> Coded:
        """DEPREL of each word (n,), subtypes included."""
        return self.table.coded(DEPREL, self.table.some_words)

    @cached_property
    def places(self) -> Integers:
        """Position of each word in its sentence (n,), from 1."""
        if self.table.plain:
            return self.table.places
        return np.arange(len(self.heads)) - self.first[self.sentence_of] + 1

    @cached_property
    def parents(self) -> Integers:
        """Row of each word's head (n,), NOWHERE for a root."""
        rows = self.first[self.sentence_of] + self.heads - 1
        return np.where(self.heads == 0, NOWHERE, rows)

    @cached_property
    def own_heads(self) -> Integers:
        """Rows of the words that are their own heads."""
        return np.flatnonzero(self.heads == self.places)

    @property
    def lines(self) -> Integers:
        """Line of each word (n,), from 1."""
        return self.table.lines[self.table.words]

    def line(self, row: int) -> int:
        """Line of one word, from 1."""
        return int(self.lines[row])

    def first_line(self, sentence: int) -> int:
        """Line on which a sentence begins, its comments included."""
        return self.table.first_line(sentence)

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.sentence_names

    @cached_property
    def said(self) -> Comments:
        """The values that comments give for sentences."""
        return self.table.said

    def field(self, column: int, rows: Integers | None = None) -> Fields:
        """Field `column` of all words, or of the words in `rows`."""
        words = self.table.some_words
        if words is not None and rows is not None:
            return self.table.field(column, words[rows])
        return self.table.field(column, words if rows is None else rows)

    def prefixes(self, column: int) -> Prefixes:
        """Prefixes of a column that was fetched, for all words."""
        return _pick(self.table.prefetched.prefixes[column], self.table.some_words)


def read(
    source: Source,
    kind: type[ScoringError],
    single_root: bool = False,
    prefetch: Prefetch = PREFETCH,
) -> Trees:
    """Read words with heads; `prefetch` are the columns of PREFETCH at least.

    Raises `kind` for IDs that do not count 1, 2, 3, ..., a HEAD that is no number or
    outside its sentence, and, with `single_root`, a sentence without exactly one root.
    """
    trees, findings = _words(source, kind, prefetch)
    wrong = _check_heads(trees, findings)
    if single_root:
        _check_roots(trees, findings, wrong)
    findings.raise_if_any(kind)
    return trees


def read_blind(source: Source) -> Trees:
    """Read words whose heads and relations are hidden. Raises SetupError."""
    return read_words(source, SetupError)


def read_words(
    source: Source, kind: type[ScoringError], prefetch: Prefetch = PREFETCH
) -> Trees:
    """Read words, whatever their heads are. Raises `kind` for wrong IDs."""
    trees, findings = _words(source, kind, prefetch)
    findings.raise_if_any(kind)
    return trees


def _words(
    source: Source, kind: type[ScoringError], prefetch: Prefetch = PREFETCH
) -> tuple[Trees, Findings]:
    table = conllu.read(source.name, source.single(kind), kind, prefetch=prefetch)
    findings = Findings(source.name)
    _check_ids(table, findings)
    # What follows counts on IDs 1, 2, 3, ...
    findings.raise_if_any(kind)
    return Trees(table, table.whole(HEAD, table.some_words)), findings


def _pick(items: Items, rows: Integers | None) -> Items:
    return items if rows is None else items[rows]


def _check_ids(table: ConlluTable, findings: Findings) -> None:
    if table.plain:
        return
    # Ranges and empty nodes are fine as they are; what is neither is a bad number.
    rows = np.flatnonzero(table.ids >= NOT_A_NUMBER)
    sentence_of = table.sentence_of[rows]
    sizes = np.bincount(sentence_of, minlength=table.sentences)
    first = np.cumsum(sizes) - sizes
    expected = np.arange(len(rows)) - first[sentence_of] + 1
    wrong = np.flatnonzero(table.ids[rows] != expected)
    # Of many sentences that do not begin with 1, hardly one was cut in two.
    cut = 2 * int((expected[wrong] == 1).sum()) <= table.sentences
    for row in findings.capped(wrong):
        text = table.texts(ID, rows[row : row + 1])[0]
        message = MESSAGES("word_id", id=brief(text, 40), expected=expected[row])
        hint = MESSAGES("no_blank") if text == "1" else ""
        if row and int(table.lines[rows[row]]) - int(table.lines[rows[row - 1]]) > 1:
            hint = MESSAGES("blank") if cut and expected[row] == 1 else hint
        line = int(table.lines[rows[row]])
        findings.add("word_id", message, line=line, hint=hint)
    for sentence in findings.capped(np.flatnonzero(sizes == 0)):
        message = MESSAGES("no_words")
        findings.add("no_words", message, line=table.first_line(sentence))


def _check_heads(trees: Trees, findings: Findings) -> Integers:
    """Note heads that are none of a word; the rows of these."""
    sizes = np.repeat(trees.sizes, trees.sizes)
    wrong = np.flatnonzero((trees.heads == NOT_A_NUMBER) | (trees.heads > sizes))
    for row in findings.capped(wrong):
        text = trees.field(HEAD, np.array([row])).texts()[0][:40]
        message = MESSAGES("head", head=text, most=sizes[row])
        line, unit = int(trees.lines[row]), trees.names[trees.sentence_of[row]]
        findings.add("head", message, line=line, unit=unit)
    return wrong


def _check_roots(trees: Trees, findings: Findings, wrong: Integers) -> None:
    """Note sentences without exactly one root, but not where a head is `wrong`: that
    may have been meant as one."""
    roots = np.bincount(
        trees.sentence_of[trees.heads == 0], minlength=trees.table.sentences
    )
    odd = roots != 1
    odd[trees.sentence_of[wrong]] = False
    for sentence in findings.capped(np.flatnonzero(odd)):
        message = MESSAGES("roots", count=roots[sentence])
        line, unit = trees.table.first_line(sentence), trees.names[sentence]
        findings.add("roots", message, line=line, unit=unit)


def circling(heads: Integers, sizes: Integers) -> Integers:
    """Rows of the words that no root is above, some sentences at a time."""
    sizes = sizes.astype(np.int64)
    ends = np.cumsum(sizes)
    circles, done = [np.zeros(0, dtype=np.int64)], 0
    while done < len(sizes):
        row = int(ends[done] - sizes[done])
        until = max(int(np.searchsorted(ends, row + WORDS, "right")), done + 1)
        rows = slice(row, int(ends[until - 1]))
        circles.append(row + _circling(heads[rows], sizes[done:until]))
        done = until
    return np.concatenate(circles)


def _in_circles(trees: Trees) -> Integers:
    return circling(trees.heads, trees.sizes)


def _circling(heads: Integers, sizes: Integers) -> Integers:
    """The same of the words of some sentences, by their heads and sizes."""
    size = len(heads)
    above = np.repeat(np.cumsum(sizes) - sizes, sizes) + heads - 1
    above = np.append(np.where(heads == 0, size, above), size)
    # Each round doubles the steps up the tree; whoever is not out by then never is.
    for _step in range(int(sizes.max()).bit_length()):
        above = above[above]
    return np.flatnonzero(above[:-1] != size)


def count_answers(_asked: Trees, trees: Trees, _options: Options) -> Answered:
    """How the words are answered, whether by one head for all, or in capitals."""
    size, heads = len(trees.heads), trees.heads
    same = bool(size) and bool((heads == heads[0]).all())
    single = f"HEAD {heads[0]}" if same else None
    odd = names_of_trees(trees.relations.values)
    return Answered(size, size, single=single, units="words", odd=odd)


def labels(trees: Trees, options: Options) -> Kinds:
    """The distinct relations, without subtypes where these do not count."""
    relations = trees.relations.values
    if options.get("labels") == "coarse":
        relations = [*dict.fromkeys(map(coarse, relations))]
    return {"": relations}


def check_cycles(trees: Trees, findings: Findings) -> None:
    """Note every sentence in which a word is above itself."""
    for sentence in findings.capped(np.unique(trees.sentence_of[_in_circles(trees)])):
        line, unit = trees.table.first_line(sentence), trees.names[sentence]
        findings.add("cycle", MESSAGES("circle"), line=line, unit=unit)


def notes(trees: Trees) -> list[Problem]:
    """Remarks on words that are their own heads, and on empty relations."""
    empty = np.array([text in ("", "_") for text in trees.relations.values], np.bool_)
    own = trees.own_heads
    rows = {
        "own_head": own,
        "in_circle": np.empty(0, np.int64) if len(own) else _in_circles(trees),
        "no_deprel": np.flatnonzero(empty[trees.relations.codes]),
    }
    problems = [
        Problem(
            name,
            MESSAGES(name),
            trees.name,
            trees.line(int(odd[0])),
            unit=trees.names[np.searchsorted(trees.first, odd[0], "right") - 1],
            count=len(odd),
        )
        for name, odd in rows.items()
        if len(odd)
    ]
    return [*problems, *one_relation(trees), *_odd_subtypes(trees)]


def _odd_subtypes(trees: Trees) -> list[Problem]:
    """A remark on relations with subtypes behind another sign than a colon."""
    values = trees.relations.values
    parted = [match for match in map(SUBTYPE.fullmatch, values) if match]
    odd = [match[0] for match in parted if (match[1] or match[2]) in values]
    if len(odd) < FEW_SUBTYPES or any(":" in name for name in values):
        return []
    text = MESSAGES("subtypes", text=brief(odd[0]), count=len(odd))
    return [Problem("subtypes", text, trees.name)]


def one_relation(trees: Trees) -> list[Problem]:
    """A remark on relations that are one and the same, and not left empty."""
    values = [*trees.relations.values]
    if len(trees.heads) < FEW or len(values) != 1 or values[0] in UNNAMED:
        return []
    text = MESSAGES("one_value", column="DEPREL", text=brief(values[0]))
    return [Problem("empty_column", text, trees.name, trees.line(0))]


def left_empty(gold: Trees, trees: Trees) -> list[str]:
    """Remarks on columns that the gold has filled and the system has not."""
    remarks = []
    for name, column in (("LEMMA", LEMMA), ("UPOS", UPOS), ("FEATS", FEATS)):
        own, asked = (
            {*side.field(column, np.arange(min(len(side.heads), FIRST_WORDS))).texts()}
            for side in (trees, gold)
        )
        if own == {"_"} and asked != {"_"}:
            remarks.append(f"{name} is '_' for every word, and not in the answer key")
    return remarks


def odd_columns(trees: Trees) -> list[Problem]:
    """Remarks on columns that have one value in all words, and are not left empty, and
    on parts of speech that are none of the universal ones."""
    problems, size = [], len(trees.heads)
    for name, column in (("LEMMA", LEMMA), ("UPOS", UPOS)):
        # Nearly always the first words tell that it has several.
        few = {*trees.field(column, np.arange(min(size, FEW))).texts()}
        if size < FEW or len(few) > 1 or few == {"_"}:
            continue
        if len({*trees.field(column, np.arange(size)).texts()}) == 1:
            text = MESSAGES("one_value", column=name, text=brief(few.pop()))
            problems.append(Problem("empty_column", text, trees.name, trees.line(0)))
    tags = trees.field(UPOS, np.arange(min(size, FIRST_WORDS))).texts()
    others = [tag for tag in tags if not UPOS_TAGS.fullmatch(tag)]
    if 2 * len(others) > len(tags):
        about = {"count": len(others), "all": len(tags), "text": brief(others[0])}
        problem = Problem("upos", MESSAGES("other_upos", **about), trees.name)
        problems.append(problem)
    return problems


def gold_remarks(heads: Integers, sizes: Integers) -> list[str]:
    """A remark on sentences without a root, of whoever set the task up."""
    ends = np.cumsum(np.concatenate(([0], heads == 0)))[np.cumsum(sizes)]
    without = int((np.diff(ends, prepend=0) == 0).sum())
    return [f"{without} of {len(sizes)} sentences have no root"] * bool(without)


def remarks_on_roots(gold: Pair, system: Pair) -> list[str]:
    """A remark on sentences of several roots, where none of the gold has them. Each
    side is the heads of its words and the sizes of its sentences."""
    several = []
    for heads, sizes in (gold, system):
        ends = np.cumsum(np.concatenate(([0], heads == 0)))[np.cumsum(sizes)]
        several.append(int((np.diff(ends, prepend=0) > 1).sum()))
    kept, own = several
    if kept or not own:
        return []
    return [f"{own} of {len(system[1])} sentences have several roots"]


def pair(trees: Trees, gold: Trees) -> None:
    """Check that both have the same words in the same sentences.

    Raises Refused with the line of the first difference. What was expected is named
    only in forms, which the blind file shows too.
    """
    pair_words(trees, gold)
    pair_sentences(trees, gold)


def pair_words(trees: Trees, gold: Trees) -> None:
    """Check the words of as many sentences as both have. Raises Refused."""
    shared = min(len(trees.sizes), len(gold.sizes))
    unequal = np.flatnonzero(trees.sizes[:shared] != gold.sizes[:shared])
    sentence = int(unequal[0]) if len(unequal) else shared
    _compare(trees, gold, (0, 0), int(trees.sizes[:sentence].sum()))
    if sentence < shared:
        _refuse_size(trees, gold, sentence)


def pair_sentences(trees: Trees, gold: Trees) -> None:
    """Check that both have as many sentences. Raises Refused."""
    size, wanted = len(trees.sizes), len(gold.sizes)
    if size == wanted:
        return
    more = size > wanted
    line = trees.first_line(wanted) if more else trees.line(len(trees.heads) - 1)
    shared = min(size, wanted)
    message = MESSAGES("sentences", count=size, expected=wanted, same=shared)
    raise Refused(Problem("sentences", message, trees.name, line))


def alike(first: Trees, second: Trees, column: int, rows: Pair) -> Flags:
    """Flags of `rows` in which `column` holds the same bytes on both sides."""
    parts = []
    for start in range(0, len(rows[0]), ROWS):
        left, right = (row[start : start + ROWS] for row in rows)
        parts.append(equal(first.field(column, left), second.field(column, right)))
    return in_a_row(parts, np.bool_)


def same_forms(first: Trees, second: Trees) -> Flags:
    """Flags (n,) of words with the same FORM; both sides have as many words."""
    same, rest = field_prefixes.same(first.prefixes(FORM), second.prefixes(FORM))
    if len(rest):
        same[rest] = alike(first, second, FORM, (rest, rest))
    return same


def _compare(trees: Trees, gold: Trees, starts: tuple[int, int], size: int) -> None:
    """Refuse the first form that differs among `size` words of both sides."""
    rows = starts[0] + np.arange(size), starts[1] + np.arange(size)
    everything = size == len(trees.heads) == len(gold.heads)
    same = same_forms(trees, gold) if everything else alike(trees, gold, FORM, rows)
    different = np.flatnonzero(~same)[:1]
    if not len(different):
        return
    has, wanted = (
        side.field(FORM, row[different]).texts()[0]
        for side, row in zip((trees, gold), rows, strict=True)
    )
    row = starts[0] + int(different[0])
    message = MESSAGES(
        "form", word=trees.places[row], form=brief(has), expected=brief(wanted)
    )
    line, unit = int(trees.lines[row]), gold.names[int(trees.sentence_of[row])]
    hint = look_alike(has, wanted)
    raise Refused(Problem("form", message, trees.name, line, unit=unit, hint=hint))


def _refuse_size(trees: Trees, gold: Trees, sentence: int) -> None:
    size, wanted = int(trees.sizes[sentence]), int(gold.sizes[sentence])
    starts = int(trees.first[sentence]), int(gold.first[sentence])
    _compare(trees, gold, starts, min(size, wanted))
    line = int(trees.lines[starts[0] + min(size, wanted) - 1])
    message = MESSAGES("words", count=size, expected=wanted)
    unit = gold.names[sentence]
    raise Refused(Problem("words", message, trees.name, line, unit=unit))
