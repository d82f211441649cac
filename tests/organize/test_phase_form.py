"""What the form of a phase keeps, shows and leaves alone."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.urls import URLPattern, get_resolver, resolve
from django.utils import timezone

from leaderboard.organize.baselines import BaselineForm
from leaderboard.organize.phase_form import PhaseForm
from leaderboard.submissions import accept
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.tasks.phase_rules import RESERVED
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, upload
from tests.organize.phase_fields import form, wall

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
CONFIRMED = {"confirm": "on", "note": "Said."}


def test_what_changed_while_the_form_was_open_is_left_alone(phase: Phase) -> None:
    asked = form(phase, title="Testing")
    assert asked.is_valid(), asked.errors
    meanwhile = Phase.objects.filter(pk=phase.pk)
    meanwhile.update(board_version=7, paused=True, paused_note="A moment.")
    asked.store()
    phase.refresh_from_db()
    assert (phase.title, phase.paused, phase.board_version) == ("Testing", True, 8)


def test_two_phases_do_not_share_a_title(phase: Phase) -> None:
    other = Phase.objects.get(pk=phase.pk)
    other.pk, other.name, other.title = None, "late", "Late"
    other.save()
    asked = form(phase, title="Late")
    assert asked.errors["title"] == ["Another phase of this task has that title."]
    Phase.objects.filter(name="late").update(title=phase.title)
    assert form(phase).is_valid(), "what was there already stays"


def test_nobody_need_be_told_of_changes_to_a_draft(phase: Phase) -> None:
    Task.objects.update(draft=True)
    later = wall(phase.opens + timedelta(minutes=1))
    asked = form(phase, opens=later, closes="")
    assert phase.state() == "open" and asked.is_valid(), asked.errors
    assert asked.store().closes is None


def test_only_teams_that_take_part_are_offered(
    phase: Phase, entry: Participation, cy: User
) -> None:
    waiting = join(phase.task, Team.found("Cys", cy))
    waiting.status = Participation.Status.PENDING
    waiting.save()
    offered = form(phase).fields["chosen"].queryset  # type: ignore[attr-defined]
    assert list(offered) == [entry]


def test_chosen_teams_are_kept(phase: Phase, entry: Participation) -> None:
    asked = form(phase, who="chosen", chosen=[entry.pk], confirm="on", note="Finals.")
    assert asked.is_valid(), asked.errors
    asked.store()
    assert list(phase.chosen.all()) == [entry]
    fewer = form(Phase.objects.get(pk=phase.pk))
    assert not fewer.is_valid()
    assert fewer.effects == ["Teams that could submit so far no longer can."]


def test_pilots_before_the_opening_make_changes_ones_to_confirm(
    upcoming: Phase, ada: User
) -> None:
    free = form(upcoming, counts="last")
    assert free.is_valid(), free.errors
    house = join(upcoming.task, Team.found("House", ada))
    accept.submit(upload(upcoming, house, both()))
    assert not form(upcoming, counts="last").is_valid()


def test_drawing_anew_changes_the_salt_and_nothing_else_does(phase: Phase) -> None:
    Phase.objects.filter(pk=phase.pk).update(private_share=0.5)
    phase.refresh_from_db()
    salt = phase.salt
    asked = form(phase, private_share="0.5")
    assert asked.is_valid(), asked.errors
    assert asked.store().salt == salt
    said = {"confirm": "on", "note": "Drawn anew."}
    anew = form(phase, private_share="0.5", new_salt="on", **said)
    assert anew.is_valid(), anew.errors
    assert anew.store().salt != salt


def addresses(patterns: Any = None, before: str = "/") -> Iterator[tuple[str, str]]:
    """Every route of the site with its name."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield route, str(one.name)
        else:
            yield from addresses(one.url_patterns, route)


@pytest.mark.parametrize("root", ["/tasks/<slug:slug>/", "/api/v1/tasks/<slug:slug>/"])
def test_no_name_of_a_phase_hides_its_pages(root: str) -> None:
    below = [(route[len(root) :], n) for route, n in addresses() if root in route]
    first = {route.partition("/")[0] for route, _name in below}
    words = set(filter(re.compile(r"[a-z-]+").fullmatch, first)) - RESERVED
    assert len(words) > 3
    for route, name in below:
        for word in words if route.startswith("<slug:phase>/") else ():
            address = root + route.replace("<slug:phase>", word)
            address = re.sub(r"<(slug|str):\w+>", "x", address)
            assert resolve(address).url_name == name, address


def test_freeze_and_reveal_of_a_running_phase_lie_ahead(phase: Phase) -> None:
    past = wall(timezone.now() - timedelta(hours=1))
    asked = form(phase, freeze_from=past, **CONFIRMED)
    assert "from a moment that is over" in str(asked.errors["freeze_from"])
    ends = timezone.now() - timedelta(hours=2)
    Phase.objects.filter(pk=phase.pk).update(closes=ends)
    phase.refresh_from_db()
    asked = form(phase, reveal_at=past, **CONFIRMED)
    assert "revealed already" in str(asked.errors["reveal_at"])


def test_a_phase_to_come_does_not_end_before_it_was_open(upcoming: Phase) -> None:
    now = timezone.now()
    over = {"opens": now - timedelta(hours=2), "closes": now - timedelta(hours=1)}
    asked = form(upcoming, **{name: wall(moment) for name, moment in over.items()})
    assert "has to lie in the future" in str(asked.errors["closes"])


def test_a_form_without_its_times_is_refused_in_words(phase: Phase) -> None:
    """A program may send anything; moments are not compared with clocks of no zone."""
    same = Phase.objects.select_related("task").get(pk=phase.pk)
    asked = PhaseForm({"closes": "2031-01-01T12:00"}, instance=same)
    assert not asked.is_valid()
    assert "time_zone" in asked.errors


@pytest.mark.parametrize("key", ["9" * 25, "-1", "north", "\x00", "1.5"])
def test_a_key_that_is_no_row_is_refused_and_not_asked_of_the_database(
    phase: Phase, entry: Participation, key: str
) -> None:
    for field in ("test_sets", "chosen"):
        asked = form(phase, **{field: [key]})
        assert not asked.is_valid() and "valid choice" in str(asked.errors[field])
    baseline = BaselineForm(phase.task, {"system": "first", "phases": [key]}, {})
    assert "valid choice" in str(baseline.errors["phases"])
