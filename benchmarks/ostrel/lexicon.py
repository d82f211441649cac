"""The words of the invented language: open classes by rank, closed ones by role."""

from bisect import bisect
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

from benchmarks.ostrel.sounds import hill_accent, roots


class Word(NamedTuple):
    form: str
    lemma: str
    upos: str
    feats: str = "_"


class Ranked:
    """Words drawn with a frequency that falls with their rank (Zipf-Mandelbrot)."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.sums = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))

    def draw(self, rng: Random) -> str:
        return self.words[bisect(self.sums, rng.random() * self.sums[-1])]


OPEN_CLASSES = {
    "noun": (900, (1, 2, 2, 2, 3)),
    "verb": (150, (1, 2, 2)),
    "act": (230, (1, 2, 2, 3)),
    "give": (24, (1, 2)),
    "say": (30, (1, 2)),
    "want": (20, (1, 2)),
    "adjective": (280, (2, 2, 3)),
    "adverb": (90, (1, 2, 2)),
    "person": (160, (2, 2, 3)),
    "place": (120, (2, 3, 3)),
}

CLOSED = """
the ve DET Definite=Def|PronType=Art
a ni DET Definite=Ind|PronType=Art
this dako DET PronType=Dem
that dalu DET PronType=Dem
every omra DET PronType=Tot
some sul DET PronType=Ind
in ut ADP _
to az ADP _
from ro ADP _
with komi ADP _
of dei ADP _
about lur ADP _
for vash ADP _
under nedu ADP _
by thel ADP _
and ol CONJ _
or vai CONJ _
but mer CONJ _
that_clause shi SCONJ _
because orne SCONJ _
when kanu SCONJ _
if sei SCONJ _
although belo SCONJ _
to_act na PART _
who shen PRON PronType=Rel
what kesh PRON PronType=Int
where kul ADV PronType=Int
how kem ADV PronType=Int
why koro ADV PronType=Int
will vor AUX VerbForm=Fin
have tam AUX VerbForm=Fin
can poda AUX VerbForm=Fin
must gret AUX VerbForm=Fin
passive bes AUX VerbForm=Fin|Voice=Pass
is lin VERB Mood=Ind|Tense=Pres|VerbForm=Fin
was linosh VERB Mood=Ind|Tense=Past|VerbForm=Fin
not nai PART Polarity=Neg
very brai ADV _
more sath ADV Degree=Cmp
yes haya INTJ _
oh oi INTJ _
well nuva INTJ _
there tol PRON _
away ap ADP _
"""
PERSONS = ("mo", "ke", "il", "mori", "keri", "ilri")
NUMBERS = ("ten", "vik", "sar", "hol", "pemi", "lasu")


@cache
def stems() -> dict[str, list[str]]:
    """Stems of every open class in the river accent; no stem serves two classes."""
    rng = Random(20260117)
    taken = {line.split()[1] for line in CLOSED.strip().splitlines()}
    taken |= {*PERSONS, *NUMBERS}
    table = {}
    for name, (count, lengths) in OPEN_CLASSES.items():
        fresh = [stem for stem in roots(rng, count * 2, lengths) if stem not in taken]
        table[name] = fresh[:count]
        taken.update(table[name])
    return table


class Lexicon:
    """All words of one accent."""

    def __init__(self, hills: bool) -> None:
        accent = hill_accent if hills else str
        self.open = {
            name: Ranked([accent(stem) for stem in words])
            for name, words in stems().items()
        }
        self.closed = {}
        for line in CLOSED.strip().splitlines():
            role, stem, upos, feats = line.split()
            form = accent(stem)
            lemma = accent("lin") if role == "was" else form
            self.closed[role] = Word(form, lemma, upos, feats)
        self.persons = [accent(stem) for stem in PERSONS]
        self.numbers = [accent(stem) for stem in NUMBERS]


@cache
def lexicon(hills: bool) -> Lexicon:
    return Lexicon(hills)
