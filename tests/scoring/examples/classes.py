"""Messages of a made-up harbour office, sorted into classes."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,document,text,label
m1,morning,Please send a pilot.,request
m2,morning,"Thank you, all is well.",thanks
m3,morning,Where is berth four?,question
m4,noon,We leave at six.,other
m5,noon,May we come in?,request
m6,noon,You were most kind.,thanks
m7,evening,Who has the key?,question
m8,evening,Fog again.,other
"""
CAREFUL = """\
id,label
m8,other
m7,question
m6,thanks
m5,question
m4,other
m3,question
m2,thanks
m1,request
"""
CARELESS = """\
id\tlabel
m1\trequest
m2\trequest
m3\trequest
m4\trequest
m5\trequest
m6\trequest
m7\trequest
m8\trequest
"""
ODD = """\
{"id": "m1", "label": "request"}
{"id": "m2", "label": "praise"}
{"id": "m3", "label": "question"}
{"id": "m4", "label": "praise"}
{"id": "m5", "label": "request"}
{"id": "m6", "label": "thanks"}
{"id": "m7", "label": "other"}
{"id": "m8", "label": "other"}
"""
SYSTEMS = [
    Source.of_bytes(name, text.encode())
    for name, text in (("careful", CAREFUL), ("careless", CARELESS), ("odd", ODD))
]
GRADES = "id,label\n" + "".join(f"essay{i},{i % 5 + 1}\n" for i in range(12))
GRADED = "id,label\n" + "".join(f"essay{i},{i * i % 5 + 1}\n" for i in range(12))
PARENTS = "label,parent\nrequest,asks\nquestion,asks\nthanks,says\npraise,says\n"

EXAMPLES = [
    Example(Source.of_bytes("gold.csv", GOLD.encode()), SYSTEMS),
    Example(
        Source.of_bytes("gold.csv", GOLD.encode()),
        SYSTEMS,
        {
            "labels": ["other, request, question, thanks, praise"],
            "ignore": ["other"],
            "inputs": ["text"],
        },
    ),
    Example(
        Source.of_bytes("grades", GRADES.encode()),
        [Source.of_bytes("graded", GRADED.encode())],
        {"labels": ["1,2,3,4,5"]},
    ),
    Example(
        Source.of_bytes("gold.csv", GOLD.encode()),
        SYSTEMS,
        {
            "parents": [Source.of_bytes("parents.csv", PARENTS.encode())],
            "worst": ["document"],
        },
    ),
]
