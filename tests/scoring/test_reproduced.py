"""`make reproduce`: published figures, scored again, and the page that has them."""

import re
from pathlib import Path
from random import Random

import pytest
import pytrec_eval

from benchmarks import reproduced
from tests.scoring import outside

NAMES = {"map", "Rprec", "bpref", "recip_rank", "P", "recall", "ndcg_cut", "success"}


@pytest.mark.published
def test_the_page_has_what_the_command_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert reproduced.main([str(outside.DATA)]) == 0
    page = reproduced.PAGE.read_text("utf-8")
    told = page.split(reproduced.BEGIN)[1].split(reproduced.END)[0]
    assert told.strip() == capsys.readouterr().out.strip()


def trec(folder: Path) -> None:
    """A small test of trec_eval as its repository has them."""
    dice = Random(3)
    judged = {
        f"q{t}": {f"d{d}": dice.randint(0, 2) for d in range(30)} for t in range(9)
    }
    ranked = {topic: {f"d{d}": dice.random() for d in range(40)} for topic in judged}
    qrels = [f"{t} 0 {d} {g}" for t, of in judged.items() for d, g in of.items()]
    run = [f"{t} Q0 {d} 1 {s!r} x" for t, of in ranked.items() for d, s in of.items()]
    found = pytrec_eval.RelevanceEvaluator(judged, NAMES).evaluate(ranked)
    names = sorted(next(iter(found.values())))
    means = {n: sum(one[n] for one in found.values()) / len(found) for n in names}
    out = [f"{name:22}\tall\t{value:.4f}" for name, value in means.items()]
    folder.mkdir()
    for name, lines in (("qrels.test", qrels), ("results.test", run)):
        (folder / name).write_text("\n".join([*lines, ""]))
    (folder / "out.test.a").write_text("\n".join(["runid\tall\tx", *out, ""]))


def told(said: str) -> tuple[int, int]:
    """How many figures agree, of how many."""
    (found,) = re.findall(r"(\d+) of (\d+) figures agree \(folder `trec_eval`\)", said)
    return int(found[0]), int(found[1])


def test_outputs_of_trec_eval_are_read_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trec(tmp_path / "trec_eval")
    assert reproduced.main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    ours, all_of_them = told(said)
    assert ours == all_of_them > 30
    assert "- `wmt22`, WMT22, General MT" in said


def test_a_figure_that_differs_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trec(tmp_path / "trec_eval")
    out = tmp_path / "trec_eval" / "out.test.a"
    lines = out.read_text().split("\n")
    place = next(i for i, line in enumerate(lines) if line.startswith("map "))
    lines[place] = "map \tall\t0.9999"
    out.write_text("\n".join(lines))
    assert reproduced.main([str(tmp_path)]) == 1
    said = capsys.readouterr().out
    ours, all_of_them = told(said)
    assert ours == all_of_them - 1
    assert "| out.test.a | – |" in said and "0.9999" in said
