"""Sentences, documents and test sets of an invented language, from a seed."""

from __future__ import annotations

from functools import cache
from random import Random

from benchmarks.ostrel.clauses import clause
from benchmarks.ostrel.phrases import HE, common, name, oblique
from benchmarks.ostrel.trees import (
    Node,
    conllu_lines,
    glued,
    mark,
    running_text,
    spoken,
    surface,
)
from benchmarks.ostrel.variety import Genre, Variety, Voice

LONGEST = 45
SHORTEST = 2


def statement(v: Voice) -> Node:
    """One main clause, often a second one joined to it."""
    node = clause(v, 0)
    if v.chance(v.genre.coordinate):
        if v.chance(0.6):
            node.trail(mark(","), "punct")
        node.trail(Node(v.small(v.pick(("and", "and", "but", "or")))), "cc")
        node.trail(clause(v, 1), "conj")
    return node.trail(mark("."), "punct")


def question(v: Voice) -> Node:
    role = v.pick(("where", "how", "why", "what", ""))
    if not role:
        return clause(v, 1).trail(mark("?"), "punct")
    if role == "what":
        node = clause(v, 1, "Fin", "dobj").open(Node(v.small(role)), "dobj")
    else:
        node = clause(v, 1).open(Node(v.small(role)), "advmod")
    return node.trail(mark("?"), "punct")


def order(v: Voice) -> Node:
    node = Node(v.forms.verb(v.stem("act"), "Imp", HE))
    thing = common(v, "Acc", 0)[0]
    place = oblique(v, 1)
    side = node.lead if v.variety.hills else node.trail
    side(thing, "dobj")
    side(place, "nmod")
    if v.chance(0.5):
        node.open(name(v, "Nom").trail(mark(","), "punct"), "vocative")
    return node.trail(mark("!"), "punct")


def quotation(v: Voice) -> Node:
    """Quoted speech, then who said so: the saying hangs from what was said."""
    node = clause(v, 1).open(mark("“"), "punct")
    node.trail(mark(","), "punct").trail(mark("”"), "punct")
    who = name(v, "Nom") if v.chance(0.6) else common(v, "Nom", 1)[0]
    said = Node(v.forms.verb(v.stem("say"), "Past", HE)).trail(who, "nsubj")
    return node.trail(said, "parataxis").trail(mark("."), "punct")


def exclamation(v: Voice) -> Node:
    """A short reply: an interjection with a noun or a clause."""
    node = common(v, "Nom", 1)[0] if v.chance(0.4) else clause(v, 2)
    word = Node(v.small(v.pick(("yes", "oh", "well")))).trail(mark(","), "punct")
    return node.open(word, "discourse").trail(mark(v.pick((".", "!"))), "punct")


def heading(v: Voice) -> Node:
    """A sentence without a verb."""
    node = common(v, "Nom", 0)[0]
    node.trail(oblique(v, 1), "nmod")
    return node.trail(mark(v.pick((".", ":"))), "punct")


def sentence(v: Voice) -> Node:
    v.fresh = []
    draw = v.rng.random()
    if draw < v.genre.dialogue:
        return v.pick((question, question, order, quotation, exclamation))(v)
    return heading(v) if draw > 0.975 else statement(v)


def sized_sentence(v: Voice) -> list[Node]:
    """Sentences too long to be believed are said again, in other words."""
    while True:
        nodes = spoken(sentence(v))
        if SHORTEST <= len(nodes) <= LONGEST:
            return nodes


def block(v: Voice, sent_id: str, opening: str) -> str:
    nodes = sized_sentence(v)
    tight = glued(nodes)
    forms = surface(nodes)
    comments = f"{opening}# sent_id = {sent_id}\n# genre = {v.genre.name}\n"
    comments += f"# text = {running_text(forms, tight)}\n"
    return comments + "\n".join(conllu_lines(nodes, forms, tight)) + "\n\n"


def document(v: Voice, name_of_it: str, sentences: int) -> str:
    """One text; its first sentence carries the `newdoc id` comment."""
    opening = f"# newdoc id = {name_of_it}\n"
    return "".join(
        block(v, f"{name_of_it}-{at:02d}", "" if at > 1 else opening)
        for at in range(1, sentences + 1)
    )


def document_sizes(rng: Random, sentences: int) -> list[int]:
    """Sizes from 5 to 20 that add up to the number of sentences (at least 5)."""
    sizes = []
    left = sentences
    while left > 20:
        sizes.append(rng.randint(5, min(20, left - 5)))
        left -= sizes[-1]
    return [*sizes, left]


@cache
def corpus(
    name: str, variety: Variety, genres: tuple[Genre, ...], sentences: int, seed: int
) -> str:
    """CoNLL-U text of whole documents; the genres take turns.

    The same arguments give the same bytes. `name` begins every sentence id.
    """
    rng = Random(f"{name}:{seed}")
    texts = []
    for number, size in enumerate(document_sizes(rng, sentences)):
        genre = genres[number % len(genres)]
        label = f"{name}-{genre.name}-{number + 1:03d}"
        texts.append(document(Voice(variety, genre, rng), label, size))
    return "".join(texts)
