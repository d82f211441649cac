"""Two logs of a made-up lighthouse with parts of speech."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
-DOCSTART-

The\tDET
lamp\tNOUN
burns\tVERB
.\tPUNCT

Ships\tNOUN
pass\tVERB

-DOCSTART-

Fog\tNOUN
!\tPUNCT
"""
TAGGED = """\
-DOCSTART-\tO

The\tDET
lamp\tVERB
burns\tNOUN
.\tPUNCT

Ships\tNOUN
pass\tVERB

-DOCSTART-

Fog\tINTJ
!\tPUNCT"""
NOUNS = GOLD.replace("DET", "NOUN").replace("VERB", "NOUN").replace("PUNCT", "NOUN")
SYSTEMS = [
    Source.of_bytes(name, text.encode())
    for name, text in (("tagged", TAGGED), ("nouns", NOUNS))
]

EXAMPLES = [
    Example(Source.of_bytes("gold.conll", GOLD.encode()), SYSTEMS),
    Example(
        Source.of_bytes("gold.conll", GOLD.replace("-DOCSTART-\n\n", "").encode()),
        [Source.of_bytes("nouns", NOUNS.replace("-DOCSTART-\n\n", "").encode())],
        {"labels": ["NOUN,VERB,DET,PUNCT"], "ignore": ["PUNCT"]},
    ),
]
