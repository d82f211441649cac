"""Creating and changing a task by form, without any bundle."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.organize.scorer import ScoringForm
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.scorers import all_scorers, get
from tests.leaderboard.small import both, scored
from tests.loops import loop_over
from tests.organize.drafts import SCORING, TEXTS
from tests.organize.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
ROOT = "/tasks/otters/organize/"
PAGES = (
    "",
    "edit/",
    "scoring/",
    "test-sets/",
    "test-sets/north/",
    "baselines/",
    "check/",
    "bundle/",
    "bundle/download/",
)
VERBS = ("test-sets/north/remove/", "publish/")


def test_every_page_opens_for_its_organizer(task: Task, ada_s: Client) -> None:
    for page in PAGES:
        assert ada_s.get(ROOT + page).status_code == 200, page
    for page in VERBS:
        assert ada_s.get(ROOT + page).status_code == 405, page


def test_an_address_that_only_takes_a_form_is_no_empty_page(
    task: Task, ada_s: Client
) -> None:
    """As the one of a refused form, read again in another language."""
    answer = ada_s.get(ROOT + VERBS[0], headers={"Accept-Language": "de"})
    page = answer.content.decode()
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    assert answer.headers["Content-Language"] == "de"
    assert '<html lang="de">' in page
    assert f'href="{task.get_absolute_url()}"' in page
    assert "nothing was sent" in ada_s.get(ROOT + VERBS[1]).content.decode()
    refused = ada_s.get("/api/v1/tasks/otters/dev/check/")
    assert refused.headers["Content-Type"] == "application/problem+json"


def test_the_tab_stands_where_there_is_a_power(
    task: Task, ada: User, cy: User, client: Client
) -> None:
    assert ROOT not in client.get("/tasks/otters/").content.decode()
    client.force_login(cy)
    assert ROOT not in client.get("/tasks/otters/").content.decode()
    client.force_login(ada)
    assert ROOT in client.get("/tasks/otters/").content.decode()


def test_pages_ask_the_same_questions_however_much_was_sent(
    phase: Phase,
    entry: Participation,
    ada_s: Client,
    django_assert_max_num_queries: Any,
) -> None:
    scored(phase, entry, both())
    for page in ("", "test-sets/", "baselines/"):
        ada_s.get(ROOT + page)
    counted = {}
    for page in ("", "test-sets/"):
        with django_assert_max_num_queries(40) as few:
            ada_s.get(ROOT + page)
        counted[page] = len(few)
    for _ in range(3):
        scored(phase, entry, both())
    for page, number in counted.items():
        with django_assert_max_num_queries(number):
            ada_s.get(ROOT + page)


def test_a_new_task_is_a_draft_of_its_maker(draft: Task, ada: User) -> None:
    assert draft.draft and draft.is_organized_by(ada)
    assert draft.description == "a\nb"
    assert (draft.shown_measures, draft.headline) == (["uas", "las"], "las")
    options = plan_of(draft).scoring.parsed_options
    assert options["labels"] == "coarse"
    assert options["content"] == ("nsubj", "obj")
    assert options["function"] == ("case", "det")
    assert "punctuation" not in draft.options  # what is so anyway is not written


def test_an_unknown_scorer_has_no_form(ada_s: Client) -> None:
    assert ada_s.get("/tasks/new/form/").url == "/tasks/new/"
    assert ada_s.get("/tasks/new/form/?scorer=nobody").status_code == 404


@loop_over("name", sorted(all_scorers()))
def test_every_scorer_has_a_form_for_each_of_its_options(
    name: str, ada_s: Client
) -> None:
    scorer = all_scorers()[name]
    page = ada_s.get(f"/tasks/new/form/?scorer={name}").content.decode()
    for option in scorer.options:
        assert f'name="option_{option.name}"' in page
    data = {
        "headline": scorer.headline,
        "unit": scorer.units[0],
        "level": "0.9",
        "resamples": "100",
        "seed": "0",
    }
    form = ScoringForm(scorer, None, None)
    values = {
        field.html_name: field.value() for field in form.options() if field.value()
    }
    filled = ScoringForm(scorer, None, {**data, **values})
    assert filled.is_valid(), filled.errors
    assert filled.scoring["scoring"].options == {}  # untouched: everything as declared


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"measures": "las\nbleu"}, "measures"),
        ({"headline": "bleu"}, "headline"),
        ({"option_labels": "none"}, "option_labels"),
        ({"resamples": "5"}, "resamples"),
        ({"unit": "page"}, "unit"),
    ],
)
def test_a_wrong_value_is_told_at_its_field(change: dict[str, str], where: str) -> None:
    asked = ScoringForm(get("attachment"), None, {**SCORING, **change})
    assert list(asked.errors) == [where]


def test_nothing_is_made_of_a_wrong_value(ada_s: Client) -> None:
    sent = {**TEXTS, **SCORING, "slug": "beavers", "headline": "bleu"}
    answer = ada_s.post("/tasks/new/form/?scorer=attachment", sent)
    assert answer.status_code == 422
    assert "headline" in answer.context["scoring"].errors
    assert not Task.objects.filter(slug="beavers").exists()


@pytest.mark.parametrize("slug", ["new", "not a slug", "otters"])
def test_a_slug_that_is_taken_or_none_is_refused(
    task: Task, ada_s: Client, slug: str
) -> None:
    sent = {**TEXTS, **SCORING, "slug": slug}
    answer = ada_s.post("/tasks/new/form/?scorer=attachment", sent)
    assert "slug" in answer.context["texts"].errors


def test_an_address_that_is_taken_is_called_as_in_the_form(
    task: Task, ada_s: Client
) -> None:
    sent = {**TEXTS, **SCORING, "slug": task.slug}
    answer = ada_s.post("/tasks/new/form/?scorer=attachment", sent)
    assert answer.context["texts"].errors["slug"] == ["Another task has this address."]


def test_a_measure_of_a_single_tag_can_be_shown(ada_s: Client) -> None:
    sent = {
        **TEXTS,
        **SCORING,
        "slug": "beavers",
        # Boxes and lines have one name.
        "measures": ["recall", "f1", "f1[PERSON]\r\nf1"],
        "headline": "f1",
        "unit": "document",
    }
    for slug in ("Otters", "ot ters", "-otters"):
        refused = ada_s.post("/tasks/new/form/?scorer=spans", {**sent, "slug": slug})
        (said,) = refused.context["texts"].errors["slug"]
        assert said == "Small letters, digits, “-” and “_”, no sign first."
    wrong = {**sent, "slug": "Otters", "headline": "wetness"}
    page = ada_s.post("/tasks/new/form/?scorer=spans", wrong).content.decode()
    assert page.count("Please fix this first") == 1
    assert "no sign first" in page and "There is no measure “wetness”" in page
    ada_s.post("/tasks/new/form/?scorer=spans", sent)
    made = Task.objects.exclude(slug="otters").get()
    assert made.shown_measures == ["recall", "f1", "f1[PERSON]"]
    page = ada_s.get("/tasks/beavers/organize/scoring/").content.decode()
    boxes = re.findall(
        r'value="(\S+)"[^>]*name="measures"|name="measures" value="(\S+)"', page
    )
    shown = ["recall", "f1", "f1[PERSON]", "precision"]
    assert ["".join(one) for one in boxes][:4] == shown
    assert ">f1[PERSON]</textarea>" not in page
    assert '<option value="f1[PERSON]">' in page


def test_texts_are_saved(task: Task, ada_s: Client) -> None:
    assert ada_s.post(ROOT + "edit/", TEXTS).status_code == 302
    task.refresh_from_db()
    assert (task.title, task.prizes, task.description) == ("Beavers", 2, "a\nb")
    assert task.margin is None


def test_a_margin_is_saved_and_taken_back(task: Task, ada_s: Client) -> None:
    for said, margin in (("0.25", 0.25), ("", None)):
        assert ada_s.post(ROOT + "edit/", {**TEXTS, "margin": said}).status_code == 302
        task.refresh_from_db()
        assert task.margin == margin
    assert ada_s.post(ROOT + "edit/", {**TEXTS, "margin": "0"}).status_code == 422


def test_options_change_until_something_was_scored(
    task: Task, phase: Phase, entry: Participation, ada_s: Client
) -> None:
    weights = SimpleUploadedFile("weights.csv", b"relation,weight\ndet,0.2\n")
    sent = {**SCORING, "option_weights": weights}
    assert ada_s.post(ROOT + "scoring/", sent).status_code == 302
    assert Task.objects.get().option_files[0]["file"] == "weights.csv"
    scored(phase, entry, both())
    other = {**SCORING, "option_labels": "full", "seed": "99", "headline": "uas"}
    assert ada_s.post(ROOT + "scoring/", other).status_code == 302
    found = Task.objects.get()
    assert (found.headline, found.seed) == ("uas", 7)
    assert found.options["labels"] == ["coarse"]
    assert found.option_files[0]["file"] == "weights.csv"


def test_a_file_among_the_options_is_linked_for_those_who_can_open_it(
    task: Task, phase: Phase, ada_s: Client
) -> None:
    weights = SimpleUploadedFile("weights.csv", b"relation,weight\ndet,0.2\n")
    ada_s.post(ROOT + "scoring/", {**SCORING, "option_weights": weights})
    page, address = "/tasks/otters/data/", "/tasks/otters/options/weights.csv"
    anybody = Client()
    for opens, readers in ((-1, (ada_s, anybody)), (1, (ada_s,))):
        task.phases.update(opens=timezone.now() + timedelta(days=opens), closes=None)
        for reader in (ada_s, anybody):
            assert (address in reader.get(page).text) == (reader in readers)
            assert (reader.get(address).status_code == 200) == (reader in readers)


def test_a_file_among_the_options_can_be_taken_out(task: Task, ada_s: Client) -> None:
    weights = SimpleUploadedFile("weights.csv", b"relation,weight\ndet,0.2\n")
    ada_s.post(ROOT + "scoring/", {**SCORING, "option_weights": weights})
    ada_s.post(ROOT + "scoring/", {**SCORING, "drop_weights": "on"})
    assert Task.objects.get().option_files == []


def test_options_that_the_gold_does_not_fit_are_refused(
    task: Task, ada_s: Client
) -> None:
    answer = ada_s.post(ROOT + "scoring/", {**SCORING, "unit": "document"})
    assert answer.status_code == 422
    assert "no unit" in answer.content.decode()


def test_another_scorer_can_be_taken_before_there_is_gold(
    draft: Task, ada_s: Client
) -> None:
    sent = {**SCORING, "headline": "f1", "measures": "", "unit": "document"}
    ada_s.post("/tasks/beavers/organize/scoring/?scorer=spans", sent)
    draft.refresh_from_db()
    assert draft.scorer_name == "spans"


@pytest.mark.parametrize(
    ("scorer", "values", "said"),
    [
        ("retrieval", {"option_cutoffs": "50, ten"}, "cutoffs are '50,ten'; expected"),
        ("spans", {"option_alias": "nothing"}, "'nothing'; expected NAME=LABEL"),
        ("spans", {"option_strict": "on"}, "'strict' needs the scheme iob2"),
    ],
)
def test_options_that_no_gold_could_fit_are_refused_before_there_is_any(
    scorer: str, values: dict[str, str], said: str, draft: Task, ada_s: Client
) -> None:
    first = get(scorer)
    sent = {**SCORING, "headline": first.headline, "measures": ""}
    sent |= {"unit": first.units[-1], **values}
    page = ada_s.post(f"/tasks/beavers/organize/scoring/?scorer={scorer}", sent)
    assert page.status_code == 422 and said in unescape(page.content.decode())
    draft.refresh_from_db()
    assert draft.scorer_name != scorer


@pytest.mark.parametrize(
    "address", ["/tasks/new/form/", "/tasks/beavers/organize/scoring/"]
)
def test_where_the_unit_depends_on_the_gold_none_need_be_chosen(
    address: str, draft: Task, ada_s: Client
) -> None:
    form = ada_s.get(address, {"scorer": "spans"}).content.decode()
    units = form.partition('name="unit"')[2].partition("</select>")[0]
    offered = [part.partition('"')[0] for part in units.split('value="')[1:]]
    assert offered == ["", "sentence", "document"]


def test_a_page_that_is_out_of_date_is_refused_once(task: Task, ada_s: Client) -> None:
    client, address = ada_s, ROOT + "edit/"
    page = Page(address, client.get(address).content.decode())
    fields = page.form_at(address).filled({"title": "Mine"})
    Task.objects.update(summary="Theirs.")
    refused = client.post(address, fields)
    assert refused.status_code == 422
    assert "Somebody changed this in the meantime" in refused.content.decode()
    assert Task.objects.get().summary == "Theirs."
    again = Page(address, refused.content.decode()).form_at(address).filled({})
    assert client.post(address, again).status_code == 302
    assert (Task.objects.get().title, Task.objects.get().summary) == (
        "Mine",
        fields["summary"][0],
    )


def test_a_new_task_begins_with_the_measures_beside_the_one_that_ranks() -> None:
    """All 22 of coreference were too many for a page, and are a tick away."""
    scorers = all_scorers()
    f1 = ["conll", "muc", "bcub", "ceafe", "ceafm", "lea"]
    for name, expected in {
        "coreference": [f"{one}_f1" for one in f1],
        "conll18": ["lemmas", "uas", "las", "clas", "mlas", "blex"],
        "semarkup": ["feats", "uas", "las", "semslot", "semclass", "total"],
        "translation": [],  # few: all
    }.items():
        form = ScoringForm(scorers[name], None)
        assert (form.initial["measures"] or []) == expected, name
        assert all(one in str(form["measures"]) for one in expected)
