"""What few units forbid: private parts, and publishing without a word."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.organize.checklist import Weight
from leaderboard.organize.setup_check import check_setup
from leaderboard.results.status import status_of
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.tasks.phase_rules import rough, smaller_part, too_few
from leaderboard.teams.models import Team, User
from scoring.errors import SetupError
from scoring.source import Source
from tests.leaderboard.small import manifest, scored
from tests.organize.phase_fields import filled, text

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
EDIT = "/tasks/otters/organize/phases/test/edit/"
ONE_RUN = (
    "Every system here has one run: intervals and tests do not contain how much runs "
    "of one system differ."
)


@pytest.fixture(autouse=True)
def limits(settings: Any) -> None:
    settings.LEAST_PART_UNITS, settings.LEAST_HEADLINE_UNITS = 20, 10


def columns(sentences: int) -> bytes:
    """CoNLL columns without document lines; every second sentence has a name."""
    return "".join(
        f"w{i}\tO\nAda\t{'B-PER' if i % 2 else 'O'}\n\n" for i in range(sentences)
    ).encode()


def spans(sentences: int, **phase: Any) -> Source:
    table = manifest(
        scorer={"name": "spans", "headline": "f1", "options": {"format": "conll"}},
        test_sets=[{"name": "names", "title": "Names", "gold": "names.conll"}],
    )
    table["phases"][0] |= phase
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "description.md": b"Names.",
        "names.conll": columns(sentences),
    }
    return Source("otters", files)


def test_parts_are_of_the_smaller_half() -> None:
    assert smaller_part(100, 0.3) == smaller_part(100, 0.7) == 30
    assert smaller_part(1, 0.5) == 0


def test_a_bundle_is_refused_with_the_number(ada: User) -> None:
    with pytest.raises(SetupError) as caught:
        create_task(spans(39, private_share=0.5), ada)
    (problem,) = caught.value.problems
    assert problem.code == "few_units"
    assert "“Names” has 19 of 39" in problem.message
    assert create_task(spans(40, private_share=0.5), ada).unit == "sentence"


def test_a_form_is_refused_with_the_number(
    task: Task, phase: Phase, ada: User, as_user: Login
) -> None:
    """A test set of two sentences."""
    told = {"confirm": "on", "note": "said"}
    answer = as_user(ada).post(EDIT, filled(phase, private_share=0.5, **told))
    assert answer.status_code == 422
    assert "need" in text(answer) and "“North”" in text(answer)
    phase.refresh_from_db()
    assert phase.private_share is None


def test_what_a_phase_has_it_keeps(
    task: Task, phase: Phase, ada: User, as_user: Login
) -> None:
    Phase.objects.filter(pk=phase.pk).update(private_share=0.5)
    phase.refresh_from_db()
    fields = filled(phase, title="Other", private_share=0.5)
    answer = as_user(ada).post(EDIT, fields)
    assert answer.status_code == 302
    plan = whole_plan(task)
    apply(task, plan.with_values(title="Other"), ada, plan)


def test_the_check_names_small_parts_and_stands_against_publishing(
    task: Task, phase: Phase
) -> None:
    phase.private_share = 0.4
    (said,) = too_few(phase, {"North": 45})
    assert "18 of 45" in said
    assert list(too_few(phase, {"North": 50})) == []
    (warned,) = rough(phase, {"North": 200, "South": 400})
    assert "“North” that is scored has 80 units" in warned
    phase.save()
    found = check_setup(task)
    assert any("North" in line and "private part" in line for line in found.blocking)


def test_publishing_with_few_units_is_said_to_be_meant(
    ada: User, as_user: Login
) -> None:
    """Nine sentences with two names each half: five units bear on F1."""
    task = create_task(spans(9), ada)
    Task.objects.update(draft=True)
    client, address = as_user(ada), "/tasks/otters/organize/publish/"
    answer = client.post(address)
    assert answer.status_code == 422
    assert "Units of “Names” that bear on F1: only 4" in text(answer)
    assert 'name="few_units"' in text(answer)
    assert "Not published: tick that you mean it." in text(answer)
    assert Task.objects.get(pk=task.pk).draft
    api = "/api/v1/tasks/otters/publication/"
    refused = client.post(api).json()
    assert refused["code"] == "unfit_task"
    assert "Units of “Names” that bear on F1: only 4" in refused["detail"]
    published = client.post(api, {"few_units": True}, "application/json").json()
    weights = [remark["weight"] for remark in published["remarks"]]
    assert weights[0] == "tick" and weights == sorted(weights, key=list(Weight).index)
    assert not Task.objects.get(pk=task.pk).draft


def test_the_command_publishes_few_units_only_when_told(
    ada: User, tmp_path: Any
) -> None:
    for name, data in spans(9).files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(
        CommandError, match=r"Units \(sentence\) of .+: 9\. Of fewer than 10"
    ):
        call_command("import_task", str(tmp_path), organizer=ada.email)
    assert not Task.objects.exists()
    call_command("import_task", str(tmp_path), organizer=ada.email, few_units=True)
    assert not Task.objects.get().draft


def test_a_board_of_columns_has_intervals_and_names_its_unit(
    ada: User, ben: User
) -> None:
    """The emerging entities of 2017 as they were given out showed [41.9, 41.9]."""
    phase = create_task(spans(60), ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    answers = columns(60).replace(b"w9\tO\nAda\tB-PER", b"w9\tO\nAda\tO")
    scored(phase, entry, {"names": answers})
    (row,) = (shown := board(BoardQuery(phase))).rows
    assert row.scores[0].low < row.scores[0].value < row.scores[0].high
    assert shown.unit_note == "Resampled unit: sentence."
    assert shown.lead_notes == [ONE_RUN]


def test_a_board_of_one_document_says_that_there_is_no_interval(
    ada: User, ben: User
) -> None:
    table = spans(60)
    unit = table.files["task.yaml"].replace(
        b"name: spans", b"name: spans\n  unit: document"
    )
    source = Source("otters", {**table.files, "task.yaml": unit})
    phase = create_task(source, ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    sent = scored(phase, entry, {"names": columns(60)})
    (row,) = board(BoardQuery(phase)).rows
    assert row.scores[0].interval == "[n/a]"
    page = Client().get("/tasks/otters/test/board/").content.decode()
    assert "[n/a]: no interval" in page and "[100.0, 100.0]" not in page
    csv = Client().get("/tasks/otters/test/board.csv").content.decode()
    assert ",100.0," not in csv and ",1.0,,,1" in csv
    found = Client().get("/api/v1/tasks/otters/test/board/").json()
    score = found["rows"][0]["scores"]["f1"]
    assert score == {
        "value": 1.0,
        "low": None,
        "high": None,
        "informative_units": 1,
        "few_units": True,
    }
    assert sent.evaluations.get().results["overall"]["f1"]["low"] is None


def talks(ada: User, ben: User, **phase: Any) -> tuple[Phase, Submission]:
    """Of 90 words in 30 segments ten are wrong; three failed segments of three words
    are ten points more, which the interval does not reach."""
    table = manifest(
        scorer={"name": "transcripts", "headline": "wer"},
        test_sets=[{"name": "talks", "title": "Talks", "gold": "talks.csv"}],
    )
    table["phases"][0] |= phase
    rows = [f"u{i:02},one two three" for i in range(30)]
    gold = "\n".join(["id,text", *rows, ""]).encode()
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "description.md": b"Talks.",
        "talks.csv": gold,
    }
    made = create_task(Source("otters", files), ada).phases.get()
    entry = join(made.task, Team.found("Bens", ben))
    sent = scored(made, entry, {"talks": re.sub(b"(u0.),one", rb"\1,won", gold)})
    return made, sent


def test_a_board_of_an_error_rate_says_what_rare_failures_would_do(
    ada: User, ben: User
) -> None:
    phase, _sent = talks(ada, ben)
    expected = (
        "Resampled unit: segment. Rare failures may not have shown: 3 of them, each in "
        "a unit as large as the largest here, would move WER by 10.00, out of its "
        "interval."
    )
    assert board(BoardQuery(phase)).unit_note == expected
    page = Client().get("/tasks/otters/test/board/").content.decode()
    assert expected in page
    found = Client().get("/api/v1/tasks/otters/test/board/").json()
    assert found["unit_note"] == f"{expected} {ONE_RUN}"


def test_a_submission_says_of_its_error_rate_what_rare_failures_would_do(
    ada: User, ben: User, as_user: Login
) -> None:
    _phase, sent = talks(ada, ben)
    remark = "failures in fewer than 3 of 30 units may not have shown: so many would"
    client = as_user(ben)
    page = client.get(f"/submissions/{sent.pk}/").content.decode()
    assert remark.capitalize() in page and "move WER by 10," in page
    found = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    told = " ".join(found["test_sets"]["talks"]["remarks"])
    assert remark in told and "move WER by 10," in told


def test_a_submission_names_measures_of_few_units_by_their_titles(
    ada: User, ben: User
) -> None:
    """Eight sentences with four names, of one label, of which three are measures."""
    source = spans(8)
    table = yaml.safe_load(source.files["task.yaml"])
    table["scorer"]["measures"] = ["f1", "precision[PER]", "token_recall"]
    files = {**source.files, "task.yaml": yaml.safe_dump(table).encode()}
    phase = create_task(Source("otters", files), ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    sent = scored(phase, entry, {"names": columns(8)})
    (part,) = status_of(sent, ben).test_sets
    (remark,) = part.remarks
    assert remark.startswith("only 4 units bear on F1, Precision of PER, Token Recall:")


def test_a_board_says_that_sentences_of_a_document_are_alike(
    ada: User, ben: User
) -> None:
    """Documents that are wholly right or wholly wrong, of ten sentences each."""
    marked = "".join(
        f"-DOCSTART- O\n\n{columns(10).decode()}" for _document in range(12)
    )
    table = spans(1)
    source = Source("otters", {**table.files, "names.conll": marked.encode()})
    phase = create_task(source, ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    parts = marked.split("-DOCSTART- O\n\n")
    wrong = "-DOCSTART- O\n\n".join(
        part.replace("B-PER", "O") if i % 2 else part for i, part in enumerate(parts)
    )
    scored(phase, entry, {"names": wrong.encode()})
    note = board(BoardQuery(phase)).unit_note
    assert note == (
        "Resampled unit: sentence. Intervals of scores take units inside one document "
        "as independent, though they seem to behave alike: they may be too narrow."
    )
    assert note in Client().get("/tasks/otters/test/board/").content.decode()


def test_a_slice_of_few_units_says_that_its_intervals_mean_little(
    ada: User, ben: User
) -> None:
    """Two documents of forty sentences, and one of eight with four names."""
    sizes = (40, 40, 8)
    marked = "".join(f"-DOCSTART- O\n\n{columns(n).decode()}" for n in sizes)
    source = Source("otters", {**spans(1).files, "names.conll": marked.encode()})
    phase = create_task(source, ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    scored(phase, entry, {"names": marked.encode()})
    (group,) = board(BoardQuery(phase)).slices
    many, _many, few = sorted(board(BoardQuery(phase)).slices[group])
    whole, part = (
        Client().get("/tasks/otters/test/board/", {"slice": f"{group}:{one}"})
        for one in (many, few)
    )
    assert "† Fewer than 10 units" not in whole.content.decode()
    assert "† Fewer than 10 units" in part.content.decode()
    (row,) = board(BoardQuery(phase, slice=f"{group}:{few}")).rows
    assert row.scores[0].interval.endswith("†")
