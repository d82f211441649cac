"""From raw text: other tokens, other words in multiword tokens, other sentences."""

from scoring.source import Source
from tests.scoring.conllu_cases import conllu
from tests.scoring.examples import Example

GOLD = conllu(
    "#newdoc=1 1-2/can't can/3/aux/can/AUX/VerbForm=Fin n't/3/advmod/not/PART/_ "
    "wait/0/root/wait/VERB/VerbForm=Inf !/3/punct/!/PUNCT/_",
    "the/2/det/the/DET/Definite=Def harbour/3/nsubj/harbour/NOUN/Number=Sing "
    "sleeps/0/root/sleep/VERB/Number=Sing|Tense=Pres",
    "#newdoc=2 1-3/dámelo da/0/root/dar/VERB/Mood=Imp me/1/iobj/yo/PRON/Case=Dat "
    "lo/1/obj/él/PRON/Case=Acc ./1/punct/./PUNCT/_",
    name="gold.conllu",
)
SAME_TOKENS = conllu(
    "1-2/can't can/3/aux/can/AUX/VerbForm=Fin n't/1/advmod/_/PART/_ "
    "wait/0/root/wait/NOUN/Number=Sing !/3/punct/!/PUNCT/_",
    "the/2/det/the/DET/Definite=Def harbour/3/obj/harbor/NOUN/Number=Sing "
    "sleeps/0/root/sleep/VERB/Tense=Pres|Number=Sing",
    "1-2/dámelo dá/0/root/dar/VERB/Mood=Imp melo/1/obj/_/PRON/Case=Acc "
    "./1/punct/./PUNCT/_",
    name="same.conllu",
)
OTHER_TOKENS = conllu(
    "can/0/root/can/AUX/_ 't/1/advmod/not/PART/_ wait!/1/obj/wait/VERB/_ "
    "the/1/det/the/DET/_",
    "har/2/dep/_/X/_ bour/0/root/_/NOUN/_ sleeps/2/acl/sleep/VERB/_ "
    "4-5/dámelo dame/2/conj/dar/VERB/_ lo/4/obj/él/PRON/Case=Acc ./2/punct/./PUNCT/_",
    name="other.conllu",
)
ONE_TOKEN = conllu("can'twait!theharboursleepsdámelo./0/root/_/X/_", name="one.conllu")
TWO_ROOTS = conllu(
    "1-2/can't can/0/aux/can/AUX/VerbForm=Fin n't/0/advmod/not/PART/_ "
    "wait/0/root/wait/VERB/VerbForm=Inf !/3/punct/!/PUNCT/_ "
    "the/0/det/the/DET/_ harboursleeps/0/root/_/X/_ dámelo/0/root/_/VERB/_ "
    "./7/punct/./PUNCT/_",
    name="roots.conllu",
)

GRAPHS = {
    "can": "3:aux",
    "n't": "3:advmod",
    "wait": "0:root",
    "the": "2:det",
    "harbour": "3:nsubj|3:nsubj:xsubj",
    "sleeps": "0:root",
    "me": "1:iobj|1:conj>iobj",
    "lo": "1:obj|2.1:obj",
}


def with_graphs(source: Source, others: dict[str, str]) -> Source:
    """The file with enhanced dependencies of some words, by their forms."""
    lines = source.single().decode().split("\n")
    for place, line in enumerate(lines):
        fields = line.split("\t")
        if len(fields) == 10 and fields[0].isdigit():
            fields[8] = (GRAPHS | others).get(fields[1], "_")
            lines[place] = "\t".join(fields)
    return Source.of_bytes(source.name, "\n".join(lines).encode())


EXAMPLES = [
    Example(GOLD, [SAME_TOKENS, OTHER_TOKENS, ONE_TOKEN], {}),
    Example(GOLD, [SAME_TOKENS, OTHER_TOKENS, TWO_ROOTS], {"roots": ["any"]}),
    Example(
        with_graphs(GOLD, {}),
        [
            with_graphs(SAME_TOKENS, {"me": "_", "the": "2:det:of", "melo": "1:obj"}),
            with_graphs(OTHER_TOKENS, {"lo": "4:obj|0:root"}),
        ],
        {"enhanced": ["true"]},
    ),
]
