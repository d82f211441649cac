"""Scorers of plug-ins as a site knows them, and stand-ins for those that are gone."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NoReturn

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.counts import ELSEWHERE
from scoring.errors import Problem, UsageError
from scoring.measures import Measure, no_function_of_sums
from scoring.options import Option, Raw
from scoring.scorer import Scorer
from scoring.scorers import all_scorers

# A column that no counts have: systems keep the numbers that are stored, and are not
# tested by a measure that nobody can compute.
ABSENT = "of a scorer that is not installed"
OF_MEASURE = ("name", "title", "formula", "higher_is_better", "percent", "decimals")
OF_SCORER = ("title", "summary", "formats", "units", "headline", "example", "version")


class PluginScorer(models.Model):
    """A plug-in's scorer as it was when it last scored, for as long as it is gone."""

    name = models.CharField(max_length=60, primary_key=True)
    package = models.CharField(max_length=200)
    description = models.JSONField()
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.name} of {self.package}"


def remember(scorer: Scorer) -> None:
    """Keep how a plug-in's scorer describes itself; nothing for one of the engine."""
    if not scorer.package:
        return
    description = {
        **{name: getattr(scorer, name) for name in OF_SCORER},
        "options": [asdict(option) for option in scorer.options],
        "measures": [
            {name: getattr(measure, name) for name in OF_MEASURE}
            for measure in scorer.measures(())
            # The task has the lines that those of judgements are made of.
            if not any(column.startswith(ELSEWHERE) for column in measure.columns)
        ],
    }
    values = {
        "package": scorer.package,
        "description": json.loads(json.dumps(description)),
    }
    if not PluginScorer.objects.filter(pk=scorer.name, **values).exists():
        values["at"] = timezone.now()
        PluginScorer.objects.update_or_create(name=scorer.name, defaults=values)


def is_installed(name: str) -> bool:
    """Whether a scorer of that name can be used now."""
    return name in all_scorers()


def scorer_for(name: str, raw: Raw, measures: Sequence[str] = ()) -> Scorer:
    """The scorer of a task with its declared measures, or a stand-in for one that is
    not installed. `measures` are the names that a stand-in has at least."""
    installed = all_scorers().get(name)
    if installed is not None:
        return installed.of_task(raw)
    row = PluginScorer.objects.filter(pk=name).first()
    return _stand_in(name, raw, row, [measure for measure in measures if measure])


def not_installed(name: str, package: str = "") -> Problem:
    message = _("The scorer “%(name)s” is not installed on this site.")
    hint = ""
    if package:
        hint = _("Its operator can install the package %(package)s.")
    return Problem(
        "unknown_scorer",
        message % {"name": name},
        hint=hint % {"package": package} if hint else "",
    )


def _as_declared(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _stand_in(
    name: str, raw: Raw, row: PluginScorer | None, measures: Sequence[str]
) -> Scorer:
    description: Mapping[str, Any] = row.description if row else {}
    package = row.package if row else ""

    def gone(*_given: Any) -> NoReturn:
        raise UsageError(not_installed(name, package))

    described = description.get("measures") or [
        {"name": measure, "title": measure, "formula": ""}
        for measure in dict.fromkeys(measures)
    ]
    options = [
        Option(**{key: _as_declared(value) for key, value in option.items()})
        for option in description.get("options", ())
    ]
    if not description:
        options = [Option(kind="lines", name=option, help="") for option in raw]
    fixed = tuple(
        Measure(columns=(ABSENT,), score=no_function_of_sums, **measure)
        for measure in described
    )
    return Scorer(
        name=name,
        title=description.get("title", name),
        summary=description.get("summary", ""),
        formats=tuple(description.get("formats", ())),
        example=description.get("example", ""),
        units=tuple(description.get("units", ("unit",))),
        headline=description.get("headline") or fixed[0].name,
        fixed_measures=fixed,
        read_gold=gone,
        read_blind=gone,
        read_system=gone,
        count=gone,
        details=gone,
        blind=gone,
        options=tuple(options),
        package=package,
        version=description.get("version", 1),
    )
