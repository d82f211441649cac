"""Answers about single units, from stored counts or from the files in the sandbox.

The policy was asked about the reader before: `Look.sight` is its answer.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from leaderboard.extension import sandbox
from leaderboard.extension.caches import LruBySize
from leaderboard.extension.models import (
    Evaluation,
    GoldFile,
    Submission,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.extension.policy import Sight
from leaderboard.extension.sandbox import QueueFull
from leaderboard.extension.statistics import counts_of_each, key_of
from scoring import Refused
from scoring.inspection.overview import (
    CountedSystem,
    UnitQuery,
    overview,
    unit_page,
)
from scoring.inspection.slices import slices
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import JobFailed, LimitExceeded
from scoring.source import Source
from scoring.statistics.bootstrap import Plan

log = logging.getLogger(__name__)
MOST_CACHED = 256
_answers: LruBySize[dict[str, Any]] = LruBySize(MOST_CACHED)


class CannotLook(Exception):
    """Looking into the files failed on our side, or took too long."""


@dataclass(frozen=True)
class Look:
    """One submission's file for one test set, and what its reader may see of it.

    `other` is a second submission to hold beside it.
    """

    evaluation: Evaluation
    test_set: TestSet
    sight: Sight
    other: Evaluation | None = None

    @property
    def task(self) -> Task:
        return self.evaluation.submission.phase.task

    @property
    def submission(self) -> Submission:
        return self.evaluation.submission

    @property
    def has_pictures(self) -> bool:
        """Units can be shown: the gold may be seen, and the scorer draws."""
        return self.sight is Sight.GOLD and self.drawable

    @property
    def drawable(self) -> bool:
        """The scorer has a view of single units."""
        return self.task.scorer.inspect is not None

    @property
    def shows_own(self) -> bool:
        """Whether the file is shown without the gold, which may not be seen."""
        if self.submission.phase.hides_input:  # the file is a program
            return False
        return self.sight is not Sight.GOLD and self.task.scorer.stand_in is not None

    @property
    def evaluations(self) -> list[Evaluation]:
        return [self.evaluation, *([self.other] if self.other else [])]

    @property
    def several_runs(self) -> bool:
        """An entry that is looked at has further runs, which are not shown."""
        return any(e.submission.runs > 1 for e in self.evaluations)

    @cached_property
    def _systems(self) -> list[CountedSystem]:
        """Stored counts of both submissions, of several runs those of the first.

        Nothing where a file is missing.
        """
        rows = counts_of_each(self.evaluations, [self.test_set])
        counts = [row[0] for row in rows if row[0] is not None]
        return [CountedSystem(of_all.each_run()[0]) for of_all in counts]

    def own(self, names: Sequence[str]) -> list[dict[str, dict[str, Any]]]:
        """Units of each submission by themselves, by name: what was sent and the input.

        For readers who may not see the gold, which is not opened: an answer that its
        team may open is read against the published file alone. Empty where the scorer
        has no such view, and where looking fails, as counts stand without it.
        """
        if not self.shows_own:
            return []
        key = self._key({"ask": "own", "names": list(names)})
        cached = _answers.recall([key])
        if key not in cached:
            request = self._request(self.test_set.blind(), names=list(names))
            try:
                cached[key] = _run(request, "inspection.own")
            except (CannotLook, QueueFull):
                return []
            _answers.remember(key, cached[key])
        return list(cached[key]["systems"])

    def overview(self, query: UnitQuery) -> dict[str, Any]:
        """The list, confusions where labels of gold may be seen, and slices.

        Slices, whose intervals cost more than the list, are worked out once for all
        lists. Raises CannotLook.
        """
        plan = asdict(self.task.plan(self.test_set.position))
        key = self._key({"ask": "slices", "plan": plan, "gold": self.has_pictures})
        cached = _answers.recall([key])
        if key not in cached:
            cached[key] = {"slices": self._slices(query, plan)}
            _answers.remember(key, cached[key])
        if self.has_pictures:
            return self._ask(_list_question(query)) | cached[key]
        listed = overview(self._systems, self.task.headline_measure, query)
        return listed | cached[key]

    def _slices(
        self, query: UnitQuery, plan: Mapping[str, Any]
    ) -> list[list[dict[str, Any]]]:
        """Slices of each submission; with the gold, the list comes in the same run."""
        if self.has_pictures:
            question = _list_question(query)
            answer = self._ask({**question, "plan": plan})
            rows: list[list[dict[str, Any]]] = answer.pop("slices")
            _answers.remember(self._key(question), answer)
            return rows
        measure = self.task.headline_measure
        of_each = [slices(s.counts, measure, Plan(**plan)) for s in self._systems]
        return [[asdict(part) for part in parts] for parts in of_each]

    def unit(self, unit: int) -> dict[str, Any]:
        """The unit at that place; {} where there is none. Raises CannotLook."""
        if self.has_pictures:
            return self._ask(_unit_question(unit))
        page = unit_page(self._systems, self.task.headline_measure, unit)
        if page and self.sight is not Sight.GOLD:
            page["systems"] = [_without_tags(system) for system in page["systems"]]
        return page

    def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        assert self.has_pictures
        key = self._key(question)
        cached = _answers.recall([key])
        if key in cached:
            return dict(cached[key])
        gold = GoldFile.objects.get(
            revision=self.evaluation.gold_revision_id, test_set=self.test_set
        ).source()
        values = {**question, "measure": self.task.headline}
        answer = _run(self._request(gold, **values))
        for unit, opened in answer.pop("opened", ()):
            _answers.remember(self._key(_unit_question(unit)), opened)
        _answers.remember(key, answer)
        return dict(answer)

    def _key(self, question: Mapping[str, Any]) -> tuple[object, ...]:
        systems = (key_of(e, self.test_set.pk) for e in self.evaluations)
        values = {**question, "options": self.task.options}
        return (*systems, self.task.headline, json.dumps(values, sort_keys=True))

    def _request(self, against: Source, **values: Any) -> Request:
        options = raw_options(self.task.options)
        request = Request.scoring(self.task.scorer_name, options, **values)
        for evaluation in self.evaluations:
            file = evaluation.submission.file_of(self.test_set)
            request.add(against, file.source())
        return request


def _without_tags(system: dict[str, Any]) -> dict[str, Any]:
    """Counts of single tags name what gold has; they come when gold does."""
    counts = {k: n for k, n in system["counts"].items() if not k.endswith("]")}
    return {**system, "counts": counts}


def _list_question(query: UnitQuery) -> dict[str, Any]:
    return {"ask": "list", "query": asdict(query)}


def _unit_question(unit: int) -> dict[str, Any]:
    return {"ask": "unit", "unit": unit}


def forget() -> None:
    """Drop cached answers."""
    _answers.clear()


def _run(request: Request, job: str = "inspection.inspect") -> dict[str, Any]:
    try:
        answer, _files = sandbox.run(job, request)
    except LimitExceeded as limit:
        raise CannotLook(limit.what) from None
    except (Refused, JobFailed) as fault:  # without its text, in which gold could stand
        log.error("error browser failed: %s", type(fault).__name__)
        raise CannotLook("broken") from None
    return answer
