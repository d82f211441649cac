"""`python -m benchmarks.reproduced DATA [--write]`: published figures, scored again.

DATA is a folder of data sets of others, which this project does not give away;
docs/evidence/reproduced.md says where they come from. Of those that are there each
figure is computed from the systems' outputs and set beside what was published, in as
many digits.
The exit code is 1 where one differs.
"""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks._page import DOCS, put
from scoring import Job, Plan, Source, evaluate
from scoring.options import parse
from scoring.scorers import get

PAGE = DOCS / "evidence" / "reproduced.md"
BEGIN, END = "<!-- reproduced: begin -->", "<!-- reproduced: end -->"
PUBLISHED = Path(__file__).with_name("published.csv")
LAST_DIGIT = 1e-13  # of figures that were published in full
PLAN = Plan(resamples=0)
Values = dict[str, float]
Chosen = Mapping[str, str | Path]


@dataclass(frozen=True)
class Row:
    """Published figures of one system and setting, as printed, and ours."""

    system: str
    setting: str
    measures: tuple[str, ...]
    figures: tuple[str, ...]
    ours: tuple[float, ...]
    within: float = 0.0  # the difference that is allowed, else a half of the last digit

    @property
    def agreeing(self) -> int:
        """How many of the figures are ours."""
        return sum(map(self._agrees, self.figures, self.ours))

    def _agrees(self, figure: str, own: float) -> bool:
        digits = len(figure.partition(".")[2])
        allowed = self.within or max(0.5000001 * 10.0**-digits, LAST_DIGIT)
        return abs(float(figure) - own) <= allowed


@dataclass(frozen=True)
class DataSet:
    """A data set in a folder of its name, with how its rows are computed."""

    name: str
    title: str
    origin: str
    rows: Callable[[Path], Iterator[Row]] | None = None


def scored(
    scorer: str, gold: Path, system: Path, chosen: Chosen | None = None
) -> Values:
    """Values of all measures, without intervals."""
    registered = get(scorer)
    raw = {
        name: [Source.of_path(given) if isinstance(given, Path) else given]
        for name, given in (chosen or {}).items()
    }
    job = Job(registered, parse(registered.options, raw), plan=PLAN)
    sources = (Source.of_path(path) for path in (gold, system))
    measures = evaluate(job, *sources).measures
    return {
        n: float("nan") if e.value is None else e.value for n, e in measures.items()
    }


def cited(name: str, score: Callable[[str, Chosen], Values]) -> Iterator[Row]:
    """Rows of `published.csv` of one data set."""
    with PUBLISHED.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            if line["set"] != name:
                continue
            parts = (part.split("=") for part in line["options"].split())
            options: Chosen = dict(parts)
            measures = tuple(line["measures"].split())
            scores = score(line["system"], options)
            ours = tuple(scores[measure] for measure in measures)
            figures = tuple(line["figures"].split())
            yield Row(line["system"], line["options"], measures, figures, ours)


def of_senseval(data: Path) -> Iterator[Row]:
    def score(system: str, options: Chosen) -> Values:
        key, answers = data / "EnglishLS.test.key", data / f"{system}.txt"
        given: Chosen = {"sensemap": data / "EnglishLS.sensemap", **options}
        return scored("senseval", key, answers, given)

    return cited("senseval3", score)


def of_wnut(data: Path) -> Iterator[Row]:
    def score(system: str, options: Chosen) -> Values:
        folder = data / "wnut17"
        return scored("spans", folder / "gold.conll", folder / f"{system}.conll")

    return cited("wnut17", score)


def of_treebanks(data: Path) -> Iterator[Row]:
    def score(language: str, options: Chosen) -> Values:
        gold, parsed = (
            data / language / f"{name}.conllu"
            for name in ("gold", "malt-default-coarse")
        )
        weighed: Chosen = {"weights": data / "averaged_wde.csv", **options}
        return scored("attachment", gold, parsed, weighed)

    return cited("ud12", score)


def of_coreference(data: Path) -> Iterator[Row]:
    for case in json.loads((data / "cases.json").read_text("utf-8")):
        chosen = case["options"].items()
        options: Chosen = {name: str(value).lower() for name, value in chosen}
        figures = scored(
            "coreference", data / case["gold"], data / case["system"], options
        )
        yield _of_case(case["system"], case["expected"], figures)


def of_metrics(data: Path) -> Iterator[Row]:
    for case in json.loads((data / "cases.json").read_text("utf-8")):
        figures = scored("metrics", data / case["gold"], data / case["metric"])
        expected = {n: v for n, v in case["expected"].items() if n in figures}
        random = {name for name in expected if name.startswith("spa")}
        exact = {n: v for n, v in expected.items() if n not in random}
        yield _of_case(case["metric"], exact, figures)
        yield _of_case(case["metric"], {n: expected[n] for n in random}, figures, 0.02)


def _of_case(
    name: str, expected: Values, measures: Values, within: float = 1e-9
) -> Row:
    figures = tuple(repr(float(value)) for value in expected.values())
    ours = tuple(measures[measure] for measure in expected)
    return Row(name, "", tuple(expected), figures, ours, within)


# Names of outputs of trec_eval, with the files behind them and options of ours.
TREC: dict[str, tuple[str, str, Chosen]] = {
    "out.test.a": ("qrels.test", "results.test", {}),
    "out.test.aql": ("qrels.test", "results.test", {"rel": "2"}),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", {}),
}
TREC_NAMES = {"map": "map", "Rprec": "rprec", "bpref": "bpref", "recip_rank": "mrr"}
CUT = ("P", "p"), ("recall", "r"), ("ndcg_cut", "ndcg"), ("success", "success")


def of_trec(data: Path) -> Iterator[Row]:
    for out, (qrels, run, options) in TREC.items():
        if not all((data / name).is_file() for name in (out, qrels, run)):
            continue
        figures = _of_all_topics((data / out).read_text("utf-8"))
        cutoffs = sorted({int(n.partition("@")[2]) for n in figures if "@" in n})
        given = (
            {**options, "cutoffs": ",".join(map(str, cutoffs))} if cutoffs else options
        )
        measures = scored("retrieval", data / qrels, data / run, given)
        own = tuple(measures[name] for name in figures)
        setting = " ".join(f"{name}={value}" for name, value in options.items())
        yield Row(out, setting, tuple(figures), tuple(figures.values()), own)


def _of_all_topics(text: str) -> dict[str, str]:
    """The means that an output of trec_eval gives, by our names of measures."""
    figures = {}
    for line in text.splitlines():
        name, topic, figure = (*line.split(), "", "", "")[:3]
        stem, _, cutoff = name.rpartition("_")
        of_cut = dict(CUT).get(stem)
        if topic == "all" and name in TREC_NAMES:
            figures[TREC_NAMES[name]] = figure
        elif topic == "all" and of_cut and cutoff.isdecimal():
            figures[f"{of_cut}@{cutoff}"] = figure
    return figures


SETS = (
    DataSet(
        "senseval3",
        "SENSEVAL-3, English lexical sample, 2004",
        "Key and sense map of Mihalcea, Chklovski and Kilgarriff (2004), and four "
        "runs, from github.com/astory/cs4740_3 (two more were joined from such runs); "
        "figures: what the organizers' scorer2 prints, with the sense map sorted",
        of_senseval,
    ),
    DataSet(
        "spans",
        "WNUT 2017, emerging entities",
        "Gold and submissions from github.com/leondz/emerging_entities_17 (CC BY 4.0); "
        "figures: Derczynski, Nichols, van Erp and Limsopatham (2017), as F1 of 100",
        of_wnut,
    ),
    DataSet(
        "ud12",
        "Universal Dependencies 1.2, MaltParser",
        "Treebanks of UD 1.2 (CC BY-SA 4.0), parser outputs and figures from "
        "github.com/jimmycallin/udeval, `data/`, of its run malt-default-coarse",
        of_treebanks,
    ),
    DataSet(
        "trec_eval",
        "trec_eval's own tests",
        "github.com/usnistgov/trec_eval, folder `test`",
        of_trec,
    ),
    DataSet(
        "coreference",
        "Tests of the CorefUD scorer",
        "github.com/ufal/corefud-scorer (MIT), folder `tests`; figures: that scorer's "
        "own answers, in `cases.json`",
        of_coreference,
    ),
    DataSet(
        "metric-of-metrics",
        "Random metrics, by mt-metrics-eval",
        "Made by a program; figures: answers of google-research/mt-metrics-eval on "
        "GitHub (Apache 2.0), in `cases.json`; `spa`, of 1,000 random permutations, "
        "within .02; thresholds are left out",
        of_metrics,
    ),
    DataSet(
        "wmt22",
        "WMT22, General MT",
        "github.com/wmt-conference/wmt22-news-systems",
    ),
    DataSet(
        "sigmorphon",
        "SIGMORPHON 2021 and 2022, inflection",
        "github.com/sigmorphon/2021Task0 and github.com/sigmorphon/2022InflectionST",
    ),
    DataSet(
        "conll2003",
        "CoNLL-2003, named entities",
        "The corpus has a licence of Reuters and LDC and cannot be fetched",
    ),
)


def page_of(data: Path) -> tuple[list[str], int]:
    """Lines of the page, and how many figures differ."""
    lines: list[str] = []
    absent, different = [], 0
    for test_set in SETS:
        folder = data / test_set.name
        rows = [*test_set.rows(folder)] if test_set.rows and folder.is_dir() else []
        if not rows:
            unread = "" if test_set.rows else " Not read."
            absent.append(
                f"- `{test_set.name}`, {test_set.title}: {test_set.origin}.{unread}"
            )
            continue
        figures = sum(len(row.figures) for row in rows)
        agreeing = sum(row.agreeing for row in rows)
        different += figures - agreeing
        lines += [f"### {test_set.title}", "", f"{test_set.origin}.", ""]
        lines += [
            f"{agreeing:,} of {figures:,} figures agree (folder `{test_set.name}`).",
            "",
        ]
        lines += _table([row for row in rows if row.agreeing < len(row.figures)])
    told = ["### Not at hand when this was written", "", *absent, ""]
    return lines + told * bool(absent), different


def _table(differing: list[Row]) -> list[str]:
    lines = [
        "| system | setting | measures | published | ours |",
        "|---|---|---|---|---|",
    ]
    for row in differing:
        digits = [len(figure.partition(".")[2]) for figure in row.figures]
        ours = [f"{own:.{n}f}" for own, n in zip(row.ours, digits, strict=True)]
        cells = row.system, row.setting or "–", ", ".join(row.measures)
        figures = (" / ".join(parts) for parts in (row.figures, ours))
        lines.append("| " + " | ".join((*cells, *figures)) + " |")
    return [*lines, ""] if differing else []


def main(arguments: list[str] | None = None) -> int:
    """Print how many figures of each set agree, and those that do not."""
    called = argparse.ArgumentParser("python -m benchmarks.reproduced")
    called.add_argument("data", type=Path, metavar="DATA", help="folder of data sets")
    called.add_argument("--write", action="store_true", help=f"into {PAGE.name} too")
    options = called.parse_args(arguments)
    lines, different = page_of(options.data)
    print("\n".join(lines))
    if options.write:
        put(PAGE, "\n".join(lines), (BEGIN, END))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
