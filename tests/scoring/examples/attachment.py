"""Trees over given words: documents, genres, subtypes, ranges and weights."""

from scoring.source import Source
from tests.scoring.conllu_cases import conllu
from tests.scoring.examples import Example

WEIGHTS = Source.of_bytes("weights.csv", b"relation,weight\nnsubj,0.7\ndet,0.25\n")

GOLD = conllu(
    "#newdoc=1 #genre=letter the/2/det ferry/3/nsubj leaves/0/root ./3/punct",
    "nobody/2/nsubj waved/0/root at/4/case us/2/obl:to",
    "#newdoc=2 #genre=log 1-2/wind's wind/3/nsubj 's/3/aux rising/0/root",
    "1.1/_ reef/0/root the/3/det mainsail/1/obj now/1/advmod !/1/punct",
    "good/0/root",
    name="gold.conllu",
)
CLOSE = conllu(
    "the/2/det ferry/3/nsubj leaves/0/root ./2/punct",
    "nobody/2/nsubj waved/0/root at/4/case us/2/obl",
    "wind/3/obj 's/3/cop rising/0/root",
    "reef/0/root the/3/det mainsail/1/obj now/3/advmod !/1/punct",
    "good/0/root",
    name="close.conllu",
)
FLAT = conllu(
    "the/0/root ferry/1/dep leaves/1/dep ./1/dep",
    "nobody/0/root waved/1/dep at/1/dep us/1/dep",
    "wind/0/root 's/1/dep rising/1/dep",
    "reef/0/root the/1/dep mainsail/1/dep now/1/dep !/1/dep",
    "good/0/dep",
    name="flat.conllu",
)
MANY_ROOTS = conllu(
    "the/0/root ferry/0/root leaves/0/root ./0/root",
    "nobody/3/nsubj waved/1/root at/2/case us/0/obl:to",
    "wind/3/nsubj 's/3/aux rising/0/root",
    "reef/0/root the/3/det mainsail/1/obj now/1/advmod !/1/punct",
    "good/0/root",
    name="roots.conllu",
)

EXAMPLES = [
    Example(GOLD, [CLOSE, FLAT, MANY_ROOTS], {}),
    Example(
        GOLD,
        [CLOSE, FLAT, MANY_ROOTS],
        {
            "labels": ["coarse"],
            "punctuation": ["drop"],
            "relations": ["ud2"],
            "weights": [WEIGHTS],
        },
    ),
    Example(
        GOLD,
        [CLOSE, FLAT],
        {"roots": ["single"], "content": ["nsubj,obj,obl"], "function": ["det"]},
    ),
]
