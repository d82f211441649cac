"""Span annotations: MATScore's tag, token and details tables (seed 002)."""

import re

import numpy as np

from scoring.answered import Answered
from scoring.errors import Problem
from scoring.formats.records import some_names
from scoring.hints import HINTS
from scoring.messages import Messages, _
from scoring.oddities import LEAST_EQUAL, LEAST_FEW, MOST_NEXT
from scoring.options import Option, Options
from scoring.picks import likely
from scoring.scorer import Scorer, published_file
from scoring.scorers.spans import documents
from scoring.scorers.spans.annotations import MESSAGES as WAYS
from scoring.scorers.spans.column_lines import COLUMN
from scoring.scorers.spans.columns import NAMELESS
from scoring.scorers.spans.corpus import SpanAnswer, SpanReference, Spans
from scoring.scorers.spans.counts import EMPTY, count
from scoring.scorers.spans.details import details, inspection
from scoring.scorers.spans.examples import guessed_spans, spoiled_spans
from scoring.scorers.spans.figures import measures_of_all, measures_of_tags, tables
from scoring.scorers.spans.outline import spans
from scoring.source import brief
from scoring.spellings import Kinds

MESSAGES = Messages(
    no_spans=_("There is no span in the file."),
    none_of_task=_("There is no span with a label of this task in the file."),
    see_spans=_("Is it the file that you meant?"),
    repaired=_(
        "Spans that begin with I- or E-, and are read as if with B-: %(count)s."
    ),
    repaired_bioes=_(
        "Spans that do not go from B- to E-, and are no S- alone, and are read as in "
        "IOB2: %(count)s."
    ),
    begin_and_end=_("Write B- first and E- last, and S- for a span of one token."),
    left_out=_(
        "Spans that are not written as the scheme asks, and do not count: %(count)s."
    ),
    begin=_("Begin each span with B-, or with S- where the scheme has it."),
    unscored=_(
        "Spans with the label '%(label)s', which is none of this task's: %(count)s."
    ),
    several_tags=_("'%(label)s' is read as one label: a token has one tag in a file."),
    nameless=_("The tags are B and I alone: spans count as of one label, '_'."),
    name_labels=_("Write B-LABEL and I-LABEL where spans have labels."),
    few_labels=_("only %(count)s of %(all)s spans have a label of this task."),
    tags=_("The labels of this task are: %(tags)s."),
    meant=_("Did you mean '%(label)s'? The labels of this task are: %(tags)s."),
    alike=_(
        "'%(label)s' and '%(other)s' count as two labels: they differ only in capitals."
    ),
)
SHOWN_LABELS = 10
SEVERAL_TAGS = re.compile(r"[|;,] ?[BIESLUM]-")

OPTIONS = (
    Option(
        "format",
        "format of the submissions; a reference whose file names say json, xml or ann "
        "is read as such",
        "choice",
        documents.AUTO,
        (documents.AUTO, *documents.FORMATS),
    ),
    Option(
        "scheme",
        "tags that CoNLL columns may hold",
        "choice",
        "any",
        ("any", "iob1", "iob2", "bioes"),
    ),
    Option(
        "strict",
        "count spans in CoNLL columns only where they are written as the scheme, iob2 "
        "or bioes, asks: I-NAME after O is none",
        "flag",
    ),
    COLUMN,
    Option("tags", "the only tags scored, each with a row", "list"),
    Option("alias", "a name for a label with attributes: NAME=LABEL[a=v]", "lines"),
    Option("equivalence", "labels scored as one: CLASS=LABEL,LABEL", "lines"),
    Option("empty", "what a ratio over nothing is", "choice", "one", tuple(EMPTY)),
    Option(
        "severities",
        "F1 of characters in which another label in the same place, as minor for "
        "major, is half right",
        "flag",
    ),
    Option("plagdet", "granularity and plagdet, of detections in pieces", "flag"),
    Option(
        "weights",
        "list of JSON Lines objects with start, end and prob of stretches of text, as "
        "soft_labels: their correlation over characters",
        "text",
        "",
    ),
    Option("ref_suffix_off", "ending taken off a submission's file names", "text", ""),
    Option("ref_suffix_on", "ending then put on to find the reference", "text", ""),
)


MOST_TOKENS = 150  # of a sentence


SENTENCE_END = re.compile(r"(?<=\S)(?:\n|(?<=\w\w[.!?]) )")
LEAST_WHOLE = 3  # spans, and tokens behind the first one of a unit
LEAST_SPANS = 8  # that are compared with those a token further


def remarks(gold: SpanReference, system: SpanAnswer, _options: Options) -> list[str]:
    """Remarks on tokens that are made here, and on spans that moved by a token."""
    text = "the reference brings no tokens: runs without white space are its tokens"
    moved = (
        "the spans fit the tokens next to theirs better than their own: did they move "
        "by one?"
    )
    split = (
        "spans stand right behind others of the same label much more often than in the "
        "gold: is each word a span of its own?"
    )
    single = "no span of the file has several tokens, and spans of the gold have"
    inside = (
        "spans lie inside others of the same label, and hardly any of the gold do: is "
        "each answer there once?"
    )
    nested, few = (_share_inside(side.spans) for side in (system, gold))
    shares = [_share_behind(side.spans) for side in (system, gold)]
    apart = 3 * shares[0] >= 1 and shares[0] > 2 * shares[1]
    is_next = _are_next(gold, system)
    return (
        [text] * gold.by_white_space
        + [moved] * is_next
        + [split] * apart
        + ([] if is_next else _unlike_the_gold(gold.spans, system.spans))
        + [single] * (_are_single(gold, system.spans) and not is_next)
        + [inside] * (5 * nested >= 1 and nested > 2 * few)
        + _lost_ends(gold, system.spans)
        + _left_texts(gold, system.spans)
    )


def _left_texts(gold: SpanReference, spans: Spans) -> list[str]:
    """Remarks on a file whose spans stand at the beginnings of the texts alone, or in
    some of the texts, where many of the gold are elsewhere."""
    size = len(gold.texts)
    if len(spans) < LEAST_FEW or size < LEAST_FEW:
        return []
    ends = np.array([_first_end(text) for text in gold.texts]) + gold.bases
    sides = spans, gold.spans
    behind, others = (side.start > ends[side.document] for side in sides)
    own, asked = (np.bincount(side.document, minlength=size) for side in sides)
    left = (own == 0) & (asked >= LEAST_WHOLE)
    # Elsewhere the system has about as many as the gold.
    many = left.sum() >= max(LEAST_EQUAL, size / 4)
    many = bool(many and 2 * len(spans) >= int(asked[~left].sum()))
    first = not behind.any() and 2 * others.sum() >= max(1, len(others))
    beginnings = (
        "spans stand only in the first sentence or line of each text, and many of the "
        "gold behind it: did the system cut the texts?"
    )
    some = f"{left.sum()} texts have no span, and the gold has several in each of them"
    return [beginnings] * bool(first) + [some] * many


def _first_end(text: str) -> int:
    """The place where the first sentence or line of a text ends."""
    end = SENTENCE_END.search(text)
    return end.start() if end else len(text)


def _lost_ends(gold: SpanReference, spans: Spans) -> list[str]:
    """Remarks on a file without a span in the last sentences, or in the last tokens of
    them, where many of the gold are."""
    tokens, units = gold.tokens.start, gold.units
    if len(spans) < LEAST_SPANS or not len(tokens):
        return []
    first = np.searchsorted(units.at(tokens), units.at(tokens))
    own, asked = (
        np.searchsorted(tokens, side.start, side="right") - 1
        for side in (spans, gold.spans)
    )
    places = [rows - first[rows] for rows in (own, asked)]
    # As many of the gold that so many of the file would be there by its size.
    least = LEAST_SPANS * max(1.0, len(gold.spans) / len(spans))
    last = (
        "no span stands where the first or the last ones of the gold are: did the "
        "system break off?"
    )
    tails = (
        f"no span begins behind token {places[0].max() + 1} of a sentence or text, "
        "and many of the gold do: did the system cut them?"
    )
    outside = max(int((asked > own.max()).sum()), int((asked < own.min()).sum()))
    cut = int((places[1] > places[0].max()).sum())
    many = max(least, len(gold.spans) / 10)
    return [last] * (outside >= many) + [tails] * (cut >= least)


def _unlike_the_gold(gold: Spans, system: Spans) -> list[str]:
    """Remarks on spans of which most have other ends, or other labels, than those of
    the gold in their places."""
    if len(system) < LEAST_SPANS or not {*gold.labels} & {*system.labels}:
        return []
    size = min(len(system), MOST_NEXT)
    near = np.flatnonzero(gold.start <= system.end[:size].max())
    columns = (part[near].tolist() for part in (gold.start, gold.end, gold.label))
    labels: dict[tuple[int, int], set[str]] = {}
    for start, end, code in zip(*columns, strict=True):
        labels.setdefault((start, end), set()).add(gold.labels[code])
    low, high = gold.touched(system.start[:size], system.end[:size])
    others = ends = 0
    for row in range(size):
        label = system.labels[int(system.label[row])]
        place = int(system.start[row]), int(system.end[row])
        if place in labels:
            others += label not in labels[place]
            continue
        beside = gold.label[low[row] : high[row]].tolist()
        ends += any(gold.labels[code] == label for code in beside)
    mixed = (
        "most spans that are those of the gold have another label: are two mixed up?"
    )
    other = "most spans that lie where the gold has one of their label have other ends"
    return [mixed] * (2 * others > size) + [other] * (2 * ends > size)


def _are_single(gold: SpanReference, spans: Spans) -> bool:
    """Whether no span has several tokens, and many of the gold have."""
    sizes = []
    for side in (spans, gold.spans):
        low, high = gold.tokens.touched(side.start, side.end)
        sizes.append(high - low)
    many = int((sizes[1] > 1).sum())
    one_each = len(spans) >= LEAST_SPANS and int(sizes[0].max()) == 1
    return one_each and many >= LEAST_SPANS and 5 * many > len(gold.spans)


def _share_behind(spans: Spans) -> float:
    """The share of spans right behind one of the same label, 0 of a few spans."""
    if len(spans) < LEAST_SPANS:
        return 0.0
    gaps = spans.start[1:] - spans.end[:-1]
    same = (spans.label[1:] == spans.label[:-1]) & (gaps >= 0) & (gaps <= 1)
    return int(same.sum()) / len(spans)


def _share_inside(spans: Spans) -> float:
    """The share of spans inside of one of the same label, 0 of a few spans."""
    if len(spans) < LEAST_SPANS:
        return 0.0
    order = np.lexsort((-spans.end, spans.start, spans.label))
    # Ends of one label lie behind all those of the labels before it.
    ends = (spans.end + spans.label * (int(spans.end.max()) + 1))[order]
    return int((ends[1:] <= np.maximum.accumulate(ends)[:-1]).sum()) / len(spans)


def _are_next(gold: SpanReference, system: SpanAnswer) -> bool:
    """Whether most spans of a system stand one token before or behind the gold's."""
    tokens, last = gold.tokens, len(gold.tokens) - 1
    starts, ends = (part[:MOST_NEXT] for part in (system.spans.start, system.spans.end))
    if len(starts) < LEAST_SPANS or last < 1:
        return False
    near = gold.spans.start <= ends.max()
    spans_of_gold = gold.spans.start[near].tolist(), gold.spans.end[near].tolist()
    asked = {*zip(*spans_of_gold, strict=True)}
    first = np.searchsorted(tokens.start, starts, side="right") - 1
    behind = np.searchsorted(tokens.start, ends, side="left") - 1
    here, *others = (
        len(
            asked
            & {
                *zip(
                    tokens.start[np.clip(first + step, 0, last)].tolist(),
                    tokens.end[np.clip(behind + step, 0, last)].tolist(),
                    strict=True,
                )
            }
        )
        for step in (0, 1, -1)
    )
    return 2 * max(others) > len(starts) > 10 * here


def _odd_places(system: SpanAnswer, file: str) -> list[Problem]:
    """Remarks on offsets that are counted otherwise, or hardly those of words."""
    ways = [system.counted] if system.counted else []
    return [Problem("counted", WAYS(way), file) for way in ways] + [
        Problem(name, WAYS(name, text=brief(example, 40)), file, hint=HINTS("extent"))
        for name, example in (("cut_words", system.cut), ("padded", system.padded))
        if example
    ]


def notes(system: SpanAnswer, options: Options) -> list[Problem]:
    """Remarks on spans that are scored otherwise than written, and hardly meant."""
    file = system.files[0] if len(system.files) == 1 else ""
    problems = _odd_places(system, file)
    if not len(system.spans):
        hint = MESSAGES("see_spans")
        message = MESSAGES("none_of_task" if system.unscored else "no_spans")
        problems.append(Problem("no_spans", message, file, hint=hint))
    if [*system.spans.labels] == [NAMELESS] and NAMELESS not in options["tags"]:
        message, hint = MESSAGES("nameless"), MESSAGES("name_labels")
        problems.append(Problem("nameless", message, file, hint=hint))
    for name, lines in system.odd.items():
        kind, in_bioes = "repaired", options["scheme"] == "bioes"
        message = MESSAGES("repaired_bioes" if in_bioes else kind, count=len(lines))
        if options["strict"]:
            kind = "left_out"
            message = MESSAGES(kind, count=len(lines))
        line = int(lines[0])
        hint = MESSAGES("begin_and_end" if in_bioes else "begin")
        problems.append(Problem(kind, message, name, line, hint=hint))
    for label, number in sorted(system.unscored.items())[:SHOWN_LABELS]:
        tags, code = some_names(options["tags"]), "unscored"
        message = MESSAGES("unscored", label=brief(label, 40), count=number)
        hint = MESSAGES("tags", tags=tags)
        if meant := likely(label, options["tags"]):
            code, hint = "misspelt", MESSAGES("meant", label=meant, tags=tags)
        problems.append(Problem(code, message, file, hint=hint))
    foreign = sum(system.unscored.values())
    if foreign > len(system.spans) > 0:
        every = foreign + len(system.spans)
        message = MESSAGES("few_labels", count=len(system.spans), all=every)
        hint = MESSAGES("tags", tags=some_names(options["tags"]))
        problems.append(Problem("few_labels", message, file, hint=hint))
    for label in filter(SEVERAL_TAGS.search, system.spans.labels):
        message = MESSAGES("several_tags", label=brief(label, 40))
        problems.append(Problem("several_tags", message, file))
    labels: dict[str, str] = {}
    for label in system.spans.labels:
        other = labels.setdefault(label.casefold(), label)
        if other != label:
            message = MESSAGES("alike", label=brief(other, 40), other=brief(label, 40))
            problems.append(Problem("alike", message, file))
    return problems


def count_answers(
    asked: SpanReference, system: SpanAnswer, _options: Options
) -> Answered:
    """How the documents are annotated; that nothing is, the notes say."""
    size = len(asked.names)
    return Answered(size, size, units="documents", odd=_whole_units(asked, system))


def _whole_units(asked: SpanReference, system: SpanAnswer) -> tuple[str, str] | None:
    """The beginning of a sentence or text that one span goes over, where most spans do
    so."""
    units, tokens, spans = asked.units, asked.tokens, system.spans
    if not len(tokens) or len(spans) < LEAST_WHOLE:
        return None
    unit_of = units.at(tokens.start)
    numbers = np.arange(len(units.starts))
    first = np.searchsorted(unit_of, numbers, side="left")
    last = np.searchsorted(unit_of, numbers, side="right") - 1
    own = units.at(spans.start)
    large = last[own] - first[own] >= LEAST_WHOLE
    over = large & (
        spans.start <= tokens.start[np.minimum(first, len(tokens) - 1)][own]
    )
    over &= spans.end >= tokens.end[np.maximum(last, 0)][own]
    if over.sum() < LEAST_WHOLE or 2 * int(over.sum()) <= len(spans):
        return None
    row = int(np.flatnonzero(over)[0])
    place = int(spans.document[row])
    begin = int(spans.start[row] - asked.bases[place])
    return "whole", asked.texts[place][begin:][:MOST_TOKENS]


def labels(read: SpanReference | SpanAnswer, _options: Options) -> Kinds:
    """The distinct labels of spans."""
    return {"": read.spans.labels}


def gold_remarks(gold: SpanReference, options: Options) -> list[str]:
    """Tags that are to be scored and that no span of the gold has."""
    absent = [tag for tag in options["tags"] if tag not in gold.spans.labels]
    remarks = [f"no span of the gold has the tag {tag}" for tag in absent]
    if len(gold.names) == 1 and not gold.by_white_space and len(gold.units.starts) == 1:
        size = len(gold.tokens)
        if size > MOST_TOKENS:
            remarks.append(
                f"the gold is one sentence of {size} tokens: are its blank lines lost?"
            )
    return remarks


EXAMPLE = """\
Ada\tB-PERSON
Brook\tI-PERSON
sails\tO
to\tO
Elmhaven\tB-PLACE
.\tO
"""

SCORER = Scorer(
    name="spans",
    title=_("Spans"),
    summary=_(
        "Labelled spans of text, such as names, nested or in several pieces too: "
        "precision, recall and F1 of spans, exact, partial or by type, of the tokens "
        "and characters in them, and a verdict for every span."
    ),
    formats=("mat-json", "xml-inline", "CoNLL columns", "brat", "JSON Lines"),
    example=EXAMPLE,
    units=("sentence", "document"),
    # 2: sentences of columns; 3: pairs, F-beta; 4: comments; 5: IoU; 6: severities,
    # weights, plagdet
    version=6,
    finest=lambda gold: str(gold.units.kind),
    headline="f1",
    options=OPTIONS,
    fixed_measures=measures_of_all(),
    tag_measures=measures_of_tags,
    require_options=documents.require_options,
    read_gold=documents.read_gold,
    read_blind=documents.read_blind,
    read_system=documents.read_system,
    outline=spans,
    notes=notes,
    count=count,
    details=details,
    blind=documents.blind,
    ideal=documents.ideal,
    tables=tables,
    remarks=remarks,
    answered=count_answers,
    labels=labels,
    gold_remarks=gold_remarks,
    guess=guessed_spans,
    spoil=spoiled_spans,
    inspect=inspection,
    stand_in=published_file,
)
