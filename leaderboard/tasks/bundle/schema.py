"""Schema of a bundle: everything `task.yaml` says, to read, write and compare it.

A field is declared here once, under the name that it has in the manifest and, where the
row of the model has it too, under the name of the model's field. Validated with a
`Manifest` as context, names of files become their content and rules between parts are
checked; without one, values are taken as they are in the database.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from functools import cache, partial
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal, Self
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError as RowError
from django.db.models import JSONField, Model
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    PrivateAttr,
    Strict,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    field_serializer,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from leaderboard.tasks.models import (
    NamedBoard,
    Phase,
    Question,
    RegistrationQuestion,
    Task,
    TestSet,
)
from leaderboard.tasks.models.plugins import scorer_for
from leaderboard.tasks.models.task import LEAST_WEIGHT, MOST_WEIGHT, NAME_PATTERN
from leaderboard.tasks.phase_rules import YEARS, both, moment_of_day
from leaderboard.teams.models import check_display_name
from leaderboard.web.extras import BundleKey, joined
from leaderboard.web.time_zones import time_zones, zone_named, zone_title
from scoring.elsewhere import measures_of, with_judgements
from scoring.errors import ScoringError
from scoring.formats.bundle import odd_name
from scoring.options import Options, parse
from scoring.picks import likely
from scoring.scorer import Scorer
from scoring.scorers import all_scorers, get, of_task
from scoring.scorers.program.conventions import canonical
from scoring.source import Source, brief, decode

FORMAT: Literal[1] = 1
A_TIME = "a time, as in 2026-05-01T12:00:00Z or 2026-05-01T12:00:00+02:00"
TEXT = re.compile(r"[\r\n]|(\S+ +){4}")  # no name of a file
DAY = re.compile(r"\d{4}-\d\d-\d\d")
ROUNDED_NO_MORE = (
    "scores are no longer rounded to a grid or published as a ladder: remove "
    "'publication' and 'step' from the phase, and guard the gold by a 'private_share' "
    "and a 'total_limit' of attempts"
)
SERIES_NO_MORE = (
    "scores of several test sets are no longer put on one scale: remove 'series' from "
    "the bundle; each phase keeps a board of its own"
)
Place = tuple[str | int, ...]
RawOptions = dict[str, list[str | InstanceOf[Source]]]


def expected_error(words: str) -> PydanticCustomError:
    """An error that goes on "expected ..."."""
    return PydanticCustomError("expected", "{words}", {"words": words})


def one_of(names: Iterable[str], given: object) -> str:
    """The words for a choice of names, before all the one that was probably meant."""
    choices = list(names)
    near = likely(str(given), choices)
    words = f"'{near}', or another of" if near else "one of"
    other = f"; not '{brief(given)}'" if isinstance(given, str) else ""
    return f"{words} {', '.join(choices)}{other}"


def names_error(declared: Iterable[str], key: str) -> PydanticCustomError:
    """An error where names are chosen of those under a key."""
    names = ", ".join(filter(None, declared))
    none = f"names of '{key}', under which the bundle has none"
    return expected_error(f"names out of {names}" if names else none)


def refusal_error(why: str) -> PydanticCustomError:
    """An error whose message is a sentence of its own."""
    return PydanticCustomError("refused", "{words}", {"words": why})


def unknown(names: Iterable[str]) -> PydanticCustomError:
    """An error at a key that is none of the known ones."""
    return PydanticCustomError("unknown", "{words}", {"words": "\n".join(names)})


def errors_at(errors: Iterable[tuple[Place, PydanticCustomError]]) -> None:
    """Raises ValidationError with every error at its place, below the present one."""
    details = [InitErrorDetails(type=e, loc=place, input=None) for place, e in errors]
    if details:
        raise ValidationError.from_exception_data("bundle", details)


def _as_text(value: Any) -> Any:
    """A number that YAML saw in a text is taken as it would be written."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_whole else value


def _file(value: Any, info: ValidationInfo) -> Any:
    """A file of the bundle, or a folder of it as a zip."""
    if isinstance(value, Source) or info.context is None:
        return value
    if not isinstance(name := _as_text(value), str) or not name:
        raise expected_error("the name of a file of the bundle")
    if TEXT.search(name):
        words = "the name of a file of the bundle. Put the text into a file of its own"
        raise expected_error(words)
    source: Source | None = info.context.file(name)
    if source is None:
        near = info.context.nearest(name)
        other = f", but there is '{brief(near)}'" if near else ""
        raise expected_error(f"a file of the bundle, there is no '{name}'{other}")
    if odd := odd_name(source.name):
        raise expected_error(odd.removeprefix("expected "))
    return source


def _moment(value: Any, info: ValidationInfo) -> Any:
    """A time with its offset, or one on the clocks of the phase's time zone.

    A day alone is its beginning there, of `closes` its end.
    """
    if isinstance(value, str):
        kind = date if DAY.fullmatch(value) else datetime
        try:
            value = kind.fromisoformat(value)
        except ValueError:
            raise expected_error(f"{A_TIME}; not '{brief(value)}'") from None
    if isinstance(value, int | float):  # YAML takes 12:30 for one
        raise expected_error(f"{A_TIME}; not '{value}'")
    if not isinstance(value, date) or info.context is None:
        return value
    if value.year not in YEARS:
        raise expected_error(f"a time from {YEARS[0]} to {YEARS[-1]}")
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value
    name = info.data.get("time_zone", "UTC")
    if isinstance(name, Unsaid):
        raise expected_error(f"{A_TIME}: with its zone, or beside a 'time_zone'")
    zone = ZoneInfo(name)
    if not isinstance(value, datetime):
        closes = info.data.get("closes")
        moment = moment_of_day(info.field_name or "", value, zone, closes)
        return moment.astimezone(zone)
    once = "a time that there is once: clocks in"
    first, second = both(value, zone)
    if first.astimezone(zone).replace(tzinfo=None, fold=0) != value:
        raise expected_error(f"{once} {name} go forward and never show {value}")
    if first != second:
        raise expected_error(f"{once} {name} show {value} twice; write the offset")
    return first.astimezone(zone)


class Unsaid(str):
    """A default that tells itself from the same text in the manifest."""


Word = Annotated[str, Strict(), BeforeValidator(_as_text)]
Text = Annotated[Word, Field(min_length=1)]
Words = tuple[Word, ...]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
Count = Annotated[Whole, Field(ge=0)]
Limit = Annotated[Whole, Field(ge=1)]
File = Annotated[
    InstanceOf[Source], BeforeValidator(_file), WithJsonSchema({"type": "string"})
]
Moment = Annotated[datetime, BeforeValidator(_moment)]


class BundlePart(BaseModel):
    """A table of the manifest, which has fields of the same names as a `row`."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, use_enum_values=True
    )
    row: ClassVar[type[Model]]

    def __eq__(self, other: object) -> bool:
        """Tables that say the same are equal, wherever they were read."""
        return type(self) is type(other) and vars(self) == vars(other)

    @model_validator(mode="after")
    def _rules(self, info: ValidationInfo) -> Self:
        if info.context is not None and hasattr(self, "row"):
            self._check_fields()
        return self

    def _check_fields(self) -> None:
        """Raises what the fields of the row have against values of a manifest."""
        values, errors = self.fields(), []
        for field in self.shared_fields():
            try:  # what is left out is filled in later
                field.run_validators(values.get(field.name))
            except RowError as error:
                errors += [((field.name,), refusal_error(x)) for x in error.messages]
        errors_at(errors)

    @classmethod
    def shared_fields(cls) -> list[Any]:
        """The fields of the row that the manifest has too."""
        fields = cls.row._meta.concrete_fields
        return [f for f in fields if f.name in cls.model_fields and not f.is_relation]

    @classmethod
    def of_row(cls, row: Model, **more: Any) -> Self:
        """A part made of a row, and of `more` that stands elsewhere; nothing is
        validated."""
        values = {field.name: getattr(row, field.name) for field in cls.shared_fields()}
        for name, value in values.items():
            values[name] = tuple(value) if isinstance(value, list) else value
        return cls.model_construct(**{**values, **more})

    def fields(self) -> dict[str, Any]:
        """The values of the row, by field."""
        values = {
            field.name: getattr(self, field.name) for field in self.shared_fields()
        }
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    def is_of(self, test_set: str) -> bool:
        """Whether a table goes when that test set is removed."""
        return False

    def for_everybody(self, phases: AbstractSet[str]) -> Self | None:
        """The part as everybody may read it once these phases have begun, if they
        may."""
        return self

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """A part made of those of the values that it has, validated by themselves."""
        members = {name: values[name] for name in cls.model_fields if name in values}
        return cls.model_validate(members)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """The help of the row's fields describes the keys, but not lists' of lines."""
        schema: dict[str, Any] = handler(core)
        properties = handler.resolve_ref_schema(schema)["properties"]
        for field in cls.shared_fields() if hasattr(cls, "row") else ():
            if field.help_text and not isinstance(field, JSONField):
                properties[field.name]["description"] = str(field.help_text)
        return schema

    def with_values(self, **values: Any) -> Self:
        """The same with other values, which are not validated."""
        return self.model_copy(update=values)


def _title_or_name(title: Any, info: ValidationInfo) -> Any:
    """The title, or the name where there is none."""
    return info.data.get("name", "-") if title is None else title


def _among(key: str) -> AfterValidator:
    """Names out of those that the manifest has under a key."""

    def check(names: Words, info: ValidationInfo) -> Words:
        declared = names if info.context is None else info.context.names(key)
        if not set(names) <= set(declared):
            raise names_error(declared, key)
        return names

    return AfterValidator(check)


def _all_of(key: str) -> BeforeValidator:
    """A validator that fills in, where nothing is chosen, all that the manifest names
    under a key."""

    def fill(names: Any, info: ValidationInfo) -> Any:
        declared = () if info.context is None else info.context.names(key)
        return declared if names is None else names

    return BeforeValidator(fill)


def _visible_name(text: str, info: ValidationInfo) -> str:
    """A name that people see."""
    if info.context is not None:
        try:
            check_display_name(text)
        except RowError as error:
            raise refusal_error(error.messages[0]) from None
    return text


Default = Field(validate_default=True)
DEFAULT: Any = None  # filled in by the validators of the key
TestSetNames = Annotated[Words, _among("test_sets"), _all_of("test_sets"), Default]
PhaseNames = Annotated[Words, _among("phases"), _all_of("phases"), Default]


def _measure(name: str, info: ValidationInfo) -> str:
    """A measure that the scorer of the manifest has."""
    if info.context is None or info.context.declared_scorer is None:
        return name
    scorer = info.context.declared_scorer
    try:
        return scorer.measure(name).name
    except KeyError:
        measures = [measure.name for measure in scorer.measures(())]
        raise expected_error(one_of(measures, name)) from None


PlainName = Annotated[Text, Field(pattern=f"^{NAME_PATTERN}$")]
Title = Annotated[Text, BeforeValidator(_title_or_name), Default]
ShortTitle = Annotated[Title, Field(max_length=120)]
MeasureName = Annotated[Text, AfterValidator(_measure)]
Headline = Annotated[MeasureName, Default]


def _names_differ(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    taken: set[str] = set()
    errors = []
    for index, part in enumerate(parts):
        if part.name in taken:
            words = f"another name, '{part.name}' is taken"
            errors.append(((index, "name"), expected_error(words)))
        taken.add(part.name)
    errors_at(errors)
    return parts


def _check_row(row: Model, place_of: Callable[[str], str]) -> None:
    """Note what the model's own rules have against the plain fields of a row."""
    errors = []
    relations = [field.name for field in row._meta.fields if field.is_relation]
    for rules in (partial(row.clean_fields, exclude=relations), row.clean):
        try:
            rules()
        except RowError as error:
            for name, texts in error.message_dict.items():
                place = place_of(name)
                inside = "" if place == name else f"{name}: "
                errors += [((place,), refusal_error(inside + text)) for text in texts]
    errors_at(errors)


class Scoring(BundlePart):
    """How a task scores: the manifest's `scorer`."""

    name: Text
    options: Annotated[RawOptions, WithJsonSchema({"type": "object"})] = {}
    judgements: Words = ()
    measures: tuple[MeasureName, ...] = ()
    headline: Headline = DEFAULT
    unit: Word = Field("", validate_default=True)

    @property
    def scorer(self) -> Scorer:
        judged = {measure.name for measure in measures_of(self.judgements)}
        measures = [self.headline or "", *self.measures]
        names = [name for name in measures if name not in judged]
        scorer = scorer_for(self.name, self.options, names)
        return with_judgements(scorer, self.judgements)

    @property
    def parsed_options(self) -> Options:
        """Options as the scorer takes them; raises UsageError if they do not fit."""
        return parse(self.scorer.options, self.options)

    @field_validator("name")
    @classmethod
    def _check_scorer(cls, name: str, info: ValidationInfo) -> str:
        if info.context is not None and name not in all_scorers():
            raise expected_error(one_of(all_scorers(), name))
        return name

    @field_validator("options", mode="before")
    @classmethod
    def _options(cls, given: Any, info: ValidationInfo) -> Any:
        if info.context is None or "name" not in info.data:
            return given
        if not isinstance(given, dict):
            raise expected_error("a table")
        declared = {option.name: option for option in get(info.data["name"]).options}
        options: RawOptions = {}
        errors = []
        for name, value in given.items():
            try:
                if name not in declared:
                    raise unknown(declared)
                options[name] = _values(declared[name].kind, value, info)
                parse(tuple(declared.values()), {name: options[name]})
            except ScoringError as error:
                errors.append(((name,), refusal_error(error.problems[0].message)))
            except PydanticCustomError as error:
                errors.append(((name,), error))
        errors_at(errors)
        chosen = {name: values for name, values in options.items() if values}
        if get(info.data["name"]).runs_program:
            chosen = {name: [*map(as_kept, values)] for name, values in chosen.items()}
        try:
            of_task(info.data["name"], chosen)
        except ScoringError as error:
            raise refusal_error(" ".join(map(str, error.problems))) from None
        return chosen

    @field_validator("judgements")
    @classmethod
    def _check_judgements(cls, lines: Words, info: ValidationInfo) -> Words:
        if info.context is None or not {"name", "options"} <= set(info.data):
            return lines
        scorer = of_task(info.data["name"], info.data["options"])
        if lines and scorer.counted_elsewhere:
            raise refusal_error("this scorer takes measures as its option 'measure'")
        try:
            with_judgements(scorer, lines)
        except ScoringError as error:
            raise refusal_error(" ".join(map(str, error.problems))) from None
        return lines

    @field_serializer("options")
    def _written(self, options: RawOptions, info: Any) -> Any:
        """Options in the order in which the scorer declares them: not every database
        keeps it."""
        written = {
            name: [
                value
                if isinstance(value, str)
                else info.context.put(f"options/{name}", value)
                for value in options[name]
            ]
            for name in (option.name for option in self.scorer.options)
            if name in options
        }
        return {n: v[0] if len(v) == 1 else v for n, v in written.items()} or None

    @field_validator("headline", mode="before")
    @classmethod
    def _usual(cls, headline: Any, info: ValidationInfo) -> Any:
        manifest = info.context
        return manifest.headline if headline is None and manifest else headline

    @field_validator("headline")
    @classmethod
    def _check_headline(cls, headline: str, info: ValidationInfo) -> str:
        """The main board is ranked without judgements: others may be ranked by them."""
        if info.context is None or not {"name", "options"} <= set(info.data):
            return headline
        try:
            scorer = of_task(info.data["name"], info.data["options"])
            return scorer.measure(headline).name
        except KeyError:
            words = "a measure of the scorer; let a board of its own rank by judgements"
            raise expected_error(words) from None

    @field_validator("unit")
    @classmethod
    def _unit(cls, unit: str, info: ValidationInfo) -> str:
        """The unit of the plan; where it depends on the gold, the first test set
        decides."""
        if info.context is None or "name" not in info.data:
            return unit
        scorer = get(info.data["name"])
        if not unit:
            return "" if scorer.finest else scorer.units[0]
        if unit not in scorer.units:
            raise expected_error(one_of(scorer.units, unit))
        return unit


def as_kept(value: str | Source) -> str | Source:
    """An option of a scoring program as it is kept: its zip as we write zips."""
    return canonical(value) if isinstance(value, Source) else value


def _values(kind: str, value: Any, info: ValidationInfo) -> list[str | Source]:
    """The values of an option of that kind. YAML takes words such as no for false."""
    if kind == "file":
        return [_file(value, info)]
    values = value if isinstance(value, list) else [value]
    if kind != "flag" and any(isinstance(v, bool) for v in values):
        raise expected_error("words: put yes, no, on and off between quotes")
    if any(isinstance(v, dict | list | bytes) for v in values):
        raise expected_error("words")
    if any(v is None for v in values):
        raise expected_error("words: put null and ~ between quotes")
    return [str(v).lower() if isinstance(v, bool) else str(v) for v in values]


class Bootstrap(BundlePart):
    """How intervals and tests are drawn."""

    row = Task
    resamples: Limit = 1000
    seed: Count = 2026
    level: Annotated[Number, Field(ge=0.5, lt=1)] = 0.95


class TestSetPlan(BundlePart):
    """Gold and blind file are one member each, a zip where there are several files.

    `position` decides the stream of draws that it is resampled with, `weight` how much
    it counts in the mean over test sets. `units` are counted in the gold.
    """

    row = TestSet
    name: Text
    title: Title = DEFAULT
    gold: File
    blind: File = Field(None)  # type: ignore[assignment]
    position: Count = Field(None)  # type: ignore[assignment]
    weight: Annotated[Number, Field(ge=LEAST_WEIGHT, le=MOST_WEIGHT)] = 1.0
    units: int = Field(0, exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _counted_only(cls, table: Any, info: ValidationInfo) -> Any:
        if info.context is not None and isinstance(table, dict) and "units" in table:
            errors_at([(("units",), unknown(keys_of(cls)))])
        return table

    @field_serializer("gold", "blind")
    def _written(self, source: Source, info: Any) -> Any:
        return info.context.put(f"{info.field_name}/{self.name}", source)


class InApi(str):
    """A mark of a field that the API gives too: what its schema says of it."""


class PhasePlan(BundlePart):
    """A phase; the fields are those of the row. Without a `salt` one is drawn."""

    row = Phase
    name: Text
    title: Title = DEFAULT
    time_zone: Annotated[Word, InApi()] = Field(
        Unsaid("UTC"), json_schema_extra={"default": "UTC"}
    )
    opens: Moment
    closes: Moment | None = None
    policy: Phase.Policy = Phase.Policy.OPEN
    reveal_at: Moment | None = None
    freeze_from: Moment | None = None
    private_share: Annotated[Number, Field(ge=0.1)] | None = None
    salt: Word = ""
    counts: Annotated[Phase.CountingRule, InApi()] = Phase.CountingRule.BEST
    daily_limit: Annotated[Limit | None, InApi()] = None
    total_limit: Annotated[Limit | None, InApi()] = None
    most_runs: Annotated[
        Whole, InApi("number of runs of one system that an entry may hold")
    ] = 1
    who: Annotated[Phase.Who, InApi()] = Phase.Who.PARTICIPANTS
    paused: Flag = False
    paused_note: Word = ""
    test_sets: TestSetNames = DEFAULT
    separate_test_sets: Annotated[
        Flag, InApi("each test set has its own board, and none is required")
    ] = False
    sends_code: Flag = False
    lasting_differences: Annotated[
        Flag,
        InApi(
            "significant differences that were shown are not taken back by later "
            "systems"
        ),
    ] = False
    # Of its keys in the manifest that it was read from.
    _lines: dict[str, int] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _rounded_no_more(cls, table: Any, info: ValidationInfo) -> Any:
        """Bundles of version 0.3.0 may say whether scores are rounded. That they are
        not is accepted: it holds for every phase now."""
        if info.context is None or not isinstance(table, dict):
            return table
        publication, step = table.get("publication", "exact"), table.get("step")
        if publication in ("grid", "ladder") or step is not None:
            key = "publication" if "publication" in table else "step"
            errors_at([((key,), refusal_error(ROUNDED_NO_MORE))])
        gone = {"step"} | ({"publication"} if publication == "exact" else set())
        return {name: value for name, value in table.items() if name not in gone}

    @field_validator("time_zone")
    @classmethod
    def _zone(cls, title: str) -> str:
        name = zone_named(title)
        if name not in time_zones():
            cities = {zone.rpartition("/")[2]: zone for zone in sorted(time_zones())}
            near = cities.get(likely(title, [*cities]), "Europe/Oslo")
            words = f"AoE, or a name of the time zone database, as {near}"
            raise expected_error(words)
        return title if isinstance(title, Unsaid) else name

    @field_validator("test_sets")
    @classmethod
    def _in_declared_order(cls, names: Words, info: ValidationInfo) -> Words:
        declared = names if info.context is None else info.context.names("test_sets")
        # Of a draft that has no gold yet, phases may be there already.
        if not names and info.context is not None and not info.context.is_empty_draft:
            raise names_error(declared, "test_sets")
        return tuple(name for name in declared if name in names)

    @model_validator(mode="after")
    def _rules(self, info: ValidationInfo) -> Self:
        if info.context is not None:
            salted = self.with_values(salt=self.salt or "0")
            _check_row(Phase(**salted.fields()), str)
        return self

    @property
    def lines(self) -> dict[str, int]:
        return self._lines

    def fields(self) -> dict[str, Any]:
        values = {**super().fields(), "time_zone": str(self.time_zone)}
        if not self.salt:
            del values["salt"]
        return values

    @field_serializer("time_zone")
    def _zone_title(self, name: str) -> str:
        return zone_title(str(name))

    @field_serializer("opens", "closes", "reveal_at", "freeze_from")
    def _local(self, moment: datetime | None) -> datetime | None:
        return moment and moment.astimezone(ZoneInfo(self.time_zone))


class BoardPlan(BundlePart):
    """A named view of the board."""

    row = NamedBoard
    name: PlainName
    title: ShortTitle = DEFAULT
    measures: tuple[MeasureName, ...] = ()
    headline: Annotated[Headline, Field(max_length=200)] = DEFAULT
    test_sets: Annotated[Words, _among("test_sets")] = ()

    @field_validator("headline", mode="before")
    @classmethod
    def _usual(cls, headline: Any, info: ValidationInfo) -> Any:
        if headline is None and info.context is not None:
            return (info.data.get("measures") or (info.context.headline,))[0]
        return headline


class AnyQuestionPlan(BundlePart):
    """One question.

    A hidden one is not asked any more and shown nowhere; its answers are kept.
    """

    name: PlainName
    title: ShortTitle = DEFAULT
    kind: Question.AnswerKind = Question.AnswerKind.TEXT
    choices: Words = Field((), validate_default=True)
    required: Flag = False
    hidden: Flag = False

    @field_validator("choices")
    @classmethod
    def _fit(cls, choices: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        kind = info.data.get("kind") if info.context is not None else None
        if kind and (kind == "choice") != bool(choices):
            raise expected_error("answers to choose from, for the kind 'choice'")
        return choices


class QuestionPlan(AnyQuestionPlan):
    """One question to a system."""

    row = Question
    unit: Annotated[Word, Field(max_length=20)] = ""
    public: Flag = True

    @field_validator("unit")
    @classmethod
    def _check_unit(cls, unit: str, info: ValidationInfo) -> str:
        if unit and info.data.get("kind") not in (None, "number"):
            raise expected_error("a unit only for the kind 'number'")
        return unit


class RegistrationPlan(AnyQuestionPlan):
    """One question to a team that joins."""

    row = RegistrationQuestion
    public: Flag = False


class BaselinePlan(BundlePart):
    """A system of the organizers: its files by name of test set."""

    system: Annotated[Text, Field(max_length=80), AfterValidator(_visible_name)]
    description: Word = ""
    phases: PhaseNames = DEFAULT
    files: dict[str, File]

    @property
    def system_key(self) -> str:
        """The system's name as part of a path, told apart from every other."""
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", self.system).strip(".-")
        return f"{readable or 'system'}-{sha256(self.system.encode()).hexdigest()[:8]}"

    @field_validator("files", mode="before")
    @classmethod
    def _check_files(cls, files: Any, info: ValidationInfo) -> Any:
        if info.context is not None and isinstance(files, dict):
            declared = info.context.names("test_sets")
            errors_at(
                ((name,), unknown(declared)) for name in files if name not in declared
            )
            if not files:
                raise expected_error("a file for one test set or more")
        return files

    @field_serializer("files")
    def _written(self, files: Mapping[str, Source], info: Any) -> Any:
        folder = f"baselines/{self.system_key}"
        return {
            name: info.context.put(f"{folder}/{name}", source)
            for name, source in sorted(files.items())
        }


class TaskPlan(BundlePart):
    """A whole bundle.

    `draft` is None where a bundle does not say: a new task is a draft then, another
    one stays what it is.
    """

    FORMAT: ClassVar[Literal[1]] = FORMAT
    row = Task
    plumbline: Literal[1] = FORMAT
    slug: Text
    title: Text
    summary: Word = ""
    description: str = ""
    terms: str = ""
    authors: Words = ()
    contact: Word = ""
    website: Word = ""
    forum: Word = ""
    paper: Word = ""
    doi: Word = ""
    licence: Word = ""
    synthetic: Flag = False
    draft: Flag | None = None
    unlisted: Flag = False
    entry: Task.Entry = Task.Entry.OPEN
    mail_domains: Words = ()
    allows_anonymous: Flag = False
    prizes: Count = 0
    margin: Annotated[Number, Field(ge=0.0001)] | None = None
    scoring: Scoring = Field(alias="scorer")
    bootstrap: Bootstrap = Bootstrap()
    test_sets: Annotated[tuple[TestSetPlan, ...], AfterValidator(_names_differ)] = ()
    phases: Annotated[tuple[PhasePlan, ...], AfterValidator(_names_differ)] = ()
    boards: Annotated[tuple[BoardPlan, ...], AfterValidator(_names_differ)] = ()
    fact_sheet: Annotated[tuple[QuestionPlan, ...], AfterValidator(_names_differ)] = ()
    registration: Annotated[
        tuple[RegistrationPlan, ...], AfterValidator(_names_differ)
    ] = ()
    baselines: tuple[BaselinePlan, ...] = ()
    # Files of the bundle that it was read from which no key names.
    _strays: list[str] = PrivateAttr(default_factory=list)

    @property
    def strays(self) -> list[str]:
        return self._strays

    @classmethod
    def whole(cls) -> "type[TaskPlan]":
        """The class with the keys that extras of this site add."""
        return _with_keys(tuple(settings.EXTRAS))

    @property
    def extra_parts(self) -> dict[str, tuple[BundlePart, ...]]:
        """Tables under the keys of extras."""
        keys = [key.name for key in joined(BundleKey)]
        return {name: getattr(self, name, ()) for name in keys}

    def brings_code(self, baseline: BaselinePlan) -> bool:
        """Whether the files of a baseline are code, which nobody can score as it is."""
        hiding = {phase.name for phase in self.phases if phase.sends_code}
        return not hiding.isdisjoint(baseline.phases)

    @model_validator(mode="before")
    @classmethod
    def _no_series(cls, table: Any, info: ValidationInfo) -> Any:
        """Bundles of version 0.3.0 may declare series of test sets."""
        if info.context is None or "series" not in table:
            return table
        if table["series"]:
            errors_at([(("series",), refusal_error(SERIES_NO_MORE))])
        return {name: value for name, value in table.items() if name != "series"}

    @field_validator("slug")
    @classmethod
    def _slug(cls, slug: str, info: ValidationInfo) -> str:
        if info.context is not None and slug in Task.RESERVED_SLUGS:
            raise refusal_error("this word is an address of the site itself")
        return slug

    @field_validator("description", "terms", mode="before")
    @classmethod
    def _text(cls, name: Any, info: ValidationInfo) -> Any:
        if info.context is None:
            return name
        source = _file(name, info)
        data = source.single()
        text = decode(source.name, data).strip() if data.strip() else ""
        if "\0" in text:
            raise expected_error("a text file without the character NUL")
        return text

    @field_validator("mail_domains")
    @classmethod
    def _small(cls, domains: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(domain.lower() for domain in domains)

    @field_validator("test_sets")
    @classmethod
    def _with_positions(cls, parts: tuple[TestSetPlan, ...]) -> tuple[TestSetPlan, ...]:
        placed = [
            part.with_values(position=index) if part.position is None else part
            for index, part in enumerate(parts)
        ]
        if len({part.position for part in placed}) < len(placed):
            raise expected_error("a position of its own for each")
        return tuple(sorted(placed, key=lambda part: part.position))

    @model_validator(mode="after")
    def _rules(self, info: ValidationInfo) -> Self:
        if info.context is not None:
            _check_row(Task(**self.fields()), self._place_of)
        return self

    @staticmethod
    def _place_of(field: str) -> str:
        """The key of the manifest under which a field of the row is found."""
        if field in keys_of(TaskPlan):
            return field
        return "bootstrap" if field in Bootstrap.model_fields else "scorer"

    @field_serializer("description", "terms")
    def _written(self, text: str, info: Any) -> str | None:
        name = f"{info.field_name}.md"
        return info.context.write(name, text.encode()) if text else None

    def with_unit(self, unit: str) -> Self:
        return self.with_values(scoring=self.scoring.with_values(unit=unit))

    def fields(self) -> dict[str, Any]:
        """The values of the row, by field, all but the options."""
        return {
            **super().fields(),
            "draft": self.draft is not False,
            "scorer_name": self.scoring.name,
            "judgements": list(self.scoring.judgements),
            "shown_measures": list(self.scoring.measures),
            "headline": self.scoring.headline,
            "unit": self.scoring.unit,
            **self.bootstrap.fields(),
        }


@cache
def _with_keys(_extras: tuple[str, ...]) -> type[TaskPlan]:
    fields: dict[str, Any] = {
        key.name: (
            Annotated[tuple[key.table_class, ...], AfterValidator(_names_differ)],  # type: ignore[name-defined]
            (),
        )
        for key in joined(BundleKey)
    }
    return create_model(
        "TaskPlan", __base__=TaskPlan, __doc__=TaskPlan.__doc__, **fields
    )


def keys_of(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys that a table of the manifest may have."""
    return tuple(
        field.alias or name
        for name, field in model.model_fields.items()
        if not field.exclude
    )
