"""Names of measures as other programs write them, and the ones that they stand for.

trec_eval writes `recall_100` and `ndcg_cut_10`, ir_measures `R@100`, users of ROUGE
`rouge-1`, scikit-learn `f1_macro` and `samples` of an average;
sacreBLEU prints chrF2++.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from scoring.errors import Problem, UsageError
from scoring.messages import Messages, _
from scoring.picks import likely

MESSAGES = Messages(
    unknown=_("no measure '%(name)s'; there are: %(known)s"),
    did_you_mean=_("Did you mean '%(name)s'?"),
)
OTHER_NAMES = {
    "chrf++": "chrfpp",
    "chrf2": "chrf",
    "chrf2++": "chrfpp",
    "exact_match": "subset_accuracy",
    "recip_rank": "mrr",
    "samples_f1": "item_f1",
    "f1_samples": "item_f1",
}
AVERAGES = ("macro", "micro", "weighted")
SKLEARN = re.compile(rf"(\w+?)_({'|'.join(AVERAGES)})$")
LONG = re.compile(r"^(r)ecall(?=[@_]\d)|^(p)recision(?=[@_]\d)")
CUT = re.compile(r"(?:_cut)?_(\d+)$")
PARTS = re.compile(r"[-_ ]")


def other_spellings(name: str) -> Iterator[str]:
    """Names that a name may stand for, besides itself, in lower case."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    yield plain
    yield OTHER_NAMES.get(plain, plain)
    short = LONG.sub(lambda match: match[1] or match[2], plain)
    yield CUT.sub(r"@\1", short)
    yield SKLEARN.sub(r"\2_\1", plain)


def resolve_name(name: str, names: Collection[str]) -> str | None:
    """The known name that a name stands for; None where it stands for none.

    A tag as in `f1[PER]` is somebody's label, of which no other spelling is tried.
    """
    if name in names:
        return name
    if "[" in name:
        return None
    joined = {PARTS.sub("", own).lower(): own for own in names}
    keys = (PARTS.sub("", spelling) for spelling in other_spellings(name))
    return next((joined[key] for key in keys if key in joined), None)


def own_names(names: Sequence[str], measures: Sequence[str]) -> list[str]:
    """The known names that these stand for. Raises UsageError for one that stands for
    none, with the nearest known one."""
    return [_own_name(name, measures) for name in names]


def nearest(name: str, names: Sequence[str]) -> str:
    """The known name that was probably meant; empty where none is near."""
    return next(filter(None, (likely(text, names) for text in _both_orders(name))), "")


def _both_orders(name: str) -> tuple[str, str]:
    """A name as it is, and as libraries write it that put the average last."""
    first, _sign, last = name.rpartition("_")
    return name, f"{last}_{first}"


def _own_name(name: str, measures: Sequence[str]) -> str:
    own = resolve_name(name, measures)
    if own is not None:
        return own
    near = nearest(name, measures)
    message = MESSAGES("unknown", name=name, known=", ".join(measures))
    hint = MESSAGES("did_you_mean", name=near) if near else ""
    raise UsageError(Problem("measure", message, hint=hint))
