"""Senses of a few made-up words, for the laws."""

from scoring.source import Source
from tests.scoring.examples import Example

MAP = """\
mast%1.1 2 mast%1
mast%1.2 2 mast%1
mast%1
mast%2
reef%1
reef%2.1 3 reef%2
reef%2.2 3 reef%2
reef%2.3 3 reef%2
reef%2
"""
KEY = """\
mast.n mast.n.1 mast%1.1
mast.n mast.n.2 mast%2
mast.n mast.n.3 mast%1.1 mast%1.2
reef.v reef.v.1 reef%2.1
reef.v reef.v.2 reef%1 U
reef.v reef.v.3 reef%2
"""
CAREFUL = """\
mast.n mast.n.1 mast%1/0.5
mast.n mast.n.2 mast%2/0.75 mast%1.2/0.25
mast.n mast.n.3 mast%1.2
reef.v reef.v.1 reef%2.1/0.4 reef%2.2/0.4
"""
BOLD = """\
mast.n mast.n.1 mast%2
mast.n mast.n.2 mast%2
mast.n mast.n.3 mast%1
reef.v reef.v.1 reef%2
reef.v reef.v.2 U
reef.v reef.v.3 reef%2.3 !! nearer to the first, perhaps
reef.v reef.v.9 reef%1
"""


def files(**texts: str) -> dict[str, Source]:
    return {name: Source.of_bytes(name, text.encode()) for name, text in texts.items()}


GOLD = files(key=KEY)["key"]
SYSTEMS = list(files(careful=CAREFUL, bold=BOLD).values())
SENSEMAP = list(files(sensemap=MAP).values())

EXAMPLES = [
    Example(GOLD, SYSTEMS),
    Example(GOLD, SYSTEMS, {"granularity": ["coarse"], "sensemap": SENSEMAP}),
    Example(GOLD, SYSTEMS, {"granularity": ["mixed"], "sensemap": SENSEMAP}),
    Example(GOLD, SYSTEMS, {"policy": ["conjunctive"], "minimal": ["true"]}),
    Example(
        GOLD,
        SYSTEMS,
        {
            "policy": ["conjunctive"],
            "granularity": ["mixed"],
            "sensemap": SENSEMAP,
            "unknown_senses": ["discard"],
        },
    ),
    Example(
        GOLD,
        SYSTEMS,
        {
            "instances": list(files(instances="mast.n.1\nreef.v reef.v.2\n").values()),
            "senses": list(files(senses="mast%1.1\nreef%1\n").values()),
        },
    ),
]
