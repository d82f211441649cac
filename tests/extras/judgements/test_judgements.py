"""Counts from outside: what waits, what organizers upload, and what comes of it."""

import csv
import io
import json
import zipfile
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judgements import judgements
from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.results.status import evaluation_of, receipt_of, status_of
from leaderboard.submissions import dispatch, jobs
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
)
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Change, Task
from leaderboard.tasks.organizer_quota import usage_of
from leaderboard.teams.models import User
from scoring import Refused, Source
from scoring.receipt import load, verify
from tests.campaigns.invariants import violations
from tests.extras.judgements.judged import judge, long_table, table
from tests.joined import leave_extras_out
from tests.leaderboard.judged import (
    ANSWERS,
    CANARY,
    LABELS,
    UNITS,
    entry_of,
    judged_task,
    run_all,
    sent,
    task_beside,
)
from tests.leaderboard.judged import (
    beside as beside_bundle,
)
from tests.leaderboard.small import attempts_left

pytestmark = pytest.mark.django_db


@pytest.fixture
def alone(ada: User) -> Task:
    return judged_task(ada, daily_limit=3)


@pytest.fixture
def beside(ada: User) -> Task:
    return task_beside(ada)


def state_of(submission: Submission) -> str:
    submission = Submission.objects.get(pk=submission.pk)
    found = evaluation_of(submission)
    assert found is not None
    return str(found.state)


def scores(task: Task, name: str = "") -> dict[str, dict[str, Any]]:
    query = BoardQuery(task.phases.get(), board=name)
    return {
        row.system: {s.measure.name: s.exact["value"] for s in row.scores}
        for row in board(query).rows
    }


def said(refused: pytest.ExceptionInfo[Refused]) -> str:
    return "\n".join(map(str, refused.value.problems))


def test_what_nobody_else_counts_waits_and_no_sweep_touches_it(
    alone: Task, ben: User
) -> None:
    entry = entry_of(alone, ben)
    submission = sent(alone, entry)
    jobs.sweep()
    assert state_of(submission) == EvaluationState.AWAITING
    assert run_all() == 0
    evaluation = submission.evaluations.get()
    assert (evaluation.attempt, evaluation.lease_until) == (0, None)
    assert [event.new for event in evaluation.events.all()] == ["awaiting"]
    left = attempts_left(alone.phases.get(), entry, submission.received_at)
    assert left == 2
    assert scores(alone) == {}


def test_its_page_says_what_it_waits_for_and_does_not_ask_again(
    alone: Task, ben: User, as_user: Any
) -> None:
    submission = sent(alone, entry_of(alone, ben))
    page = as_user(ben).get(submission.get_absolute_url()).content.decode()
    assert "Waiting for judgements" in page
    assert "hx-trigger" not in page.partition('id="status"')[2].partition(">")[0]
    assert not status_of(submission, ben).is_waiting


def test_a_table_has_its_submission_scored_and_ranked(
    alone: Task, ada: User, ben: User
) -> None:
    submission = sent(alone, entry_of(alone, ben))
    text = table({"u1": 1, "u2": 0.25})
    taken = judge(alone.phases.get(), ada, text, submission)
    assert list(taken.submissions) == [submission.pk]
    assert state_of(submission) == EvaluationState.SCORED
    assert scores(alone) == {"otter-1": {"adequacy": 0.5625, "errors": 0.0}}
    events = submission.evaluations.get().events.all()
    assert [event.new for event in events] == [
        "awaiting",
        "queued",
        "running",
        "scored",
    ]
    assert events[1].actor == ada


def test_one_long_table_judges_many_submissions(
    alone: Task, ada: User, ben: User, cy: User
) -> None:
    first = sent(alone, entry_of(alone, ben), system="first")
    second = sent(alone, entry_of(alone, cy, "Cys"), system="second")
    text = long_table({first: 0.25, second: 0.75})
    assert judge(alone.phases.get(), ada, text).tables == 2
    found = {name: row["adequacy"] for name, row in scores(alone).items()}
    assert found == {"first": 0.25, "second": 0.75}
    assert judgements.waiting_in(alone.phases.get()) == 0
    hashes = set(JudgementTable.objects.values_list("upload_hash", flat=True))
    assert len(hashes) == 1


def test_several_judges_of_a_unit_are_averaged_and_their_agreement_is_known(
    alone: Task, ada: User, ben: User
) -> None:
    submission = sent(alone, entry_of(alone, ben))
    lines = [
        f"{unit},{judge},{value},0\n"
        for i, unit in enumerate(UNITS)
        for judge, value in (("ann", i), ("ben", i + 0.5))
    ]
    judge(
        alone.phases.get(),
        ada,
        "id,judge,adequacy,errors\n" + "".join(lines),
        submission,
    )
    assert scores(alone)["otter-1"]["adequacy"] == 1.75
    (row,) = judgements.judged_submissions(alone.phases.get())
    # By hand: differences within units 0.5; Do = 0.25, De = 2 * 10.5 / 7 = 3.
    assert row.agreement["adequacy"] == pytest.approx(1 - 0.25 / 3)
    assert row.judged == {"adequacy": 4, "errors": 4}


def test_a_wrong_table_is_refused_whole_with_every_line(
    alone: Task, ada: User, ben: User, cy: User
) -> None:
    first = sent(alone, entry_of(alone, ben))
    second = sent(alone, entry_of(alone, cy, "Cys"))
    text = long_table({first: 0.5, second: 0.5}).splitlines(keepends=True)
    text[2] = text[2].replace(",0.5,", ",good,")
    text[4] = text[4].replace(",u4,", ",u9,")
    text[5] = text[5].replace(str(second.pk), "no-such-thing")
    with pytest.raises(Refused) as refused:
        judge(alone.phases.get(), ada, "".join(text))
    for part in (
        "judged.csv:3: 'adequacy': expected a number, found 'good'",
        "judged.csv:5: there is no unit 'u9'",
        "judged.csv:6: there is no submission 'no-such-thing' to be judged",
        f"submission {first.pk}: 1 of 4 units has no line: 'u4'",
        f"submission {second.pk}: 1 of 4 units has no line: 'u1'",
    ):
        assert part in said(refused)
    assert not JudgementTable.objects.exists()
    assert state_of(first) == EvaluationState.AWAITING


def test_a_value_that_no_unit_can_have_is_refused_with_its_line(
    ada: User, ben: User
) -> None:
    task = judged_task(
        ada, measures=["right = share(adequacy)", "errors = sum(errors); lower"]
    )
    percents = long_table({sent(task, entry_of(task, ben)): 100})
    with pytest.raises(Refused) as refused:
        judge(task.phases.get(), ada, percents)
    sentence = "'adequacy' is 100; a unit has 0 at the least and 1 at the most."
    assert f"judged.csv:2: {sentence}" in said(refused)


def test_whose_a_table_is_has_to_be_said_where_several_wait(
    alone: Task, ada: User, ben: User, cy: User
) -> None:
    sent(alone, entry_of(alone, ben))
    sent(alone, entry_of(alone, cy, "Cys"))
    with pytest.raises(Refused) as refused:
        judge(alone.phases.get(), ada, table())
    assert "no column 'submission' found, and there are several" in said(refused)


def test_other_judgements_make_another_evaluation_and_keep_the_earlier(
    alone: Task, ada: User, ben: User
) -> None:
    submission, phase = sent(alone, entry_of(alone, ben)), alone.phases.get()
    judge(phase, ada, table(), submission)
    before = Change.objects.filter(task_pk=alone.pk).count()
    phase.refresh_from_db()
    version = phase.board_version
    judge(phase, ada, table(dict.fromkeys(UNITS, 1)), submission)
    assert scores(alone)["otter-1"]["adequacy"] == 1
    first, second = submission.evaluations.order_by("pk")
    assert (first.state, second.state) == ("scored", "scored")
    assert (first.table_version, second.table_version) == (0, 1)
    assert first.results["overall"]["adequacy"]["value"] == 0.5
    phase.refresh_from_db()
    assert phase.board_version > version
    assert Change.objects.filter(task_pk=alone.pk).count() > before
    old, new = JudgementTable.objects.order_by("pk")
    assert old.replaced_at is not None and new.replaced_at is None
    assert violations() == []
    assert new.by == ada


def test_while_judgements_are_replaced_the_earlier_score_stands(
    alone: Task, ada: User, ben: User
) -> None:
    submission, phase = sent(alone, entry_of(alone, ben)), alone.phases.get()
    judge(phase, ada, table(), submission)
    source = Source.of_bytes("again.csv", table(dict.fromkeys(UNITS, 1)).encode())
    judgements.take(phase, ada, source, submission)
    assert scores(alone)["otter-1"]["adequacy"] == 0.5
    assert state_of(submission) == EvaluationState.SCORED
    run_all()
    assert scores(alone)["otter-1"]["adequacy"] == 1


def test_a_submission_that_left_needs_no_judgements(alone: Task, ben: User) -> None:
    submission = sent(alone, entry_of(alone, ben))
    phase = alone.phases.get()
    assert judgements.waiting_in(phase) == 1
    Submission.objects.filter(pk=submission.pk).update(
        withdrawn_at=submission.received_at
    )
    assert judgements.waiting_in(phase) == 0


def test_judgements_stand_on_a_board_of_their_own_beside_a_scorer(
    beside: Task, ada: User, ben: User, cy: User
) -> None:
    first = sent(beside, entry_of(beside, ben), LABELS, system="first")
    sent(beside, entry_of(beside, cy, "Cys"), LABELS, system="second")
    assert state_of(first) == EvaluationState.SCORED
    judge(beside.phases.get(), ada, table({"u1": 1}), first)
    human = scores(beside, "human")
    assert human["first"]["adequacy"] == 0.625
    assert human["second"] == {"adequacy": None, "errors": None}
    main = scores(beside)
    assert main["first"]["accuracy"] == main["second"]["accuracy"] == 1


def test_beside_a_scorer_a_sample_of_the_units_may_be_judged(
    beside: Task, ada: User, ben: User
) -> None:
    submission = sent(beside, entry_of(beside, ben), LABELS)
    judge(beside.phases.get(), ada, "id,adequacy,errors\nu2,0.75,1\n", submission)
    assert scores(beside, "human")["otter-1"]["adequacy"] == 0.75
    (row,) = judgements.judged_submissions(beside.phases.get())
    assert row.judged == {"adequacy": 1, "errors": 1}


def test_the_receipt_says_counted_elsewhere_and_holds(
    alone: Task, ada: User, ben: User
) -> None:
    submission = sent(alone, entry_of(alone, ben))
    judge(alone.phases.get(), ada, table({"u1": 1}), submission)
    stored, test_set = submission.evaluations.get(), alone.test_sets.get()
    text = receipt_of(stored, test_set).as_json()
    elsewhere = json.loads(text)["counted_elsewhere"]
    kept = JudgementTable.objects.get()
    assert elsewhere["table"]["sha256"] == kept.sha256
    assert elsewhere["submitted"]["sha256"] == submission.files.get().sha256
    assert ada.name not in text and ada.email not in text
    gold = stored.gold_revision.files.get().source()
    assert verify(load("r", text.encode()), gold, kept.source(), {}) == []


def test_the_receipt_of_a_scorer_keeps_judgements_apart(
    beside: Task, ada: User, ben: User
) -> None:
    submission = sent(beside, entry_of(beside, ben), LABELS)
    judge(beside.phases.get(), ada, table(), submission)
    stored = submission.evaluations.order_by("pk").last()
    assert stored is not None
    receipt = receipt_of(stored, beside.test_sets.get())
    assert "adequacy" not in receipt.measures
    assert receipt.counted_elsewhere is not None
    assert receipt.counted_elsewhere["measures"]["adequacy"]["value"] == 0.5
    gold = stored.gold_revision.files.get().source()
    assert verify(receipt, gold, submission.files.get().source(), {}) == []


def test_the_files_to_judge_come_with_a_manifest_units_and_a_table_to_fill_in(
    beside: Task, ben: User
) -> None:
    submission = sent(beside, entry_of(beside, ben), LABELS.replace(CANARY, ""))
    whole = judgements.pack_files(beside.phases.get())
    archive = zipfile.ZipFile(io.BytesIO(b"".join(whole)))
    (line,) = csv.DictReader(io.StringIO(archive.read("manifest.csv").decode()))
    assert (line["submission"], line["state"]) == (str(submission.pk), "waiting")
    assert archive.read(line["file"]) == LABELS.replace(CANARY, "").encode()
    assert archive.read("units/only.csv").decode().split() == ["id", *UNITS]
    header, *rows = archive.read("table.csv").decode().split()
    assert header == "submission,test_set,run,id,adequacy,errors"
    assert len(rows) == len(UNITS)
    everything = b"".join(archive.read(name) for name in archive.namelist())
    assert CANARY.encode() not in everything


def test_gold_that_is_corrected_keeps_the_judgements(
    alone: Task, ada: User, ben: User
) -> None:
    from leaderboard.submissions.gold import publish, rescore
    from leaderboard.tasks.models import GoldFile, GoldRevision

    entry = entry_of(alone, ben)
    judged, waits = (
        sent(alone, entry, system="judged"),
        sent(alone, entry, ANSWERS.replace("an answer", "another")),
    )
    judge(alone.phases.get(), ada, table(), judged)
    live = alone.gold_revisions.get()
    draft = GoldRevision.objects.create(task=alone, number=2, preparing=True)
    file = live.files.get()
    GoldFile.objects.create(
        revision=draft,
        test_set=file.test_set,
        name=file.name,
        sha256=file.sha256,
        units=file.units,
    )
    rescore.catch_up(draft)
    run_all()
    assert publish.progress_of(draft).complete
    publish.make_live(draft, ada, "corrected")
    assert scores(Task.objects.get(pk=alone.pk))["judged"]["adequacy"] == 0.5
    assert state_of(waits) == EvaluationState.AWAITING
    judge(alone.phases.get(), ada, table(), waits)
    assert state_of(waits) == EvaluationState.SCORED


def test_a_blind_phase_shows_no_judgement(ada: User, ben: User) -> None:
    task = judged_task(ada, policy="blind", closes="2099-01-01T00:00:00Z")
    submission = sent(task, entry_of(task, ben))
    judge(task.phases.get(), ada, table(dict.fromkeys(UNITS, 0.8125)), submission)
    client = Client()
    client.force_login(ben)
    for address in (
        submission.get_absolute_url(),
        f"/api/v1/submissions/{submission.pk}/",
        f"/api/v1/submissions/{submission.pk}/evaluations/",
        "/api/v1/tasks/judged/test/board/",
    ):
        assert "8125" not in client.get(address).content.decode()
    assert Evaluation.objects.get().state == EvaluationState.SCORED


def test_every_run_of_a_system_is_judged(ada: User, ben: User) -> None:
    task = judged_task(ada, most_runs=2)
    test_set = task.test_sets.get()
    more = {test_set: SimpleUploadedFile("second.csv", ANSWERS.encode())}
    submission = sent(task, entry_of(task, ben), more_runs=[more])
    phase, head = task.phases.get(), "run,id,adequacy,errors\n"
    taken = judge(phase, ada, head + "".join(f"1,{u},1,0\n" for u in UNITS), submission)
    assert (taken.tables, taken.partly) == (1, 1)
    assert state_of(submission) == EvaluationState.AWAITING
    judge(phase, ada, head + "".join(f"2,{u},3,0\n" for u in UNITS), submission)
    assert scores(task)["otter-1"]["adequacy"] == 2


def judged_by_three(run: str = "") -> str:
    """A line of each unit and judge, some stricter than others."""
    return "".join(
        f"{run}{unit},{name},{i + strict},0\n"
        for i, unit in enumerate(UNITS)
        for name, strict in (("ann", 0), ("ben", 2), ("cyd", 4))
    )


@pytest.mark.usefixtures("pages_made_anew")
def test_intervals_know_that_judges_vary_and_the_page_says_so(
    alone: Task, ada: User, ben: User, client: Client
) -> None:
    submission = sent(alone, entry_of(alone, ben))
    lines = judged_by_three()
    phase, head = alone.phases.get(), "id,judge,adequacy,errors\n"
    judge(phase, ada, head + lines, submission)
    first, stored = submission.evaluations.get(), alone.test_sets.get()
    wide = first.results["overall"]["adequacy"]
    names = {"ann", "ben", "cyd"}
    assert not any(name.encode() in one for name in names for one in counts_of(first))
    page = client.get(f"/submissions/{submission.pk}/system/").content.decode()
    assert "Where the uncertainty comes from" in page
    assert "Estimated from 3 judges." in page
    receipt = receipt_of(first, stored)
    gold, kept = first.gold_revision.files.get(), JudgementTable.objects.get()
    assert verify(receipt, gold.source(), kept.source(), {}) == []
    # The same values of units, from nobody in particular.
    means = "".join(f"{unit},{i + 2},0\n" for i, unit in enumerate(UNITS))
    judge(phase, ada, "id,adequacy,errors\n" + means, submission)
    again = submission.evaluations.latest("pk").results["overall"]["adequacy"]
    assert wide["value"] == again["value"]
    assert wide["high"] - wide["low"] > 1.2 * (again["high"] - again["low"])
    page = client.get(f"/submissions/{submission.pk}/system/").content.decode()
    assert "Where the uncertainty comes from" not in page


def counts_of(evaluation: Evaluation) -> list[bytes]:
    """Bytes of what is stored of them, unpacked."""
    found = []
    for stored in evaluation.counts.all():
        with zipfile.ZipFile(io.BytesIO(bytes(stored.data))) as arrays:
            found += [arrays.read(name) for name in arrays.namelist()]
    return found


def test_the_receipt_of_each_run_knows_its_own_judges(ada: User, ben: User) -> None:
    task = judged_task(ada, most_runs=2)
    test_set = task.test_sets.get()
    more = {test_set: SimpleUploadedFile("second.csv", ANSWERS.encode())}
    submission = sent(task, entry_of(task, ben), more_runs=[more])
    lines = judged_by_three("1,") + judged_by_three("2,")
    judge(task.phases.get(), ada, "run,id,judge,adequacy,errors\n" + lines, submission)
    stored = submission.evaluations.get()
    gold = stored.gold_revision.files.get().source()
    for kept in JudgementTable.objects.all():
        receipt = receipt_of(stored, test_set, kept.run)
        assert verify(receipt, gold, kept.source(), {}) == []


def test_judgements_stand_beside_measures_that_are_no_sums(
    ada: User, ben: User
) -> None:
    gold = "id,document,value\nu1,d1,1\nu2,d1,2\nu3,d2,4\nu4,d2,3\n"
    plain = beside_bundle()
    manifest = yaml.safe_load(plain.files["task.yaml"])
    manifest["scorer"] |= {
        "name": "numbers",
        "headline": "spearman",
        "unit": "document",
    }
    files = {"task.yaml": yaml.safe_dump(manifest).encode(), "gold.csv": gold.encode()}
    task = create_task(Source("numbers", files), ada)
    answers = "id,value\nu1,1\nu2,2\nu3,3\nu4,4\n"
    submission = sent(task, entry_of(task, ben), answers)
    judge(task.phases.get(), ada, "id,adequacy,errors\nd1,1,0\nd2,0.5,1\n", submission)
    assert scores(task, "human")["otter-1"]["adequacy"] == 0.75
    # By hand: ranks differ by one in two of four places: 1 - 6 * 2 / (4 * 15).
    assert scores(task)["otter-1"]["spearman"] == pytest.approx(0.8)


def test_a_site_that_left_judgements_out_scores_with_those_it_has(
    alone: Task, ada: User, ben: User, settings: Any
) -> None:
    submission = sent(alone, entry_of(alone, ben))
    judge(alone.phases.get(), ada, table({"u1": 1}), submission)
    leave_extras_out(settings)
    second = sent(alone, alone.participations.get(), system="otter-2")
    assert state_of(second) == EvaluationState.AWAITING
    gold = alone.gold_revisions.get()
    again = Evaluation(submission=submission, gold_revision=gold, engine="again")
    dispatch.create_evaluations([again], "once more")
    run_all()
    first, later = submission.evaluations.order_by("pk")
    assert (later.state, later.results) == ("scored", first.results)
    kept = JudgementTable.objects.get()
    receipt = json.loads(receipt_of(later, alone.test_sets.get()).as_json())
    assert receipt["counted_elsewhere"]["table"]["sha256"] == kept.sha256
    assert usage_of(ada).sent_bytes == kept.size + 2 * submission.files.get().size
