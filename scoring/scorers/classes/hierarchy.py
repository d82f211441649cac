"""Labels with parents: what a label stands for is itself and all that is above it.

Sets of labels are compared with all their ancestors among them, so that a label next
to the right one counts for what both are (Kiritchenko and others 2006). A label may
have several parents; what stands above all is no label unless the file names it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, SetupError
from scoring.formats import records
from scoring.messages import Messages, _
from scoring.source import Source, brief

MESSAGES = Messages(
    columns=_("no column '%(column)s' found; expected label,parent."),
    empty=_("'%(column)s' is empty."),
    circle=_("'%(label)s' is above itself."),
)
LABEL, PARENT = "label", "parent"


def read(source: Source) -> dict[str, set[str]]:
    """The parents of each label. Raises SetupError with every line that is wrong."""
    findings = Findings(source.name)
    table = records.read(source, findings, SetupError)
    columns = [table.called(name) for name in (LABEL, PARENT)]
    for name, column in zip((LABEL, PARENT), columns, strict=True):
        if column is None:
            findings.add("header", MESSAGES("columns", column=name), line=1)
    findings.raise_if_any(SetupError)
    cells = [table.columns[column] for column in columns if column is not None]
    parents: dict[str, set[str]] = {}
    for line, *pair in zip(table.lines.tolist(), *cells, strict=True):
        label, parent = (str(cell or "").strip() for cell in pair)
        for name, cell in ((LABEL, label), (PARENT, parent)):
            if not cell:
                findings.add("label", MESSAGES("empty", column=name), line=line)
        if label and parent:
            parents.setdefault(label, set()).add(parent)
    for label in parents:
        if label in above(label, parents, itself=False):
            findings.add("circle", MESSAGES("circle", label=brief(label)))
    findings.raise_if_any(SetupError)
    return parents


def above(label: str, parents: dict[str, set[str]], *, itself: bool = True) -> set[str]:
    """The classes above a label."""
    labels, todo = {label} if itself else set(), [*parents.get(label, ())]
    while todo:
        parent = todo.pop()
        if parent not in labels:
            labels.add(parent)
            todo += parents.get(parent, ())
    return labels


@dataclass(frozen=True)
class Closures:
    """Sets of what labels stand for: numbers of `nodes`, those of a label in a row.

    `first` and `sizes` (labels,) say where those of each label stand in `members`.
    """

    nodes: int
    members: Integers
    first: Integers
    sizes: Integers

    def of_items(self, item_of: Integers, codes: Integers) -> Integers:
        """Items with nodes, sorted, as item * nodes + node: each pair once, though two
        labels (a,) of an item may stand for the same node."""
        sizes = self.sizes[codes]
        ends = np.cumsum(sizes)
        within = np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes)
        members = self.members[np.repeat(self.first[codes], sizes) + within]
        return np.unique(np.repeat(item_of, sizes) * self.nodes + members)


def closures(names: Sequence[str], source: Source) -> Closures:
    """The sets of what each of the labels stands for."""
    parents = read(source)
    sets = [above(name, parents) for name in names]
    place = {node: i for i, node in enumerate(sorted(set().union(*sets)))}
    sizes = np.array([len(nodes) for nodes in sets], dtype=np.int64)
    members = [place[node] for nodes in sets for node in nodes]
    first = np.cumsum(sizes) - sizes
    return Closures(len(place), np.array(members, dtype=np.int64), first, sizes)
