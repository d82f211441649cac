"""Test sets of the set-up check: gold, a spoiled copy and baselines, all scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.organize import baselines
from leaderboard.organize.test_sets import request_for, sandbox_answer
from leaderboard.results.scores import Score
from leaderboard.sandbox.jobs import setup_check as job
from leaderboard.submissions.submission_kinds import SubmissionKind
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import TaskPlan, TestSetPlan
from leaderboard.tasks.models import Task
from leaderboard.web.extras import ProgramRunner, joined
from leaderboard.web.texts import with_dashes
from scoring.errors import Problem, SetupError
from scoring.measures import Measure
from scoring.source import Source
from scoring.statistics.bootstrap import Numbers

# Name, title, name of the blind file and its bytes.
About = tuple[str, str, str, int]


@dataclass(frozen=True)
class CheckedSystem:
    """A system of the check; `rank_range` is empty where it is the rank itself."""

    title: str
    scores: list[Score]
    rank: int | None
    rank_range: str


@dataclass(frozen=True)
class TestSetCheck:
    """One test set. With `problems` nothing else is known of it."""

    name: str
    title: str
    blind_name: str
    blind_bytes: int
    problems: Sequence[Problem] = ()
    rows: Sequence[CheckedSystem] = ()
    units: int = 0
    seconds: float = 0.0
    refusal: Sequence[Problem] = ()
    empty: Score | None = None
    separation: float | None = None
    power: int = 80
    systems: int = 2
    design: tuple[str, float] | None = None
    informative: int = 0
    remarks: Sequence[str] = ()

    def row(self) -> dict[str, Any]:
        """This as JSON, with measures by name."""
        members = {field.name: getattr(self, field.name) for field in fields(self)}
        rows = [
            [
                row.title,
                [_score_as_list(s) for s in row.scores],
                row.rank,
                row.rank_range,
            ]
            for row in self.rows
        ]
        return members | {
            "problems": [problem.as_row() for problem in self.problems],
            "refusal": [problem.as_row() for problem in self.refusal],
            "empty": self.empty and _score_as_list(self.empty),
            # The cache keeps no tuples.
            "design": self.design and list(self.design),
            "remarks": [*self.remarks],
            "rows": rows,
        }

    @classmethod
    def of_row(cls, row: Mapping[str, Any], task: Task) -> "TestSetCheck":
        measures = {
            measure.name: measure for measure in (*task.measures, task.headline_measure)
        }

        def score(packed: Any) -> Score:
            return Score(measures[packed[0]], Numbers(*packed[1]))

        rows = [
            CheckedSystem(title, [score(s) for s in scores], rank, ranks)
            for title, scores, rank, ranks in row["rows"]
        ]
        parts = {
            "problems": [Problem.of_row(problem) for problem in row["problems"]],
            "refusal": [Problem.of_row(problem) for problem in row["refusal"]],
            "empty": row["empty"] and score(row["empty"]),
            "design": row["design"] and tuple(row["design"]),
        }
        return cls(**{**row, **parts, "rows": rows})


def _score_as_list(score: Score) -> list[object]:
    return [score.measure.name, list(score.numbers)]


def checked_test_sets(task: Task) -> list[TestSetCheck]:
    """Score gold, a copy with mistakes and the baselines on every test set."""
    plan = plan_of(task)
    files = _baseline_files(task)
    names = {test_set.name: test_set.public_name for test_set in task.test_sets.all()}
    return [
        _check_test_set(
            task, plan, test_set, names[test_set.name], files.get(test_set.name, {})
        )
        for test_set in plan.test_sets
    ]


def _baseline_files(task: Task) -> dict[str, dict[str, Source]]:
    """Files of baselines by test set and system; the newest of a system stands."""
    files: dict[str, dict[str, Source]] = {}
    for submission in baselines.sent_baselines(task).prefetch_related(
        "files__test_set"
    ):
        for file in submission.files.all():
            if source := SubmissionKind.of(submission.phase).output_of(file):
                files.setdefault(file.test_set.name, {})[submission.system] = source
    return files


def _check_test_set(
    task: Task,
    plan: TaskPlan,
    test_set: TestSetPlan,
    blind_name: str,
    baseline_files: Mapping[str, Source],
) -> TestSetCheck:
    blind = test_set.blind
    about = (test_set.name, test_set.title, blind_name, len(blind.single()))
    if task.scorer.runs_program:
        return _by_program(task, about, test_set.gold, baseline_files)
    drawn = task.plan(test_set.position)
    request = request_for(
        plan,
        names=[f"baseline {name}" for name in baseline_files],
        headline=task.headline,
        measures=[measure.name for measure in task.measures],
        plan={
            "resamples": drawn.resamples,
            "seed": drawn.seed,
            "level": drawn.level,
        },
    )
    request.add(blind, test_set.gold)
    for source in baseline_files.values():
        request.add(test_set.gold, source)
    try:
        values, _files = sandbox_answer("setup_check", request, test_set.gold.name)
    except SetupError as error:
        return TestSetCheck(*about, problems=error.problems)
    return _read(task, about, values)


def _by_program(
    task: Task, about: About, gold: Source, baseline_files: Mapping[str, Source]
) -> TestSetCheck:
    """Findings of the extra that runs the program of the task."""
    for runner in joined(ProgramRunner):
        checked: TestSetCheck = runner.checked(task, about, gold, baseline_files)
        return checked
    message = _("This site runs no scoring programs.")
    return TestSetCheck(*about, problems=[Problem("program_rights", message)])


def _read(task: Task, about: About, values: Any) -> TestSetCheck:
    measure = task.headline_measure
    empty, apart = values["empty"], values["separation"]
    return TestSetCheck(
        *about,
        rows=[_row(task.measures, row) for row in values["rows"]],
        units=values["units"],
        seconds=values["seconds"],
        refusal=[Problem.of_row(problem) for problem in empty.get("problems", ())],
        empty=None if "problems" in empty else Score(measure, Numbers.of(empty)),
        separation=apart and apart["smallest"] * (100 if measure.percent else 1),
        power=round(100 * apart["power"]) if apart else 80,
        systems=apart["systems"] if apart else 2,
        informative=values["informative"],
        remarks=values["remarks"],
        design=values["design"] and (values["design"][0], values["design"][1]),
    )


def _row(measures: Sequence[Measure], row: Mapping[str, Any]) -> CheckedSystem:
    named = {
        job.GOLD: _("The gold itself"),
        job.NOISY: _("A copy with one answer in ten wrong"),
    }
    numbers = row["measures"]
    # Nobody has judged yet: such measures are n/a.
    scores = [Score(m, Numbers.of(numbers[m.name] or {})) for m in measures]
    name = row["name"].removeprefix("baseline ")
    title = named.get(row["name"]) or _("Baseline {name}").format(name=name)
    rank, ranks = row["rank"], with_dashes(row["range"])
    return CheckedSystem(title, scores, rank, "" if ranks == str(rank) else ranks)
