"""Test sets by form: added, changed, removed, and what their gold must be."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.organize import test_sets
from leaderboard.organize.checklist import remarks
from leaderboard.organize.scorer import replace_options
from leaderboard.sandbox.jobs.gold import declarable
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.engine import Job
from scoring.formats.bundle import zip_files
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from tests.leaderboard.small import both, conllu, perfect, scored
from tests.organize.drafts import gold

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
ROOT = "/tasks/otters/organize/"


def add(client: Client, slug: str = "beavers", **fields: Any) -> Any:
    sent = {"title": "North", "name": "north", "position": "0", **fields}
    address = reverse("organize-test-sets", args=[slug])
    return client.post(address, {"gold": gold(), **sent})


def test_a_test_set_is_added_with_a_blind_file_made_from_its_gold(
    draft: Task, ada_s: Client
) -> None:
    assert add(ada_s).status_code == 302
    test_set = draft.test_sets.get()
    assert b"nsubj" not in test_set.blind().single()
    assert draft.gold_revisions.get().files.get().units == 2


def test_a_mistake_in_gold_is_told_with_its_line_to_its_organizer(
    draft: Task, ada_s: Client
) -> None:
    broken = perfect().replace(b"\t2\tdet", b"\t9\tdet")
    answer = add(ada_s, gold=gold(broken))
    assert answer.status_code == 422
    (problem,) = answer.context["problems"]
    assert (problem.file, problem.line) == ("north.conllu", 2)
    assert not draft.test_sets.exists()


def test_gold_in_a_zip_of_its_own_is_the_file_in_it(draft: Task, ada_s: Client) -> None:
    packed = zip_files("north.zip", {"texts.conllu": perfect()}).single()
    assert add(ada_s, gold=gold(packed, "north.zip")).status_code == 302
    file = draft.gold_revisions.get().files.get()
    assert (file.name, draft.test_sets.get().blind().name) == ("texts.conllu",) * 2


def test_two_test_sets_do_not_share_a_title_or_a_name(
    draft: Task, ada_s: Client
) -> None:
    assert add(ada_s).status_code == 302
    again = add(ada_s, position="1").content.decode()
    assert "Another test set has this title." in again
    assert "There is a test set of this name." in again
    assert add(ada_s, title="South", name="south", position="1").status_code == 302
    address = reverse("organize-test-set", args=["beavers", "south"])
    fields = {"title": "North", "position": "1", "weight": "1"}
    assert (
        "Another test set has this title."
        in ada_s.post(address, fields).content.decode()
    )
    assert ada_s.post(address, fields | {"title": "South"}).status_code == 302


CLASSES = b"id,label\n1,pos\n2,neg\n3,pos\n"


def of_classes(draft: Task) -> None:
    draft.scorer_name, draft.headline, draft.unit = "classes", "macro_f1", "item"
    draft.shown_measures, draft.options = [], {}
    draft.save()


def test_the_labels_of_the_first_gold_are_offered_as_those_of_the_task(
    draft: Task, ada_s: Client
) -> None:
    of_classes(draft)
    page = ada_s.get(reverse("organize-test-sets", args=["beavers"])).content.decode()
    assert re.search(r'<input[^>]*name="declare"[^>]*checked', page)
    sent = {"declare": "on", "gold": gold(CLASSES, "gold.csv")}
    assert add(ada_s, **sent).status_code == 302
    draft.refresh_from_db()
    assert draft.parsed_options["labels"] == ("neg", "pos")
    assert not [x for x in remarks(draft, None) if "declares no labels" in x.text]
    address = reverse("organize-test-sets", args=["beavers"])
    page = ada_s.get(address).content.decode().replace("&#x27;", "'")
    assert "The task has these labels now, and no others: 'neg', 'pos'." in page
    assert 'name="declare"' not in page


def test_gold_with_other_labels_than_the_list_names_the_page_of_the_list(
    draft: Task, ada_s: Client
) -> None:
    of_classes(draft)
    assert add(ada_s, declare="on", gold=gold(CLASSES, "gold.csv")).status_code == 302
    other = {"title": "South", "name": "south", "position": "1"}
    bools = CLASSES.replace(b"pos", b"True").replace(b"neg", b"False")
    answer = add(ada_s, gold=gold(bools, "south.csv"), **other)
    first, *_ = answer.context["problems"]
    assert "3 of 3, such as 'True'" in first.message
    assert first.hint.endswith("or change these on the page “Scoring”.")


def test_labels_that_are_taken_off_the_offer_are_not_declared(
    draft: Task, ada_s: Client
) -> None:
    of_classes(draft)
    assert add(ada_s, gold=gold(CLASSES, "gold.csv")).status_code == 302
    draft.refresh_from_db()
    assert draft.parsed_options["labels"] == ()
    (remark,) = [x for x in remarks(draft, None) if "declares no labels" in x.text]
    assert remark.place.address.endswith("#id_option_labels")


def test_an_input_file_made_of_the_gold_follows_the_options(
    draft: Task, ada: User, ada_s: Client
) -> None:
    of_classes(draft)
    asked = b"id,label,text\n1,pos,sun\n2,neg,rain\n"
    own = gold(b"id,text\n1,Sun!\n2,Rain!\n", "own.csv")
    assert add(ada_s, gold=gold(asked, "gold.csv")).status_code == 302
    south = {"title": "South", "name": "south", "position": "1", "blind": own}
    assert add(ada_s, gold=gold(asked, "south.csv"), **south).status_code == 302
    replace_options(draft, {"inputs": ["text"]}, ada)
    made, given = (one.blind().single() for one in draft.test_sets.order_by("position"))
    assert made == b"id,text\n1,sun\n2,rain\n"
    assert given == b"id,text\n1,Sun!\n2,Rain!\n"


def test_scorers_without_a_list_of_labels_offer_none(
    draft: Task, ada_s: Client
) -> None:
    page = ada_s.get(reverse("organize-test-sets", args=["beavers"])).content.decode()
    assert 'name="declare"' not in page


def test_grades_are_declared_in_their_order_and_without_gaps() -> None:
    scorer = get("classes")
    for written, wanted in (
        (["10", "8", "9", "12"], ["8", "9", "10", "11", "12"]),
        (["b", "a", "1"], ["1", "a", "b"]),
    ):
        rows = "".join(f"i{n},{label}\n" for n, label in enumerate(written))
        file = Source.of_bytes("gold", f"id,label\n{rows}".encode())
        job = Job(scorer, parse(scorer.options, {}))
        assert declarable(job, file) == wanted
        declared = Job(scorer, parse(scorer.options, {"labels": [*wanted]}))
        assert declarable(declared, file) == []


@pytest.mark.parametrize("change", [lambda data: data, lambda data: b"# x\n" + data])
def test_a_blind_file_that_holds_the_answers_is_refused(
    change: Callable[[bytes], bytes], draft: Task, ada_s: Client
) -> None:
    answer = add(ada_s, blind=gold(change(perfect()), "blind.conllu"))
    assert answer.status_code == 422
    (problem,) = answer.context["problems"]
    assert (problem.code, problem.file) == ("blind_answers", "blind.conllu")
    assert not draft.test_sets.exists()


def test_the_board_of_a_draft_without_phases_says_so(
    draft: Task, ada_s: Client
) -> None:
    draft.phases.all().delete()
    page = ada_s.get(f"{draft.get_absolute_url()}board/", follow=True)
    assert page.redirect_chain == [(draft.get_absolute_url(), 302)]
    assert "There are no phases yet." in page.text


def test_names_and_places_of_test_sets_differ(draft: Task, ada_s: Client) -> None:
    add(ada_s)
    errors = add(ada_s).context["form"].errors
    assert {"name", "position"} <= set(errors)


def test_gold_is_replaced_while_nothing_was_sent(draft: Task, ada_s: Client) -> None:
    add(ada_s)
    address = reverse("organize-test-set", args=["beavers", "north"])
    other = conllu((2, 0, 2, 3, 0, 1, 1, 3)).encode()
    sent = {"title": "North again", "position": "3", "gold": gold(other)}
    assert ada_s.post(address, sent).status_code == 302
    test_set = draft.test_sets.get()
    assert (test_set.title, test_set.position) == ("North again", 3)
    assert draft.gold_revisions.get().files.get().source().single() == other


def test_a_blind_file_of_other_units_than_the_gold_is_told_as_that(
    draft: Task, ada_s: Client
) -> None:
    shorter = perfect().split(b"\n\n")[0] + b"\n\n"
    answer = add(ada_s, blind=gold(shorter, "blind.conllu"))
    assert answer.status_code == 422
    first, *others = answer.context["problems"]
    assert (first.code, first.file) == ("blind", "blind.conllu")
    assert "does not answer what this input file asks" in first.message
    assert {problem.file for problem in others} == {"north.conllu"}
    assert "s2 is not in the input file" in others[0].message
    assert not draft.test_sets.exists()


def test_an_own_blind_file_stays_when_only_the_gold_changes(
    draft: Task, ada_s: Client
) -> None:
    add(ada_s)
    made = draft.test_sets.get().blind().single()
    own = b"# ours\n" + made
    address = reverse("organize-test-set", args=["beavers", "north"])
    sent = {"title": "North", "position": "0"}
    ada_s.post(address, {**sent, "blind": gold(own, "blind.conllu")})
    other = gold(conllu((2, 0, 2, 3, 0, 1, 1, 3)).encode())
    ada_s.post(address, {**sent, "gold": other})
    assert draft.test_sets.get().blind().single() == own


def test_gold_in_use_becomes_a_draft_revision(
    task: Task, phase: Phase, entry: Participation, ada_s: Client
) -> None:
    scored(phase, entry, both())
    other = gold(conllu((2, 3, 0, 3, 2, 0, 2, 2)).encode())
    sent = {"title": "North", "position": "0", "gold": other}
    answer = ada_s.post(ROOT + "test-sets/north/", sent, follow=True)
    assert "draft revision" in answer.content.decode()
    assert task.gold_revisions.count() == 2


def test_a_test_set_in_use_cannot_be_removed(
    task: Task, phase: Phase, entry: Participation, ada_s: Client
) -> None:
    scored(phase, entry, both())
    answer = ada_s.post(ROOT + "test-sets/north/remove/")
    assert answer.status_code == 422
    assert "cannot be removed" in answer.content.decode()
    assert task.test_sets.count() == 2


def test_the_only_test_set_of_a_phase_cannot_be_removed(
    task: Task, phase: Phase, ada_s: Client
) -> None:
    assert ada_s.post(ROOT + "test-sets/north/remove/").status_code == 302
    answer = ada_s.post(ROOT + "test-sets/south/remove/")
    assert answer.status_code == 422
    assert "on this test set alone" in answer.content.decode()


def test_what_changes_while_gold_is_tried_is_not_set_back(
    task: Task, phase: Phase, ada_s: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    closes = phase.closes + timedelta(days=2)
    tried = test_sets.check_gold

    def slowly(*given: Any) -> Any:
        Phase.objects.filter(pk=phase.pk).update(closes=closes)
        return tried(*given)

    monkeypatch.setattr(test_sets, "check_gold", slowly)
    east = {"title": "East", "name": "east", "position": "7"}
    answer = add(ada_s, "otters", **east)
    (problem,) = answer.context["problems"]
    assert problem.message == "The task was changed meanwhile: look again."
    assert add(ada_s, "otters", **east).status_code == 302
    assert Phase.objects.get(pk=phase.pk).closes == closes
