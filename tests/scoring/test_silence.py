"""Answers that say nothing, and labels in another spelling: never scored in silence."""

from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.engine import Job, Verdict, count_file, evaluate, examine
from scoring.options import Raw, parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over

OPEN = "written otherwise in the gold"
CLOSED = "no label of the file occurs in the answer key"


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


def table(column: str, cells: list[str], ending: str = "") -> str:
    rows = (f"i{number},{cell}{ending}" for number, cell in enumerate(cells))
    return "".join(f"{line}\n" for line in [f"id,{column}", *rows])


def columns(tags: list[str]) -> str:
    return "".join(f"w{number}\t{tag}\n" for number, tag in enumerate(tags)) + "\n"


def tree(heads: list[int], relation: str = "dep") -> str:
    rows = (
        f"{number}\tw{number}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n"
        for number, head in enumerate(heads, 1)
    )
    return "".join(rows) + "\n"


def told(scorer: str, gold: str, system: str, raw: Raw | None = None) -> list[str]:
    """Remarks of the command line and the library."""
    one = get(scorer)
    job = Job(one, parse(one.options, raw or {}), plan=Plan(resamples=0))
    return evaluate(job, source("gold", gold), source("mine", system)).remarks


def told_on_the_site(
    scorer: str, gold: str, system: str, raw: Raw | None = None
) -> list[str]:
    one = get(scorer)
    job, remarks = Job(one, parse(one.options, raw or {})), list[str]()
    read = one.read_gold(source("gold", gold), job.options)
    count_file(job, read, source("mine", system), remarks)
    return remarks


def verdict(
    scorer: str, gold: str, system: str, raw: Raw | None = None, blind: str = ""
) -> Verdict:
    one = get(scorer)
    options = parse(one.options, raw or {})
    published = source("blind", blind)
    if not blind:
        published = one.blind(source("gold", gold), options)
    return examine(one, published, source("mine", system), options)


def records(kind: str) -> str:
    return f'{{"id": "1", "tuples": [{{"kind": "{kind}"}}, {{"kind": "{kind}"}}]}}\n'


# Scorer, gold, system, and what a remark says of both.
SPELLINGS: list[tuple[str, str, str, str]] = [
    ("classes", table("label", ["1", "0"]), table("label", ["1.0", "0.0"]), "'1.0'"),
    (
        "classes",
        table("label", ["1", "0"]),
        '{"id": "i0", "label": "1.0"}\n{"id": "i1", "label": "0.0"}\n',
        "'1.0' for '1'",
    ),
    (
        "classes",
        table("label", ["True", "False"]),
        '{"id": "i0", "label": "true"}\n{"id": "i1", "label": "false"}\n',
        "'true' for 'True'",
    ),
    (
        "classes",
        table("label", ["a", "b"]),
        table("label", ["'a'", "b"]),
        "''a'' for 'a'",
    ),
    (
        "classes",
        table("label", ["caf\u00e9", "bar"]),
        table("label", ["cafe\u0301", "bar"]),
        "for 'caf\u00e9'",
    ),
    (
        "multilabel",
        table("label", ["a|b", "b"]),
        "id,label\ni0,\"['a', 'b']\"\ni1,b\n",
        "'['a', 'b']' for 'a', 'b'",
    ),
    ("classes", table("label", ["1", "2"]), table("label", ["01", "02"]), "'01' for"),
    (
        "classes",
        table("label", ["not_it", "it"]),
        table("label", ["not it", "it"]),
        "'not it' for 'not_it'",
    ),
    ("multilabel", table("label", ["x", "y"]), table("label", ["X", "y"]), "'X'"),
    ("labels", columns(["NOUN", "VERB"]), columns(["noun", "VERB"]), "'noun'"),
    ("spans", columns(["B-PER", "O"]), columns(["B-per", "O"]), "'per' for 'PER'"),
    (
        "spans",
        columns(["B-PER", "B-LOC"]),
        columns(["B-PER|B-LOC", "B-LOC"]),
        "'PER|B-LOC' for 'PER', 'LOC'",
    ),
    ("tuples", records("aspect"), records("Aspect"), "labels of kind"),
    ("attachment", tree([0, 1]), tree([0, 1], "DEP"), "'DEP' for 'dep'"),
    ("conll18", tree([0, 1]), tree([0, 1], "DEP"), "'DEP' for 'dep'"),
    ("senseval", "a.n a.1 a%1\n", "a.n a.1 A%1\n", "'A%1' for 'a%1'"),
]


@loop_over(
    ("scorer", "gold", "system", "said"), SPELLINGS, ids=map(str, range(len(SPELLINGS)))
)
def test_labels_in_another_spelling_are_named_where_the_gold_is_open(
    scorer: str, gold: str, system: str, said: str
) -> None:
    remarks = [one for one in told(scorer, gold, system) if OPEN in one]
    assert len(remarks) == 1
    assert said in remarks[0]
    assert not [one for one in told(scorer, gold, gold) if OPEN in one]


def test_labels_of_quite_another_kind_are_named_on_both_sides() -> None:
    gold, system = table("label", ["yes", "no"]), table("label", ["1", "2"])
    (remark,) = [x for x in told("classes", gold, system) if "occurs" in x]
    assert remark == (
        "no label of the system occurs in the gold: the system has '1', '2', the gold "
        "'no', 'yes'"
    )


def test_a_site_says_no_label_of_the_gold() -> None:
    gold = table("label", ["secret", "hidden"])
    for system in (["Secret", "Hidden"], ["x", "y"]):
        found = told_on_the_site("classes", gold, table("label", system))
        assert CLOSED in found
        assert "hidden" not in " ".join(found) and "secret" not in " ".join(found)
    partly = table("label", ["Secret", "hidden"])
    assert CLOSED not in told_on_the_site("classes", gold, partly)


def test_labels_that_are_only_some_of_the_golds_are_no_other_spelling() -> None:
    gold = table("label", ["a", "b", "c", "a"])
    assert told("classes", gold, table("label", ["a", "b", "a", "b"])) == []


def test_a_nan_of_json_is_no_answer() -> None:
    for scorer, column in (("classes", "label"), ("texts", "text")):
        gold = table(column, ["a", "b"])
        system = f'{{"id": "i0", "{column}": NaN}}\n{{"id": "i1", "{column}": "b"}}\n'
        (problem,) = verdict(scorer, gold, system).problems
        assert problem.line == 1
        assert "NaN, which is no answer" in problem.message


GAPS = ["a b", "c d", "e f"]
DEPS = "1\tw\t_\t_\t_\t_\t0\troot\t{}\t_\n\n"
M2 = "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n"
NOTHING = "S a b\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n"
MENTION = "Entity=(e1-x-1-)"
DISCOURSE = (
    "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"
    "1\tw\t_\t_\t_\t_\t0\troot\t_\t{}\n\n"
)
# Scorer, gold, a system's answers that say nothing, and codes of the remarks.
HOLLOW: list[tuple[str, str, str, str]] = [
    ("translation", table("text", GAPS), table("text", [""] * 3), "all_empty"),
    ("transcripts", table("text", GAPS), table("text", [""] * 3), "all_empty"),
    ("texts", table("text", GAPS), table("text", ["None"] * 3), "all_equal"),
    ("translation", table("text", GAPS), table("text", ["nan"] * 3), "all_equal"),
    (
        "classes",
        table("label", ["a", "b", "a"]),
        table("label", ["a"] * 3),
        "all_equal",
    ),
    (
        "multilabel",
        table("label", ["a|b", "b", "a"]),
        table("label", [""] * 3),
        "all_empty",
    ),
    (
        "multilabel",
        table("label", ["a|b", "b", "a"]),
        table("label", ["b|a"] * 3),
        "all_equal",
    ),
    (
        "numbers",
        table("value", ["1", "2", "3"]),
        table("value", ["2"] * 3),
        "all_equal",
    ),
    ("labels", columns(["A", "B", "A"]), columns(["A"] * 3), "all_equal"),
    ("spans", columns(["B-A", "O", "O"]), columns(["O"] * 3), "no_spans"),
    (
        "retrieval",
        QRELS,
        "q1 Q0 d1 1 5 x\nq1 Q0 d2 2 5 x\nq2 Q0 d3 1 5 x\n",
        "all_equal",
    ),
    (
        "retrieval",
        QRELS,
        "q1 Q0 d1 1 1 x\nq1 Q0 d2 2 9 x\nq2 Q0 d3 1 5 x\n",
        "misranked",
    ),
    ("retrieval", QRELS, "q1 Q0 d1 1 9 x\n", "few_answered"),
    ("attachment", tree([0, 1, 2]), tree([2, 1, 1]), "in_circle"),
    ("edits", M2, NOTHING, "copied"),
    (
        "tuples",
        records("a"),
        '{"id": "1", "tuples": []}\n',
        "all_empty",
    ),
    (
        "coreference",
        DISCOURSE.format(MENTION),
        DISCOURSE.format("_"),
        "all_empty",
    ),
    ("senseval", "a.n 1 x\na.n 2 y\n", "a.n 1 x\n", "few_answered"),
]


@loop_over(
    ("scorer", "gold", "system", "code"), HOLLOW, ids=map(str, range(len(HOLLOW)))
)
def test_answers_that_say_nothing_get_a_remark(
    scorer: str, gold: str, system: str, code: str
) -> None:
    found = verdict(scorer, gold, system)
    assert not found.problems
    assert [one.code for one in found.remarks if one.code.startswith(code)]
    asks = code in ("all_empty", "all_equal", "copied", "no_spans", "few_answered")
    assert bool(found.doubts) == asks
    assert told_on_the_site(scorer, gold, system)
    assert told(scorer, gold, system)


def test_all_heads_at_the_root_are_asked_about_where_roots_may_be_many() -> None:
    (doubt,) = verdict("attachment", tree([0, 1, 2]), tree([0, 0, 0])).doubts
    assert doubt.message == "every answer is the same (3): 'HEAD 0'."


def test_a_copy_of_the_source_is_asked_about() -> None:
    gold = "id,text,source\n1,ein,one\n2,zwei,two\n3,drei,three\n"
    copy = "id,text\n1,one\n2,two\n3,three\n"
    (doubt,) = verdict("translation", gold, copy).doubts
    assert doubt.code == "copied"
    lines = "one\ntwo\nthree\n"
    assert verdict("translation", "ein\nzwei\ndrei\n", lines, blind=lines).doubts
    half = verdict("translation", gold, copy.replace("two", "zwei"))
    assert [one.code for one in half.remarks] == ["copied_answers"]
    assert not half.doubts
    other = verdict("translation", gold, "id,text\n1,ein\n2,zwei\n3,three\n")
    assert not other.remarks


def test_two_answers_that_are_equal_are_no_wonder() -> None:
    gold = table("label", ["a", "b"])
    assert not verdict("classes", gold, table("label", ["a", "a"])).remarks


def test_a_dependency_that_is_written_twice_gets_a_remark() -> None:
    gold, raw = DEPS.format("0:root"), {"enhanced": ["true"]}
    (remark,) = verdict("conll18", gold, DEPS.format("0:root|0:root"), raw).remarks
    assert (remark.code, remark.line) == ("repeated_dependency", 1)
    assert told_on_the_site("conll18", gold, DEPS.format("0:root|0:root"), raw)
    assert not verdict("conll18", gold, gold, raw).remarks


def test_no_document_that_is_judged_is_told() -> None:
    run = "q1 Q0 x1 1 9 x\nq1 Q0 x2 2 8 x\nq2 Q0 x3 1 5 x\n"
    (remark,) = told_on_the_site("retrieval", QRELS, run)
    assert remark.startswith("no document of the run is judged")


def test_check_never_says_fine_of_a_file_that_meets_no_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "senseval": ("art.n d0.t0\nchange.v d0.t1\n", "art%n d0.t0 art%1\n"),
        "retrieval": ("q1\nq2\n", "Q1 Q0 d1 1 5 x\n"),
        "classes": ("id\ni1\n", "id,label\nI1,a\n"),
        "numbers": ("id\ni1\n", "id,value\nI1,1\n"),
        "unl-text": ("[D:d]\n[S:1]\n[/S]\n[/D]\n", "[D:d]\n[S:x]\n[/S]\n[/D]\n"),
    }
    for scorer, texts in files.items():
        blind, system = tmp_path / "blind", tmp_path / "system"
        blind.write_text(texts[0], "utf-8")
        system.write_text(texts[1], "utf-8")
        words = ["check", scorer, "--gold", str(blind), "--system", str(system)]
        assert main([*words, "--format", "text"]) == 2
        assert "fine" not in capsys.readouterr().out


def test_a_label_that_is_not_declared_is_told_the_one_that_is_meant() -> None:
    cases = [
        ("classes", ["1", "0"], "1.0", "'1'"),
        ("classes", ["True", "False"], "true", "'True'"),
        ("classes", ["yes", "no"], "'yes'", "'yes'"),
        ("multilabel", ["a", "b"], "\"['a', 'b']\"", "'a', 'b'"),
    ]
    for scorer, labels, written, meant in cases:
        gold, raw = table("label", labels), {"labels": [*labels]}
        system = table("label", [written, labels[1]])
        (problem,) = verdict(scorer, gold, system, raw).problems
        assert problem.hint.startswith(f"Did you mean {meant}?")


def test_answers_for_what_is_not_asked_are_told_by_the_check_and_the_result() -> None:
    cases = [
        ("senseval", "a.n 1 x\n", "a.n 1 x\na.n 2 x\n", "does not exist"),
        (
            "metrics",
            "system,segment,score\na,1,1\nb,1,2\n",
            "system,segment,score\na,1,1\nb,1,2\nc,1,3\n",
            "no human score",
        ),
    ]
    for scorer, gold, system, said in cases:
        (remark,) = verdict(scorer, gold, system).remarks
        assert said in remark.message
        assert [one for one in told(scorer, gold, system) if said in one]


def test_few_labels_of_a_declared_list_are_asked_about() -> None:
    gold = columns(["B-PER", "B-LOC", "B-LOC"])
    raw: Raw = {"tags": ["PER", "LOC"]}
    few = verdict("spans", gold, columns(["B-PER", "B-loc", "B-loc"]), raw)
    assert "few_labels" in [one.code for one in few.doubts]
    other = verdict("spans", gold, columns(["B-PER", "B-LOC", "B-DATE"]), raw)
    assert other.remarks and not other.doubts


def test_a_declared_label_in_another_spelling_beside_right_ones_is_asked_about() -> (
    None
):
    gold = columns(["B-PER", "B-LOC", "B-LOC", "B-PER"])
    raw: Raw = {"tags": ["PER", "LOC"]}
    for written in ("loc", "Loc", "LOC.", "'LOC'", "LOCS", "I-LOC"):
        tags = ["B-PER", "B-LOC", f"B-{written}", "B-PER"]
        (doubt,) = verdict("spans", gold, columns(tags), raw).doubts
        assert doubt.code == "misspelt"
        assert doubt.hint.startswith("Did you mean 'LOC'?")


def test_several_tags_of_a_token_are_told() -> None:
    gold = columns(["B-PER", "B-LOC"])
    (remark,) = verdict("spans", gold, columns(["B-PER|B-LOC", "B-LOC"])).remarks
    assert (remark.code, "'PER|B-LOC'" in remark.message) == ("several_tags", True)


def test_a_comparison_tells_labels_in_another_spelling(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"gold": ["a", "b"], "one": ["A", "B"], "two": ["a", "a"]}
    for name, labels in texts.items():
        (tmp_path / name).write_text(table("label", labels), "utf-8")
    gold, one, two = (str(tmp_path / name) for name in texts)
    words = ["compare", "classes", "--gold", gold, "--system", one, two]
    assert main([*words, "--measure", "accuracy"]) == 0
    assert "one: labels that are written otherwise" in capsys.readouterr().err


def lines_of(text: str, size: int = 12) -> str:
    """Answers with a number and a word each, none beginning or ending like another."""
    words = ("boat", "Reed", "ice")
    return "".join(
        text.format(number, f"{words[number % 3]} {number} x{number % 7}") + "\n"
        for number in range(1, size + 1)
    )


@loop_over(
    ("text", "remark"),
    [
        ("<p>{1}</p>", "every answer begins with '<p>'."),
        ('<seg id="{0}">{1}</seg>', "every answer begins with '<seg id=\"'."),
        ('"{1}"', "every answer begins with '\"'."),
        ("- {1}", "every answer begins with '- '."),
        ("The answer is {1}", "every answer begins with 'The answer is '."),
        ("{1} #", "every answer ends with ' #'."),
        (
            "{0}. {1}",
            "every answer begins with the number of its line, such as '2. ice 2 x2'.",
        ),
        (
            "({0}) {1}",
            "every answer begins with the number of its line, such as '(2) ice 2 x2'.",
        ),
        (
            "{1} \ufffd.",
            "Letters were lost when the file was saved (12), first "
            "in line 1: there is the sign <U+FFFD> in their places.",
        ),
        (
            "{1}\u00ad!",
            "There are characters in the file that nobody sees "
            "(<U+00AD>), 12 in all, first in line 1.",
        ),
        (
            "{1}\x1b[0m!",
            "There are characters in the file that nobody sees "
            "(<U+001B>[0m), 12 in all, first in line 1.",
        ),
    ],
)
def test_what_all_answers_share_is_told(text: str, remark: str) -> None:
    found = verdict("translation", lines_of("{1}"), lines_of(text))
    assert [one.message for one in found.remarks] == [remark]


@loop_over("text", ["{1}", "{1}.", "It is {1}", "{1}!"])
def test_answers_that_are_sentences_share_nothing_odd(text: str) -> None:
    assert not verdict("translation", lines_of("{1}"), lines_of(text)).remarks


@loop_over(
    ("first", "last"),
    [
        ("<?xml version='1.0'?>", "</a>"),
        ("<doc>", "</doc>"),
        ("<!DOCTYPE tstset>", "x"),
    ],
)
def test_markup_with_the_right_number_of_lines_is_told(first: str, last: str) -> None:
    right = lines_of("{1}").splitlines()
    sent = "\n".join([first, *right[1:-1], last]) + "\n"
    (remark,) = verdict("translation", lines_of("{1}"), sent).remarks
    assert remark.message == (
        f"the file looks like XML or HTML: it begins with '{first}'."
    )


@loop_over(
    ("labels", "begin"),
    [
        (["LABEL_0", "LABEL_1"], "LABEL_"),
        (["['pos']", "['neg']"], "['"),
        (["'pos'", "'neg'"], "'"),
        (["<pos>", "<neg>"], "<"),
        (["The answer is pos", "The answer is neg"], "The answer is "),
    ],
)
def test_labels_that_carry_what_is_no_part_of_them_are_told(
    labels: list[str], begin: str
) -> None:
    cells = labels * 3
    found = verdict(
        "classes", table("label", ["pos", "neg"] * 3), table("label", cells)
    )
    assert [one.message for one in found.remarks] == [
        f"every answer begins with '{begin}'."
    ]
    declared = {"labels": [",".join(labels)]}
    found = verdict("classes", table("label", cells), table("label", cells), declared)
    assert not found.remarks


@loop_over(
    ("relations", "told"),
    [
        (["NSUBJ", "OBJ", "ROOT", "PUNCT"], True),
        (["NMOD:POSS", "OBL", "ROOT"], True),
        (["\u041f\u041e\u0414", "ROOT", "OBJ"], True),
        (["nsubj", "OBJ", "ROOT", "PUNCT"], False),
        (["nsubj", "obj", "root"], False),
        (["ROOT", "OBJ"], True),
        (["S", "P", "O"], False),
    ],
)
def test_relations_in_capitals_alone_are_told(relations: list[str], told: bool) -> None:
    blank = tree([2, 0, *[2] * (len(relations) - 2)])
    sent = "".join(
        line.replace("\tdep\t", f"\t{relation}\t") + "\n"
        for line, relation in zip(blank.splitlines(), relations, strict=False)
    )
    found = verdict("attachment", blank, sent + "\n").remarks
    first = "every label is in capitals, such as '"
    assert [one.message.startswith(first) for one in found] == [True] * told


@loop_over("end", ["%", '"', ";"])
def test_a_sign_behind_every_label_is_told(end: str) -> None:
    cells = [f"{label}{end}" for label in ["pos", "neg"] * 3]
    gold = table("label", ["pos", "neg"] * 3)
    rows = "".join(f"i{n}\t{cell}\n" for n, cell in enumerate(cells))
    found = verdict("classes", gold, f"id\tlabel\n{rows}")
    assert [one.message for one in found.remarks] == [
        f"every answer ends with '{end}'."
    ]


def test_half_of_what_is_asked_is_asked_about_and_most_of_it_is_not() -> None:
    topics = [f"q{number} 0 d1 1\n" for number in range(4)]
    lines = [f"q{number} Q0 d1 1 9 x\nq{number} Q0 d2 2 8 x\n" for number in range(4)]
    keys = [f"a.n {number} {tag}\n" for number, tag in enumerate("xyzx")]
    for scorer, gold, system in (
        ("retrieval", topics, lines),
        ("senseval", keys, keys),
    ):
        half = verdict(scorer, "".join(gold), "".join(system[:2]))
        assert [one.code for one in half.doubts] == ["few_answered"]
        most = verdict(scorer, "".join(gold), "".join(system[:3]))
        assert [one.code for one in most.remarks] == ["some_answered"]
        assert not most.doubts


def test_answers_that_are_nearly_all_empty_are_asked_about() -> None:
    words = ["red", "green", "blue", "grey"] * 5
    few = verdict("texts", table("text", words), table("text", ["red", *[""] * 19]))
    assert [one.code for one in few.doubts] == ["nearly_empty"]
    half = verdict(
        "texts", table("text", words), table("text", [*words[:10], *[""] * 10])
    )
    assert [one.code for one in half.remarks] == ["empty_answers"]
    assert not half.doubts


def test_items_that_are_each_alone_in_a_cluster_are_asked_about() -> None:
    gold = table("cluster", ["a", "b"] * 10)
    alone = verdict("clusterings", gold, table("cluster", [str(n) for n in range(20)]))
    assert [one.code for one in alone.doubts] == ["alone"]


def test_what_all_answers_have_in_common_is_asked_about() -> None:
    colours = ["red", "green", "blue", "grey", "pale", "dark"]
    words = [f"{colour} tide" for colour in colours * 2]
    for form in ("Answer: {}", "<p>{}</p>", "{}</s>", "{}|||{}"):
        texts = [form.format(word, word) for word in words]
        found = verdict("texts", table("text", words), table("text", texts))
        assert [one.code for one in found.doubts] == ["alike"], form


def test_two_spellings_of_one_label_in_a_file_are_asked_about() -> None:
    cases = [
        ("classes", table("label", ["POS", "NEG", "NEU"]), "POS", "pos"),
        ("labels", columns(["NOUN", "VERB", "ADJ"]), "NOUN", "noun"),
        ("spans", columns(["B-PER", "B-LOC", "B-ORG"]), "B-PER", "B-per"),
    ]
    for scorer, gold, one, other in cases:
        again = gold.replace("i2,NEU", f"i2,{other}").replace("w2\tADJ", f"w2\t{other}")
        again = again.replace("w2\tB-ORG", f"w2\t{other}")
        assert one in again and other in again
        assert [found.code for found in verdict(scorer, gold, again).doubts] == [
            "alike"
        ]


def test_the_check_says_that_every_share_is_0_or_1() -> None:
    gold = "id,no,yes\na,1,0\nb,0,1\nc,0,1\nd,1,0\n"
    system = gold.replace("d,1,0", "d,0,1")
    (remark,) = verdict("probabilities", gold, system).remarks
    assert remark.message.startswith("every share is 0 or 1")
    (said,) = [s for s in told("probabilities", gold, system) if "share" in s]
    assert said.startswith(remark.message.rstrip("."))


def test_a_label_of_its_own_is_not_taken_for_a_slip_of_one_that_is_there() -> None:
    declared: Raw = {"labels": ["POS", "NEG"]}
    cells = ["POS", "NEG", "NEU"] * 5
    found = verdict(
        "classes",
        table("label", ["POS", "NEG", "POS"] * 5),
        table("label", cells),
        declared,
    )
    assert found.diagnosis is not None
    assert "did you mean" not in found.diagnosis.message
    slip = verdict(
        "classes",
        table("label", ["POS", "NEG", "POS"] * 5),
        table("label", [*cells[:2] * 7, "NEGG"]),
        declared,
    )
    assert slip.diagnosis is not None
    assert slip.diagnosis.message.endswith("did you mean 'NEG'?")


def test_words_of_programs_for_what_is_missing_are_asked_about() -> None:
    gold = table("label", ["a", "b", "c"] * 4)
    for word in ("nan", "NaN", "None", "#N/A", "ERROR: timed out"):
        found = verdict("classes", gold, table("label", [*["a", "b"] * 5, word, word]))
        assert [one.code for one in found.doubts] == ["missing_words"]
    words = ["a", "b", "None"] * 4
    declared: Raw = {"labels": ["a", "b", "None"]}
    assert not verdict(
        "classes", table("label", words), table("label", words), declared
    ).doubts


def test_signs_of_single_answers_get_a_remark_and_no_question() -> None:
    words = [f"{colour} tide" for colour in ["red", "green", "blue", "grey"] * 3]
    for last in ("tea &amp; toast", "an un@@ usual tide"):
        texts = [*words[:11], last]
        found = verdict("texts", table("text", words), table("text", texts))
        assert [one.code for one in found.remarks] == ["odd_words"]
        assert not found.doubts
