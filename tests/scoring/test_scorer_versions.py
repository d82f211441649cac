"""A scorer that counts otherwise has another version: equal signature, equal number.

The digests are of what each scorer counts, and what its measures give, on the examples
of the laws. Where one fails, either something was changed by mistake, or the scorer
gives other numbers: then raise its `version` and pin the digest that the test prints.
New examples need a new digest, too, and no new version.
"""

from hashlib import sha256

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.statistics.runs import value_of
from tests.loops import loop_over
from tests.scoring.examples import counting_scorers, examples_of

PINNED: dict[str, tuple[int, str]] = {
    "attachment": (1, "eccfe582333665e2"),
    "classes": (6, "1905ceb2a0356715"),
    "clusterings": (1, "ade600e4cfc9abd6"),
    "conll18": (2, "d961eba7d7615df4"),
    "coreference": (1, "4cbc4597ae6c9153"),
    "early": (1, "6cce260c1a28b910"),
    "edits": (3, "f6cb7c6363552690"),
    "labels": (3, "01c18072a2d8fb11"),
    "meetings": (1, "bfaf32ac9569eaf4"),
    "metrics": (1, "878c9f90e01fc5d5"),
    "numbers": (4, "1c605c283a7ce15c"),
    "multilabel": (4, "91cfab990e2281a7"),
    "probabilities": (1, "2c8158129fc9c2a7"),
    "retrieval": (1, "227013e7141fdba7"),
    "semarkup": (1, "b6e9b7a2668e7c16"),
    "senseval": (2, "41fcd387d14d77e0"),
    "simultaneous": (1, "52c91be0714207b0"),
    "spans": (6, "b3f580fd9a727856"),
    "texts": (4, "9c42cf20a788ef19"),
    "transcripts": (3, "128f812ef204dc66"),
    "translation": (3, "5519b8bdde5c62e2"),
    "tuples": (1, "66eaafaa7d3a6656"),
    "unl-graph": (1, "b9fbc00ae8ddac02"),
    "unl-text": (2, "608437fe79b88334"),
}


def digest(scorer: Scorer) -> str:
    whole = sha256()
    for example in examples_of(scorer.name):
        options = example.parse_options(scorer)
        for system in example.systems:
            pair = read_pair(scorer, example.gold, system, options)
            for part in described(scorer, count(scorer, pair, options)):
                whole.update(part.encode() + b"\0")
    return whole.hexdigest()[:16]


def described(scorer: Scorer, counts: Counts) -> list[str]:
    """Cells by name, since adding a column changes no number that was there."""
    found = [repr(counts.units), repr(sorted(counts.groups.items()))]
    columns = dict(zip(counts.columns, counts.table.T.tolist(), strict=True))
    found += [repr(item) for item in sorted(columns.items())]
    for measure in sorted(scorer.measures(counts.columns), key=lambda one: one.name):
        value = value_of(counts, measure)
        found.append(f"{measure.name} {value!r}")
    return found


def test_every_scorer_is_pinned() -> None:
    assert sorted(PINNED) == sorted(counting_scorers())


@loop_over("name", sorted(PINNED))
def test_a_scorer_gives_what_its_version_gave(name: str) -> None:
    scorer = get(name)
    found = scorer.version, digest(scorer)
    assert found == PINNED[name], f"{name} counts otherwise: raise its version"
