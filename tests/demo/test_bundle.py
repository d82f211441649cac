import csv
import gzip
import hashlib
from datetime import UTC, datetime
from pathlib import Path

import conllu
import pytest
import yaml

from benchmarks.ostrel.__main__ import RECIPES, description, files
from benchmarks.ostrel.weights import averaged, weights_csv, word_dependency_entropy
from leaderboard.demo.story import TASKS, DemoTask
from tests.demo.naive import blocks

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)


@pytest.fixture(params=TASKS, ids=lambda task: task.slug)
def task(request: pytest.FixtureRequest) -> DemoTask:
    found: DemoTask = request.param
    return found


@pytest.fixture
def folder(task: DemoTask, tmp_path: Path) -> Path:
    return written(task, tmp_path / task.slug)


def written(task: DemoTask, folder: Path) -> Path:
    for name, data in task.bundle(NOW).files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def line(word: str, relation: str, head: int = 0) -> str:
    return f"1\t{word}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"


def test_every_file_the_manifest_names_is_there(task: DemoTask, folder: Path) -> None:
    manifest = yaml.safe_load((folder / "task.yaml").read_text(encoding="utf-8"))
    named = {manifest["description"], manifest["scorer"]["options"]["weights"]}
    for part in manifest["test_sets"]:
        named |= {part["gold"], part["blind"]}
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert there == named | {"task.yaml"}
    assert manifest["plumbline"] == 1
    assert manifest["synthetic"] is True
    assert manifest["slug"] == task.slug


def test_phases_have_times_in_utc_and_known_test_sets(folder: Path) -> None:
    text = (folder / "task.yaml").read_text(encoding="utf-8")
    manifest = yaml.safe_load(text)
    names = {part["name"] for part in manifest["test_sets"]}
    for phase in manifest["phases"]:
        assert phase["opens"].tzinfo is not None
        assert phase["opens"] < phase["closes"]
        assert set(phase["test_sets"]) <= names
    assert "T12:00:00Z" in text


def test_blind_file_holds_nothing_of_the_gold_columns(
    task: DemoTask, folder: Path
) -> None:
    for name in task.test_sets:
        text = (folder / f"blind/{name}.conllu").read_text(encoding="utf-8")
        gold = task.gold(name).decode()
        for ours, theirs in zip(blocks(gold), blocks(text), strict=True):
            assert [row[2:9] for row in theirs] == [["_"] * 7 for _ in theirs]
            assert [row[:2] for row in ours] == [row[:2] for row in theirs]
            assert {row[9] for row in theirs} <= {"_", "SpaceAfter=No"}


def test_blind_file_keeps_words_and_comments(task: DemoTask) -> None:
    name = task.test_sets[0]
    gold, blind = (file(name).decode() for file in (task.gold, task.blind))
    for ours, theirs in zip(conllu.parse(gold), conllu.parse(blind), strict=True):
        assert ours.metadata == theirs.metadata
        assert set(theirs.metadata) - {"newdoc id"} == {"sent_id", "text", "genre"}


def test_same_day_gives_the_same_bytes(task: DemoTask, tmp_path: Path) -> None:
    digests = []
    for name in ("first", "second"):
        folder = written(task, tmp_path / name)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        data = b"".join(path.read_bytes() for path in files)
        digests.append(hashlib.sha256(data).hexdigest())
    assert digests[0] == digests[1]


def test_description_is_filled_in_and_shows_no_test_sentence(task: DemoTask) -> None:
    text = description(task.slug)
    shown = next(row for row in text.split("\n") if row.startswith("# text"))
    assert "{" not in text
    assert f"| {RECIPES[task.slug][task.test_sets[0]][3]} |" in text
    assert all(shown not in task.gold(name).decode() for name in task.test_sets)


def test_weights_order_content_above_function(folder: Path) -> None:
    rows = list(csv.DictReader((folder / "weights.csv").open(encoding="utf-8")))
    weight = {row["relation"]: float(row["weight"]) for row in rows}
    assert all(0 <= value <= 1 for value in weight.values())
    assert all(":" not in name for name in weight)
    for content in ("nsubj", "dobj", "nmod", "amod", "conj", "root"):
        for function in ("det", "aux", "cc", "mark", "neg", "case"):
            assert weight[content] > weight[function]


def test_entropy_of_two_equal_words_in_a_vocabulary_of_four_is_half() -> None:
    words = [("a", "x"), ("a", "x:y"), ("b", "x"), ("b", "x"), ("c", "z"), ("d", "w")]
    table = word_dependency_entropy("\n".join(line(*pair) for pair in words))
    assert table == {"x": pytest.approx(0.5), "z": 0.0, "w": 0.0}


def test_one_word_vocabulary_gives_zero() -> None:
    assert word_dependency_entropy(line("a", "root")) == {"root": 0.0}


def test_relation_absent_from_a_treebank_counts_a_half_there() -> None:
    assert averaged([{"x": 1.0}, {"x": 0.0, "y": 1.0}]) == {"x": 0.5, "y": 0.75}


def test_weights_table_is_sorted_and_has_a_header() -> None:
    text = weights_csv([f"{line('a', 'nsubj')}\n{line('b', 'det')}"])
    assert text == "relation,weight\ndet,0.000000\nnsubj,0.000000\n"


def test_the_data_is_what_the_program_beside_it_writes(task: DemoTask) -> None:
    for name, data in files(task.slug).items():
        there = (task.folder / name).read_bytes()
        if name.endswith(".gz"):  # packed as the library of that day did it
            data, there = gzip.decompress(data), gzip.decompress(there)
        assert there == data, name
