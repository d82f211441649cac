"""Clauses: a predicate, what it asks for, what comes along, and their order."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.ostrel.lexicon import Word
from benchmarks.ostrel.morphology import number_of
from benchmarks.ostrel.phrases import (
    FADING,
    HE,
    adjective,
    common,
    moment,
    nominal,
    oblique,
    person,
)
from benchmarks.ostrel.trees import Node, mark
from benchmarks.ostrel.variety import Voice

FINITE, INFINITIVE, PARTICIPLE, CONVERB = "Fin", "Inf", "Part", "Conv"
SUBJECT, OBJECT, ADJUNCT, SMALL = range(4)
VALENCES = ("verb",) * 8 + ("act",) * 11 + ("give",) * 2 + ("say", "say", "want")
PLAIN_VALENCES = ("verb",) * 8 + ("act",) * 10 + ("give",)


class Part(NamedTuple):
    node: Node
    rel: str
    place: int


Built = tuple[Node, list[Part]]


def clause(v: Voice, depth: int, shape: str = FINITE, gap: str = "") -> Node:
    """A clause of the given shape; `gap` names an argument found outside it."""
    outer, v.fresh = v.fresh, []
    draw = v.rng.random()
    if shape != FINITE or gap or draw > 0.17 + v.genre.passives:
        node, parts = verbal(v, depth, shape, gap)
    elif draw > 0.17:
        node, parts = passive(v, depth)
    else:
        node, parts = existential(v) if draw < 0.02 else copular(v, depth)
    parts += adjuncts(v, depth)
    arrange(v, node, parts)
    relate(v, node, depth)
    v.fresh = outer
    return node


def subject(v: Voice, depth: int, rel: str = "nsubj") -> tuple[list[Part], int]:
    """The subject, or nothing but its person where it goes without saying."""
    if v.chance(v.variety.dropped):
        return [], person(v)
    node, who = nominal(v, "Nom", depth)
    return [Part(node, rel, SUBJECT)], who


def verbal(v: Voice, depth: int, shape: str, gap: str) -> Built:
    valence = v.pick(VALENCES if depth < 2 and not gap else PLAIN_VALENCES)
    if gap == "dobj":
        valence = "act"
    silent = gap == "nsubj" or shape == INFINITIVE or v.chance(0.6)
    parts: list[Part] = []
    who = HE
    if (shape == FINITE and gap != "nsubj") or not silent:
        parts, who = subject(v, depth)
    node, small = verb(v, valence, shape, who)
    if gap != "dobj":
        parts += complements(v, valence, depth)
    return node, parts + small


def verb(v: Voice, valence: str, shape: str, who: int) -> Built:
    """The verb with its auxiliary and its negation."""
    stem = v.stem(valence)
    small = []
    if v.chance(0.07):
        small.append(Part(Node(v.small("not")), "neg", SMALL))
    if shape != FINITE:
        return Node(v.forms.verb(stem, shape, who)), small
    if v.chance(0.1 if v.variety.hills else 0.27):
        role = v.pick(("will", "have", "have", "can", "must"))
        small.insert(0, Part(Node(v.small(role)), "aux", SMALL))
        inner = PARTICIPLE if role == "have" else INFINITIVE
        return Node(v.forms.verb(stem, inner, who)), small
    tense = "Past" if v.chance(v.genre.past) else "Pres"
    node = Node(v.forms.verb(stem, tense, who))
    if valence == "verb" and not v.variety.hills and v.chance(0.07):
        node.trail(Node(v.small("away")), "compound:prt")
    return node, small


def complements(v: Voice, valence: str, depth: int) -> list[Part]:
    if valence == "verb":
        return []
    if valence == "say":
        return [Part(reported(v, depth), "ccomp", OBJECT)]
    if valence == "want":
        inner = clause(v, depth + 2, INFINITIVE)
        if not v.variety.hills:
            inner.open(Node(v.small("to_act")), "mark")
        return [Part(inner, "xcomp", OBJECT)]
    direct = Part(nominal(v, "Acc", depth)[0], "dobj", OBJECT)
    if valence == "act":
        return [direct]
    return [Part(nominal(v, "Dat", depth + 1)[0], "iobj", OBJECT), direct]


def reported(v: Voice, depth: int) -> Node:
    """A clause with its complementizer: first by the river, last in the hills."""
    node = clause(v, depth + 2)
    word = Node(v.small("that_clause"))
    return (node.trail if v.variety.hills else node.open)(word, "mark")


def passive(v: Voice, depth: int) -> Built:
    parts, who = subject(v, depth, "nsubjpass")
    node = Node(v.forms.verb(v.stem("act"), "Pass", who))
    if not v.variety.hills:
        parts.append(Part(Node(v.small("passive")), "auxpass", SMALL))
    if v.chance(0.35):
        agent, _ = nominal(v, "Ins", depth + 1)
        if not v.variety.hills:
            agent.open(Node(v.small("by")), "case")
        parts.append(Part(agent, "nmod", ADJUNCT))
    return node, parts


def copular(v: Voice, depth: int) -> Built:
    """Something is like something; an infinitive may be the subject."""
    described = v.chance(0.6)
    node = adjective(v) if described else common(v, "Nom", depth + 1)[0]
    if described and v.chance(0.12):
        action = clause(v, depth + 2, INFINITIVE)
        if not v.variety.hills:
            action.open(Node(v.small("to_act")), "mark")
        parts = [Part(action, "csubj", SUBJECT)]
    else:
        parts = [Part(nominal(v, "Nom", depth)[0], "nsubj", SUBJECT)]
    if v.chance(v.variety.copulas):
        role = "was" if v.chance(v.genre.past) else "is"
        linked = v.small(role)._replace(upos="VERB")
        parts.append(Part(Node(linked), "cop", SMALL))
    if v.chance(0.08):
        parts.append(Part(Node(v.small("not")), "neg", SMALL))
    return node, parts


def existential(v: Voice) -> Built:
    noun, who = common(v, "Nom", 1)
    word = v.small("was" if v.chance(v.genre.past) else "is")
    feats = word.feats.replace("|Tense", f"|Number={number_of(who)}|Tense")
    node = Node(Word(word.form, word.lemma, "VERB", feats))
    parts = [Part(noun, "nsubj", OBJECT)]
    if not v.variety.hills:
        parts.append(Part(Node(v.small("there")), "expl", SUBJECT))
    return node, parts


def adjuncts(v: Voice, depth: int) -> list[Part]:
    """Adverbs, obliques, times and adverbial clauses, fewer where embedded."""
    share = FADING**depth
    parts = []
    if v.chance(0.3 * share + 0.06):
        stem = v.stem("adverb")
        parts.append(Part(Node(Word(stem, stem, "ADV")), "advmod", ADJUNCT))
    for scale in v.variety.obliques:
        if v.chance(scale * share + 0.08):
            parts.append(Part(oblique(v, depth), "nmod", ADJUNCT))
    if v.chance(0.06 * share):
        parts.append(Part(moment(v), "nmod:tmod", ADJUNCT))
    if depth < 2 and v.chance(v.genre.subordinate * share):
        parts.append(Part(circumstance(v, depth), "advcl", ADJUNCT))
    return parts


def circumstance(v: Voice, depth: int) -> Node:
    """Why, when or how: a conjunction and a clause, or a converb."""
    if v.variety.hills and v.chance(0.65):
        return clause(v, depth + 1, CONVERB).trail(mark(","), "punct")
    node = clause(v, depth + 1)
    role = v.pick(("because", "because", "when", "when", "if", "although"))
    word = Node(v.small(role))
    if v.variety.hills:
        node.trail(word, "mark")
    else:
        node.open(word, "mark")
    return node


def arrange(v: Voice, node: Node, parts: list[Part]) -> None:
    (arrange_hill if v.variety.hills else arrange_river)(v, node, parts)


def arrange_river(v: Voice, node: Node, parts: list[Part]) -> None:
    """(Adjunct) subject small words predicate objects adjuncts."""
    last = [part for part in parts if part.place == ADJUNCT]
    if last and v.chance(0.24):
        front = last.pop()
        if front.rel in ("advcl", "nmod", "nmod:tmod"):
            front.node.trail(mark(","), "punct")
        node.lead(front.node, front.rel)
    for place in (SUBJECT, SMALL):
        for part in parts:
            if part.place == place:
                node.lead(part.node, part.rel)
    for part in [part for part in parts if part.place == OBJECT] + last:
        if part.rel == "advcl" and v.chance(0.5):
            part.node.open(mark(","), "punct")
        node.trail(part.node, part.rel)


def arrange_hill(v: Voice, node: Node, parts: list[Part]) -> None:
    """The predicate last, its auxiliary after it, the rest in a loose order."""
    rank = {SUBJECT: 0, ADJUNCT: 1, OBJECT: 2}
    loose = [part for part in parts if part.place != SMALL]
    small = [part for part in parts if part.place == SMALL]
    loose.sort(key=lambda part: rank[part.place])
    if v.chance(v.variety.shuffled):
        v.rng.shuffle(loose)
    loose.sort(key=lambda part: part.rel != "advcl")
    late = [] if v.chance(v.variety.verb_final) or not loose else [loose.pop()]
    for part in loose + [part for part in small if part.rel == "neg"]:
        node.lead(part.node, part.rel)
    for part in [part for part in small if part.rel != "neg"] + late:
        node.trail(part.node, part.rel)


def relate(v: Voice, node: Node, depth: int) -> None:
    """Let relative clauses grow on the nouns of a finished clause."""
    if depth > 2:
        return
    for noun in v.fresh:
        if not v.chance(0.11 * FADING**depth) or noun is node:
            continue
        if v.chance(v.variety.extraposed):
            stray = relative(v, depth)
            stray.head, stray.rel = noun, "acl:relcl"
            node.host(stray)
        elif v.variety.hills:
            noun.open(clause(v, depth + 2, PARTICIPLE, "nsubj"), "acl")
        elif v.chance(0.25):
            noun.trail(clause(v, depth + 2, PARTICIPLE, "nsubj"), "acl")
        else:
            noun.trail(relative(v, depth), "acl:relcl")


def relative(v: Voice, depth: int) -> Node:
    """A finite clause that begins with a relative pronoun."""
    gap = v.pick(("nsubj", "nsubj", "dobj"))
    node = clause(v, depth + 2, FINITE, gap).open(Node(v.small("who")), gap)
    if v.chance(0.3) or v.variety.hills:
        node.open(mark(","), "punct").trail(mark(","), "punct")
    return node
