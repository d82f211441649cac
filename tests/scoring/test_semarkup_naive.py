"""The columns of `semarkup` against the seed's formulas, token by token."""

from fractions import Fraction

import conllu
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.scorers.semarkup.rules import LIGHT_TAGS, SYNTAGRUS
from tests.properties import at_night
from tests.scoring.markups import SCORES, measured, sentences, token

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel")
COLUMNS += ("semslot", "semclass")
PARENTS = {
    **{"THING": "", "a": "THING", "VESSEL": "a", "SLOOP": "VESSEL"},
    **{"b": "THING", "PIER": "b", "EVENT": "", "MOTION": "EVENT", "LONE": "c", "c": ""},
}
GOLD_CLASSES = ("THING", "VESSEL", "SLOOP", "PIER", "MOTION", "LONE", "_")
FEATS = (
    "_",
    "Case=Nom",
    "Case=Gen",
    "Case=Gen|Number=Sing",
    "Number=Plur|Case=Nom",
    "Abbr=Yes|Case=Dat|Number=Plur",
    "Case=Nom|Case=Gen",
)
WORDS = st.sampled_from(["mast", "Mast", "ёж", "ЕЖ", "_", "oar"])
TAGS = st.sampled_from(["NOUN", "PUNCT", "X", "_"])
HEADS = st.sampled_from(["0", "1", "2", "-1", "_"])
LABELS = st.sampled_from(["root", "obj", "obj:x"])
SLOTS = st.sampled_from(["_", "Agent", "Time"])


def analyses(
    feats: tuple[str, ...], classes: tuple[str, ...]
) -> st.SearchStrategy[str]:
    return st.builds(
        token,
        lemma=WORDS,
        pos=TAGS,
        feats=st.sampled_from(feats),
        head=HEADS,
        deprel=LABELS,
        semslot=SLOTS,
        semclass=st.sampled_from(classes),
    )


GOLD = analyses(FEATS, GOLD_CLASSES)
SYSTEM = analyses((*FEATS, "Odd=1|Case=Nom"), (*GOLD_CLASSES, "NO_CLASS"))
FILES = st.lists(
    st.lists(st.tuples(GOLD, SYSTEM), min_size=1, max_size=5), min_size=1, max_size=4
)


def naive(gold: str, system: str) -> dict[str, Fraction]:
    sums = {name: [Fraction(0), Fraction(0)] for name in SCORES}
    sides = (conllu.parse(text, COLUMNS) for text in (gold, system))
    for golds, systems in zip(*sides, strict=True):
        for wanted, found in zip(golds, systems, strict=True):
            weight = Fraction(3 if wanted["upos"] in LIGHT_TAGS else 7, 10)
            heads = found["head"] == wanted["head"]
            row = {
                "lemma": weight * (plain(found["lemma"]) == plain(wanted["lemma"])),
                "pos": found["upos"] == wanted["upos"],
                "feats": feats(found["feats"] or {}, wanted["feats"] or {}),
                "uas": heads,
                "las": heads and found["deprel"] == wanted["deprel"],
                "semslot": found["semslot"] == wanted["semslot"],
                "semclass": semclass(found["semclass"], wanted["semclass"]),
            }
            for name, value in row.items():
                sums[name][0] += value
                sums[name][1] += weight if name == "lemma" else 1
    return {name: part / whole for name, (part, whole) in sums.items()}


def plain(text: str) -> str:
    return text.lower().replace("ё", "\u0435")


def feats(found: dict[str, str], wanted: dict[str, str]) -> Fraction:
    if not wanted:
        return Fraction(not found)
    right = sum(SYNTAGRUS[c] for c in wanted if found.get(c) == wanted[c])
    whole = sum(SYNTAGRUS[c] for c in wanted)
    return Fraction(int(right), int(whole)) / (1 + max(0, len(found) - len(wanted)))


def semclass(found: str, wanted: str) -> Fraction:
    if found == wanted:
        return Fraction(1)
    paths = path(found), path(wanted)
    shared = [name for name in paths[0] if name in paths[1]]
    if not shared:
        return Fraction(0)
    return Fraction(1, 1 + sum(found.index(shared[0]) for found in paths))


def path(name: str) -> list[str]:
    return [name, *path(PARENTS[name])] if name in PARENTS else []


@pytest.mark.thorough
@settings(max_examples=at_night(150))
@given(groups=FILES)
def test_columns_say_what_the_formulas_say(groups: list[list[tuple[str, str]]]) -> None:
    gold, system = (
        sentences(*([pair[side] for pair in group] for group in groups))
        for side in (0, 1)
    )
    found = measured(gold, system)
    wanted = {name: float(value) for name, value in naive(gold, system).items()}
    wanted["total"] = sum(wanted.values()) / 7
    assert found == pytest.approx(wanted, abs=1e-14)
