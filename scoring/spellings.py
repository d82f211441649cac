"""Labels of gold and system that are one to a reader and two to a scorer.

`pos` for `POS`, `1.0` for `1`, `True` for `true`: each counts as another label, and the
score is 0 or less than it was meant to be. What may be said of it depends on who asks:
with the gold at hand both spellings, on a site no label of the gold.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from unicodedata import normalize

from scoring.messages import _
from scoring.source import brief, list_names

WHOLE = re.compile(r"([+-]?)0*([0-9]+)(?:\.0*)?")
BETWEEN = re.compile(r"(?<=[^\W_])[\s_-]+(?=[^\W_])")
# Between labels that stand in one, each perhaps with a prefix of tags.
SIGNS, PREFIX = re.compile(r"[|;,]"), re.compile(r"^[BIES]-(?=.)")
SHOWN, LONGEST = 5, 40
NO_LABEL = _("no label of the file occurs in the answer key")
QUOTES = "'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb"
BRACKETS = {"[": "]", "(": ")", "{": "}"}

# Labels of one kind each, by what the kind is called; "" where there is only one.
Kinds = Mapping[str, Sequence[str]]


def remarks(gold: Kinds, system: Kinds) -> list[str]:
    """Remarks for who has both files; they name labels of both."""
    remarks = _unknown_kinds(gold, system)
    for kind, own, other in _pairs(gold, system):
        theirs, spellings = set(other), _by_spelling(other)
        foreign = [label for label in own if label not in theirs]
        alike = {
            label: label_meant
            for label in foreign
            if (label_meant := _meant(label, spellings))
        }
        where = f" of {brief(kind, LONGEST)}" if kind else ""
        if alike:
            pairs = ", ".join(
                f"'{brief(label, LONGEST)}' for '{brief(label_meant, LONGEST)}'"
                for label, label_meant in sorted(alike.items())[:SHOWN]
            )
            more = ", …" * (len(alike) > SHOWN)
            remarks.append(
                f"labels{where} that are written otherwise in the gold count as other "
                f"ones: {pairs}{more}"
            )
        elif len(foreign) == len(own):
            remarks.append(
                f"no label{where} of the system occurs in the gold: the system has "
                f"{list_names(sorted(own), SHOWN, LONGEST)}, the gold "
                f"{list_names(sorted(other), SHOWN, LONGEST)}"
            )
        else:
            without = sorted(theirs - set(own))
            never = (
                f"; of the gold's it has never {list_names(without, SHOWN, LONGEST)}"
            )
            remarks.append(
                f"labels{where} of the system that the gold has not: "
                f"{list_names(sorted(foreign), SHOWN, LONGEST)}{never * bool(without)}"
            )
    return remarks


def closed_remarks(gold: Kinds, system: Kinds) -> list[str]:
    """Remarks for who may not see the gold: no label of it is named."""
    return [
        *_unknown_kinds(gold, system),
        *(
            f"no label of {brief(kind, LONGEST)} in the file occurs in the answer key"
            if kind
            else NO_LABEL
            for kind, own, other in _pairs(gold, system)
            if not {*own} & {*other}
        ),
    ]


def _unknown_kinds(gold: Kinds, system: Kinds) -> list[str]:
    """A remark on fields that the file has and the answer key has not."""
    unknown = sorted(kind for kind, own in system.items() if own and kind not in gold)
    if not unknown or not gold:
        return []
    labels_in_words = list_names(unknown, SHOWN, LONGEST)
    return [f"the answer key has nothing that is called {labels_in_words}"]


def _pairs(
    gold: Kinds, system: Kinds
) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Kinds of which both sides have labels, those of the system first."""
    for kind, own in system.items():
        other = gold.get(kind, ())
        if own and other and not set(own) <= set(other):
            yield kind, own, other


def _plain(label: str) -> str:
    """A label without what spellings of one differ in: case, quotes, blanks, signs
    between words, zeros of a whole number, the form of its characters."""
    text = normalize("NFKC", label).strip().strip(QUOTES).strip().casefold()
    if whole := WHOLE.fullmatch(text):
        sign, digits = whole.groups()
        return sign.replace("+", "") + digits
    return BETWEEN.sub("", text.rstrip(".:"))


def _by_spelling(labels: Sequence[str]) -> dict[str, str]:
    """The first label of each spelling."""
    return {_plain(label): label for label in sorted(labels, reverse=True)}


def meant_by(label: str, labels: Sequence[str]) -> str:
    """The known label, or labels, that another spelling means; empty for none."""
    return _meant(label, _by_spelling(labels))


def _meant(label: str, spellings: Mapping[str, str]) -> str:
    """The label of the gold, or several, that is meant; empty where none is seen."""
    if label_meant := spellings.get(_plain(label)):
        return label_meant
    text = label.strip()
    bracketed = len(text) > 2 and BRACKETS.get(text[0]) == text[-1]
    parts = SIGNS.split(text[1:-1] if bracketed else text)
    names = [spellings.get(_plain(PREFIX.sub("", part.strip()))) for part in parts]
    several = bracketed or len(parts) > 1
    return "', '".join(filter(None, names)) if several and all(names) else ""
