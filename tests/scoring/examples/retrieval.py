"""Judgements and runs for invented topics and documents, for the laws."""

from scoring.source import Source
from tests.scoring.examples import Example

QRELS = """\
t1 0 harbour-1 3
t1 0 harbour-2 1
t1 0 harbour-3 0
t1 0 harbour-4 -1
t2 0 lantern-1 2
t2 0 lantern-2 0
t3 0 keel-1 0
t4 0 keel-2 1
t4 0 keel-9 2
"""
# Ties, documents that nobody judged, a topic without relevant documents.
FAIR = """\
t1 Q0 harbour-3 1 9.5 fair
t1 Q0 harbour-1 2 9.5 fair
t1 Q0 harbour-7 3 9.25 fair
t1 Q0 harbour-2 4 1e-3 fair
t1 Q0 harbour-4 5 -2 fair
t2 Q0 lantern-9 1 0.5 fair
t2 Q0 lantern-1 2 0.5 fair
t3 Q0 keel-1 1 4 fair
"""
# Lines of topics mixed, ranks that lie, a topic that is missing.
MIXED = """\
t4\tQ0\tkeel-9\t1\t0.25\tmixed
t1 Q0 harbour-2 9 7 mixed
t4 Q0 keel-2 2 0.75 mixed
t1  Q0  harbour-1  1  8 mixed
t2 Q0 lantern-2 1 3 mixed
"""
GROUPS = Source.of_bytes("groups", b"t1 short\nt2 short\nt3 long\nt4 long\n")
GOLD = Source.of_bytes("qrels", QRELS.encode())
SYSTEMS = [
    Source.of_bytes("fair", FAIR.encode()),
    Source.of_bytes("mixed", MIXED.encode()),
]

EXAMPLES = [
    Example(GOLD, SYSTEMS),
    Example(
        GOLD,
        SYSTEMS,
        {
            "rel": ["2"],
            "gain": ["exponential"],
            "cutoffs": ["2,50"],
            "depth": ["10"],
            "groups": [GROUPS],
        },
    ),
]
