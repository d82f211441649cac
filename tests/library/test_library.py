"""Scores of values in memory: those of the command line, to the last byte."""

import doctest
import io
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plumbline
from scoring.__main__ import main
from scoring.scorers import all_scorers
from scoring.source import Source
from scoring.version import RELEASE
from tests.loops import loop_over

ROOT = Path(__file__).resolve().parents[2]
LABELS = ["up", "down", "flat"]


def some_labels(seed: int, size: int = 120) -> list[str]:
    return [LABELS[i] for i in np.random.default_rng(seed).integers(0, 3, size)]


GOLD, MINE, OTHER = some_labels(1), some_labels(2), some_labels(3)
REFERENCE = plumbline.score("classes", GOLD, MINE)


def printed(*words: object) -> str:
    with redirect_stdout(out := io.StringIO()):
        assert main([str(word) for word in words]) == 0
    return out.getvalue()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The labels as CSV, with ids that sort as the items do."""
    written = {}
    for name, labels in {"gold": GOLD, "mine": MINE, "other": OTHER}.items():
        rows = (f"t{i:03d},{label}\n" for i, label in enumerate(labels))
        written[name] = tmp_path / f"{name}.csv"
        written[name].write_text("".join(["id,label\n", *rows]), "utf-8")
    return written


@pytest.mark.parametrize("layout", ["text", "json", "csv", "latex"])
def test_a_score_of_lists_is_what_the_command_line_prints(
    files: dict[str, Path], layout: str
) -> None:
    words = ("score", "classes", "--gold", files["gold"], "--system", files["mine"])
    score = plumbline.score("classes", GOLD, MINE)
    assert score.as_text(layout) + "\n" == printed(*words, "--format", layout)
    if layout == "json":
        assert score.to_dict() == json.loads(score.as_text("json"))


def test_options_unit_and_plan_are_those_of_the_command_line(
    files: dict[str, Path],
) -> None:
    words = ("score", "classes", "--gold", files["gold"], "--system", files["mine"])
    plan = ("--resamples", 200, "--seed", 7, "--level", 0.9, "-o", "ignore=flat")
    score = plumbline.score(
        *("classes", files["gold"], files["mine"]),
        **{"resamples": 200, "seed": 7, "confidence": 0.9, "ignore": ["flat"]},
    )
    assert score.as_text("json") + "\n" == printed(*words, *plan, "--format", "json")


def test_a_comparison_of_lists_is_what_the_command_line_prints(
    files: dict[str, Path],
) -> None:
    systems = files["mine"], files["other"]
    words = ("compare", "classes", "--gold", files["gold"], "--system", *systems)
    compared = plumbline.compare(
        "classes", GOLD, MINE, OTHER, names=list(map(str, systems)), margin=0.1
    )
    shown = printed(*words, "--margin", 0.1, "--format", "json")
    assert compared.as_text("json") + "\n" == shown
    assert compared.to_dict() == json.loads(shown)


def test_power_is_what_the_command_line_prints(files: dict[str, Path]) -> None:
    pilots = files["mine"], files["other"]
    words = ("separate", "classes", "--gold", files["gold"], "--system", *pilots)
    shown = json.loads(printed(*words, "--systems", 20, "--format", "json"))
    found = plumbline.power("classes", GOLD, MINE, OTHER, systems=20)
    assert found.smallest == shown["measures"][0]["smallest"]
    assert found.measure == "macro_f1"


@loop_over("name", sorted(all_scorers()))
def test_every_scorer_takes_bytes_and_has_help_with_its_options(name: str) -> None:
    scorer = all_scorers()[name]
    function = plumbline.scorers[name]
    assert f"{name}: {scorer.summary}" in str(function.__doc__)
    if scorer.runs_program or name in ("semarkup", "table"):
        return  # cannot be scored without files of a task
    gold = Source.of_bytes("gold", (scorer.example_gold or scorer.example).encode())
    answer = scorer.example.encode() if scorer.example_gold else None
    options = {one.name: one.default for one in scorer.options}
    score = function(gold, answer or scorer.perfect(gold, options), resamples=50)
    assert score.headline in score


def test_no_option_of_a_scorer_has_the_name_of_an_argument() -> None:
    from inspect import signature

    taken = {
        name
        for call in (plumbline.score, plumbline.compare, plumbline.power)
        for name in signature(call).parameters
    }
    own = {one.name for each in all_scorers().values() for one in each.options}
    # The option "measure" of a task's own programs and tables is for tasks.
    assert taken & own <= {"measure"}


class Series(Sequence[Any]):
    """A series of pandas, as far as the library asks."""

    def __init__(self, values: list[Any], index: list[Any]) -> None:
        self.values, self.index = values, index  # type: ignore[assignment]

    def __getitem__(self, place: Any) -> Any:
        return self.values[place]

    def __len__(self) -> int:
        return len(self.values)


class Frame:
    """A data frame of pandas and polars, as far as the library asks."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns, self.columns = columns, list(columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]


SHUFFLED = [*range(60, 120), *range(60)]
IDS = [f"t{i:03d}" for i in range(120)]


def moved(values: list[Any]) -> list[Any]:
    return [values[i] for i in SHUFFLED]


@pytest.mark.parametrize(
    ("gold", "mine"),
    [
        pytest.param(np.array(GOLD), np.array(MINE), id="arrays"),
        pytest.param(tuple(GOLD), iter(MINE), id="any iterable"),
        pytest.param(dict(zip(IDS, GOLD, strict=True)), MINE, id="ids of gold"),
        pytest.param(
            dict(zip(IDS, GOLD, strict=True)),
            dict(zip(moved(IDS), moved(MINE), strict=True)),
            id="mappings",
        ),
        pytest.param(
            Frame({"id": IDS, "label": GOLD}),
            Frame({"label": moved(MINE), "id": moved(IDS)}),
            id="frames",
        ),
        pytest.param(Frame({"label": GOLD}), Frame({"label": MINE}), id="no ids"),
        pytest.param(
            [{"id": i, "label": one} for i, one in zip(IDS, GOLD, strict=True)],
            [{"label": one} for one in MINE],
            id="records",
        ),
        pytest.param(
            Series(GOLD, list(range(500, 620))),
            Series(moved(MINE), moved(list(range(500, 620)))),
            id="series by index",
        ),
        pytest.param(
            Series(GOLD, list(range(500, 620))),
            Series(MINE, list(range(120))),
            id="an index that only counts",
        ),
        pytest.param({"label": GOLD}, {"label": MINE}, id="columns"),
    ],
)
def test_values_of_every_kind_give_one_score(gold: Any, mine: Any) -> None:
    assert plumbline.score("classes", gold, mine).to_dict() == REFERENCE.to_dict()


def test_a_whole_float_is_the_whole_number() -> None:
    gold, mine = np.array([0, 1, 1, 2]), np.array([0.0, 1.0, 2.0, 2.0])
    assert plumbline.score("classes", gold, mine)["accuracy"].value == 0.75


def test_a_file_of_the_gold_gives_its_ids_to_a_list(files: dict[str, Path]) -> None:
    score = plumbline.score("classes", files["gold"], MINE)
    assert score.to_dict() == REFERENCE.to_dict()


def one_value(name: str, gold: Any, mine: Any, measure: str, **more: Any) -> Any:
    return plumbline.score(name, gold, mine, resamples=0, **more)[measure].value


def test_values_of_every_scorer_by_hand() -> None:
    assert one_value("numbers", [1, 2, 4], [2, 2, 2], "mae") == 1.0
    assert one_value("texts", ["a b", ["c", "d"]], ["a b", "d"], "exact_match") == 1.0
    assert one_value("multilabel", [["a"], []], [{"a"}, []], "subset_accuracy") == 1.0
    opinions = [[{"on": "soup"}], []], [[{"on": "soup"}], [{"on": "bread"}]]
    assert one_value("tuples", *opinions, "f1") == 2 / 3
    classes, shares = ["a", "b"], [{"a": 0.5, "b": 0.5}, {"a": 0.0, "b": 1.0}]
    assert one_value("probabilities", classes, shares, "brier") == 0.125
    tags = [["B-PER", "I-PER"], ["O"]], [["B-PER", "I-PER"], ["B-LOC"]]
    assert one_value("spans", *tags, "precision") == 0.5
    text = {"id": "t", "text": "Ada sails"}
    gold, mine = text | {"spans": [[0, 3, "X"]]}, {"id": "t", "spans": [[0, 9, "X"]]}
    assert one_value("spans", [gold], [mine], "type_f1") == 1.0
    words = [[("so", "ADV"), ("it", "PRON")]], [["ADV", "VERB"]]
    assert one_value("labels", *words, "accuracy") == 0.5
    people = {"system": ["a", "b"] * 2, "segment": [1, 1, 2, 2], "score": [1, 2, 2, 1]}
    metric = Frame(people | {"score": [0.1, 0.3, 0.3, 0.3]})
    assert one_value("metrics", people, metric, "acc_eq_item") == 0.5


def test_arrays_of_classes_are_taken_as_scikit_learn_has_them() -> None:
    shares = np.array([[0.5, 0.5], [0.0, 1.0]])
    for given in (shares, shares.tolist(), [list(row) for row in shares]):
        assert one_value("probabilities", ["a", "b"], given, "brier") == 0.125
    # Classes that are numbers stand in the order of numbers, not of letters.
    gold = np.array([2, 10, 9])
    sure = np.eye(3)[[0, 2, 1]]
    assert one_value("probabilities", gold, sure, "accuracy") == 1.0
    found = plumbline.score("probabilities", ["b", "a"], shares, labels=["b", "a"])
    assert found["brier"].value == 0.125
    ones = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    named = [["0", "2"], [], ["1"]]
    mine = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1]], dtype=bool)
    by_name = plumbline.score("multilabel", named, [["0"], [], ["1", "2"]])
    for left in (ones, named):
        found = plumbline.score("multilabel", left, mine)
        assert found["micro_f1"].value == by_name["micro_f1"].value == 2 / 3
    labels = ["x", "y", "z"]
    found = plumbline.score("multilabel", ones, mine, labels=labels)
    assert found["f1[x]"].value == 1.0
    assert one_value("classes", np.eye(3, dtype=int), ["0", "1", "1"], "accuracy") == (
        2 / 3
    )


@loop_over(
    ("call", "said"),
    [
        (
            lambda: plumbline.score("probabilities", ["a", "b"], np.eye(3)[:2]),
            "row 1 has 3 columns; expected one for each class: a, b",
        ),
        (
            lambda: plumbline.score("probabilities", np.eye(2), np.eye(2)),
            "labels=[...]",
        ),
        (
            lambda: plumbline.score("classes", ["0", "1"], np.ones((2, 2), dtype=int)),
            "row 1 has 2 ones; expected one class",
        ),
        (
            lambda: plumbline.score("multilabel", np.eye(2), np.eye(3)[:2]),
            "row 1 has 2 columns",
        ),
        (lambda: plumbline.score("clases", [], []), "Did you mean 'classes'?"),
        (lambda: plumbline.scorers["retreival"], "Did you mean 'retrieval'?"),
        (lambda: REFERENCE["makro_f1"], "Did you mean 'macro_f1'?"),
        (lambda: REFERENCE["f1_macr"], "Did you mean 'macro_f1'?"),
        (
            lambda: plumbline.score("classes", GOLD, MINE, resamples="many"),
            "resamples is 'many'; expected a whole number from 0",
        ),
        (
            lambda: plumbline.score("classes", GOLD, MINE, seed=1.5),
            "seed is 1.5; expected a whole number",
        ),
        (
            lambda: plumbline.power("classes", GOLD, MINE, MINE, systems="two"),
            "systems is 'two'",
        ),
        (
            lambda: plumbline.metric("classes").add(reference="a"),
            "one reference and one prediction",
        ),
    ],
)
def test_a_call_that_makes_no_sense_says_what_was_expected(
    call: Callable[[], Any], said: str
) -> None:
    with pytest.raises((plumbline.UsageError, KeyError)) as raised:
        call()
    assert said in str(
        raised.value.args[0] if raised.type is KeyError else raised.value
    )


def test_numbers_of_a_call_may_be_written_as_text() -> None:
    found = plumbline.score("classes", GOLD, MINE, resamples="50", confidence="0.9")
    expected = plumbline.score("classes", GOLD, MINE, resamples=50, confidence=0.9)
    assert found.to_dict() == expected.to_dict()


def test_a_measure_is_found_by_the_name_that_others_give_it() -> None:
    score = REFERENCE
    for name in ("f1_macro", "macro-F1", "Macro F1", "macroF1"):
        assert score[name] is score["macro_f1"] is score.get(name)
    run = plumbline.score("retrieval", {"q": {"d": 1}}, {"q": {"d": 1.0}})
    for name in ("nDCG@10", "ndcg_cut_10"):
        assert run[name] is run["ndcg@10"]
    pairs = plumbline.compare("classes", GOLD, MINE, GOLD, measures=["f1_macro"])
    assert pairs["f1_macro"] is pairs["macro_f1"] is pairs[0]
    assert score.get("makro_f1") is None and "makro_f1" not in score


def test_results_can_be_pickled() -> None:
    several = plumbline.score("classes", GOLD, plumbline.Runs(MINE, GOLD))
    compared = plumbline.compare("classes", GOLD, MINE, GOLD)
    found = plumbline.power("classes", GOLD, MINE, GOLD)
    ranked = plumbline.score("retrieval", {"q": {"d": 1}}, {"q": {"d": 1.0}})
    tagged = plumbline.score("spans", [["B-X", "O"]] * 3, [["B-X", "O"]] * 3)
    for one in (REFERENCE, several, compared, ranked, tagged):
        again = pickle.loads(pickle.dumps(one))
        assert again.to_dict() == one.to_dict() and repr(again) == repr(one)
    assert pickle.loads(pickle.dumps(several)).headline == "macro_f1"
    assert len(pickle.loads(pickle.dumps(several)).runs) == 2
    assert pickle.loads(pickle.dumps(found)) == found
    function = plumbline.scorers.unl_graph
    assert pickle.loads(pickle.dumps(function)) is function


def test_the_version_is_that_of_the_release() -> None:
    assert plumbline.__version__ == RELEASE
    assert "score" in (plumbline.scorers.table.__doc__ or "").split("predicted has")[1]


def test_one_item_is_added_in_the_singular_or_the_plural() -> None:
    metric, other = plumbline.metric("classes"), plumbline.metric("classes")
    for gold, mine in zip(GOLD, MINE, strict=True):
        metric.add(prediction=mine, reference=gold)
        other.add(predictions=mine, references=gold)
    assert metric.compute() == other.compute()


class Row:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


@pytest.mark.parametrize(
    ("gold", "run"),
    [
        ({"q": {"d1": 1, "d2": 0}}, {"q": {"d2": 0.75, "d1": 0.5}}),
        (
            [Row(query_id="q", doc_id="d1", relevance=1)],
            [Row(query_id="q", doc_id=d, score=s) for d, s in (("d1", 1), ("d2", 2))],
        ),
        (
            Frame({"query_id": ["q"], "doc_id": ["d1"], "relevance": [1]}),
            Frame({"query_id": "qq", "doc_id": ["d1", "d2"], "score": [1, 2]}),
        ),
    ],
    ids=["mappings", "records of ir_measures", "frames"],
)
def test_rankings_are_taken_as_their_users_have_them(gold: Any, run: Any) -> None:
    assert one_value("retrieval", gold, run, "mrr") == 0.5


def test_runs_are_one_entry_with_a_score_each() -> None:
    entry = plumbline.score("classes", GOLD, plumbline.Runs(MINE, OTHER))
    alone = [plumbline.score("classes", GOLD, one) for one in (MINE, OTHER)]
    values = [one["accuracy"].value for one in alone]
    assert [run.to_dict() for run in entry.runs] == [one.to_dict() for one in alone]
    assert None not in values
    assert entry["accuracy"].value == pytest.approx(sum(map(float, values)) / 2)  # type: ignore[arg-type]
    assert entry["accuracy"].between_runs
    assert REFERENCE.runs == ()
    compared = plumbline.compare("classes", GOLD, plumbline.Runs(MINE, OTHER), OTHER)
    assert compared["accuracy"].difference == pytest.approx(
        (values[0] or 0) / 2 - (values[1] or 0) / 2
    )


def test_pairs_of_several_systems_are_named_in_either_order() -> None:
    names = ["a", "b", "c"]
    many = plumbline.compare(
        "classes", GOLD, MINE, OTHER, GOLD, names=names, measures="accuracy"
    )
    there, back = many["accuracy", "a", "c"], many["accuracy", "c", "a"]
    assert there.difference == -(back.difference or 0) != 0
    assert len(many) == 3
    assert many[0] is many.of("accuracy")[0]
    with pytest.raises(KeyError, match="two systems"):
        many["accuracy"]


@loop_over(
    ("call", "kind", "said"),
    [
        (lambda: plumbline.score("clases", [], []), "UsageError", "no scorer 'clases'"),
        (lambda: plumbline.score("classes", GOLD, MINE[1:]), "Refused", "expected 120"),
        (
            lambda: plumbline.score("numbers", [1, 2], [1, "x"]),
            "Refused",
            "cted:2: 'x'",
        ),
        (
            lambda: plumbline.score("numbers", [1, 2], [1, float("nan")]),
            "Refused",
            "predicted:2: 'value' is missing",
        ),
        (lambda: plumbline.score("numbers", ["x"], [1]), "SetupError", "gold:1: 'x'"),
        (lambda: plumbline.score("classes", GOLD, 7), "UsageError", "int is no list"),
        (lambda: plumbline.score("conll18", ["x"], ["x"]), "UsageError", "CoNLL-U"),
        (lambda: plumbline.score("retrieval", {"q": 1}, {}), "UsageError", "topics"),
        (lambda: plumbline.score("spans", ["B-X"], ["O"]), "UsageError", "is a text"),
        (
            lambda: plumbline.score("classes", GOLD, MINE, resamples=-1),
            "UsageError",
            "resamples is -1",
        ),
        (
            lambda: plumbline.score("classes", GOLD, MINE, confidence=95),
            "UsageError",
            "confidence is 95",
        ),
        (
            lambda: plumbline.score("classes", GOLD, MINE, igno="flat"),
            "UsageError",
            "unknown option 'igno'",
        ),
        (lambda: plumbline.compare("classes", GOLD, MINE), "UsageError", "two systems"),
        (
            lambda: plumbline.score("classes", {"id": ["a"], "label": []}, ["a"]),
            "UsageError",
            "different sizes",
        ),
    ],
)
def test_what_cannot_be_scored_says_why_and_where(
    call: Callable[[], Any], kind: str, said: str
) -> None:
    with pytest.raises(getattr(plumbline, kind)) as raised:
        call()
    assert said in str(raised.value)


def test_an_unknown_measure_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(KeyError, match="macro_f1"):
        REFERENCE["f1"]


def test_a_notebook_shows_a_table_in_which_nothing_of_the_data_is_markup() -> None:
    score = plumbline.score("classes", ["<b>", "x"], ["<b>", "x"])
    assert "&lt;b&gt;" in score._repr_html_()
    assert "<b>" not in score._repr_html_()
    compared = plumbline.compare(
        "classes", GOLD, MINE, OTHER, names=["<i>", "b"], measures="accuracy"
    )
    assert "<i>" not in compared._repr_html_()


def test_without_pandas_or_matplotlib_their_methods_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        REFERENCE.to_frame()
    with pytest.raises(ImportError, match="pip install matplotlib"):
        REFERENCE.plot()


def test_the_client_starts_without_the_library_and_numpy() -> None:
    code = "import plumbline, sys; assert 'numpy' not in sys.modules; plumbline.score"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_examples_of_the_handbook_give_what_it_says() -> None:
    page = ROOT / "docs" / "library.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 15
    assert failed == 0
