from collections import Counter
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import mean

import conllu
import pytest

from benchmarks.ostrel.__main__ import RECIPES
from benchmarks.ostrel.arcs import RELATIONS, TAGS
from benchmarks.ostrel.language import corpus, document_sizes
from benchmarks.ostrel.sounds import harmony, hill_accent, pleasant
from benchmarks.ostrel.variety import HILL, LETTER, RECORD, RIVER, TALE, Genre, Variety
from leaderboard.demo.story import TASKS, DemoTask

GENRES = (TALE, LETTER, RECORD)


@dataclass(frozen=True)
class DemoTestSet:
    task: DemoTask
    name: str

    @property
    def gold(self) -> str:
        return self.task.gold(self.name).decode()

    @property
    def genres(self) -> tuple[Genre, ...]:
        return RECIPES[self.task.slug][self.name][2]

    @property
    def sentences(self) -> int:
        return RECIPES[self.task.slug][self.name][3]


@cache
def parsed(text: str) -> list[conllu.TokenList]:
    """The sentences, for all tests that read the same text."""
    return list(conllu.parse(text))


TEST_SETS = [DemoTestSet(task, name) for task in TASKS for name in task.test_sets]


@pytest.fixture(params=TEST_SETS, ids=lambda part: f"{part.task.slug}-{part.name}")
def test_set(request: pytest.FixtureRequest) -> DemoTestSet:
    part: DemoTestSet = request.param
    return part


def crossing_arcs(sentence: conllu.TokenList) -> int:
    """Arcs over a word that does not depend on their head."""
    head = {word["id"]: word["head"] for word in sentence}

    def below(word: int, top: int) -> bool:
        while word and word != top:
            word = head[word]
        return word == top

    return sum(
        not all(below(at, up) for at in range(min(word, up) + 1, max(word, up)))
        for word, up in head.items()
        if up
    )


def test_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    first = corpus.__wrapped__("x", RIVER, GENRES, 40, 3)
    assert corpus.__wrapped__("x", RIVER, GENRES, 40, 3) == first
    assert corpus.__wrapped__("x", RIVER, GENRES, 40, 4) != first


def test_every_sentence_is_a_tree_with_one_root(test_set: DemoTestSet) -> None:
    for sentence in parsed(test_set.gold):
        roots = [word for word in sentence if word["head"] == 0]
        assert [word["deprel"] for word in roots] == ["root"]
        reached: list[int] = []
        pending = [sentence.to_tree()]
        while pending:
            node = pending.pop()
            reached.append(node.token["id"])
            pending += node.children
        assert sorted(reached) == list(range(1, len(sentence) + 1))


def test_sizes_are_those_of_a_real_test_set(test_set: DemoTestSet) -> None:
    sentences = parsed(test_set.gold)
    lengths = [len(sentence) for sentence in sentences]
    documents = [s for s in sentences if "newdoc id" in s.metadata]
    assert len(sentences) == test_set.sentences >= 280
    assert 9 < mean(lengths) < 18
    assert max(lengths) <= 45
    assert max(lengths) > 28
    assert min(lengths) <= 4
    assert 5 <= len(sentences) / len(documents) <= 20


def test_text_is_the_words_with_their_spaces(test_set: DemoTestSet) -> None:
    for sentence in parsed(test_set.gold):
        spoken = "".join(
            word["form"] + ("" if (word["misc"] or {}).get("SpaceAfter") else " ")
            for word in sentence
        )
        assert spoken.strip() == sentence.metadata["text"]
        assert spoken.endswith(" ")
        assert sentence.metadata["text"][0] != ","


def test_columns_hold_known_tags_and_relations(test_set: DemoTestSet) -> None:
    for sentence in parsed(test_set.gold):
        for word in sentence:
            assert word["upos"] in TAGS
            assert word["deprel"] in RELATIONS
            assert (word["deprel"] == "punct") == (word["upos"] == "PUNCT")
            keys = list(word["feats"] or {})
            assert keys == sorted(keys)


def test_sentence_and_document_ids_are_unique(test_set: DemoTestSet) -> None:
    sentences = parsed(test_set.gold)
    ids = [sentence.metadata["sent_id"] for sentence in sentences]
    documents = [
        s.metadata["newdoc id"] for s in sentences if "newdoc id" in s.metadata
    ]
    assert len(set(ids)) == len(ids)
    assert len(set(documents)) == len(documents)
    assert {s.metadata["genre"] for s in sentences} == {
        genre.name for genre in test_set.genres
    }


def test_all_relations_of_the_grammar_are_used() -> None:
    used = {word for part in TEST_SETS for word in _relations(part.gold)}
    assert used == set(RELATIONS)


def _relations(text: str) -> Counter[str]:
    rows = (line.split("\t") for line in text.split("\n"))
    return Counter(row[7] for row in rows if len(row) == 10)


def _share(variety: Variety, *relations: str) -> float:
    found = _relations(corpus("share", variety, GENRES, 200, 1))
    return sum(found[name] for name in relations) / found.total()


def test_varieties_differ_in_type() -> None:
    function = ("case", "det", "aux", "auxpass", "cop", "mark", "expl")
    assert _share(RIVER, *function) > 0.25
    assert _share(HILL, *function) < 0.12
    assert _verb_last(HILL) > 0.7 > 0.3 > _verb_last(RIVER)


def _verb_last(variety: Variety) -> float:
    """Share of objects that stand before their verb."""
    before = [
        word["head"] > word["id"]
        for sentence in parsed(corpus("share", variety, GENRES, 200, 1))
        for word in sentence
        if word["deprel"] == "dobj"
    ]
    return mean(before)


def test_free_word_order_crosses_arcs_but_seldom() -> None:
    sentences = parsed(corpus("share", HILL, GENRES, 200, 1))
    arcs = sum(map(len, sentences))
    assert 0.001 < sum(map(crossing_arcs, sentences)) / arcs < 0.03


def test_words_follow_a_long_tailed_distribution() -> None:
    rows = [
        row.split("\t") for row in corpus("share", RIVER, GENRES, 200, 1).split("\n")
    ]
    lemmas = Counter(row[2] for row in rows if len(row) == 10 and row[3] == "NOUN")
    ranked = [count for _, count in lemmas.most_common()]
    assert ranked[0] > 10 * ranked[len(ranked) // 2]
    assert sum(count == 1 for count in ranked) > len(ranked) / 4


def test_documents_have_five_to_twenty_sentences() -> None:
    for sentences in range(5, 400, 13):
        sizes = document_sizes(Random(sentences), sentences)
        assert sum(sizes) == sentences
        assert all(5 <= size <= 20 for size in sizes)


def test_hill_accent_hardens_stops_and_keeps_vowels_in_harmony() -> None:
    assert hill_accent("bodagu") == "potaku"
    assert hill_accent("shelo") == "šelö"
    assert harmony("šelö", "lor") == "lör"
    assert harmony("pota", "lor") == "lor"


def test_no_stem_reads_as_an_english_word() -> None:
    assert not pleasant("the")
    assert pleasant("vonose")
