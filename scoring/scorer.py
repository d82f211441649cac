"""Scorer: reading, counting and the measures of the counts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ParamSpec

from scoring.answered import Answered
from scoring.counts import Counts, is_of_all_tags
from scoring.errors import Problem
from scoring.inspection import Inspection
from scoring.measure_names import other_spellings, resolve_name
from scoring.measures import Measure
from scoring.options import Option, Options, Raw
from scoring.outlines import Outliner
from scoring.picks import Guess, Spoil
from scoring.source import Source
from scoring.spellings import Kinds

P = ParamSpec("P")
Cell = str | int | float | None
DetailRows = Iterator[tuple[Cell, ...]]
Tables = dict[str, dict[str, dict[str, float | None]]]


@dataclass(frozen=True)
class Details:
    """The per-item table behind a score: column names and rows."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


def details_of(
    *columns: str,
) -> Callable[[Callable[P, DetailRows]], Callable[P, Details]]:
    """Decorator of a function that yields the rows of a table with these columns: it
    then returns the table."""

    def table_of(rows: Callable[P, DetailRows]) -> Callable[P, Details]:
        @wraps(rows)
        def details(*sides: P.args, **named: P.kwargs) -> Details:
            return Details(columns, rows(*sides, **named))

        return details

    return table_of


def no_tables(_counts: Counts, _options: Options) -> Tables:
    return {}


def nothing_to_say(*_about: object) -> list[Any]:
    return []


def no_labels(_read: Any, _options: Options) -> Kinds:
    return {}


def answer_itself(_published: Any, system: Any, _options: Options) -> Any:
    """A stand-in for gold that is read into the same kind of value as answers."""
    return system


def published_file(published: Any, _system: Any, _options: Options) -> Any:
    """A stand-in for gold that may lack all answers."""
    return published


def asked_and_answered(published: Any, system: Any, _options: Options) -> Any:
    """A stand-in for gold of the answers themselves, with what was asked."""
    inputs = published.answers.inputs
    return replace(system, answers=replace(system.answers, inputs=inputs))


@dataclass(frozen=True)
class Scorer:
    """One way of scoring. A module in scoring/scorers with a `SCORER` is registered,
    and what a package names in the entry-point group `plumbline.scorers`.

    Gold, blind file and answers are read into values of the scorer's own kind. What is
    wrong with a file is raised with its place: SetupError for gold and blind file,
    Refused for a system's file. `version` rises with every change that gives other
    counts or values for some file: it stands in the signature, and a test pins what
    each version gives.
    """

    name: str
    title: str
    summary: str
    formats: tuple[str, ...]
    # A short valid system file of our own.
    example: str
    # The finest first; coarser ones are groupings of the counts.
    units: tuple[str, ...]
    headline: str
    fixed_measures: tuple[Measure, ...]
    read_gold: Callable[[Source, Options], Any]
    # The published file, without the answers, as the same kind of value.
    read_blind: Callable[[Source, Options], Any]
    # Of a system's file, paired with gold or blind file, which come last.
    read_system: Callable[[Source, Options, Any], Any]
    # Of gold and system's answers, by the finest unit.
    count: Callable[[Any, Any, Options], Counts]
    details: Callable[[Any, Any, Options], Details]
    # The published file out of gold, where the organizer gives none.
    blind: Callable[[Source, Options], Source]
    options: tuple[Option, ...] = ()
    # More measures by the columns of the counts: those of each tag or cutoff.
    tag_measures: Callable[[tuple[str, ...]], tuple[Measure, ...]] | None = None
    tables: Callable[[Counts, Options], Tables] = no_tables
    # Of libraries that the figures come from, as the field prints them.
    signatures: Callable[[Counts, Options], list[str]] = nothing_to_say
    # On gold and system: what is no error but should be known, to teams too. It names
    # nothing of the gold.
    remarks: Callable[[Any, Any, Options], list[str]] = nothing_to_say
    # On the gold alone, for whoever set the task up.
    gold_remarks: Callable[[Any, Options], list[str]] = nothing_to_say
    # An example submission out of the members of a blind file, and copies of the
    # gold's members in which a share of the answers is wrong (`scoring.examples`).
    guess: Guess | None = None
    spoil: Spoil | None = None
    # A problem that names columns as the task does (`scoring.formats.chosen_columns`).
    in_task_names: Callable[[Problem, Options], Problem] = lambda problem, _: problem
    # What the task calls a column of the scorer.
    column_name: Callable[[str, Options], str] = lambda name, _: name
    # A perfect system's file made of the gold, where gold is no such file itself.
    ideal: Callable[[Source, Options], Source] | None = None
    # The gold that `example` is scored against, where it can't be its own gold.
    example_gold: str = ""
    # What is wrong item by item, units in the order of the counts.
    inspect: Callable[[Any, Any, Options], Inspection] | None = None
    # What `inspect` and `count` take in place of gold where an answer is shown by
    # itself: made of the published file and the answer, so that nothing of the gold can
    # be in it. Without one there is no such view.
    stand_in: Callable[[Any, Any, Options], Any] | None = None
    # The finest unit of this gold, where that depends on the gold.
    finest: Callable[[Any], str] | None = None
    # The measures that options declare, in place of the fixed ones. Of options only
    # words are needed, so that no file is read to know what a board shows.
    declared: Callable[[Raw], tuple[Measure, ...]] | None = None
    # What options ask of each other and of their values, beside their kinds: asked
    # before there is any gold. Raises UsageError or SetupError.
    require_options: Callable[[Options], None] | None = None
    # Of what participants send, where organizers count it elsewhere: `read_system` then
    # reads what they counted, and only this the system's file.
    read_submission: Callable[[Source, Options, Any], Any] | None = None
    # The units of a blind file or a system's file, whatever is wrong with it, so that a
    # refusal can begin with what is wrong with the whole (`scoring.diagnosis`).
    outline: Outliner | None = None
    # On answers that can be scored: what was repaired or is probably not meant. It
    # looks at the answers alone, so that it may be told before they are scored.
    notes: Callable[[Any, Options], list[Problem]] = nothing_to_say
    # How answers meet the units of gold or blind file, for remarks that are alike for
    # every scorer (`scoring.answered`). It may look at what a blind file shows alone.
    answered: Callable[[Any, Any, Options], Answered] | None = None
    # The distinct labels of gold or of a system's file, by their kind, where a system
    # has to write them as the gold does (`scoring.spellings`).
    labels: Callable[[Any, Options], Kinds] = no_labels
    # What answers (empty where they have no one name) and ids are called in files,
    # where no option of a task says so.
    called: tuple[str, str] = ("", "id")
    # Whether a program of the task has to run before anything can be counted.
    runs_program: bool = False
    # Packages that this scorer needs beside those of every scorer.
    requires: tuple[str, ...] = ()
    # Distribution and version of the plug-in that brought it; set by the engine.
    package: str = ""
    version: int = 1

    def of_task(self, raw: Raw) -> "Scorer":
        """The scorer with the measures that a task's options declare.

        Raises UsageError for a declaration that cannot be read.
        """
        if self.declared is None:
            return self
        measures = self.declared(raw) or self.fixed_measures
        names = [measure.name for measure in measures]
        headline = self.headline if self.headline in names else names[0]
        return replace(self, fixed_measures=measures, headline=headline)

    @property
    def counted_elsewhere(self) -> bool:
        return self.read_submission is not None

    def unit_of(self, gold: Any) -> str:
        """The unit that `count` gives for this gold."""
        return self.finest(gold) if self.finest else self.units[0]

    def perfect(self, gold: Source, options: Options) -> Source:
        """The file of a system that gets everything right. Raises SetupError."""
        return self.ideal(gold, options) if self.ideal else gold

    def measures(self, columns: tuple[str, ...]) -> tuple[Measure, ...]:
        """The measures of counts with these columns; without any the fixed ones."""
        if self.tag_measures is None:
            return self.fixed_measures
        return self.fixed_measures + self.tag_measures(columns)

    def weighs(self, columns: tuple[str, ...]) -> bool:
        """Whether a measure of such counts is no function of sums."""
        return any(measure.weighted is not None for measure in self.measures(columns))

    def measure(self, name: str, columns: tuple[str, ...] = ()) -> Measure:
        """The measure of that name; also of one tag or cutoff: "f1[PERSON]", "p@50".

        Names of other programs are understood, such as "recall_100" for "r@100". Raises
        KeyError when this scorer has none."""
        by_name = {measure.name: measure for measure in self.measures(columns)}
        own = resolve_name(name, by_name)
        if own is not None:
            return by_name[own]
        for spelling in (name, *other_spellings(name)):
            of_tag = self._measures_of_tag(spelling)
            if spelling in of_tag:
                return of_tag[spelling]
        raise KeyError(name)

    def has_measure(self, name: str) -> bool:
        try:
            self.measure(name)
        except KeyError:
            return False
        return True

    def _measures_of_tag(self, name: str) -> dict[str, Measure]:
        """The measures of the tag or cutoff that a name ends in, by name."""
        mark = "[" if name.endswith("]") else "@"
        if mark not in name:
            return {}
        tag = name[name.find(mark) :]
        fixed = {c for m in self.fixed_measures for c in m.columns}
        single = sorted(c for c in fixed if not is_of_all_tags(c))
        of_tag = self.measures(tuple(c + tag for c in single))
        return {measure.name: measure for measure in of_tag}
