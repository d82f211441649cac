"""Teams in a task: joining, decisions about them, hidden names, organizers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial, reduce
from operator import or_
from secrets import randbelow
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import BigAutoField, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.models import (
    Fact,
    GoldRevision,
    Invitation,
    Notice,
    Organizer,
    Participant,
    Participation,
    Phase,
    RegistrationQuestion,
    Task,
)
from leaderboard.tasks.models.records import announce
from leaderboard.tasks.models.task import TEAM_FACT
from leaderboard.tasks.policy import Disclosure, name_of
from leaderboard.teams.models import Membership, Team, User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.known import once
from leaderboard.web.languages import in_english
from leaderboard.web.locks import lock_rows
from leaderboard.web.statements import statement

Status = Participation.Status
ENDED = frozenset({Status.WITHDRAWN, Status.DISQUALIFIED, Status.REFUSED})
LEAST = 100  # numbers have three digits until there are many teams
ROOM = 20  # numbers to draw from for each team that has one
TRIES = 50


def join(
    task: Task,
    team: Team,
    *,
    anonymous: bool = False,
    accepts_terms: bool = False,
    answers: Mapping[str, Fact] | None = None,
) -> Participation:
    """Enter a task with all members of a team; doing it again changes nothing.

    The entry waits where organizers admit teams. A team that withdrew by itself comes
    back this way. `anonymous`: others do not read its name until the end of the task.
    `accepts_terms` is noted with the time. `answers` to the registration questions
    replace those given before. Raises Refusal when a member already takes
    part with another team, is outside the allowed mail domains, or organizers ended the
    entry.
    """
    try:
        with transaction.atomic():
            if answers:
                lock_task(task.pk)  # no question is removed in between
            entry = _enter_team(task, team)
            if answers:
                _keep_answers(entry, answers)
            if anonymous:
                hide(entry)
            if accepts_terms:
                entry.terms_accepted_at = timezone.now()
                entry.save(update_fields=["terms_accepted_at"])
            return entry
    except IntegrityError:
        raise Refusal(_("Somebody of this team just entered with another.")) from None


def answer(entry: Participation, answers: Mapping[str, Fact]) -> None:
    """Keep what a team answers to the questions that are asked now.

    An answer that is left out is removed; those to hidden questions stay.
    """
    with transaction.atomic():
        task = lock_task(entry.task_id)
        now = lock_rows(Participation.objects.filter(pk=entry.pk)).get().answers
        questions = {question.name for question in task.registration()}
        others = {name: value for name, value in now.items() if name not in questions}
        entry.answers = {**others, **answers}
        Participation.objects.filter(pk=entry.pk).update(answers=entry.answers)
        _publish_answers(entry)


def public_answers(entry: Participation) -> dict[str, Fact]:
    """Answers to public questions, as facts of what the team sends; none of a team that
    hides its name."""
    if entry.anonymous or not entry.answers:
        return {}
    questions = RegistrationQuestion.objects.filter(task=entry.task_id, public=True)
    names = questions.values_list("name", flat=True)
    answers = entry.answers
    return {f"{TEAM_FACT}{name}": answers[name] for name in names if name in answers}


def _publish_answers(entry: Participation) -> None:
    """Put changed answers beside what the team sent already."""
    public, submissions = public_answers(entry), entry.submissions.all()
    for pk, facts in list(submissions.values_list("pk", "facts")):
        own = {name: v for name, v in facts.items() if not name.startswith(TEAM_FACT)}
        if facts != own | public:
            submissions.filter(pk=pk).update(facts=own | public)
            changed_boards(entry)


def _keep_answers(entry: Participation, answers: Mapping[str, Fact]) -> None:
    """Add answers to those of the team, in place of earlier ones."""
    entry.answers = {**entry.answers, **answers}
    Participation.objects.filter(pk=entry.pk).update(answers=entry.answers)
    _publish_answers(entry)


def unanswered_questions(
    entry: Participation | None, task: Task
) -> list[RegistrationQuestion]:
    """The required questions that a team which may take part has not answered."""
    if entry is None or entry.status not in (Status.ACTIVE, Status.PENDING):
        return []
    return [
        question
        for question in task.registration()
        if question.required and question.name not in entry.answers
    ]


def _enter_team(task: Task, team: Team) -> Participation:
    members = list(team.members.all())
    # Locked: what organizers decide meanwhile comes before or after, and is not undone.
    earlier = lock_rows(Participation.objects.filter(task=task, team=team)).first()
    new = earlier is None or earlier.status == Status.WITHDRAWN
    if earlier is not None:
        _require_way_back(earlier)
    if new:
        _require_domains(task, members)
    status = first_status(task, members)
    entry, _created = Participation.objects.get_or_create(
        task=task, team=team, defaults={"status": status}
    )
    if entry.status == Status.WITHDRAWN:
        _come_back(entry, status)
    outside = outside_domains(task, members)
    for member in members:
        if member not in outside:
            _enter(entry, member)
    return entry


def first_status(task: Task, members: list[User]) -> Participation.Status:
    """The status of a new entry: organizers admit themselves by entering."""
    if task.entry == Task.Entry.OPEN:
        return Status.ACTIVE
    organizers = set(task.organizers.values_list("pk", flat=True))
    own = bool(members) and all(member.pk in organizers for member in members)
    return Status.ACTIVE if own else Status.PENDING


def _require_way_back(entry: Participation) -> None:
    reasons = {
        Status.REFUSED: _("The organizers did not admit this team."),
        Status.DISQUALIFIED: _("This team was disqualified."),
    }
    if entry.status == Status.MERGED and entry.merged_into is not None:
        words = _("This team was merged into %(team)s.")
        raise Refusal(words % {"team": entry.merged_into.team})
    if entry.status == Status.WITHDRAWN and not entry.status_by_team:
        raise Refusal(_("The organizers withdrew this team; ask them."))
    if entry.status in reasons:
        raise Refusal(reasons[Status(entry.status)])


def _require_domains(task: Task, members: list[User]) -> None:
    if outside := outside_domains(task, members):
        names = ", ".join(map(str, outside))
        words = _("%(rule)s Not so: %(names)s.")
        raise Refusal(words % {"rule": domain_rule(task), "names": names})


def _come_back(entry: Participation, status: Participation.Status) -> None:
    entry.status, entry.reason = status, ""
    entry.status_at, entry.status_by, entry.status_by_team = timezone.now(), None, True
    entry.save(
        update_fields=["status", "reason", "status_at", "status_by", "status_by_team"]
    )
    changed_boards(entry)


def _enter(entry: Participation, member: User) -> None:
    participants = Participant.objects.filter(task=entry.task, user=member)
    other = participants.exclude(participation=entry).select_related(
        "participation__team"
    )
    if taken := other.first():
        raise Refusal(_conflict_sentence(member, taken))
    mine, created = Participant.objects.get_or_create(
        task=entry.task, user=member, defaults={"participation": entry}
    )
    if not created and mine.left_at is not None:
        mine.left_at = None
        mine.save(update_fields=["left_at"])


def _conflict_sentence(member: User, taken: Participant) -> str:
    """The refusal of somebody who takes part already; it does not name a team that
    hides its name."""
    if taken.participation.anonymous:
        words = _("%(member)s already takes part with another team.")
        return words % {"member": member}
    words = _("%(member)s already takes part with %(team)s.")
    return words % {"member": member, "team": taken.participation.team}


def participation_of(user: User | AnonymousUser, task: Task) -> Participation | None:
    """The team entry a person belongs to in a task, whatever its status.

    Members who joined their team later enter here, unless their address is outside
    the allowed domains; those of a merged team find the team that stayed. Who left
    the team after it sent something belongs to none here.
    """
    if not user.is_authenticated:
        return None
    if participant := _participant(user, task):
        return participant.participation if participant.left_at is None else None
    entry = _entry_of_team(user, task)
    if entry is None or outside_domains(task, [user]):
        return None
    entered, _created = Participant.objects.get_or_create(
        task=task, user=user, defaults={"participation": entry}
    )
    return entered.participation


def _participant(user: User, task: Task) -> Participant | None:
    """The person's row in the task, also of one who left; new members get it later."""
    key = ("participant", user.pk, task.pk)
    rows = once(key, partial(_participants, task=task.pk, user=user.pk))
    return rows[0] if rows else None


@statement(task=BigAutoField(), user=BigAutoField())
def _participants(task: int, user: int) -> QuerySet[Participant]:
    rows = Participant.objects.filter(task=task, user=user)
    return rows.select_related("participation__team")


def _entry_of_team(user: User, task: Task) -> Participation | None:
    entries = Participation.objects.filter(task=task, team__members=user)
    entry = entries.select_related("team").order_by("joined_at").first()
    while entry is not None and entry.merged_into is not None:
        entry = entry.merged_into
    return entry


def within_domains(address: str, domains: Iterable[str]) -> bool:
    """Whether an address is in one of the domains or below one."""
    host = address.rpartition("@")[2].lower().rstrip(".")
    endings = [domain.lower().strip(" .@") for domain in domains]
    return any(host == domain or host.endswith(f".{domain}") for domain in endings)


def outside_domains(task: Task, people: Iterable[User]) -> list[User]:
    """People without a confirmed address in the task's domains; one query.

    Nobody where the task has no list.
    """
    people = list(people)
    if not task.mail_domains:
        return []
    confirmed = EmailAddress.objects.filter(user__in=people, verified=True)
    inside = {
        owner
        for owner, address in confirmed.values_list("user", "email")
        if within_domains(address, task.mail_domains)
    }
    return [person for person in people if person.pk not in inside]


def domain_rule(task: Task) -> str:
    """The rule on mail domains as a sentence; empty where everybody may enter."""
    if not task.mail_domains:
        return ""
    return _(
        "Every member of a team needs a confirmed mail address in %(domains)s or "
        "below it."
    ) % {"domains": ", ".join(task.mail_domains)}


def domain_refusal(task: Task, address: str) -> str:
    """The rule on mail domains as a sentence, where an address may not enter."""
    domains = task.mail_domains
    may_enter = not domains or within_domains(address, domains)
    return "" if may_enter else domain_rule(task)


def own_end(user: Any, phase: Phase) -> datetime | None:
    """The end of a phase for the reader's team; no query where all have one end."""
    if phase.extended_until is None or not user.is_authenticated:
        return phase.closes
    entry = Participation.objects.of(user).filter(task=phase.task_id).first()
    return phase.closes if entry is None else phase.end_for(entry)


@dataclass(frozen=True)
class ParticipationStatus:
    """`entry` is the reader's team in the task; `fine` when it takes part."""

    entry: Participation | None
    text: str
    fine: bool = False
    may_join: bool = False

    @property
    def reason(self) -> str:
        """The reason for the organizers' decision, for the team and them alone."""
        return self.entry.reason if self.entry else ""


def standing_of(user: Any, task: Task) -> ParticipationStatus:
    """The reader's team and its status in the task as a sentence."""
    entry = participation_of(user, task)
    if entry is not None:
        return entry_status(entry)
    rule = domain_rule(task)
    if user.is_authenticated:
        if _participant(user, task):
            # With another team they would have its attempts too.
            sentence = _(
                "You are no longer in a team that has sent something here. One person "
                "can be in one team of a task, so you can come back to that team but "
                "not take part with another."
            )
            return ParticipationStatus(None, sentence)
        if outside_domains(task, [user]) and (team := _entry_of_team(user, task)):
            words = _("Your team %(team)s takes part without you. %(rule)s")
            sentence = words % {"team": team.team, "rule": rule}
            return ParticipationStatus(None, sentence)
    return ParticipationStatus(None, rule, may_join=True)


def entry_status(entry: Participation) -> ParticipationStatus:
    """The status of a team in a task, for its members and the organizers."""
    active = entry.is_active
    may_join = entry.status == Status.WITHDRAWN and entry.status_by_team
    return ParticipationStatus(entry, status_sentence(entry), active, may_join)


def status_sentence(entry: Participation) -> str:
    """The status of an entry in words for its team."""
    sentences = {
        Status.ACTIVE: _("You take part as %(team)s."),
        Status.PENDING: _(
            "%(team)s waits for the organizers to admit it; until then nothing can be "
            "sent."
        ),
        Status.REFUSED: _("The organizers did not admit %(team)s."),
        Status.WITHDRAWN: _(
            "%(team)s was withdrawn from this task: nothing can be sent, and its "
            "submissions are off the boards."
        ),
        Status.DISQUALIFIED: _(
            "%(team)s was disqualified: nothing can be sent, and its submissions are "
            "off the boards."
        ),
        Status.MERGED: _("%(team)s was merged into another team."),
    }
    return sentences[Status(entry.status)] % {"team": entry.team}


@dataclass(frozen=True)
class Decision:
    """A move between statuses; `needs_reason` where the team must be told why.

    `subject` is that of the message to the team.
    """

    title: str | Promise
    old: frozenset[Status]
    new: Status
    needs_reason: bool
    subject: str | Promise


DECISIONS: Mapping[str, Decision] = {
    "admit": Decision(
        gettext_lazy("Admit"),
        frozenset({Status.PENDING}),
        Status.ACTIVE,
        False,
        gettext_lazy("Your team takes part"),
    ),
    "refuse": Decision(
        gettext_lazy("Refuse"),
        frozenset({Status.PENDING}),
        Status.REFUSED,
        True,
        gettext_lazy("Your team was not admitted"),
    ),
    "withdraw": Decision(
        gettext_lazy("Withdraw"),
        frozenset({Status.ACTIVE, Status.PENDING}),
        Status.WITHDRAWN,
        True,
        gettext_lazy("Your team was withdrawn"),
    ),
    "disqualify": Decision(
        gettext_lazy("Disqualify"),
        frozenset({Status.ACTIVE, Status.WITHDRAWN}),
        Status.DISQUALIFIED,
        True,
        gettext_lazy("Your team was disqualified"),
    ),
    "reinstate": Decision(
        gettext_lazy("Reinstate"),
        ENDED,
        Status.ACTIVE,
        False,
        gettext_lazy("Your team takes part again"),
    ),
}


def possible_decisions(entry: Participation) -> list[str]:
    """Names of the decisions that the status of an entry allows."""
    return [
        name for name, decision in DECISIONS.items() if entry.status in decision.old
    ]


def decide(
    entry: Participation, name: str, actor: User, reason: str = ""
) -> Participation:
    """Take a decision as an organizer, with its reason.

    Raises Refusal without a reason where one is needed, and when somebody else
    was first.
    """
    decision = DECISIONS[name]
    reason = " ".join(reason.split())
    if decision.needs_reason and not reason:
        raise Refusal(_("Say why: the team is shown the reason."))
    return _move(entry, decision, actor, reason, by_team=False)


def withdraw_own(entry: Participation, actor: User) -> Participation:
    """Take a team out at its own wish. Raises Refusal when it is out already."""
    return _move(entry, DECISIONS["withdraw"], actor, "", by_team=True)


def _move(
    entry: Participation, decision: Decision, actor: User, reason: str, *, by_team: bool
) -> Participation:
    rows = Participation.objects.filter(pk=entry.pk, status__in=decision.old)
    with transaction.atomic():
        moved = rows.update(
            status=decision.new,
            reason=reason,
            status_at=timezone.now(),
            status_by=actor,
            status_by_team=by_team,
        )
        if not moved:
            raise Refusal(_("The team is not in a state that allows it (any more)."))
        changed_boards(entry)
    entry.refresh_from_db()
    return entry


def changed_boards(entry: Participation) -> None:
    """Let the boards of the task be computed anew: others stand on them now."""
    with transaction.atomic():
        phases = [phase.pk for phase in lock_phases(entry.task_id)]
        Phase.objects.filter(pk__in=phases).touch_boards()


def leads(user: User, entry: Participation) -> bool:
    """Whether a person speaks for a team: a leader, or anybody where there is none.

    Of a merged team the leaders of all parts do.
    """
    members = Membership.objects.filter(team__participations__in=entry.with_merged())
    roles = members.values_list("user", "role")
    leaders = {pk for pk, role in roles if role == Membership.TeamRole.LEADER}
    everybody = {pk for pk, _role in roles}
    return user.pk in (leaders or everybody)


def own_team(user: User, entry: Participation) -> Team | None:
    """The team of an entry, or merged into it, whose page the person may open."""
    return Team.objects.of(user).filter(participations__in=entry.with_merged()).first()


def alias_of(entry: Participation) -> str:
    """The name by which others know the team while it hides its own."""
    return name_of(entry, Disclosure())


def why_not_anonymous(task: Task, entry: Participation | None) -> str:
    """The reason why a team cannot hide its name now; empty where it can.

    Once something was sent under the name, hiding it would hide nothing.
    """
    if not task.allows_anonymous:
        return _("Teams cannot hide their names in this task.")
    if entry is not None and entry.submissions.exists():
        return _("Your team sent something already, under its name.")
    return ""


def hide(entry: Participation) -> None:
    """Show the team by a number from now on.

    The number is drawn by lot: neither the order of joining nor a key tells it.
    Raises Refusal where the task does not allow it or it is too late.
    """
    if entry.anonymous:
        return
    if reason := why_not_anonymous(entry.task, entry):
        raise Refusal(reason)
    if entry.alias is None:
        _draw_alias(entry)
    entry.anonymous = True
    entry.save(update_fields=["anonymous"])
    changed_boards(entry)


def show(entry: Participation) -> None:
    """Give the alias up; what was sent since cannot be hidden again."""
    entry.anonymous = False
    entry.save(update_fields=["anonymous"])
    _publish_answers(entry)
    changed_boards(entry)


def _draw_alias(entry: Participation) -> None:
    """Give the entry a number that no team of the task has: the database says so."""
    teams = Participation.objects.filter(task=entry.task_id).count()
    room = max(1000 - LEAST, ROOM * teams)
    for _try in range(TRIES):
        entry.alias = LEAST + randbelow(room)
        try:
            with transaction.atomic():
                entry.save(update_fields=["alias"])
        except IntegrityError:
            continue
        return
    raise Refusal(_("No number is free; try again."))


def competes_with(task: Task, user: User) -> Participation | None:
    """The entry with which a person competes, if any; one with baselines does not."""
    active = Participation.objects.filter(task=task, status=Status.ACTIVE)
    mine = active.exclude(submissions__baseline=True).of(user)
    return mine.select_related("team").first()


def has_organizers(entry: Participation) -> bool:
    """Whether anybody of a team has, or had, a role in the task.

    Administrators have every role. Who accepted an invitation or brought gold had one,
    also when it ended since. Who left the team counts too: they may have told the
    others. One query, none for an entry that was read `with_organizers`.
    """
    if "organizing" not in vars(entry):
        return any(_organizing(pk=entry.pk))
    return bool(vars(entry)["organizing"])


@statement(pk=BigAutoField())
def _organizing(pk: int) -> QuerySet:
    entries = with_organizers(Participation.objects.filter(pk=pk))
    return entries.values_list("organizing", flat=True)


def with_organizers(entries: QuerySet[Any]) -> QuerySet[Any]:
    """Entries that know, as `organizing`, what `has_organizers` tells of them."""
    task = OuterRef(OuterRef("task"))
    roles = (
        Organizer.objects.filter(task=task, user=OuterRef("pk")),
        Invitation.objects.filter(task=task, accepted_by=OuterRef("pk")),
        GoldRevision.objects.filter(task=task, created_by=OuterRef("pk")),
    )
    has_one = reduce(or_, map(Exists, roles), Q(is_superuser=True))
    members = Q(participants__participation=OuterRef("pk"))
    people = User.objects.filter(members | Q(teams=OuterRef("team")))
    return entries.annotate(organizing=Exists(people.filter(has_one)))


def let_rank(entry: Participation, ranks: bool, why: str, by: User) -> None:
    """Rank a team in which organizers are, or no longer; the public log says why.

    Raises Refusal without a reason, or where nothing would change.
    """
    why = " ".join(why.split())
    if not why:
        raise Refusal(_("Say why: the reason stands in the public log."))
    with transaction.atomic():
        lock_task(entry.task_id)
        rows = Participation.objects.filter(pk=entry.pk, ranks_anyway=not ranks)
        if not rows.update(ranks_anyway=ranks):
            raise Refusal(_("That was decided already."))
        values = {"team": alias_of(entry), "why": why}
        with in_english():
            words = (
                _("%(team)s, in which organizers are, is ranked. Reason: %(why)s")
                if ranks
                else _(
                    "%(team)s, in which organizers are, is unranked. Reason: %(why)s"
                )
            )
            text = words % values
        announce(entry.task, Notice.Kind.RULES, text, by, None)
        changed_boards(entry)
