"""The policy of who may see what of a phase: every channel asks here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from functools import cache, partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import (
    BigAutoField,
    BooleanField,
    Exists,
    F,
    Func,
    Model,
    OuterRef,
    Q,
    QuerySet,
)
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.tasks.models import (
    Organizer,
    Participation,
    Phase,
    RegistrationQuestion,
    Task,
    TestSet,
)
from leaderboard.web.extras import relations_of_tasks
from leaderboard.web.known import note_rows, once
from leaderboard.web.statements import statement

# What is read of a task for itself, where it has any of it, beside what extras need.
OF_TASK = ("questions", "registration_questions", "named_boards")
Policy, CountingRule = Phase.Policy, Phase.CountingRule


class Power(Enum):
    """A thing that an organizer may do; each includes nothing but itself."""

    SEE = "see every score and submission"
    EDIT = "change the task, its phases and its gold, and take the gold away"
    PEOPLE = "admit, disqualify, merge, write to participants"
    OWN = "give roles, delete the task"


POWERS = {
    Organizer.Role.REVIEWER: {Power.SEE},
    Organizer.Role.EDITOR: {Power.SEE, Power.EDIT, Power.PEOPLE},
    Organizer.Role.OWNER: set(Power),
}


def can(user: Any, task: Task, power: Power) -> bool:
    """Whether the person's role in the task gives that power."""
    return power in powers_of(user, task)


def powers_of(user: Any, task: Task) -> set[Power]:
    """Everything the person may do in the task; administrators have all powers.

    One query, none for anonymous readers; one for all tasks of a page.
    """
    if not user.is_authenticated:
        return set()
    if user.is_superuser:
        return set(Power)
    powers: set[Power] = set()
    roles: list[tuple[int, str]] = once(
        ("roles", user.pk), partial(_roles, user=user.pk)
    )
    for pk, role in roles:
        if pk == task.pk:
            powers |= POWERS[Organizer.Role(role)]
    return powers


@statement(user=BigAutoField())
def _roles(user: int) -> QuerySet:
    return Organizer.objects.filter(user=user).values_list("task", "role")


@dataclass(frozen=True)
class Reader:
    """A person as far as it matters which tasks are listed, or a parameter for the key
    of such a person."""

    pk: int
    is_authenticated: bool
    is_superuser: bool


def visible_tasks(user: Any) -> QuerySet[Task]:
    """Every task but the drafts of others. `user` None is anybody."""
    if user is None or not user.is_authenticated:
        return Task.objects.filter(draft=False)
    if user.is_superuser:
        return Task.objects.all()
    own = Organizer.objects.filter(user=user.pk).values("task")
    return Task.objects.filter(Q(draft=False) | Q(pk__in=own))


def sees_task(user: Any, task: Task) -> bool:
    """Whether a person may see a task; it asks the database about drafts alone."""
    # The person is asked for in any case, for an answer varies with who reads it.
    signed_in = user is not None and user.is_authenticated
    if not task.draft or not signed_in:
        return not task.draft
    return visible_tasks(user).filter(pk=task.pk).exists()


def listed_tasks(user: Any) -> QuerySet[Task]:
    """Tasks that lists, feeds and the search show: of unlisted ones the reader's own.

    The others are seen by whoever knows their address.
    """
    tasks = visible_tasks(user)
    if user is None or not user.is_authenticated:
        return tasks.filter(unlisted=False)
    if user.is_superuser:
        return tasks
    organized = Organizer.objects.filter(user=user.pk).values("task")
    entered = Participation.objects.of(user).values("task")
    return tasks.filter(Q(unlisted=False) | Q(pk__in=organized) | Q(pk__in=entered))


class Part(StrEnum):
    """Units of the gold; the private part is unknown to all before the reveal."""

    ALL = "all"
    PUBLIC = "public"
    PRIVATE = "private"


@dataclass(frozen=True)
class Disclosure:
    """The part of a phase's scores that one reader sees; by default everything.

    `board` and `own`: whether a board is shown, and to a team anything of its own
    scores. `everything`: the score of each submission; otherwise of those alone that
    were the best of their team when they came. `parts`: which units the reader may
    choose, the first stands unless another is chosen. `as_of`: later submissions are
    not on the board. `details`: slices, comparisons, correlations. `units`: views of
    single units, and slices of a few of them. `receipts`: receipts of one's own, with
    all measures.
    `names`: those of anonymous teams too, which is not among the defaults.
    `counts`: which submission of a team ranks. `lines`: what the public does not see
    and until when, a sentence each; of an organizer, who does see it, they are true
    of others.
    """

    board: bool = True
    own: bool = True
    everything: bool = True
    parts: tuple[Part, ...] = (Part.ALL,)
    as_of: datetime | None = None
    details: bool = True
    units: bool = True
    receipts: bool = True
    names: bool = False
    counts: str = CountingRule.BEST
    organizer: bool = False
    lines: tuple[str, ...] = ()


def reveal_of(phase: Phase) -> datetime | None:
    """The moment at which everything opens; None for never.

    Not while a team that was given longer can still submit: it would learn the answers.
    """
    reveal = phase.reveal_at or phase.closes
    if reveal is None or phase.extended_until is None:
        return reveal
    return max(reveal, phase.extended_until)


def is_revealed(phase: Phase, moment: datetime) -> bool:
    """Whether everybody may see the final results of a phase at that moment."""
    reveal = reveal_of(phase)
    return reveal is not None and moment >= reveal


def withholds_scores(phase: Phase) -> bool:
    """Whether some of a phase's scores are not shown at first."""
    return phase.policy != Policy.OPEN or phase.private_share is not None


def keeps_private_part(phase: Phase, moment: datetime) -> bool:
    """Whether a private part of the phase's units is still to decide."""
    return phase.private_share is not None and not is_revealed(phase, moment)


def with_neighbours(phases: QuerySet[Phase]) -> QuerySet[Phase]:
    """Phases that know whether others with a private part have their test sets, and
    whether their task asks something or has boards of its own.

    Where it is not so the database need not be asked again.
    """
    return phases.annotate(**neighbours("pk", "task"))


@cache  # Django takes as long to put them together as to ask
def neighbours(phase: str, task: str) -> Mapping[str, Any]:
    """The same of rows that have a phase and its task at these paths."""
    asks = HasRows(
        F(task), of=RegistrationQuestion, where="U0.public AND NOT U0.hidden"
    )
    return {
        "has_neighbours": Exists(_neighbours(OuterRef(phase))),
        "has_team_questions": asks,
        **{
            f"has_{name}": HasRows(F(task), of=getattr(Task, name).rel.related_model)
            for name in relations_of_task()
        },
    }


@cache
def relations_of_task() -> tuple[str, ...]:
    """The relations of a task of which a phase knows whether they have rows."""
    return *OF_TASK, *relations_of_tasks()


class HasRows(Func):
    """Whether a task has rows of a model; in SQL, as Django takes a millisecond to put
    an `Exists` together, which is as long as to ask."""

    template = (
        "EXISTS(SELECT 1 FROM %(table)s U0 WHERE U0.task_id = %(expressions)s%(and)s)"
    )
    output_field = BooleanField()

    def __init__(self, task: F, of: type[Model], where: str = "") -> None:
        also = f" AND {where}" if where else ""
        more: dict[str, Any] = {"table": of._meta.db_table, "and": also}
        super().__init__(task, **more)


def note_neighbours(phase: Phase, source: Any = None) -> Phase:
    """The phase, which knows what one of `with_neighbours` knows, or a row with
    `neighbours`; and its task, where it was read, what it has no rows of."""
    if source is not None:
        names = neighbours("pk", "task")
        vars(phase).update({name: vars(source)[name] for name in names})
    if Phase.task.is_cached(phase):
        for relation in relations_of_task():
            if not vars(phase)[f"has_{relation}"]:
                note_rows(phase.task, relation)
    return phase


def _ask_for_neighbours(phase: Phase) -> None:
    rows = with_neighbours(Phase.objects.filter(pk=phase.pk))
    values = rows.values(*rows.query.annotations).first()
    vars(phase).update(values or {})


def _neighbours(pk: Any) -> QuerySet[Phase]:
    """Other phases with a private part and a test set of this one."""
    split = Phase.objects.filter(test_sets__phases=pk, private_share__isnull=False)
    return split.exclude(pk=pk).distinct()


def private_parts_of(phase: Phase, moment: datetime) -> list[Phase]:
    """Phases whose private part, still to decide, is cut from this phase's test sets.

    Of these units no single one is shown in any of the phases: what a unit counted in
    one of them, it counts in all. One query at most.
    """
    phases = [phase]
    if phase.pk and not hasattr(phase, "has_neighbours"):
        _ask_for_neighbours(phase)
    if phase.pk and getattr(phase, "has_neighbours", False):
        phases += _neighbours(phase.pk)
    return [phase for phase in phases if keeps_private_part(phase, moment)]


def disclosure(user: Any, phase: Phase, moment: datetime | None = None) -> Disclosure:
    """The disclosure of a phase to a reader at that moment, by default now.

    Asks the database for private parts of the test sets, and for the reader's role
    only where something is withheld.
    """
    moment = moment or timezone.now()
    public = _without_units(phase, moment, _public(phase, moment))
    if phase.task.allows_anonymous:
        public = _with_names(phase, moment, public)
    if (public.lines or not public.units) and can(user, phase.task, Power.SEE):
        return for_organizers(phase, public, moment)
    return public


def audiences(phase: Phase, moment: datetime) -> list[Disclosure]:
    """The disclosures of the phase to all that read it: to anybody, and to organizers
    where they see more."""
    public = disclosure(AnonymousUser(), phase, moment)
    if not public.lines and public.units:
        return [public]
    return [public, for_organizers(phase, public, moment)]


def for_organizers(phase: Phase, public: Disclosure, moment: datetime) -> Disclosure:
    """The disclosure for organizers: everything, at once, with the lines that are true
    of others."""
    parts: tuple[Part, ...] = (Part.ALL,)
    if phase.private_share is not None:
        parts = (Part.ALL, Part.PRIVATE, Part.PUBLIC)
    if is_revealed(phase, moment):
        parts = public.parts
    return Disclosure(
        parts=parts,
        names=True,
        counts=phase.counts,
        organizer=True,
        lines=public.lines,
    )


def _without_units(
    phase: Phase, moment: datetime, disclosure: Disclosure
) -> Disclosure:
    """The disclosure without single units, while a private part of them is to decide or
    where the input is hidden."""
    if phase.hides_input:
        line = _("Single units are not shown: the input is hidden.")
        disclosure = replace(disclosure, units=False, lines=(*disclosure.lines, line))
    keeping = private_parts_of(phase, moment)
    if not keeping:
        return disclosure
    line = _(
        "Single units are not shown while the private part of “%(phase)s” is to decide."
    )
    others = [
        line % {"phase": other.title} for other in keeping if other.pk != phase.pk
    ]
    return replace(disclosure, units=False, lines=(*disclosure.lines, *others))


def names_from(task: Task) -> datetime | None:
    """The moment from which anonymous teams are named: once the last phase that ends
    has opened all.

    Not phase by phase: a name on one board would tell who is who on the next. Phases
    without an end do not count; where all are such, never.
    """
    ends = [reveal_of(phase) for phase in task.phases.all()]
    return max((end for end in ends if end is not None), default=None)


def _with_names(phase: Phase, moment: datetime, disclosure: Disclosure) -> Disclosure:
    end = names_from(phase.task)
    if end is not None and moment >= end:
        return replace(disclosure, names=True)
    if end is None:
        line = _("Teams may hide their names here: they stand as Anonymous.")
    else:
        line = _(
            "Teams may hide their names until %(moment)s: they stand as Anonymous."
        ) % {"moment": phase.local_text(end)}
    return replace(disclosure, lines=(*disclosure.lines, line))


def name_of(entry: Any, disclosure: Disclosure) -> str:
    """How a team is called on everything that others read.

    `entry` is a participation, or as much of it as a board reads. The alias is a name,
    and the same in all languages.
    """
    if disclosure.names or not entry.anonymous:
        return str(entry.team.name)
    return f"Anonymous {entry.alias or ''}".strip()


def _public(phase: Phase, moment: datetime) -> Disclosure:
    if is_revealed(phase, moment):
        return _after(phase)
    if not withholds_scores(phase):
        return _frozen(phase, moment, Disclosure(counts=phase.counts))
    if phase.policy == Policy.BLIND:
        nothing = Disclosure(False, False, False, details=False, receipts=False)
        return replace(nothing, parts=(), lines=(_blind_line(phase),))
    disclosure = Disclosure(
        everything=phase.policy == Policy.OPEN,
        parts=(Part.ALL,) if phase.private_share is None else (Part.PUBLIC,),
        details=phase.policy == Policy.OPEN,
        receipts=False,
        lines=tuple(_lines(phase)),
    )
    return _frozen(phase, moment, disclosure)


def _after(phase: Phase) -> Disclosure:
    if phase.private_share is None:
        return Disclosure(counts=phase.counts)
    line = _(
        "The private part of the units, %(private)s, decides the ranking; until the "
        "reveal the public part, %(public)s, was shown."
    ) % _shares(phase)
    parts = (Part.PRIVATE, Part.PUBLIC, Part.ALL)
    return Disclosure(parts=parts, counts=phase.counts, lines=(line,))


def _frozen(phase: Phase, moment: datetime, disclosure: Disclosure) -> Disclosure:
    """The board stands still between the freeze and the reveal; own scores go on."""
    since = phase.freeze_from
    if since is None or moment < since:
        return disclosure
    reveal, values = reveal_of(phase), {"since": phase.local_text(since)}
    if reveal is None:
        line = _("This board stands as of %(since)s.")
    else:
        values["moment"] = phase.local_text(reveal)
        line = _(
            "This board stands as of %(since)s; what came later is shown from "
            "%(moment)s. Teams still see their own scores."
        )
    return replace(disclosure, as_of=since, lines=(line % values, *disclosure.lines))


def _blind_line(phase: Phase) -> str:
    reveal = reveal_of(phase)
    if reveal is None:
        return _("Submissions are received and scored; scores are not shown.")
    return _(
        "Submissions are received and scored; scores are hidden until %(moment)s."
    ) % {"moment": phase.local_text(reveal)}


def _lines(phase: Phase) -> list[str]:
    """Sentences on what is withheld before the reveal; not on freeze or blindness."""
    lines = []
    if phase.policy == Policy.BEST:
        lines.append(_("Only the best entry of each team is shown."))
    if phase.private_share is not None:
        line = _(
            "Scores come from the public part of the units, %(public)s; the private "
            "part, %(private)s, decides later."
        )
        lines.append(line % _shares(phase))
    if (reveal := reveal_of(phase)) is None:
        lines.append(_("This does not change later: the phase has no end."))
    else:
        moment = {"moment": phase.local_text(reveal)}
        lines.append(_("Everything is shown from %(moment)s.") % moment)
    return lines


def _shares(phase: Phase) -> dict[str, str]:
    private = phase.private_share or 0.0
    return {"public": f"{1 - private:.0%}", "private": f"{private:.0%}"}


class Sight(Enum):
    """How much of what went wrong in a submission."""

    NOTHING = "nothing"
    COUNTS = "what each unit counted, and nothing that the gold says"
    GOLD = "gold and system side by side"


def sees_errors(
    user: Any, phase: Phase, test_set: TestSet, moment: datetime | None = None
) -> Sight:
    """The sight that a reader who may open a submission has of its errors.

    The gold is out when no phase with this test set withholds anything any more, and
    at any time for those who may take it away. Each phase must show details, and none
    may keep a private part: a list without its units would tell which they are. Three
    queries at most.
    """
    moment = moment or timezone.now()
    phases = [phase, *test_set.phases.select_related("task").exclude(pk=phase.pk)]
    hidden = any(other.hides_input for other in phases)
    if not hidden and all(is_revealed(other, moment) for other in phases):
        return Sight.GOLD
    if can(user, phase.task, Power.EDIT):
        # What is kept beside the gold is the code, not what it wrote
        return Sight.COUNTS if phase.hides_input else Sight.GOLD
    if hidden:  # names of units may be pieces of the input
        return Sight.NOTHING
    details = all(
        _public(other, moment).details and not keeps_private_part(other, moment)
        for other in phases
    )
    if details or can(user, phase.task, Power.SEE):
        return Sight.COUNTS
    return Sight.NOTHING


def sees_blind_files(user: Any, phase: Phase) -> bool:
    """The input is public once the phase opens, unless teams send code for it; its
    organizers see it before."""
    if phase.hides_input:
        return can(user, phase.task, Power.SEE)
    return sees_kit(user, phase)


def sees_kit(user: Any, phase: Phase) -> bool:
    """The kit, which has what is public alone, is there once the phase opens; for its
    organizers before."""
    begun = phase.state(timezone.now()) != "upcoming"
    return begun or can(user, phase.task, Power.SEE)


def sees_option_files(user: Any, task: Task) -> bool:
    """The scorer's files are public once a phase of the task has opened."""
    now = timezone.now()
    begun = any(phase.opens <= now for phase in task.phases.all())
    return begun or can(user, task, Power.SEE)


def sees_entry(user: Any, entry: Participation) -> bool:
    """Whether the submissions of a team in a task are this reader's to open.

    Those who take part in it may, and the organizers.
    """
    if not user.is_authenticated:
        return False
    return _takes_part(user, entry) or can(user, entry.task, Power.SEE)


def speaks_for(user: Any, entry: Participation, baseline: bool = False) -> bool:
    """Whether the person may tell more about what a team sent.

    About a baseline those may who may edit the task.
    """
    if not user.is_authenticated:
        return False
    if baseline:
        return can(user, entry.task, Power.EDIT)
    return _takes_part(user, entry)


def _takes_part(user: Any, entry: Participation) -> bool:
    key = ("takes part", user.pk, entry.pk)
    return bool(once(key, lambda: _own_entries(person=user.pk, entry=entry.pk)))


@statement(person=BigAutoField(), entry=BigAutoField())
def _own_entries(person: int, entry: int) -> QuerySet:
    mine = Participation.objects.of(Reader(person, True, False)).filter(pk=entry)
    return mine.values_list("pk", flat=True)
