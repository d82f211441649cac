"""The texts of a test set, in the formats that scorers read."""

import io
import zipfile

import pytest

from scoring.contamination.texts import texts_of
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

CONLLU = """\
# sent_id = s1
# text = It's calm.
1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_
1\tIt\tit\tPRON\t_\t_\t3\tnsubj\t_\t_
2\t's\tbe\tAUX\t_\t_\t3\tcop\t_\t_
3\tcalm\tcalm\tADJ\t_\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""


def texts(
    scorer: str, gold: str | bytes, blind: str = "", name: str = "gold"
) -> object:
    data = gold if isinstance(gold, bytes) else gold.encode()
    source = Source.of_bytes(name, data)
    asked = Source.of_bytes("blind", blind.encode()) if blind else source
    own = get(scorer)
    found = texts_of(own, parse(own.options, {}), asked, source)
    pairs = zip(found.unit, found.texts, strict=True)
    return [(found.names[unit], text) for unit, text in pairs]


def test_trees_give_the_words_of_each_sentence() -> None:
    assert texts("attachment", CONLLU) == [("s1", "It 's calm .")]


def test_tags_give_the_tokens_of_each_sentence() -> None:
    gold = "The DET\notters NOUN\n\nsleep VERB\n"
    assert texts("labels", gold) == [("1", "The otters"), ("2", "sleep")]


def test_a_table_gives_its_cells_but_the_ids_of_the_published_file_and_of_gold() -> (
    None
):
    found = texts(
        "classes", "id,label\nq1,calm\nq2,rough\n", "id,text\nq1,The sea\nq2,The quay\n"
    )
    assert found == [
        ("q1", "The sea"),
        ("q2", "The quay"),
        ("q1", "calm"),
        ("q2", "rough"),
    ]


def test_records_give_every_string_in_them() -> None:
    gold = '{"id": "q1", "answers": ["at noon", "noon"], "n": 3}\n'
    expected = [("q1", "at noon"), ("q1", "noon"), ("q1", "3")]
    assert texts("texts", gold) == expected


def test_lines_of_text_are_units_by_their_number() -> None:
    gold = "The ferry leaves.\nNobody waved.\n"
    expected = [("1", "The ferry leaves."), ("2", "Nobody waved.")]
    assert texts("translation", gold) == expected


def test_corrections_give_the_sentences_that_are_corrected() -> None:
    gold = "S The boats sails .\nA 2 3|||R:VERB:SVA|||sail|||REQUIRED|||-NONE-|||0\n"
    assert texts("edits", gold) == [("1", "The boats sails .")]


def test_unl_gives_what_stands_between_its_frames() -> None:
    gold = "[D:b]\n[S:1]\n{en}\nGreen boats drift.\n{/en}\n[/S]\n[/D]\n"
    ((name, text),) = texts("unl-text", gold)  # type: ignore[misc]
    assert (name, text.split()) == ("1", ["Green", "boats", "drift."])


def test_a_zip_gives_its_documents_without_files_that_point_into_them() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "Ada sails.")
        archive.writestr("a.ann", "T1\tPERSON 0 3\tAda\n")
        archive.writestr("b.txt", "Nobody waved.")
    expected = [("a", "Ada sails."), ("b", "Nobody waved.")]
    assert texts("spans", file.getvalue(), name="gold.zip") == expected


@pytest.mark.parametrize("scorer", ["metrics", "retrieval", "senseval", "table"])
def test_files_that_name_texts_and_hold_none_give_none(scorer: str) -> None:
    own = get(scorer)
    assert texts(scorer, own.example_gold or own.example) == []
