"""Path of a score, on one screen: read, align, count, aggregate, bootstrap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring import answered, spellings
from scoring.counts import Counts
from scoring.errors import Problem, Refused, UsageError
from scoring.excerpts import with_excerpts
from scoring.formats.forms import remarks_on_form
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.picks import likely
from scoring.scorer import Scorer, Tables
from scoring.source import Source
from scoring.spellings import Kinds
from scoring.statistics import bootstrap, groups
from scoring.statistics.bootstrap import Plan
from scoring.statistics.intervals import Estimate
from scoring.version import VERSION

MESSAGES = Messages(
    unit=_("%(scorer)s has no unit '%(unit)s'; it knows: %(units)s"),
    meant=_("Did you mean '%(unit)s'?"),
    take_unit=_("Take the unit '%(unit)s'."),
    unit_of_gold=_("the gold names no unit '%(unit)s'"),
)


# Of fewer units all may well be wrong.
FEWEST_UNITS = 2
NOTHING_AGREES = (
    "nothing in the file agrees with the answer key: is it that of this test set, and "
    "written as the task asks?"
)


def signature(scorer: Scorer, options: Options, unit: str, plan: Plan) -> str:
    """scorer|options that differ from the default|unit|resamples|seed|level|versions.
    The versions are the engine's, for what it makes of counts, the scorer's own, and
    that of the package of a plug-in."""
    parts = [scorer.name]
    for option in scorer.options:
        value = options[option.name]
        if value is not None and value != option.default:
            parts.append(f"{option.name}:{_value_text(value)}")
    parts += [f"unit:{unit}", f"bs:{plan.resamples}", f"seed:{plan.seed}"]
    versions = [f"v:{VERSION}", f"{COUNTED}{scorer.version}"]
    versions += [f"{PACKAGE}{scorer.package}"] if scorer.package else []
    return "|".join([*parts, f"level:{plan.level}", *versions])


COUNTED, PACKAGE = "scorer:", "package:"


def package_in(signature: str) -> str:
    """The plug-in's package in a signature, empty for a scorer of the engine."""
    versions = signature.rpartition(f"|{COUNTED}")[2]
    return versions.partition(f"|{PACKAGE}")[2]


def counted_as(signature: str, earlier: str) -> str:
    """The signature of counts that are summarised again: whoever counted, stays."""
    if f"|{COUNTED}" not in earlier:  # before engine 0.2.0
        return signature
    head, mark, _now = signature.rpartition(f"|{COUNTED}")
    return head + mark + earlier.rpartition(mark)[2]


def _value_text(value: object) -> str:
    if isinstance(value, Source):
        return value.sha256[:12]
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


DEFAULT_PLAN = Plan()
NO_OTHERS: Mapping[str, Source] = {}


@dataclass(frozen=True)
class Job:
    """A scorer with its options, unit and resampling: what a task fixes."""

    scorer: Scorer
    options: Options
    unit: str = ""
    plan: Plan = DEFAULT_PLAN


@dataclass(frozen=True)
class Result:
    """Score of one system on one test set.

    `design_effect` is that of the headline, by grouping of the gold; `signatures` are
    those of libraries that the figures come from.
    """

    scorer: str
    signature: str
    unit: str
    units: int
    measures: dict[str, Estimate]
    counts: dict[str, float]
    tables: Tables
    remarks: list[str]
    design_effect: dict[str, float] = field(default_factory=dict)
    signatures: list[str] = field(default_factory=list)


def read_pair(
    scorer: Scorer, gold: Source, system: Source, options: Options
) -> tuple[Any, Any]:
    """Read both sides. Raises SetupError for gold, Refused for the system's file."""
    answers = scorer.read_gold(gold, options)
    return answers, scorer.read_system(system, options, answers)


def count(
    scorer: Scorer, pair: tuple[Any, Any], options: Options, unit: str = ""
) -> Counts:
    """Counts of a read pair, in the unit asked for (default: the finest). Raises
    UsageError when the scorer or the gold has no such unit."""
    finest = scorer.unit_of(pair[0])
    unit = unit or finest
    if unit not in scorer.units:
        units = ", ".join(scorer.units)
        message = MESSAGES("unit", scorer=scorer.name, unit=unit, units=units)
        near = likely(unit, scorer.units)
        hint = MESSAGES("meant", unit=near) if near else ""
        raise UsageError(Problem("unit", message, hint=hint))
    counts = scorer.count(*pair, options)
    if unit == finest:
        return counts
    if unit not in counts.groups:
        hint = MESSAGES("take_unit", unit=finest)
        message = MESSAGES("unit_of_gold", unit=unit)
        raise UsageError(Problem("unit", message, hint=hint))
    return counts.by(unit, keep_rows=scorer.weighs(counts.columns))


def count_file(
    job: Job, gold: Any, system: Source, remarks: list[str] | None = None
) -> Counts:
    """Counts of one system's file against gold that has been read. Remarks on the two,
    which name nothing of the gold, are added to a list of them. Raises Refused."""
    answers = job.scorer.read_system(system, job.options, gold)
    if remarks is not None:
        remarks += spellings.closed_remarks(*_labels(job, (gold, answers)))
        remarks += remarks_on(job, (gold, answers), system.name)
        remarks += remarks_on_form(system, job.options, job.scorer.called)
    counts = count(job.scorer, (gold, answers), job.options, job.unit)
    if remarks is not None and not remarks:
        remarks += no_agreement(job.scorer, counts)
    return counts


def no_agreement(scorer: Scorer, counts: Counts) -> list[str]:
    """A remark on a file of which nothing is right, where nobody else has made one."""
    measure = scorer.measure(scorer.headline, counts.columns)
    sums = measure.weighted is None and not measure.of_file and measure.higher_is_better
    if not sums or len(counts.units) < FEWEST_UNITS:
        return []
    value = float(measure.of(counts.table.sum(axis=0), counts.columns))
    return [NOTHING_AGREES] * (value == 0)


def remarks_on(job: Job, pair: tuple[Any, Any], file: str) -> list[str]:
    """Remarks on a read pair for a result. They name nothing of the gold."""
    own = job.scorer.remarks(*pair, job.options)
    before = _texts(silent(job.scorer, pair, job.options, file))
    return [*before, *own, *_texts(job.scorer.notes(pair[1], job.options))]


def _texts(remarks: Sequence[Problem]) -> list[str]:
    return [f"{remark.message} {remark.hint}".rstrip() for remark in remarks]


def silent(
    scorer: Scorer, pair: tuple[Any, Any], options: Options, file: str
) -> list[Problem]:
    """Remarks on answers that say nothing; of gold, or of a blind file, and answers."""
    if scorer.answered is None:
        return []
    return [*answered.remarks(scorer.answered(*pair, options), file)]


def spelling_remarks(job: Job, pair: tuple[Any, Any]) -> list[str]:
    """Remarks on labels in another spelling, for who has both files of a pair."""
    return spellings.remarks(*_labels(job, pair))


def _labels(job: Job, pair: tuple[Any, Any]) -> tuple[Kinds, Kinds]:
    """The labels of both sides."""
    first, second = (job.scorer.labels(side, job.options) for side in pair)
    return first, second


def summarise(
    scorer: Scorer, counts: Counts, options: Options, unit: str, plan: Plan
) -> Result:
    """The result of counted units: every measure with its interval."""
    unit = unit or scorer.units[0]
    measures_of_scorer = scorer.measures(counts.columns)
    measures = bootstrap.estimates(counts, measures_of_scorer, plan)
    remarks = [
        *bootstrap.remarks(measures),
        *bootstrap.remarks_on_failures(counts, measures_of_scorer, measures),
    ]
    return Result(
        scorer=scorer.name,
        signature=signature(scorer, options, unit, plan),
        unit=unit,
        units=len(counts.units),
        measures=measures,
        counts=counts.as_numbers(),
        tables=scorer.tables(counts, options),
        # They are on intervals.
        remarks=remarks if plan.resamples else [],
        signatures=scorer.signatures(counts, options),
    )


def evaluate(job: Job, gold: Source, system: Source) -> Result:
    """Score one file against gold. Raises SetupError, Refused or UsageError; see
    SCORING.md for what is refused."""
    pair = read_pair(job.scorer, gold, system, job.options)
    unit = job.unit or job.scorer.unit_of(pair[0])
    counts = count(job.scorer, pair, job.options, unit)
    result = summarise(job.scorer, counts, job.options, unit, job.plan)
    result.remarks.extend(job.scorer.gold_remarks(pair[0], job.options))
    of_answers = [*spelling_remarks(job, pair), *remarks_on(job, pair, system.name)]
    result.remarks.extend(of_answers or no_agreement(job.scorer, counts))
    result.remarks.extend(remarks_on_form(system, job.options, job.scorer.called))
    headline = job.scorer.measure(job.scorer.headline, counts.columns)
    effects = groups.design_effects(
        counts, headline, groups.coarser(job.scorer.units, unit)
    )
    result.design_effect.update(effects)
    if grouping := groups.largest(effects):
        result.remarks.append(_alike(job.scorer.headline, unit, *grouping))
    return result


def _alike(headline: str, unit: str, group: str, effect: float) -> str:
    return (
        f"units inside one {group} are treated as independent; by {group} the interval "
        f"of {headline} is {effect**0.5:.1f} times as wide as by {unit}: --unit {group}"
    )


@dataclass(frozen=True)
class Verdict:
    """A check's verdict on one file before anything is scored.

    Without `problems` it can be scored; `remarks` are then what looks wrong in it or
    was repaired. Else `diagnosis` says what is wrong with the whole, where there is
    more to say than the first problem does.
    """

    problems: Sequence[Problem] = ()
    diagnosis: Problem | None = None
    remarks: Sequence[Problem] = ()

    @property
    def doubts(self) -> list[Problem]:
        """Remarks that a person is asked about before the file is sent."""
        return [remark for remark in self.remarks if answered.is_doubt(remark)]

    @property
    def findings(self) -> list[Problem]:
        """The diagnosis, where there is one, and all problems."""
        return [*([self.diagnosis] if self.diagnosis else []), *self.problems]


def examine(
    scorer: Scorer,
    blind: Source,
    system: Source,
    options: Options,
    others: Mapping[str, Source] = NO_OTHERS,
) -> Verdict:
    """The verdict on a system's file against the published blind file. Problems quote
    the system's file, see `scoring.excerpts`. `others` are blind files of other test
    sets by name, for a file that is one of theirs."""
    published = scorer.read_blind(blind, options)
    reader = scorer.read_submission or scorer.read_system

    def read(source: Source) -> Any:
        return reader(source, options, published)

    try:
        answers = read(system)
    except Refused as refusal:
        from scoring.diagnosis import diagnosis
        from scoring.diagnosis.repairs import all_problems  # Most files need none.

        problems = all_problems(scorer, blind, system, options, refusal.problems, read)
        finding = diagnosis(scorer, blind, system, options, problems, others)
        return _verdict_with(scorer, system, options, *finding)
    from scoring.diagnosis.remarks import remarks

    odd = silent(scorer, (published, answers), options, system.name)
    if unmet := [problem for problem in odd if answered.is_unmet(problem)]:
        from scoring.diagnosis import diagnosis

        finding = diagnosis(scorer, blind, system, options, unmet, others)
        return _verdict_with(scorer, system, options, *finding)

    def answered_units() -> int:
        hook = scorer.answered
        return hook(published, answers, options).met if hook else 0

    odd += remarks(scorer, blind, system, options, answered_units)
    odd += scorer.notes(answers, options)
    same = [*blind.files.values()] == [*system.files.values()]
    if same and not any(map(answered.is_doubt, odd)):
        odd.append(answered.is_blind(system.name))
    named = [scorer.in_task_names(remark, options) for remark in odd]
    return Verdict(remarks=with_excerpts(named, system))


def _verdict_with(
    scorer: Scorer,
    system: Source,
    options: Options,
    problem: Problem | None,
    listed: Sequence[Problem],
) -> Verdict:
    """The verdict on a file with a diagnosis and its problems."""
    whole = None if problem is None else scorer.in_task_names(problem, options)
    return Verdict(with_excerpts(listed, system), whole)


def check(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> Sequence[Problem]:
    """Problems of a system's file against the published blind file; empty if fine."""
    return examine(scorer, blind, system, options).problems
