"""Inflection: few endings by the river, many in the hills."""

from typing import ClassVar

from benchmarks.ostrel.lexicon import Lexicon, Word
from benchmarks.ostrel.sounds import ends_in_vowel, harmony

SINGULAR = "Sing"
PLURAL = "Plur"


def number_of(who: int) -> str:
    return SINGULAR if who < 3 else PLURAL


def person_feats(who: int) -> str:
    return f"Number={number_of(who)}|Person={who % 3 + 1}"


class RiverForms:
    """Nouns know number, verbs tense and number; the rest is left to small words."""

    VERB: ClassVar = {
        ("Pres", SINGULAR): "a",
        ("Pres", PLURAL): "an",
        ("Past", SINGULAR): "osh",
        ("Past", PLURAL): "osh",
    }
    OTHER: ClassVar = {"Inf": "un", "Part": "eth", "Pass": "eth", "Conv": "imar"}

    def __init__(self, words: Lexicon) -> None:
        self.persons = words.persons

    def noun(self, stem: str, number: str, case: str, upos: str = "NOUN") -> Word:
        form = stem
        if number == PLURAL:
            form += "ri" if ends_in_vowel(stem) else "i"
        return Word(form, stem, upos, f"Number={number}")

    def verb(self, stem: str, shape: str, who: int) -> Word:
        base = stem[:-1] if ends_in_vowel(stem) and len(stem) > 3 else stem
        lemma = base + "un"
        if shape == "Imp":
            return Word(base + "e", lemma, "VERB", "Mood=Imp|VerbForm=Fin")
        if shape in self.OTHER:
            voice = "|Voice=Pass" if shape == "Pass" else ""
            kind = "Part" if shape == "Pass" else shape
            feats = ("Tense=Past|" if kind == "Part" else "") + f"VerbForm={kind}"
            return Word(base + self.OTHER[shape], lemma, "VERB", feats + voice)
        number = number_of(who)
        feats = f"Mood=Ind|Number={number}|Tense={shape}|VerbForm=Fin"
        return Word(base + self.VERB[shape, number], lemma, "VERB", feats)

    def pronoun(self, who: int, case: str) -> Word:
        lemma = self.persons[who]
        if case == "Gen":
            feats = person_feats(who) + "|Poss=Yes|PronType=Prs"
            return Word(lemma + "ta", lemma, "PRON", feats)
        ending = "" if case == "Nom" else "n" if ends_in_vowel(lemma) else "en"
        kind = "Nom" if case == "Nom" else "Acc"
        feats = f"Case={kind}|{person_feats(who)}|PronType=Prs"
        return Word(lemma + ending, lemma, "PRON", feats)


class HillForms:
    """Cases on nouns and pronouns, person and tense on verbs, all by harmony."""

    CASES: ClassVar = {
        "Nom": "",
        "Acc": "m",
        "Gen": "nu",
        "Dat": "ka",
        "Loc": "so",
        "Abl": "lor",
        "Ins": "vu",
    }
    PERSON = ("ma", "ke", "", "mar", "ker", "ri")
    OTHER: ClassVar = {"Inf": "una", "Part": "van", "Conv": "kan", "Pass": "il"}

    def __init__(self, words: Lexicon) -> None:
        self.persons = words.persons

    def _inflect(self, base: str, case: str) -> str:
        link = "a" if case == "Acc" and not ends_in_vowel(base) else ""
        return base + harmony(base, link + self.CASES[case])

    def noun(self, stem: str, number: str, case: str, upos: str = "NOUN") -> Word:
        base = stem + harmony(stem, "ta") if number == PLURAL else stem
        form = self._inflect(base, case)
        return Word(form, stem, upos, f"Case={case}|Number={number}")

    def verb(self, stem: str, shape: str, who: int) -> Word:
        lemma = stem + harmony(stem, "una")
        if shape == "Imp":
            return Word(stem, lemma, "VERB", "Mood=Imp|VerbForm=Fin")
        if shape in ("Inf", "Part", "Conv"):
            form = stem + harmony(stem, self.OTHER[shape])
            return Word(form, lemma, "VERB", f"VerbForm={shape}")
        passive = "il" if shape == "Pass" else ""
        tense = "Past" if shape in ("Past", "Pass") else "Pres"
        ending = passive + ("to" if tense == "Past" else "e") + self.PERSON[who]
        feats = f"Mood=Ind|{person_feats(who)}|Tense={tense}|VerbForm=Fin"
        feats += "|Voice=Pass" if passive else ""
        return Word(stem + harmony(stem, ending), lemma, "VERB", feats)

    def pronoun(self, who: int, case: str) -> Word:
        lemma = self.persons[who]
        feats = f"Case={case}|{person_feats(who)}|PronType=Prs"
        return Word(self._inflect(lemma, case), lemma, "PRON", feats)


Forms = RiverForms | HillForms
