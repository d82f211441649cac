"""Sequence labels: a tag for every token, as in tagging parts of speech.

Spans that such tags may stand for are what `spans` scores.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np

from scoring.answered import Answered
from scoring.counts import Counts, Flags, Integers
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats.codes import Coded
from scoring.formats.fields import Fields, join_fields
from scoring.formats.numerals import is_number
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.measures import share_measure
from scoring.messages import Messages, _
from scoring.oddities import MOST_NEXT, fit_the_next
from scoring.options import Option, Options
from scoring.picks import another, each_file, some
from scoring.scorer import DetailRows, Scorer, answer_itself, details_of
from scoring.scorers.classes.counts import class_columns, scored_classes
from scoring.scorers.classes.figures import AVERAGES, of_tags, tables
from scoring.scorers.classes.items import (
    check_ignored,
    note_many_labels,
    note_odd_labels,
    two_spellings,
)
from scoring.scorers.spans import outline
from scoring.scorers.spans.annotations import check_costs
from scoring.scorers.spans.column_lines import (
    COLUMN,
    TokenLines,
    column_of,
    token_lines,
    with_tag,
)
from scoring.scorers.spans.columns import COSTS
from scoring.source import Source, brief

MESSAGES = Messages(
    sentence=_("expected a new sentence before %(token)s."),
    no_sentence=_("expected no new sentence before %(token)s."),
    document=_("expected a new document before %(token)s."),
    no_document=_("expected no new document before %(token)s."),
    copy=_(
        "Copy the tokens and blank lines of the input file and fill in the tags only."
    ),
    no_token=_("there is no token in the file."),
    end=_("the end of the file"),
    numbers=_(
        "the last of %(count)s columns is read as the tags, and has numbers, such "
        "as '%(found)s'."
    ),
    last=_("Write token, tab and tag in each line."),
    token=_("expected %(expected)s as in the input file, found %(token)s."),
)

NO_TAG = "_"
SHIFTED = (
    "the tags fit the tokens next to theirs better than their own: have they moved by "
    "one?"
)
LEAST_REPEATED = 4  # times that each word stands there, if it is a tag
COPY = MESSAGES("copy")


@dataclass(frozen=True)
class TaggedTokens:
    """Tokens (n,) of one file, with a tag each.

    `codes` (n,) are places in `names`, the distinct tags.
    """

    name: str
    lines: TokenLines
    names: list[str]
    codes: Integers

    def __len__(self) -> int:
        return len(self.lines.begins)

    @cached_property
    def fields(self) -> Fields:
        return Fields(self.lines.buffer, self.lines.begins, self.lines.token_ends)

    @cached_property
    def words(self) -> list[str]:
        return self.fields.texts()

    @cached_property
    def sentence_of(self) -> Integers:
        """The sentence of each token (n,)."""
        return np.cumsum(self.lines.fresh) - 1

    @property
    def sentences(self) -> int:
        return int(np.count_nonzero(self.lines.fresh))


def require_options(options: Options) -> None:
    """Raises UsageError for a column that is no number."""
    column_of(options)


def read_gold(source: Source, options: Options) -> TaggedTokens:
    """Gold's tokens and tags. Raises SetupError with the lines that are wrong."""
    check_ignored(options)
    try:
        return _read(source, options, SetupError)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def read_blind(source: Source, options: Options) -> TaggedTokens:
    """The published tokens; tags are not looked at. Raises SetupError."""
    try:
        lines = _token_lines(source, options)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    return TaggedTokens(source.name, lines, [], np.zeros(len(lines.begins), np.int64))


def read_system(source: Source, options: Options, gold: TaggedTokens) -> TaggedTokens:
    """A system's tags of the same tokens. Raises Refused where the tokens or sentences
    differ, and for tags that are not the task's."""
    tokens = _read(source, options, Refused)
    _check_same(tokens, gold)
    return tokens


def _token_lines(source: Source, options: Options) -> TokenLines:
    data = source.single()
    check_costs({source.name: data}, COSTS, source.name)
    findings = Findings(source.name)
    lines = token_lines(source.name, data, findings, column_of(options))
    if not len(lines.begins):
        findings.add("empty", MESSAGES("no_token"))
    findings.raise_if_any(Refused)
    return lines


def _read(source: Source, options: Options, kind: type[ScoringError]) -> TaggedTokens:
    lines = _token_lines(source, options)
    written = Fields(lines.buffer, lines.tag_begins, lines.ends).coded()
    names = sorted(written.values)
    place = {name: i for i, name in enumerate(names)}
    codes = np.array([place[tag] for tag in written.values], dtype=np.int64)
    tokens = TaggedTokens(source.name, lines, names, codes[written.codes])
    findings = Findings(source.name)

    def place_of(token: int) -> tuple[int, str]:
        return int(lines.numbers[token]), ""

    note_odd_labels(names, tokens.codes, options["labels"], place_of, findings)
    note_many_labels(names, tokens.sentences, findings)
    findings.raise_if_any(kind)
    return tokens


def count_answers(
    _asked: TaggedTokens, system: TaggedTokens, _options: Options
) -> Answered:
    """How the tokens are tagged."""
    size, single = len(system), system.names[0] if len(system.names) == 1 else None
    return Answered(size, size, single=single, units="tokens")


def notes(system: TaggedTokens, options: Options) -> list[Problem]:
    """Remarks on labels in two spellings, and on numbers behind the tags."""
    odd = two_spellings(system.names, system.name, options)
    width, numbers = system.lines.width, all(map(is_number, system.names))
    if column_of(options) or width < 3 or not numbers or len(system.names) < 2:
        return odd
    message = MESSAGES("numbers", count=width, found=brief(system.names[0]))
    line = int(system.lines.numbers[0])
    return [*odd, Problem("column", message, system.name, line, hint=MESSAGES("last"))]


def gold_remarks(gold: TaggedTokens, _options: Options) -> list[str]:
    """A remark on columns that are turned round: more tags than words."""
    words = len({*gold.words})
    if len(gold.names) <= words or len(gold) < LEAST_REPEATED * words:
        return []
    return [
        f"the last column has {len(gold.names)} different tags, and the first {words} "
        "different tokens: are the columns turned round?"
    ]


def remarks(gold: TaggedTokens, system: TaggedTokens, _options: Options) -> list[str]:
    """A remark on tags that are right for the tokens next to theirs."""
    sides = (
        Coded(side.codes[:MOST_NEXT], side.names).texts() for side in (system, gold)
    )
    return [SHIFTED] * fit_the_next(*sides)


def _check_same(system: TaggedTokens, gold: TaggedTokens) -> None:
    """Raise Refused at the first token that is another one, or in another sentence."""
    one, other = system.lines, gold.lines
    same = len(system) == len(gold) and np.array_equal(one.fresh, other.fresh)
    same = same and np.array_equal(one.document, other.document)
    if same and join_fields(system.fields) == join_fields(gold.fields):
        return
    size = min(len(system), len(gold))
    differ: Flags = np.array(system.words[:size]) != np.array(gold.words[:size])
    differ |= one.fresh[:size] != other.fresh[:size]
    differ |= one.document[:size] != other.document[:size]
    row = int(differ.argmax()) if differ.any() else size
    raise Refused(_difference(system, gold, row))


def _difference(system: TaggedTokens, gold: TaggedTokens, row: int) -> Problem:
    lines = system.lines.numbers
    line = int(lines[min(row, len(system) - 1)])
    expected, given = (
        f"'{brief(side.words[row])}'" if row < len(side) else MESSAGES("end")
        for side in (gold, system)
    )
    message = MESSAGES("token", expected=expected, token=given)
    if expected == given:
        begins = bool(gold.lines.fresh[row])
        message = MESSAGES("sentence" if begins else "no_sentence", token=given)
        if begins == bool(system.lines.fresh[row]):
            begins = gold.lines.document[row] > system.lines.document[row]
            message = MESSAGES("document" if begins else "no_document", token=given)
    return Problem("tokens", message, system.name, line, hint=COPY)


def count(gold: TaggedTokens, system: TaggedTokens, options: Options) -> Counts:
    """One row per sentence, grouped by document where the gold marks them."""
    names = sorted({*gold.names, *system.names})
    first, second = (_codes_in(side, names) for side in (gold, system))
    unit, units, width = gold.sentence_of, gold.sentences, len(names)
    right = first == second

    def by_class(codes: Integers, chosen: Flags | slice) -> Integers:
        cells = unit[chosen] * width + codes[chosen]
        return np.bincount(cells, minlength=units * width).reshape(units, width)

    every = slice(None)
    sides = by_class(first, right), by_class(second, every), by_class(first, every)
    scored = scored_classes(names, options)
    sizes = sides[2].sum(axis=1)
    rights = sides[0].sum(axis=1)
    sums = {
        "tokens": sizes,
        "right": rights,
        "sentences": np.ones(units),
        "sentences_right": rights == sizes,
        "correct": sides[0][:, scored].sum(axis=1),
        "system": sides[1][:, scored].sum(axis=1),
        "gold": sides[2][:, scored].sum(axis=1),
    }
    block = np.stack(sides, axis=2).reshape(units, -1)
    table = np.concatenate([np.stack([*sums.values()], axis=1), block], axis=1)
    sentences = tuple(f"{number:06d}" for number in range(1, units + 1))
    of_classes = class_columns(names, options)
    groups = _documents(gold)
    return Counts(sentences, (*sums, *of_classes), table.astype(np.float64), groups)


def _codes_in(side: TaggedTokens, names: list[str]) -> Integers:
    place = {name: i for i, name in enumerate(names)}
    return np.array([place[name] for name in side.names], dtype=np.int64)[side.codes]


def _documents(gold: TaggedTokens) -> dict[str, tuple[str, ...]]:
    if gold.lines.documents < 2:
        return {}
    numbers = gold.lines.document[gold.lines.fresh] + 1
    return {"document": tuple(f"{number:04d}" for number in numbers.tolist())}


@details_of("sentence", "token", "gold", "system", "right")
def details(gold: TaggedTokens, system: TaggedTokens, _options: Options) -> DetailRows:
    """One row per token, with the number of its sentence."""
    sentences = (gold.sentence_of + 1).tolist()
    tags = _tags(gold).texts(), _tags(system).texts()
    for row in zip(sentences, gold.words, *tags, strict=True):
        yield *row, int(row[2] == row[3])


def _tags(side: TaggedTokens) -> Coded:
    return Coded(side.codes, side.names)


def inspect(gold: TaggedTokens, system: TaggedTokens, _options: Options) -> Inspection:
    """One item per token, in its sentence."""
    names = sorted({*gold.names, *system.names})
    first, second = (_codes_in(side, names) for side in (gold, system))
    wrong = {"wrong": first != second}
    begins = np.flatnonzero(gold.lines.fresh)
    ends = np.append(begins[1:], len(gold))

    def picture(unit: int) -> Picture:
        rows = range(int(begins[unit]), int(ends[unit]))
        cells = tuple(
            (gold.words[i], names[int(first[i])], names[int(second[i])]) for i in rows
        )
        marks = tuple(kinds_at(wrong, i) for i in rows)
        return Picture(ItemTable(("form", "gold_tag", "system_tag"), cells, marks))

    return Inspection(
        ends - begins,
        gold.sentence_of,
        wrong,
        picture,
        lambda: {"tag": (_tags(gold), _tags(system))},
    )


def blind(gold: Source, options: Options) -> Source:
    """The tokens of the gold. Raises SetupError where it cannot be read."""
    read_blind(gold, options)
    column = column_of(options)
    text = with_tag(gold.name, gold.single(), NO_TAG, column)
    return Source.of_bytes(gold.name, text)


def ideal(gold: Source, options: Options) -> Source:
    """Tokens and tags alone, where these are in a column that the options name."""
    column = column_of(options)
    if not column:
        return gold
    text = with_tag(gold.name, gold.single(), None, column)
    return Source.of_bytes(gold.name, text)


def guess(files: Mapping[str, bytes], options: Options) -> dict[str, bytes]:
    """The task's first tag for every token."""
    tag = next(iter(options["labels"]), "X")
    return {name: with_tag(name, data, tag) for name, data in files.items()}


@each_file
def spoil(text: str, share: float, random: Random) -> str:
    """A copy in which a share of the tokens have another tag of the file."""
    lines = text.split("\n")
    rows = token_lines("", text.encode(), Findings(""))
    written = Fields(rows.buffer, rows.tag_begins, rows.ends).texts()
    tags = dict(zip((rows.numbers - 1).tolist(), written, strict=True))
    tag_set = sorted(set(written))
    for i in some(list(tags), share, random):
        other = another(tag_set, tags[i], random)
        if other is not None:
            whole = lines[i].rstrip(" \t\r")
            lines[i] = whole[: len(whole) - len(tags[i])] + other
    return "\n".join(lines)


OPTIONS = (
    Option("labels", "all tags of the task: files with others are refused", "list"),
    Option(
        "ignore",
        "tags left out of macro, micro and weighted averages, such as O",
        "list",
    ),
    COLUMN,
)
MEASURES = (
    share_measure(
        "accuracy",
        "Accuracy",
        ("right", "tokens"),
        _("tokens with the right tag / tokens"),
    ),
    share_measure(
        "sentence_accuracy",
        "Sentence accuracy",
        ("sentences_right", "sentences"),
        _("sentences with every tag right / sentences"),
    ),
    *AVERAGES,
)
EXAMPLE = """\
The\tDET
otters\tNOUN
sleep\tVERB
.\tPUNCT
"""

SCORER = Scorer(
    name="labels",
    version=3,  # comments and columns
    title=_("Sequence labels"),
    summary=_(
        "A tag for every token, as in tagging parts of speech: accuracy of tokens and "
        "sentences, precision, recall and F1 by tag and averaged."
    ),
    formats=("CoNLL columns",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="accuracy",
    options=OPTIONS,
    fixed_measures=MEASURES,
    tag_measures=of_tags,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=outline.tags,
    notes=notes,
    gold_remarks=gold_remarks,
    remarks=remarks,
    answered=count_answers,
    labels=lambda read, _options: {"": read.names},
    require_options=require_options,
    count=count,
    details=details,
    blind=blind,
    ideal=ideal,
    tables=tables,
    guess=guess,
    spoil=spoil,
    inspect=inspect,
    stand_in=answer_itself,
)
