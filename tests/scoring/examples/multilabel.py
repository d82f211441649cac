"""Things that a made-up ferry carries, any number of kinds on a trip."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,genre,label
t1,day,cars|people
t2,day,people
t3,night,
t4,night,freight|cars
t5,day,people|bicycles
"""
SYSTEM = """\
id,label
t1,people|cars
t2,people|bicycles
t3,
t4,freight
t5,cars
"""
AS_LISTS = """\
{"id": "t1", "label": ["cars"]}
{"id": "t2", "label": ["people", "people"]}
{"id": "t3", "label": ["ghosts"]}
{"id": "t4", "label": []}
{"id": "t5", "label": ["bicycles", "people"]}
"""
SYSTEMS = [
    Source.of_bytes("cells.csv", SYSTEM.encode()),
    Source.of_bytes("lists.jsonl", AS_LISTS.encode()),
]

EXAMPLES = [
    Example(Source.of_bytes("gold.csv", GOLD.encode()), SYSTEMS),
    Example(
        Source.of_bytes("gold.csv", GOLD.encode()),
        SYSTEMS,
        {"labels": ["cars,people,freight,bicycles,ghosts"], "ignore": ["ghosts"]},
    ),
    Example(
        Source.of_bytes("gold.tsv", GOLD.replace(",", "\t").replace("|", " ").encode()),
        [Source.of_bytes("c.csv", SYSTEM.replace("|", " ").encode())],
        {"separator": ["space"]},
    ),
]
