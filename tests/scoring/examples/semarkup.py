"""Two documents of made-up markup, and what three systems make of them."""

from scoring.source import Source
from tests.scoring.examples import Example

TAXONOMY = """\
ID,ParentID,Depth,Name
1,,0,THING
2,1,1,_
3,2,2,VESSEL
4,2,2,HARBOUR
5,3,3,SLOOP
6,,0,EVENT
7,6,1,MOTION
8,6,1,_
9,8,2,REST
"""
GOLD = """\
# newdoc id = log
# sent_id = log-1
# text = Green sloops drift.
1\tGreen\tgreen\tADJ\t_\tDegree=Pos\t2\tamod\tColour\t_
2\tsloops\tsloop\tNOUN\t_\tNumber=Plur\t3\tnsubj\tAgent\tSLOOP
3\tdrift\tdrift\tVERB\t_\tMood=Ind|Tense=Pres|VerbForm=Fin\t0\troot\tPredicate\tMOTION
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

# sent_id = log-2
# text = Rest ashore
1\tRest\trest\tVERB\t_\tMood=Imp|VerbForm=Fin\t0\troot\tPredicate\tREST
2\tashore\tashore\tADV\t_\t_\t1\tadvmod\tLocative\tHARBOUR

# newdoc id = song
# sent_id = song-1
# genre = verse
# text = Пьёт ёж
1-2\tПьётёж\t_\t_\t_\t_\t_\t_\t_\t_
1\tПьёт\tпить\tVERB\t_\tNumber=Sing|Tense=Pres\t0\troot\tPredicate\tEVENT
2\tёж\tёж\tNOUN\t_\tAnimacy=Anim|Case=Nom|Gender=Masc|Number=Sing\t1\tnsubj\tAgent\tTHING
2.1\t_\t_\tX\t_\t_\t_\t_\t_\t_
"""
CAREFUL = (
    GOLD.replace("sloop\tNOUN", "SLOOP\tNOUN")
    .replace("Agent\tSLOOP", "Agent\tVESSEL")
    .replace("Case=Nom|Gender=Masc", "Case=Gen|Gender=Masc")
    .replace("\t3\tpunct", "\t2\tpunct")
    .replace("ёж\tNOUN", "еж\tNOUN")
)
HASTY = (
    GOLD.replace("MOTION", "MOTOR")
    .replace("Mood=Imp|VerbForm=Fin", "_")
    .replace("Degree=Pos\t2\tamod", "Degree=Cmp|Number=Sing\t-7\tnmod")
    .replace("REST", "THING")
    .replace("\tADV\t", "\tX\t")
    .replace("Locative", "Time")
)
BARE = "\n".join(
    line
    if not line or line.startswith("#")
    else "\t".join([*line.split("\t")[:2], *"________", "more"])
    for line in GOLD.split("\n")
)


def file(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


CLASSES = [file("taxonomy.csv", TAXONOMY)]
KEY = file("gold.conllu", GOLD)
SYSTEMS = [
    file("careful.conllu", CAREFUL),
    file("hasty.conllu", HASTY),
    file("bare.conllu", BARE),
]
LEMMA_WEIGHTS = [file("lemma.json", '{"NOUN": 2, "VERB": 1.1, "PUNCT": 0}')]
FEATS_WEIGHTS = [
    file(
        "feats.json",
        '{"Degree": 0.1, "Number": 0.2, "Mood": 3, "Tense": 0.7, "VerbForm": 1,'
        ' "Animacy": 2, "Case": 6, "Gender": 3}',
    )
]

EXAMPLES = [
    Example(KEY, SYSTEMS, {"taxonomy": CLASSES}),
    Example(KEY, SYSTEMS, {"taxonomy": CLASSES, "track": ["base"]}),
    Example(
        KEY,
        SYSTEMS,
        {
            "taxonomy": CLASSES,
            "lemma_weights": LEMMA_WEIGHTS,
            "feats_weights": FEATS_WEIGHTS,
        },
    ),
]
