"""The `scorer` and `bootstrap` of a manifest: how its test sets are scored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.tasks.manifest import Section
from leaderboard.tasks.plans import RawOptions
from scoring.errors import ScoringError, SetupError
from scoring.options import Option, Options, parse
from scoring.scorer import Scorer
from scoring.scorers import all_scorers
from scoring.source import Source

SCORER_KEYS = ("name", "options", "measures", "headline", "unit")
BOOTSTRAP_KEYS = ("resamples", "seed", "level")


@dataclass(frozen=True)
class Scoring:
    """How a task scores; the names are those of its plan."""

    scorer: Scorer
    raw_options: RawOptions
    options: Options
    measures: tuple[str, ...]
    headline: str
    unit: str
    bootstrap: Mapping[str, Any]

    def fields(self) -> dict[str, Any]:
        """Values of the plan's fields."""
        names = ("scorer", "raw_options", "measures", "headline", "unit")
        return {**{name: getattr(self, name) for name in names}, **self.bootstrap}


def scoring_of(top: Section) -> Scoring:
    """Notes what is wrong; raises SetupError where nothing more can be read."""
    section = top.section("scorer", SCORER_KEYS)
    scorers = all_scorers()
    name = section.text("name")
    if name not in scorers:
        section.wrong("name", f"one of {', '.join(scorers)}")
        top.reader.findings.raise_if_any(SetupError)
    scorer = scorers[name]
    raw = _raw_options(section, scorer.options)
    options = _parsed(section, scorer, raw)
    # Where it depends on the gold, the first test set decides.
    unit = section.text("unit", "" if scorer.finest else scorer.units[0])
    if unit not in scorer.units and ("unit" in section.table or not scorer.finest):
        section.wrong("unit", f"one of {', '.join(scorer.units)}")
    measures = section.words("measures")
    headline = section.text("headline", scorer.headline)
    check_measures(section, scorer, "measures", measures)
    check_measures(section, scorer, "headline", (headline,))
    return Scoring(scorer, raw, options, measures, headline, unit, _bootstrap(top))


def _bootstrap(top: Section) -> dict[str, Any]:
    draws = top.section("bootstrap", BOOTSTRAP_KEYS)
    resamples, seed = draws.optional("resamples", int), draws.optional("seed", int, 0)
    level = draws.value("level", float, 0.95)
    if not 0.5 <= level < 1:
        draws.wrong("level", "a number from 0.5 to below 1, as 0.95")
    return {
        "resamples": 1000 if resamples is None else resamples,
        "seed": 2026 if seed is None else seed,
        "level": level,
    }


def _raw_options(
    section: Section, declared: tuple[Option, ...]
) -> dict[str, list[str | Source]]:
    given = section.section("options", [option.name for option in declared])
    files = {option.name for option in declared if option.kind == "file"}
    raw: dict[str, list[str | Source]] = {}
    for name, value in given.table.items():
        if name in files:
            raw[name] = [given.file(name)]
            continue
        values = value if isinstance(value, list) else [value]
        raw[name] = [str(v).lower() if isinstance(v, bool) else str(v) for v in values]
    known = {option.name for option in declared}
    return {name: values for name, values in raw.items() if name in known and values}


def _parsed(section: Section, scorer: Scorer, raw: RawOptions) -> Options:
    """Options as the scorer takes them; what does not fit is noted at its line."""
    given = section.section("options", [option.name for option in scorer.options])
    fitting = {}
    for name, values in raw.items():
        try:
            parse(scorer.options, {name: values})
            fitting[name] = values
        except ScoringError as error:
            given.refuse(name, error.problems[0].message)
    return parse(scorer.options, fitting)


def check_measures(
    section: Section, scorer: Scorer, key: str, names: tuple[str, ...]
) -> None:
    known = [measure.name for measure in scorer.measures(())]
    for name in names:
        try:
            scorer.measure(name)
        except KeyError:
            section.wrong(key, f"one of {', '.join(known)}; not '{name}'")
