"""Scorer of a task: a form of what it declares, with measures and resampling."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize import test_sets
from leaderboard.organize.baselines import (
    send_baselines,
    whole_plan,
    withdraw_baselines,
)
from leaderboard.organize.bundle import SentParts, apply, warning_of
from leaderboard.organize.fields import (
    LinesField,
    MeasureSelect,
    MeasuresField,
    measure_choices,
)
from leaderboard.organize.forms import FormPage, ShowsValues
from leaderboard.submissions.uploads import source_of
from leaderboard.tasks.access import EDIT, lock_task
from leaderboard.tasks.bundle.schema import (
    Bootstrap,
    RawOptions,
    Scoring,
    TaskPlan,
)
from leaderboard.tasks.models import GoldFile, Task
from leaderboard.teams.models import User
from leaderboard.web.engine_texts import engine_text, in_language
from leaderboard.web.extras import ProgramRunner, joined
from leaderboard.web.forms import UploadField, posted_data
from leaderboard.web.templatetags.formats import unit_word
from scoring.elsewhere import measures_of, with_judgements
from scoring.errors import ScoringError
from scoring.measures import Measure
from scoring.options import Option, parse
from scoring.scorer import Scorer
from scoring.scorers import all_scorers
from scoring.scorers.program.conventions import canonical
from scoring.source import Source

OPTION, DROP = "option_", "drop_"
FREE = (
    "judgements",
    "measures",
    "headline",
)  # the others are fixed once something was scored


# Of a scorer with more measures a new task shows so many, which fit a page.
MOST_TICKED = 6


def replace_options(
    task: Task, options: RawOptions, by: User, resend: bool = False
) -> None:
    """Let the scorer have other values of these options, all or nothing, and try all
    gold under them. With `resend` the baselines of a draft to which nothing else was
    sent are taken out, and sent again. Raises SetupError."""
    plan = whole_plan(task)
    scoring = plan.scoring.with_values(options={**plan.scoring.options, **options})
    new = test_sets.recheck_gold(plan.with_values(scoring=scoring), plan)
    if resend:
        test_sets.check_baselines(new)
    with transaction.atomic():
        lock_task(task.pk)
        own = plan.baselines if resend else ()
        if own:
            withdraw_baselines(task, [baseline.system for baseline in own])
            plan, new = plan.with_values(baselines=()), new.with_values(baselines=())
        apply(task, new, by, plan)
        if own:  # units were those that the other options gave
            GoldFile.objects.filter(revision__task=task).update(units=0)
        send_baselines(task, new.with_values(baselines=own), by)


class MeasuresForm:
    """A mixin for forms with the field `measures`, and perhaps `headline`."""

    scorer: Scorer
    fields: dict[str, Any]
    initial: Any
    cleaned_data: dict[str, Any]

    @property
    def fixed_measures(self) -> Sequence[Measure]:
        """Measures that need no tag, for the list beside the form."""
        return self.scorer.measures(())

    def offer_measures(self) -> None:
        """Let the fields offer the measures there are, those shown now first."""
        chosen = self.initial.get("measures") or ()
        choices = measure_choices(self.fixed_measures, chosen)
        for name in self.fields.keys() & {"measures", "headline"}:
            self.fields[name].widget.choices = choices

    def clean_measures(self) -> list[str]:
        measures: list[str] = self.cleaned_data["measures"]
        return [self._own_name(name) for name in measures]

    def clean_headline(self) -> str:
        return self._own_name(str(self.cleaned_data["headline"]).strip())

    def _own_name(self, name: str) -> str:
        """The scorer's own name of a measure that is called so elsewhere, too."""
        try:
            return self.scorer.measure(name).name
        except KeyError:
            names = ", ".join(measure.name for measure in self.fixed_measures)
            raise ValidationError(
                _("There is no measure “%(name)s”; expected one of %(known)s."),
                params={"name": name, "known": names},
            ) from None


Values = list[str | Source]


class ScoringForm(ShowsValues, MeasuresForm, forms.Form):
    """Options, measures, unit and resampling; `scoring` are values of a plan."""

    judgements = LinesField(
        required=False,
        label=gettext_lazy("Judgements beside the scorer"),
        help_text=gettext_lazy(
            "Measures of columns that you will upload, human judgements or a metric "
            "on a machine of yours, one a line, as “adequacy = mean(adequacy); title "
            "Adequacy”. Of errors write the worst value that a unit can have, as "
            "“mqm = mean(penalty); lower; most 25”. Let a board of its own show them. "
            "Empty for none."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    measures = MeasuresField(
        required=False,
        label=gettext_lazy("Measures shown"),
        help_text=gettext_lazy(
            "Columns of the board, in the order of their numbers. Tick none to show "
            "all."
        ),
    )
    headline = forms.CharField(
        label=gettext_lazy("Measure that ranks"),
        widget=MeasureSelect,
    )
    unit = forms.ChoiceField(
        label=gettext_lazy("Resampled unit"),
        help_text=gettext_lazy("What the intervals vary over."),
    )
    resamples = forms.IntegerField(
        min_value=100, max_value=100_000, initial=1000, label=gettext_lazy("Resamples")
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1000,
        initial=2026,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Everybody can compute the same intervals with it."),
    )
    level = forms.FloatField(
        min_value=0.5,
        max_value=0.999,
        initial=0.95,
        label=gettext_lazy("Level of the intervals"),
    )

    def __init__(
        self, scorer: Scorer, plan: TaskPlan | None, *args: Any, **kwargs: Any
    ) -> None:
        fixed = kwargs.pop("fixed", False)
        super().__init__(*args, **kwargs)
        self.scorer = scorer
        self.shows(plan and _values(plan))
        same = plan is not None and plan.scoring.name == scorer.name
        self.stored = dict(plan.scoring.options) if plan and same else {}
        for option in scorer.options:
            self.fields[OPTION + option.name] = field_of(option, self.stored)
            if option.kind == "file" and option.name in self.stored:
                self.fields[DROP + option.name] = forms.BooleanField(
                    required=False,
                    label=gettext_lazy("Use no file for “%s”") % option.name,
                )
        unit: Any = self.fields["unit"]
        units: list[tuple[str, Any]] = [(n, unit_word(n)) for n in scorer.units]
        if scorer.finest and not (plan and same and plan.scoring.unit):
            unit.required = False
            units.insert(0, ("", gettext_lazy("the finest that the gold knows")))
        unit.choices = units
        self.initial.setdefault("headline", scorer.headline)
        if plan is None:
            self.initial.setdefault("measures", near_headline(scorer))
        if plan is not None and same:
            self.initial.update(_initial(plan))
        self.offer_measures()
        for name in self.fields if fixed else ():
            self.fields[name].disabled = name not in FREE

        if scorer.counted_elsewhere:  # its option declares them
            del self.fields["judgements"]
        # Options first: they may declare the measures that the others choose from.
        self.order_fields([n for n in self.fields if n.startswith((OPTION, DROP))])

    def clean_judgements(self) -> list[str]:
        lines: list[str] = self.cleaned_data["judgements"]
        try:
            with_judgements(self._alone(), lines)
        except ScoringError as error:
            raise ValidationError(
                [str(problem) for problem in error.problems]
            ) from None
        return lines

    def clean_measures(self) -> list[str]:
        lines = self.cleaned_data.get("judgements") or ()
        self.scorer = with_judgements(self._alone(), lines)
        return super().clean_measures()

    def clean_headline(self) -> str:
        lines = self.cleaned_data.get("judgements") or ()
        name = super().clean_headline()
        if name in {measure.name for measure in measures_of(lines)}:
            raise ValidationError(
                _("The main board is ranked by the scorer; make a board of judgements.")
            )
        return name

    def _alone(self) -> Scorer:
        """The scorer with the measures that the options declare, without judgements."""
        scorer = all_scorers()[self.scorer.name]
        raw = {
            option.name: list(self._values_of_option(option, self.cleaned_data))
            for option in scorer.options
            if option.kind != "file"
        }
        try:
            return scorer.of_task(raw)
        except ScoringError:  # said beside the option
            return scorer

    @property
    def program_limits(self) -> Any:
        """Limits of each run, of a scorer that runs a program of the task."""
        runner = next(joined(ProgramRunner), None)
        return runner.run_limits() if runner and self.scorer.runs_program else None

    def options(self) -> list[forms.BoundField]:
        return [self[n] for n in self.fields if n.startswith((OPTION, DROP))]

    def rest(self) -> list[forms.BoundField]:
        return [self[n] for n in self.fields if not n.startswith((OPTION, DROP))]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        raw = {}
        for option in self.scorer.options:
            if values := list(self._values_of_option(option, cleaned)):
                raw[option.name] = values
                self._require_fit(option, values)
        cleaned["raw_options"] = raw
        if self.scorer.require_options and not self.errors:
            try:
                self.scorer.require_options(parse(self.scorer.options, raw))
            except ScoringError as error:
                self.add_error(
                    None, [in_language(problem.message) for problem in error.problems]
                )
        return cleaned

    def _values_of_option(
        self, option: Option, cleaned: dict[str, Any]
    ) -> Iterator[str | Source]:
        value = cleaned.get(OPTION + option.name)
        if option.kind == "file":
            if value:
                source = source_of(value, option.name)
                yield canonical(source) if self.scorer.runs_program else source
            elif not cleaned.get(DROP + option.name):
                yield from self.stored.get(option.name, ())
        elif option.kind == "flag":
            if bool(value) != bool(option.default):
                yield "true" if value else "false"
        elif option.kind in ("list", "lines"):
            lines = str(value or "").splitlines()
            given = [line.strip() for line in lines if line.strip()]
            yield from given if given != list(option.default or ()) else ()
        elif value and value != option.default:
            yield str(value)

    def _require_fit(self, option: Option, values: Values) -> None:
        try:
            raw = {option.name: values}
            parse(self.scorer.options, raw)
            self.scorer.of_task(raw)
        except ScoringError as error:
            for problem in error.problems:
                self.add_error(OPTION + option.name, in_language(problem.message))

    @property
    def scoring(self) -> dict[str, Any]:
        """The parts of a plan that this form is about."""
        values = {**self.cleaned_data, "options": self.cleaned_data["raw_options"]}
        return {
            "scoring": Scoring.of({**values, "name": self.scorer.name}),
            "bootstrap": Bootstrap.of(values),
        }


def near_headline(scorer: Scorer) -> list[str]:
    """The measures that a new task begins with where a scorer has many: the one that
    ranks, and its neighbours in the list; none says all."""
    names = [measure.name for measure in scorer.measures(())]
    if len(names) <= MOST_TICKED or scorer.headline not in names:
        return []
    first = names.index(scorer.headline) - 2
    first = min(max(first, 0), len(names) - MOST_TICKED)
    return names[first : first + MOST_TICKED]


def _initial(plan: TaskPlan) -> dict[str, Any]:
    return {
        "headline": plan.scoring.headline,
        "unit": plan.scoring.unit,
        "judgements": plan.scoring.judgements,
        "measures": plan.scoring.measures,
        **plan.bootstrap.model_dump(),
    }


def _values(plan: TaskPlan) -> list[Any]:
    """Values of a plan that the form shows; files by their hash."""
    options = {
        name: [value.sha256 if isinstance(value, Source) else value for value in values]
        for name, values in plan.scoring.options.items()
    }
    return [plan.scoring.name, options, _initial(plan)]


def in_words(name: str) -> str:
    """A name of the scorer in words, with the name as bundles write it beside."""
    words = name.replace("_", " ").replace("-", " ")
    return f"{words} ({name})" if words != name else name


def field_of(option: Option, stored: dict[str, Values]) -> forms.Field:
    """The form field of a declared option, with what is stored or its default."""
    values = stored.get(option.name, [])
    help_text = str(engine_text(option.help))
    about: dict[str, Any] = {
        "label": in_words(option.name),
        "required": False,
        "help_text": help_text[:1].upper() + help_text[1:],
    }
    if option.kind == "file":
        if values and isinstance(values[0], Source):
            now = _("Now: {name}. A new file replaces it.")
            about["help_text"] += f". {now.format(name=values[0].name)}"
        return UploadField(**about)
    words = [str(value) for value in values]
    if option.kind == "flag":
        on = parse([option], {option.name: words} if words else {})[option.name]
        return forms.BooleanField(initial=on, **about)
    if option.kind in ("list", "lines"):
        about["help_text"] += " (" + _("one a line") + ")"
        lines = "\n".join(words or option.default or ())
        widget = forms.Textarea(attrs={"rows": 2})
        return forms.CharField(initial=lines, widget=widget, **about)
    last = words[-1] if words else str(option.default or "")
    if option.kind == "choice":
        choices = [(choice, in_words(choice)) for choice in option.choices]
        return forms.ChoiceField(choices=choices, initial=last, **about)
    return forms.CharField(initial=last, max_length=200, **about)


class ScoringPage(FormPage):
    """Options, measures and resampling of a task; before any gold another scorer."""

    mark = EDIT
    template_name = "organize/scoring.html"
    title = gettext_lazy("Scoring")
    style = "phases.css"
    done = "organize-scoring"

    def get_form(self) -> ScoringForm:
        self.plan, self.has_submissions = (
            whole_plan(self.task),
            bool(SentParts.of(self.task)),
        )
        self.free = not self.has_submissions and not self.plan.test_sets
        wanted = self.request.GET.get("scorer", "") if self.free else ""
        self.scorer = all_scorers().get(wanted, self.plan.scoring.scorer)
        data = posted_data(self.request)
        return ScoringForm(self.scorer, self.plan, *data, fixed=self.has_submissions)

    def save(self, form: ScoringForm) -> HttpResponse:
        new = test_sets.recheck_gold(self.plan.with_values(**form.scoring), self.plan)
        apply(self.task, new, self.request.user, self.plan)
        messages.success(self.request, _("Saved."))
        if warning := warning_of(new):
            messages.warning(self.request, warning)
        return self.done_response()

    def context(self, form: ScoringForm) -> dict[str, Any]:
        others = all_scorers().values() if self.free else ()
        return {"scorer": self.scorer, "scorers": others, "kept": self.has_submissions}
