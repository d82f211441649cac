"""Classification: a label for each item, or any number of labels."""

from collections.abc import Callable
from dataclasses import replace

from scoring import outlines
from scoring.formats.answers import GROUPS_OPTION, INPUTS_OPTION, blinder, spoiler
from scoring.formats.chosen_columns import with_columns
from scoring.formats.forms import converting
from scoring.messages import _
from scoring.options import Option, Options
from scoring.scorer import Scorer, asked_and_answered
from scoring.scorers.classes import hierarchy, items
from scoring.scorers.classes.counts import count, count_several, details, inspect
from scoring.scorers.classes.figures import OF_ONE, OF_SEVERAL, of_tags, tables
from scoring.scorers.classes.items import Labels
from scoring.scorers.classes.many import declaring
from scoring.scorers.classes.one_hot import with_labels
from scoring.source import Source

OPTIONS = (
    Option(
        "labels",
        "all labels of the task, in their order where they have one: files with others "
        "are refused",
        "list",
    ),
    Option(
        "ignore",
        "labels left out of macro, micro and weighted averages, such as NONE",
        "list",
    ),
    Option(
        "parents",
        "CSV label,parent for hierarchical F1: what stands above a label, a line for "
        "each parent",
        "file",
    ),
    Option(
        "worst",
        "column of the groups whose values are compared for the accuracy of the worst "
        "group, such as language",
        "text",
        "",
    ),
    Option(
        "many",
        "more than 250 labels, such as names of places: no figures of single classes, "
        "and intervals of averages from resamples alone",
        "flag",
    ),
    INPUTS_OPTION,
    GROUPS_OPTION,
)
SEPARATOR = Option(
    "separator",
    "what parts several labels of a cell in CSV and TSV",
    "choice",
    "|",
    ("|", ";", ",", "space"),
)


def gold_remarks(gold: Labels, options: Options) -> list[str]:
    """Options that do nothing here, and a label that looks like a slip."""
    unused = sorted({*options["ignore"]} - {*gold.names})
    notes = [f"no item of the gold has the ignored label '{name}'" for name in unused]
    if options["worst"] and options["worst"] not in gold.answers.groups:
        notes.append(f"no group is called '{options['worst']}' (options worst, groups)")
    return notes + items.slips(gold)


def with_parents(
    read: Callable[[Source, Options], Labels],
) -> Callable[[Source, Options], Labels]:
    """The reader of the gold, which also reads what stands above labels."""

    def read_both(source: Source, options: Options) -> Labels:
        if options["parents"] is not None:
            hierarchy.read(options["parents"])
        return read(source, options)

    return read_both


EXAMPLE = """\
id,label
review-1,positive
review-2,negative
review-3,neutral
"""
EXAMPLE_OF_SEVERAL = """\
id,label
film-1,comedy|romance
film-2,drama
film-3,
"""

read_gold, read_blind, read_system = items.readers(items.ONE)
CLASSES = Scorer(
    name="classes",
    title=_("Classes"),
    summary=_(
        "One label for each item, as in sentiment or intent classification: accuracy, "
        "precision, recall and F1 by class and averaged, MCC and kappa."
    ),
    formats=("CSV", "TSV", "JSON Lines"),
    example=EXAMPLE,
    units=("item", "document"),
    headline="macro_f1",
    options=OPTIONS,
    fixed_measures=OF_ONE,
    tag_measures=of_tags,
    read_gold=with_parents(read_gold),
    read_blind=read_blind,
    read_system=read_system,
    outline=outlines.items(items.ONE),
    notes=items.notes,
    answered=items.count_answers,
    labels=items.labels,
    count=count,
    details=details,
    blind=blinder(items.ONE),
    tables=tables,
    gold_remarks=gold_remarks,
    remarks=items.remarks,
    guess=items.guesser(items.ONE),
    spoil=spoiler(items.ONE),
    inspect=inspect,
    stand_in=asked_and_answered,
    declared=declaring(OF_ONE),
    version=6,  # 5: numbers of JSON by their value; 6: within one grade
)

read_gold, read_blind, read_system = items.readers(items.SEVERAL)
MULTILABEL = replace(
    CLASSES,
    name="multilabel",
    title=_("Multi-label classes"),
    summary=_(
        "Any number of labels for each item, as in topics or emotions: precision, "
        "recall and F1 by class and averaged, subset accuracy, Hamming loss."
    ),
    example=EXAMPLE_OF_SEVERAL,
    options=(*OPTIONS, SEPARATOR),
    fixed_measures=OF_SEVERAL,
    read_gold=with_parents(read_gold),
    read_blind=read_blind,
    read_system=read_system,
    outline=outlines.items(items.SEVERAL),
    count=count_several,
    blind=blinder(items.SEVERAL),
    guess=items.guesser(items.SEVERAL),
    spoil=spoiler(items.SEVERAL),
    declared=declaring(OF_SEVERAL),
    version=4,  # 4: numbers of JSON by their value
)

# The published file keeps the form of the gold, of which it has nothing but the ids.
ONE_HOT = replace(
    converting(MULTILABEL, with_labels, systems=False),
    blind=blinder(replace(items.SEVERAL, answer="")),
)
SCORERS = tuple(with_columns(scorer, "label") for scorer in (CLASSES, ONE_HOT))
