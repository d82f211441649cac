"""The job of the sandbox that compares a test set with texts, and with itself."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from leaderboard.extras.contamination.overlap import NEAR, Overlap, of_units
from leaderboard.extras.contamination.texts import blocks, places_of, texts_of
from leaderboard.sandbox.codec import Request, Values
from scoring.errors import Problem, Refused
from scoring.messages import Messages, _

MESSAGES = Messages(
    {
        "no_texts": _("the files of this test set hold no text of five words or more"),
        "ids_alone": _(
            "Ids, labels and numbers alone cannot be found again in other texts."
        ),
    }
)
MOST_LISTED = 2000


def compare(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Numbers of the overlap, and `lines`, the units of which there is something to
    tell, the worst first. Raises Refused.

    Given a pair of blind file and gold, `texts` by name, the `order` of n-grams, and
    the task's `canary`.
    """
    scorer, options, ((blind, gold),) = request.unpack()
    own = texts_of(scorer, options, blind, gold)
    order = int(request.values["order"])
    overlap = Overlap(own.texts, np.array(own.unit, np.int64), len(own.names), order)
    if not overlap.compared.any():
        message = MESSAGES("no_texts")
        raise Refused(
            [Problem("no_texts", message, gold.name, hint=MESSAGES("ids_alone"))]
        )
    sources = list(request.sources("texts").values())
    texts = tokens = 0
    for block in blocks(sources):
        texts += len(block.texts)
        tokens += overlap.look(block)
    lines = list(of_units(overlap))
    compared = np.unique(overlap.unit[overlap.compared])
    ranked = sorted(
        lines,
        key=lambda one: (not one.found, -one.near_share, -(one.share or 0), one.unit),
    )
    counted = {
        "units": len(own.names),
        "compared": len(compared),
        "long": int((overlap.shared()[0] > 0).sum()),
        "texts": texts,
        "tokens": tokens,
        "grams": len(overlap.seen),
        "seen": int(overlap.seen.sum()),
        "found": sum(bool(one.found) for one in lines),
        "near": sum(bool(one.near) for one in lines),
        "touched": sum(bool(one.share) for one in lines),
        "twins": sum(one.twin is not None for one in lines),
        "phrases": overlap.phrases,
        "near_share": NEAR,
    }
    named = [
        {
            **asdict(one),
            "unit": own.names[one.unit],
            "twin": "" if one.twin is None else own.names[one.twin],
        }
        for one in ranked[:MOST_LISTED]
    ]
    canaries = places_of(request.values["canary"], sources)
    return {"counted": counted, "lines": named, "canaries": canaries}, []
