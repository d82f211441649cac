"""The signature: everything that decides a number, and nothing else."""

from dataclasses import replace

from scoring.engine import signature
from scoring.options import Option, parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.version import VERSION

DECLARED = (
    Option("labels", "", "choice", "full", ("full", "coarse")),
    Option("minimal", "", "flag", False),
    Option("tags", "", "list", ()),
    Option("weights", "", "file"),
)
FILE = Source.of_bytes("weights.csv", b"a,1\n")


def signed(unit: str = "sentence", plan: Plan | None = None, **raw: object) -> str:
    options = parse(DECLARED, {name: [value] for name, value in raw.items()})  # type: ignore[list-item]
    scorer = replace(get("attachment"), options=DECLARED)
    return signature(scorer, options, unit, plan or Plan())


def test_defaults_are_left_out() -> None:
    start = "attachment|unit:sentence|bs:1000|seed:2026|level:0.95"
    assert signed() == f"{start}|v:{VERSION}|scorer:1"


def test_the_scorers_own_version_shows() -> None:
    changed = replace(get("attachment"), version=2)
    found = signature(changed, parse(changed.options, {}), "sentence", Plan())
    assert found.endswith("|scorer:2")


def test_what_differs_from_the_default_is_named_in_declared_order() -> None:
    found = signed(tags="B,A", minimal="true", labels="coarse")
    assert found.startswith("attachment|labels:coarse|minimal:true|tags:B,A|unit:")


def test_a_file_is_named_by_its_content() -> None:
    same = Source.of_bytes("other-name.csv", b"a,1\n")
    changed = Source.of_bytes("weights.csv", b"a,2\n")
    assert f"|weights:{FILE.sha256[:12]}|" in signed(weights=FILE)
    assert signed(weights=same) == signed(weights=FILE)
    assert signed(weights=changed) != signed(weights=FILE)


def test_unit_resamples_seed_and_level_all_show() -> None:
    shown = {
        signed(),
        signed(unit="document"),
        signed(plan=Plan(resamples=999)),
        signed(plan=Plan(seed=1)),
        signed(plan=Plan(level=0.9)),
    }
    assert len(shown) == 5
