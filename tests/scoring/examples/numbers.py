"""How alike two sentences are, from 0 to 5; and how deep a harbour is."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,document,genre,pair,deviation,value
p1,log,sea,The tide turns. / The water falls.,0.4,4.2
p2,log,sea,We sail at noon. / The cook sings.,0,0
p3,log,land,A lamp is lit. / Somebody lit a lamp.,1.5,5
p4,mail,land,The road is long. / The way is far.,0.75,4.2
p5,mail,sea,No wind today. / It rained.,5e-1,1
p6,mail,land,Bread is dear. / Prices rose.,1,2.5
p7,talk,sea,Cast off! / Let go the ropes!,0.2,4.8
p8,talk,land,Good night. / Good morning.,0.5,1
"""
CLOSE = """\
id\tvalue
p8\t1.5
p7\t4.75
p6\t2
p5\t0.5
p4\t4
p3\t5
p2\t0.25
p1\t4
"""
COARSE = """\
{"id": "p1", "value": 1}
{"id": "p2", "value": 0}
{"id": "p3", "value": 1}
{"id": "p4", "value": 1.0}
{"id": "p5", "value": "0"}
{"id": "p6", "value": 0}
{"id": "p7", "value": 1e0}
{"id": "p8", "value": 1}
"""
CONSTANT = "id,value\n" + "".join(f"p{i},2.5\n" for i in range(1, 9))
WILD = "id,value\n" + "".join(f"p{i},{(-10.0) ** i}\n" for i in range(1, 9))
DEPTHS = "".join(f"{1_000_000 + 7 * i % 11 + i / 8}\n" for i in range(30))
SOUNDED = "".join(f"{1_000_000 + 5 * i % 11 + i / 8}\n" for i in range(30))


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.csv", GOLD),
        [
            source("close.tsv", CLOSE),
            source("coarse.jsonl", COARSE),
            source("constant.csv", CONSTANT),
            source("wild.csv", WILD),
        ],
        {
            "inputs": ["pair"],
            "groups": ["document,genre"],
            "within": ["0.5"],
            "deviation": ["deviation"],
        },
    ),
    Example(source("depths.txt", DEPTHS), [source("sounded.txt", SOUNDED)]),
]
