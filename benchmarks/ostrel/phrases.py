"""Nominal phrases: pronouns, names, nouns with what belongs to them, coordination."""

from __future__ import annotations

from benchmarks.ostrel.lexicon import Word
from benchmarks.ostrel.morphology import PLURAL, SINGULAR
from benchmarks.ostrel.trees import Node, capital, mark
from benchmarks.ostrel.variety import Voice

HE, THEY = 2, 5
# Repetition stands for frequency.
COMMON_ADPOSITIONS = "in in in to to to from from with with about for for under"
ADPOSITIONS = COMMON_ADPOSITIONS.split()
OBLIQUE_CASES = ("Loc", "Loc", "Loc", "Dat", "Abl", "Abl", "Ins")
TIMES = slice(18, 24)  # the nouns of these ranks are the names of days and seasons
FADING = 0.5  # each level of embedding halves what is said about a noun


def person(v: Voice) -> int:
    """The person of a pronoun: letters speak of me and you, the others of them."""
    if v.genre.dialogue > 0.3:
        return v.pick((0, 0, 0, 1, 1, 2, 3, 5))
    return v.pick((0, 2, 2, 2, 2, 3, 5, 5))


def pronoun(v: Voice, case: str) -> tuple[Node, int]:
    who = person(v)
    return Node(v.forms.pronoun(who, case)), who


def name(v: Voice, case: str, kind: str = "person") -> Node:
    """A proper name; persons sometimes have a second one."""
    stem = capital(v.stem(kind))
    node = Node(v.forms.noun(stem, SINGULAR, case, "PROPN"))
    if kind == "person" and v.chance(0.3):
        second = capital(v.lexicon.open["place"].draw(v.rng))
        bare = "Nom" if v.variety.hills else case
        node.trail(Node(v.forms.noun(second, SINGULAR, bare, "PROPN")), "name")
    return node


def determine(v: Voice, noun: Node, number: str) -> None:
    """Give the noun an article, another determiner, a possessor or nothing."""
    draw = v.rng.random()
    if draw < 0.12:
        noun.lead(Node(v.forms.pronoun(person(v), "Gen")), "nmod:poss")
    elif draw < 0.24:
        last = "some" if number == PLURAL else "every"
        noun.lead(Node(v.small(v.pick(("this", "that", last)))), "det")
    elif not v.variety.hills and draw < 0.78:
        definite = number == PLURAL or draw < 0.6
        noun.lead(Node(v.small("the" if definite else "a")), "det")


def numeral(v: Voice) -> Node:
    if v.chance(0.5):
        word = v.pick(v.lexicon.numbers)
        return Node(Word(word, word, "NUM", "NumType=Card"))
    digits = str(v.rng.randrange(2, 10 ** v.pick((1, 2, 2, 3))))
    return Node(Word(digits, digits, "NUM", "NumType=Card"))


def adjective(v: Voice) -> Node:
    stem = v.stem("adjective")
    node = Node(Word(stem, stem, "ADJ", "Degree=Pos"))
    if v.chance(0.14):
        node.lead(Node(v.small(v.pick(("very", "very", "more")))), "advmod")
    return node


def possessor(v: Voice, noun: Node, depth: int) -> None:
    """Another nominal that owns the noun: before it in the hills, after it below."""
    if v.variety.hills:
        owner, _ = nominal(v, "Gen", depth + 1)
        noun.open(owner, "nmod:poss")
        return
    owner, _ = nominal(v, "Obl", depth + 1)
    noun.trail(owner.open(Node(v.small("of")), "case"), "nmod:poss")


def decorate(v: Voice, noun: Node, depth: int) -> None:
    """Adjectives, compounds, possessors and adpositional modifiers."""
    share = v.genre.modifiers * FADING**depth
    if v.chance(0.05):
        stem = v.stem("noun")
        noun.lead(Node(v.forms.noun(stem, SINGULAR, "Nom")), "compound")
    for scale in (1.0, 0.25):
        if v.chance(share * scale):
            noun.lead(adjective(v), "amod")
    if v.chance(share * 0.5):
        possessor(v, noun, depth)
    if v.chance(share * 0.5):
        modifier = oblique(v, depth + 1)
        (noun.open if v.variety.hills else noun.trail)(modifier, "nmod")


def common(v: Voice, case: str, depth: int) -> tuple[Node, int]:
    counted = v.chance(0.04 + v.genre.names / 4)
    plural = v.chance(0.27) or (counted and not v.variety.hills)
    number = PLURAL if plural else SINGULAR
    noun = Node(v.forms.noun(v.stem("noun"), number, case))
    determine(v, noun, number)
    if counted:
        noun.lead(numeral(v), "nummod")
    decorate(v, noun, depth)
    v.fresh.append(noun)
    return noun, THEY if plural else HE


def named(v: Voice, case: str, depth: int) -> Node:
    """A name, now and then explained by a noun between commas."""
    node = name(v, case)
    if depth < 2 and v.chance(0.1):
        noun, _ = common(v, case, depth + 2)
        v.fresh.remove(noun)  # a relative clause would get between the commas
        noun.open(mark(","), "punct").trail(mark(","), "punct")
        node.trail(noun, "appos")
    return node


def simple(v: Voice, case: str, depth: int) -> tuple[Node, int]:
    draw = v.rng.random()
    if draw < v.genre.names:
        return named(v, case, depth), HE
    return common(v, case, depth)


def coordinate(v: Voice, first: Node, case: str, depth: int) -> None:
    """Two or three conjuncts, all hanging from the first with their conjunction."""
    if v.chance(0.22):
        first.trail(mark(","), "punct")
        first.trail(simple(v, case, depth + 2)[0], "conj")
    first.trail(Node(v.small(v.pick(("and", "and", "and", "or")))), "cc")
    first.trail(simple(v, case, depth + 2)[0], "conj")


def nominal(v: Voice, case: str, depth: int) -> tuple[Node, int]:
    """A nominal phrase and the person it stands for (0 to 5)."""
    if v.chance(v.genre.pronouns):
        return pronoun(v, case)
    node, who = simple(v, case, depth)
    if v.chance(0.11 * FADING**depth):
        coordinate(v, node, case, depth)
        who = THEY
    return node, who


def adposition(v: Voice) -> Node:
    """One word, or two that count as one."""
    node = Node(v.small(v.pick(ADPOSITIONS)))
    if v.chance(0.06):
        node.trail(Node(v.small(v.pick(("of", "to")))), "mwe")
    return node


def oblique(v: Voice, depth: int) -> Node:
    """A place, company or goal: by adposition, or by case in the hills."""
    bare = not v.chance(v.variety.adpositions)
    case = v.pick(OBLIQUE_CASES) if bare else "Gen" if v.variety.hills else "Obl"
    if v.chance(v.genre.names / 2):
        node = name(v, case, "place")
    else:
        node, _ = nominal(v, case, depth)
    if bare:
        return node
    if v.variety.hills:
        return node.trail(adposition(v), "case")
    return node.open(adposition(v), "case")


def moment(v: Voice) -> Node:
    """A time without adposition, such as "that day"."""
    stem = v.pick(v.lexicon.open["noun"].words[TIMES])
    node = Node(v.forms.noun(stem, SINGULAR, "Loc"))
    return node.lead(Node(v.small(v.pick(("this", "that", "every")))), "det")
