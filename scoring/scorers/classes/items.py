"""Items of gold and system with their labels: read, checked, published, spoiled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property, partial
from itertools import cycle

import numpy as np

from scoring.answered import NOT_THERE, SHIFTED, SORTED, Answered, is_not_there
from scoring.counts import Flags, Integers
from scoring.errors import Findings, Problem, SetupError
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.formats.codes import Coded, by_value
from scoring.formats.records import some_names
from scoring.messages import Messages, _
from scoring.oddities import fit_the_next, in_order, names_in_common
from scoring.options import Options
from scoring.picks import Guess, each_published_file, likely
from scoring.scorers.classes.one_hot import is_one_hot, with_labels
from scoring.source import Source, brief
from scoring.spellings import Kinds

LEAST_SORTED = 11  # answers
MESSAGES = Messages(
    one_hot=_(
        "There is a column for each label: those with 1 were read as the labels."
    ),
    trimmed=_("White space around labels is taken off."),
    alike=_(
        "'%(label)s' and '%(other)s' count as two labels: they differ only in "
        "capitals or in signs that cannot be seen."
    ),
    one_spelling=_("Write a label in one way."),
    several=_("'%(label)s' counts as one label, and its parts are labels, too."),
    unknown_label=_("the label '%(label)s' is not one of the task's."),
    long_label=_("the label '%(label)s' is longer than %(most)s characters."),
    odd_label=_("the label '%(label)s' holds a character that cannot be seen."),
    ignored=_("option 'ignore' names what option 'labels' does not: %(labels)s"),
    labels=_("The labels of this task are: %(labels)s."),
    meant=_("Did you mean '%(label)s'? The labels of this task are: %(labels)s."),
    most_labels=_("more than %(most)s different labels."),
    separate=_("Several labels of an item are separated by '%(separator)s'."),
    other_column=_("Is it the column that you meant?"),
    cells=_("%(labels)s labels of %(units)s units are too many to be counted."),
    fewer_labels=_("Use fewer labels."),
    set_many=_(
        "Is it the column that you meant? A task with so many labels has the "
        "option many=true."
    ),
)

ONE = Layout("label")
SEVERAL = Layout("label", several=True, separator="|")
SEPARATORS = {"space": " "}
LIKELY_SEPARATORS = "|;,/+& \t"
# Of these, the ones that a label itself hardly has.
BETWEEN_LABELS = "|;,"
LONGEST_LABEL = 100
# Persian and Indic words and many an emoji have joiners, any word a soft hyphen.
JOINERS = dict.fromkeys(map(ord, "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}\xad"))
MOST_LABELS = 250
SHOWN_NOTES = 5
MOST_CELLS = 2_000_000
# Labels of so many items, of so many letters, and so alike, are one with a slip.
COMMON, LONG, ALIKE = 5, 4, 0.85


@dataclass(frozen=True)
class Labels:
    """Labels of the items (n,) of one file, in the order of the gold.

    `names` are the distinct labels, `codes` (a,) those of all items in a row as places
    in `names`; `item_of` (a,) says whose they are, no item having one twice. `one_hot`
    says that each label had a column.
    """

    answers: Answers
    names: list[str]
    codes: Integers
    item_of: Integers
    one_hot: bool = False

    def __len__(self) -> int:
        return len(self.answers)

    @cached_property
    def coded(self) -> Coded:
        """A label per item, several as one text and "" for none."""
        if self.is_single:
            return Coded(self.codes, self.names)
        texts: list[list[str]] = [[] for _ in range(len(self))]
        for item, code in zip(self.item_of.tolist(), self.codes.tolist(), strict=True):
            texts[item].append(self.names[code])
        joined = [" | ".join(sorted(own)) for own in texts]
        values = list(dict.fromkeys(joined))
        places = {value: place for place, value in enumerate(values)}
        return Coded(
            np.array([places[text] for text in joined], dtype=np.int64), values
        )

    @property
    def is_single(self) -> bool:
        """Whether each item has just one label."""
        return bool((self.answers.sizes == 1).all())

    def of_item(self, item: int) -> list[str]:
        """The labels of one item."""
        return [self.names[code] for code in self.codes[self.item_of == item].tolist()]


def readers(
    layout: Layout,
) -> tuple[
    Callable[[Source, Options], Labels],
    Callable[[Source, Options], Labels],
    Callable[[Source, Options, Labels], Labels],
]:
    """Functions that read gold, blind file and a system's file of this layout."""

    def read_gold(source: Source, options: Options) -> Labels:
        check_ignored(options)
        items = answers.read_gold(source, _layout(layout, options).of(options))
        findings = Findings(items.name)
        _note_labels(items, findings, _layout(layout, options), options)
        findings.raise_if_any(SetupError)
        return _labels(items)

    def read_blind(source: Source, _options: Options) -> Labels:
        items = answers.read_blind(source, layout)
        nothing = np.zeros(0, dtype=np.int64)
        return Labels(items, [], nothing, nothing)

    def read_system(source: Source, options: Options, gold: Labels) -> Labels:
        names = options["labels"] or tuple(gold.names)
        own = replace(_layout(layout, options), labels=names)
        note = partial(_note_labels, layout=own, options=options)
        one_hot = layout.several and is_one_hot(source, options)
        plain = with_labels(source, options) if one_hot else source
        labels = _labels(answers.read_system(plain, own, gold.answers, note=note))
        return replace(labels, one_hot=one_hot)

    return read_gold, read_blind, read_system


def _layout(layout: Layout, options: Options) -> Layout:
    """The layout with the separator that the task chose, where it may choose one."""
    chosen: str = options.get("separator", layout.separator)
    return replace(layout, separator=SEPARATORS.get(chosen, chosen))


def check_ignored(options: Options) -> None:
    unknown = [name for name in options["ignore"] if name not in options["labels"]]
    if options["labels"] and unknown:
        named = some_names(unknown)
        message = MESSAGES("ignored", labels=named)
        raise SetupError(Problem("option", message))


def _names_and_codes(items: Answers) -> tuple[list[str], Integers]:
    """The distinct labels of a file, sorted, and those of all items as numbers (a,)."""
    written = items.coded
    stripped = [text.strip() for text in written.values]
    names = sorted(set(stripped))
    places = {name: place for place, name in enumerate(names)}
    codes = np.array([places[text] for text in stripped], dtype=np.int64)
    return names, codes[written.codes]


def _note_labels(
    items: Answers, findings: Findings, layout: Layout, options: Options
) -> None:
    """Note labels that are not on the task's list, cannot be names of columns, or are
    too many."""
    names, codes = _names_and_codes(items)

    def place_of(place: int) -> tuple[int, str]:
        return items.line_of(place), items.unit_of(place)

    declared, separator = options["labels"], layout.separator
    note_odd_labels(names, codes, declared, place_of, findings, separator)
    if not options["many"]:
        note_many_labels(names, len(items), findings, MESSAGES("set_many"))


def _labels(items: Answers) -> Labels:
    names, codes = _names_and_codes(items)
    if bool((items.sizes == 1).all()):
        return Labels(items, names, codes, items.item_of)
    pairs = np.unique(items.item_of * len(names) + codes)
    item_of, codes = np.divmod(pairs, max(len(names), 1))
    return Labels(items, names, codes, item_of)


def notes(labels: Labels, options: Options) -> list[Problem]:
    """Remarks on labels that are scored and were trimmed, or are hardly meant."""
    answers, problems = labels.answers, []
    if labels.one_hot:
        problems.append(Problem("one_hot", MESSAGES("one_hot"), answers.name))
    padded = np.array([x != x.strip() for x in answers.coded.values], dtype=np.bool_)
    rows = np.flatnonzero(padded[answers.coded.codes])
    if len(rows):
        line = answers.line_of(int(rows[0]))
        message = MESSAGES("trimmed")
        problems.append(
            Problem("trimmed", message, answers.name, line, count=len(rows))
        )
    return problems + two_spellings(labels.names, answers.name, options)


def remarks(gold: Labels, system: Labels, _options: Options) -> list[str]:
    """A remark on answers that are right for the items next to theirs."""
    sides = [side.coded.texts() for side in (system, gold)]
    own, asked = (len(side) > LEAST_SORTED and in_order(side) for side in sides)
    alphabetical = own and not asked and len({*sides[0]}) > 1
    return [SHIFTED] * fit_the_next(*sides) + [SORTED] * alphabetical


def count_answers(_asked: Labels, labels: Labels, options: Options) -> Answered:
    """How the items are answered; an item of several labels may well have none."""
    size, names = len(labels), labels.names
    same = len(labels.codes) == len(names) * size
    empty = 0 if names else size
    single = " | ".join(names[:9]) if same else None
    odd = None if options.get("labels") else names_in_common(names)
    none = [] if options.get("labels") else [*filter(is_not_there, names)]
    absent = (
        [n for n in map(names.__getitem__, labels.codes) if n in none] if none else []
    )
    if 2 * len(absent) >= size and absent[0] in NOT_THERE:
        absent = []  # as of a task that has a label None
    return Answered(size, size, empty, single, odd=odd, not_there=absent)


def labels(given: Labels, _options: Options) -> Kinds:
    """The distinct labels."""
    return {"": given.names}


def slips(gold: Labels) -> list[str]:
    """Remarks on labels of one item that are nearly a label of many, and on those
    without a letter or a digit."""
    times = np.bincount(gold.codes, minlength=len(gold.names)).tolist()
    counted = [*zip(gold.names, times, strict=True)]
    common = [name for name, count in counted if count >= COMMON]
    remarks = [
        f"the label '{brief(name, 40)}' stands at {count} items: is it meant as one?"
        for name, count in counted
        if not any(map(str.isalnum, name))
    ]
    for name, count in counted if common else ():
        near = count == 1 and len(name) >= LONG and get_close_matches(name, common)
        if near and SequenceMatcher(None, name, near[0]).ratio() >= ALIKE:
            remarks.append(
                f"the label '{brief(name, 40)}' stands at one item alone, and is "
                f"nearly '{brief(near[0], 40)}': is it a slip?"
            )
    return remarks[:SHOWN_NOTES]


def two_spellings(names: Sequence[str], file: str, options: Options) -> list[Problem]:
    """Labels that differ in capitals or joiners alone, or are several of the others,
    unless the task lists all."""
    if options["labels"]:
        return []
    first: dict[str, str] = {}
    problems = []
    for name in names:
        other = first.setdefault(without_joiners(name).casefold(), name)
        if other != name:
            message = MESSAGES("alike", label=brief(other, 40), other=brief(name, 40))
            hint = MESSAGES("one_spelling")
            problems.append(Problem("alike", message, file, hint=hint))
        if _is_several(name, names, BETWEEN_LABELS):
            message = MESSAGES("several", label=brief(name, 40))
            problems.append(Problem("several", message, file))
    return problems[:SHOWN_NOTES]


def note_odd_labels(
    names: Sequence[str],
    codes: Integers,
    known: tuple[str, ...],
    place_of: Callable[[int], tuple[int, str]],
    findings: Findings,
    separator: str = "",
) -> None:
    """Note labels that are not among the `known` ones of the task or, where it lists
    none, cannot be shown: each once, with how often it stands there. `place_of` gives
    the line and the unit of a code, `separator` stands between labels of an item."""
    odd = {name: why for name in names if (why := _why_odd(name, known))}
    if not odd:
        return
    bad: Flags = np.array([name in odd for name in names], dtype=np.bool_)[codes]
    rows = np.flatnonzero(bad)
    for code, places in by_value(codes[rows]):
        name, (row, *others) = names[code], rows[places].tolist()
        line, unit = place_of(row)
        message = MESSAGES(odd[name], label=brief(name), most=LONGEST_LABEL)
        also = [place_of(other)[0] for other in others]
        hint = _hint(name, known, separator)
        findings.add("label", message, line=line, unit=unit, hint=hint, also=also)


def _hint(name: str, known: tuple[str, ...], separator: str) -> str:
    if not known:
        return ""
    if separator and _is_several(name, known):
        return MESSAGES("separate", separator=separator)
    labels = some_names(known)
    if meant := likely(name, known):
        return MESSAGES("meant", label=meant, labels=labels)
    return MESSAGES("labels", labels=labels)


def _is_several(
    name: str, known: Sequence[str], signs: str = LIKELY_SEPARATORS
) -> bool:
    """Whether the text is labels of the task with one of these signs between them."""
    apart = (name.split(sign) for sign in signs if sign in name)
    return any(all(part.strip() in known for part in parts) for parts in apart)


def _why_odd(name: str, known: tuple[str, ...]) -> str:
    """Name of the message of a label that cannot be; empty where it can, and for none,
    which the reader of the answers has noted."""
    if not name:
        return ""
    if known:
        return "" if name in known else "unknown_label"
    if len(name) > LONGEST_LABEL:
        return "long_label"
    return "" if without_joiners(name).isprintable() else "odd_label"


def without_joiners(text: str) -> str:
    """The text without signs inside words that join or part letters."""
    return text.translate(JOINERS)


def note_many_labels(
    names: Sequence[str], units: int, findings: Findings, hint: str = ""
) -> None:
    """Note labels that are more than can be counted for so many units."""
    if len(names) > MOST_LABELS:
        message = MESSAGES("most_labels", most=MOST_LABELS)
        findings.add("labels", message, hint=hint or MESSAGES("other_column"))
    elif len(names) * units > MOST_CELLS:
        message = MESSAGES("cells", labels=len(names), units=units)
        findings.add("labels", message, hint=hint or MESSAGES("fewer_labels"))


ANY_LABEL = "label"


def guesser(layout: Layout) -> Guess:
    """Function that makes an example: the task's labels in turn."""

    @each_published_file
    def guess(source: Source, options: Options) -> str:
        labels = cycle([*options["labels"]] or [ANY_LABEL])
        return answers.guess_text(source, layout, lambda _name: next(labels))

    return guess


def shared_codes(gold: Labels, system: Labels) -> tuple[list[str], Integers, Integers]:
    """Sorted names of both sides, and the codes of each among them."""
    if gold.names == system.names:
        return gold.names, gold.codes, system.codes
    names = sorted({*gold.names, *system.names})
    place = {name: i for i, name in enumerate(names)}
    first, second = (
        np.array([place[name] for name in side.names], dtype=np.int64)[side.codes]
        for side in (gold, system)
    )
    return names, first, second
