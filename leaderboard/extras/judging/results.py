"""Results of votes: how judges agree, and a table of judgements like others.

Numbers on pages about a campaign are made here. The board is not: votes become a table
of units, judges and systems, which is taken in as one that an organizer uploads.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any, cast
from uuid import UUID

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import Notice, Submission, User
from leaderboard.extras.judgements import judgements, tables
from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.extras.judging import checks, own_teams
from leaderboard.extras.judging.assignment import still_there
from leaderboard.extras.judging.models import (
    PENALTY,
    RATING,
    WINS,
    Campaign,
    CampaignKind,
    Choice,
    Judge,
    KnownAnswer,
    Vote,
)
from leaderboard.extras.judging.votes import Ratings, Votes, systems_without_rating
from scoring.elsewhere import ID, JUDGE, RUN, SUBMISSION, TEST_SET
from scoring.source import Source
from scoring.statistics.agreement import Level, alpha, interval

# By how much a judge may differ from themselves when asked again.
SLACK = {CampaignKind.SLIDER: 10, CampaignKind.SCALE: 1, CampaignKind.SPANS: 10}
LEVELS: Mapping[str, Level] = {
    CampaignKind.PAIRS: "nominal",
    CampaignKind.SLIDER: "interval",
    CampaignKind.SCALE: "ordinal",
    CampaignKind.SPANS: "interval",
}
# Errors of the heaviest kind in the worst of answers (Freitag et al. 2021).
WORST_ERRORS = 5
RESULTS = {Choice.LEFT: 1.0, Choice.EQUAL: 0.5, Choice.BAD: 0.5, Choice.RIGHT: 0.0}
WHY_UNRATED = {
    "no_votes": gettext_lazy("nobody has judged it"),
    "only_won": gettext_lazy("it won every comparison, so that its rating has no end"),
    "only_lost": gettext_lazy(
        "it lost every comparison, so that its rating has no end"
    ),
    "apart": gettext_lazy(
        "nothing connects it with the rated systems in both directions"
    ),
    "undecided": gettext_lazy(
        "too few votes say which of two is better to rate any system"
    ),
}


@dataclass(frozen=True)
class VoteRow:
    """A vote that counts now, with keys of what it is about."""

    pk: int
    judge: int
    number: int
    excluded: bool
    model: str
    unit: str
    first: UUID
    second: UUID | None
    control_of: int | None
    spoiled: int
    training: bool
    known_answer: int | None
    first_answer: int
    assignment: int
    values: Mapping[str, Any]
    seconds: int | None
    wording: str
    at: Any
    own_team: bool = False

    @property
    def is_check(self) -> bool:
        """Whether it says something of the judge alone."""
        checks = (self.control_of, self.known_answer)
        return self.spoiled > 0 or any(check is not None for check in checks)

    @property
    def is_skipped(self) -> bool:
        return not self.values

    @property
    def may_count(self) -> bool:
        """Whether it is of a person who counts, and says something of an answer."""
        return not (self.excluded or self.is_check or self.is_skipped or self.model)

    @property
    def pair(self) -> tuple[UUID, UUID]:
        """Both systems, in an order that does not depend on the sides."""
        assert self.second is not None
        return min(self.first, self.second), max(self.first, self.second)

    @property
    def result(self) -> float:
        """The result of the first of `pair`."""
        result = RESULTS[Choice(self.values["choice"])]
        return result if self.pair[0] == self.first else 1 - result


@dataclass(frozen=True)
class JudgeReport:
    """How one judge judged."""

    judge: Judge
    votes: int
    skipped: int
    seconds: float | None
    controls: int
    failed: int
    # Of decided pairs the share in which the first was better; of values how far they
    # are above those of others on the same answers.
    lean: float | None


@dataclass(frozen=True)
class UnratedSystem:
    submission: Submission
    why: Any


class CampaignVotes:
    """All votes of a campaign but those that were replaced; four queries at most."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        rows = Vote.objects.filter(
            assignment__judge__campaign=campaign, replaced_at=None
        ).values_list(
            "pk",
            "assignment__judge",
            "assignment__judge__number",
            "assignment__judge__excluded_at",
            "assignment__judge__model",
            "assignment__unit__name",
            "assignment__first__submission",
            "assignment__second__submission",
            "assignment__control_of",
            "assignment__spoiled",
            "assignment__training",
            "assignment__known",
            "assignment__first",
            "assignment",
            "values",
            "seconds",
            "told",
            "at",
            "assignment__own_team",
        )
        own = own_teams.by_judge(campaign)
        self.everything = [
            VoteRow(  # type: ignore[call-arg]
                *row[:3],
                row[3] is not None,
                *row[4:-5],
                self._values(row[-5]),
                *row[-4:-1],
                row[-1] or not own.get(row[1], set()).isdisjoint(row[6:8]),
            )
            for row in cast(Iterable[Any], rows.order_by("pk"))
        ]

    def _values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values of a vote, with the weight of marked errors."""
        if not (values and self.campaign.marks_errors):
            return values
        return {**values, PENALTY: self.campaign.penalty(values["spans"])}

    @cached_property
    def counted_rows(self) -> list[VoteRow]:
        """Votes that count: neither controls, nor skipped, nor of excluded judges, nor
        of judge models, nor on an answer of the judge's own team."""
        return [row for row in self.everything if row.may_count and not row.own_team]

    @property
    def by_models(self) -> int:
        """Votes of judge models, which are kept beside those of people."""
        return sum(
            bool(row.model) and not row.is_check and not row.is_skipped
            for row in self.everything
        )

    @property
    def left_out(self) -> int:
        """Votes of excluded judges."""
        return sum(
            row.excluded and not row.is_check and not row.model
            for row in self.everything
        )

    @property
    def own_teams(self) -> int:
        """Votes of people who would count on answers of a team in which they are."""
        return sum(row.own_team and row.may_count for row in self.everything)

    def agreement(self) -> dict[str, tuple[float, tuple[float, float] | None] | None]:
        """Krippendorff's alpha by question, of the same pairs, or answers, and ends of
        its interval; None where nobody judged the same."""
        level, rows = LEVELS[self.campaign.kind], self.counted_rows
        if self.campaign.in_pairs:
            things = [(row.unit, row.pair) for row in rows]
            values = {"choice": [row.result for row in rows]}
        else:
            things = [(row.unit, row.first) for row in rows]  # type: ignore[misc]
            names = self.campaign.columns
            values = {name: [row.values[name] for row in rows] for name in names}
        places = {thing: i for i, thing in enumerate(dict.fromkeys(things))}
        unit_of = np.array([places[thing] for thing in things], dtype=np.int64)
        agreements: dict[str, Any] = {}
        for name, given in values.items():
            about = unit_of, np.array(given, dtype=np.float64), level
            value = alpha(*about)
            agreements[name] = None if value is None else (value, interval(*about))
        return agreements

    def reports(self, judges: Sequence[Judge]) -> list[JudgeReport]:
        """How each judge judged."""
        by_judge: dict[int, list[VoteRow]] = defaultdict(list)
        for row in self.everything:
            by_judge[row.judge].append(row)
        first = {row.assignment: row for row in self.everything}
        leans, reports = self._leans(), []
        for judge in judges:
            own = by_judge[judge.pk]
            pairs = [
                (row, first[row.control_of])
                for row in own
                if row.control_of in first and row.values and not row.spoiled
            ]
            pairs = [pair for pair in pairs if pair[1].values]
            tests = [row for row in own if row.spoiled or row.known_answer is not None]
            tests = [row for row in tests if row.values and not row.training]
            times = [row.seconds for row in own if row.seconds is not None]
            reports.append(
                JudgeReport(
                    judge,
                    sum(not row.is_check for row in own),
                    sum(row.is_skipped for row in own),
                    median(times) if times else None,
                    len(pairs) + len(tests),
                    sum(self._differs(*pair) for pair in pairs)
                    + sum(not self._has_passed(row, first) for row in tests),
                    leans.get(judge.pk),
                )
            )
        return reports

    @cached_property
    def _known_answers(self) -> Mapping[int, KnownAnswer]:
        rows = KnownAnswer.objects.filter(unit__campaign=self.campaign)
        return {answer.pk: answer for answer in rows}

    def _has_passed(self, row: VoteRow, first: Mapping[int, VoteRow]) -> bool:
        if row.known_answer is not None:
            known_answer = self._known_answers[row.known_answer]
            return checks.knew(
                self.campaign, known_answer, row.first_answer, row.values
            )
        before = first.get(row.control_of or 0)
        then = before.values if before is not None else None
        return checks.has_passed(self.campaign, row.spoiled, row.values, then)

    def _differs(self, again: VoteRow, before: VoteRow) -> bool:
        if self.campaign.in_pairs:
            return again.result != before.result
        slack = dict.fromkeys(
            self.campaign.columns, SLACK[CampaignKind(self.campaign.kind)]
        )
        if self.campaign.marks_errors:  # one error more, of the worst
            slack[PENALTY] = max(weight for _name, weight in self.campaign.severities)
        now, then = again.values, before.values
        return any(abs(now[x] - then[x]) > most for x, most in slack.items())

    def _leans(self) -> dict[int, float]:
        """The lean of each judge: of decided pairs the share in which the first was
        better, of values how far they are above those of others on the same answers, on
        average."""
        rows = [row for row in self.everything if row.values and not row.is_check]
        departures: dict[int, list[float]] = defaultdict(list)
        if self.campaign.in_pairs:
            for row in rows:
                if row.values["choice"] in (Choice.LEFT, Choice.RIGHT):
                    departures[row.judge].append(row.values["choice"] == Choice.LEFT)
        else:
            columns = self.campaign.columns
            columns = columns[:1] if self.campaign.marks_errors else columns
            given = [sum(row.values[x] for x in columns) / len(columns) for row in rows]
            totals: dict[Any, float] = defaultdict(float)
            number: Counter[Any] = Counter()
            for row, value in zip(rows, given, strict=True):
                if not row.model:
                    totals[row.unit, row.first] += value
                    number[row.unit, row.first] += 1
            for row, value in zip(rows, given, strict=True):
                thing, own = (row.unit, row.first), not row.model
                if number[thing] > own:
                    others = totals[thing] - value * own
                    mean = others / (number[thing] - own)
                    departures[row.judge].append(value - mean)
        return {judge: sum(own) / len(own) for judge, own in departures.items()}

    def ratings(self, systems: Sequence[UUID]) -> tuple[Ratings, Votes, list[str]]:
        """Ratings of these systems, the votes on them, and names of their units."""
        votes, units = self.on_pairs(systems)
        return Ratings.of(votes, len(systems)), votes, units

    def on_pairs(self, systems: Sequence[UUID]) -> tuple[Votes, list[str]]:
        """The votes on these systems, in the order in which they came, and names of
        their units."""
        place = {pk: i for i, pk in enumerate(systems)}
        rows = [
            row
            for row in self.counted_rows
            if row.first in place and row.second in place
        ]
        units = list(dict.fromkeys(row.unit for row in rows))
        unit_place = {name: i for i, name in enumerate(units)}
        votes = Votes(
            np.array([place[row.pair[0]] for row in rows], dtype=np.int64),
            np.array([place[row.pair[1]] for row in rows], dtype=np.int64),
            np.array([row.result for row in rows], dtype=np.float64),
            np.array([unit_place[row.unit] for row in rows], dtype=np.int64),
            np.array([row.number for row in rows], dtype=np.int64),
        )
        return votes, units


@dataclass(frozen=True)
class Standing:
    """Lines that votes would put on the board: of a table (submission, unit, judge,
    values by column), and systems that have no rating."""

    lines: Sequence[tuple[UUID, str, str, Mapping[str, float]]]
    unrated: Sequence[UnratedSystem]


def systems_of(campaign: Campaign) -> list[Submission]:
    """The submissions that are judged and may be, in order of receipt."""
    still = still_there(campaign)
    chosen = Submission.objects.filter(
        pk__in=still & _submissions_with_answers(campaign)
    )
    return list(chosen.order_by("received_at", "pk"))


def standing(
    campaign: Campaign, votes: CampaignVotes, judged: Sequence[Submission] | None = None
) -> Standing:
    """The standing that votes give; `judged` are the systems, where they were read."""
    judged = systems_of(campaign) if judged is None else judged
    submissions = {submission.pk: submission for submission in judged}
    if not campaign.in_pairs:
        lines = [
            (row.first, row.unit, f"judge {row.number}", row.values)
            for row in votes.counted_rows
            if row.first in submissions
        ]
        have = {line[0] for line in lines}
        missing = [
            UnratedSystem(submission, WHY_UNRATED["no_votes"])
            for pk, submission in submissions.items()
            if pk not in have
        ]
        return Standing(lines, missing)
    systems = list(submissions)
    ratings, given, units = votes.ratings(systems)
    rows = ratings.rows()
    rated = [
        pk for pk, is_rated in zip(systems, ratings.has_rating, strict=True) if is_rated
    ]
    lines = []
    cells = zip(rows.unit_of.tolist(), rows.judge_of.tolist(), strict=True)
    for cell, (unit, judge) in enumerate(cells):
        for i, pk in enumerate(rated):
            values = {
                RATING: round(float(rows.values[0, cell, i]), 4),
                WINS: round(float(rows.values[1, cell, i]), 7),
            }
            lines.append((pk, units[unit], f"judge {judge}", values))
    names = [str(pk) for pk in systems]
    why = systems_without_rating(given, len(systems), names)
    lacking = [UnratedSystem(submissions[UUID(x)], WHY_UNRATED[y]) for x, y in why]
    return Standing(lines, lacking)


def _submissions_with_answers(campaign: Campaign) -> set[UUID]:
    rows = campaign.units.values_list("answers__submission", flat=True)
    return {pk for pk in rows.distinct() if pk is not None}


def publish(campaign: Campaign, by: User) -> judgements.Taken:
    """Put the votes on the board. Raises Refusal, and all that `take` does."""
    require_columns(campaign)
    votes = CampaignVotes(campaign)
    outcome = standing(campaign, votes)
    if not outcome.lines:
        sentence = _("There are no votes yet from which a value follows.")
        raise Refusal(sentence, code="no_votes")
    without = [system.submission for system in outcome.unrated]
    systems = {line[0] for line in outcome.lines} | {
        submission.pk for submission in without
    }
    current = tables.current(systems)
    before = {pk: current.get(pk, {}) for pk in systems}
    own = set(campaign.columns)
    if lost := [
        str(submission)
        for submission in without
        if _has_values(before[submission.pk], own)
    ]:
        sentence = _(
            "%(names)s would keep the value of earlier votes, as these give it none. "
            "More votes are needed first."
        )
        raise Refusal(sentence % {"names": ", ".join(lost)}, code="would_stay")
    place = campaign.test_set.pk, 1
    others = {pk: own[place] for pk, own in before.items() if place in own}
    table = Source.of_bytes("votes.csv", _table(campaign, outcome, others).encode())
    about = receipt_part(campaign, votes)
    if beside := _receipts_beside(campaign, others.values()):
        about["beside"] = beside
    stored = [(row.upload_hash, row.about) for row in others.values()]
    same = bool(stored) and all(row == (table.sha256, about) for row in stored)
    taken = judgements.take(campaign.phase, by, table, about=about, before=before)
    with transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(
            published_at=timezone.now(),
            published_votes=len(votes.counted_rows),
            published_judges=len({row.judge for row in votes.counted_rows}),
            published_left_out=votes.left_out,
            published_by_models=votes.by_models,
            published_own_teams=votes.own_teams,
        )
        if not (same and campaign.published_at):
            Notice.objects.create(
                task=campaign.phase.task,
                phase=campaign.phase,
                kind=Notice.Kind.NEWS,
                text=_sentence_for_log(campaign, votes),
                by=by,
            )
    return taken


def _has_values(
    before: Mapping[tables.Place, JudgementTable], columns: Collection[str]
) -> bool:
    """Whether tables give a value in one of these columns."""
    values = (table.judged for table in before.values())
    return any(judged.get(name) for judged in values for name in columns)


def _receipts_beside(
    campaign: Campaign, tables: Iterable[JudgementTable]
) -> list[Mapping[str, Any]]:
    """The parts of receipts about votes of other campaigns that stay in the tables."""
    others: dict[Any, Mapping[str, Any]] = {}
    for table in sorted(tables, key=lambda table: table.at):
        first = {name: x for name, x in table.about.items() if name != "beside"}
        for about in (*table.about.get("beside", ()), first):
            if about and about.get("campaign") != campaign.key:
                others[about.get("campaign")] = about
    return list(others.values())


def receipt_part(campaign: Campaign, votes: CampaignVotes) -> dict[str, Any]:
    """The part of receipts about the votes: of how many people of which kind, when, and
    under which versions of the instructions."""
    rows = sorted(votes.counted_rows, key=lambda row: row.at)
    versions: dict[str, list[VoteRow]] = defaultdict(list)
    for row in rows:
        versions[row.wording].append(row)
    return {
        "by": "people, on this site",
        "who": str(campaign.access),
        "campaign": campaign.key,
        "kind": campaign.kind,
        "judgements": len(rows),
        "people": len({row.judge for row in rows}),
        **_when(rows),
        "left_out": {
            "excluded_judges": votes.left_out,
            "judge_models": votes.by_models,
            "own_teams": votes.own_teams,
        },
        "instructions": [
            {"version": version or "elsewhere", "judgements": len(own), **_when(own)}
            for version, own in versions.items()
        ],
    }


def _when(rows: Sequence[VoteRow]) -> dict[str, str]:
    """First and last time of votes in order of time."""
    return {"first": rows[0].at.isoformat(), "last": rows[-1].at.isoformat()}


def _sentence_for_log(campaign: Campaign, votes: CampaignVotes) -> str:
    judges = len({row.judge for row in votes.counted_rows})
    text = (
        f"{campaign.title}: {len(votes.counted_rows)} judgements by {judges} people "
        "are on the board."
    )
    excluded = {row.judge for row in votes.everything if row.excluded and not row.model}
    if excluded:
        text += f" {votes.left_out} are left out; excluded judges: {len(excluded)}."
    if votes.own_teams:
        text += f" {votes.own_teams} on answers of a judge's own team are left out."
    if votes.by_models:
        models = sorted({row.model for row in votes.everything if row.model})
        text += f" {votes.by_models} of judge models are left out: {', '.join(models)}."
    return text


def lines_to_declare(campaign: Campaign) -> list[str]:
    """Measures of judgements for the columns of a campaign."""
    if campaign.in_pairs:
        return [
            f"{RATING} = mean({RATING}); decimals 0; title Rating",
            f"{WINS} = probability({WINS}); percent; title Expected wins",
        ]
    heaviest = max((weight for _name, weight in campaign.severities), default=0)
    worst = f"most {WORST_ERRORS * heaviest:.15g}; " if heaviest else ""
    penalty = [f"{PENALTY} = mean({PENALTY}); lower; {worst}decimals 2; title Penalty"]
    return [
        *(penalty if campaign.marks_errors else ()),
        *(
            f"{name} = mean({name}); title {name.capitalize()}"
            for name, _text in campaign.questions
        ),
    ]


def require_columns(campaign: Campaign) -> None:
    """Raises Refusal where the task has no measures of these votes, or, beside measures
    of what else is judged, not all of them."""
    task = campaign.phase.task
    wanted = set(judgements.columns(task)) if task.takes_judgements else set()
    own = set(campaign.columns)
    if not wanted or not (wanted <= own or own <= wanted):
        sentence = _(
            "The task has to declare measures of these votes: %(lines)s. Write them on "
            "the page Scoring, beside those of what else is judged."
        )
        if task.scorer.counted_elsewhere:  # whose options stay with the first file
            sentence = _(
                "The task has to declare measures of these votes: %(lines)s. It has "
                "submissions, so that its own stay: make a new task that has these, "
                "too."
            )
        lines = " / ".join(lines_to_declare(campaign))
        raise Refusal(sentence % {"lines": lines}, code="columns")


def _table(
    campaign: Campaign, standing: Standing, tables: Mapping[UUID, JudgementTable]
) -> str:
    """The votes as a table of judgements. Every unit has a line, if an empty one, as
    some tasks want it. Values of other columns, as those of other campaigns, stay as
    they are in their `tables`."""
    names = [x for x in judgements.columns(campaign.phase.task)]
    beside = [x for x in names if x not in campaign.columns]
    # Judges of several campaigns are others, whatever their numbers.
    whose = f", {campaign.key}" if beside else ""
    units = judgements.units_of(campaign.phase, campaign.test_set)
    unit_names = dict.fromkeys(units.names if units is not None else ())
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((SUBMISSION, TEST_SET, RUN, ID, JUDGE, *names))
    place = campaign.test_set.name, 1
    judged: dict[UUID, set[str]] = defaultdict(set)
    for submission, unit, judge, values in standing.lines:
        if unit in unit_names:  # a correction may have taken it away
            own = (values.get(x, "") for x in names)
            writer.writerow((submission, *place, unit, f"{judge}{whose}", *own))
            judged[submission].add(unit)
    for submission in list(judged):
        for unit, judge, texts in _values_beside(tables.get(submission), beside):
            if unit in unit_names:
                own = (texts.get(x, "") for x in names)
                writer.writerow((submission, *place, unit, judge, *own))
                judged[submission].add(unit)
    for submission, done in judged.items():
        for unit in unit_names:
            if unit not in done:
                writer.writerow(
                    (submission, *place, unit, "nobody", *[""] * len(names))
                )
    return out.getvalue()


def _values_beside(
    table: JudgementTable | None, columns: Sequence[str]
) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Unit, judge and values of the lines that say something in these columns."""
    if table is None or not columns:
        return
    text = table.source().single().decode()
    for line in csv.DictReader(io.StringIO(text)):
        values = {name: line[name] for name in columns if line.get(name)}
        if values:
            yield line[ID], line.get(JUDGE) or "somebody", values
