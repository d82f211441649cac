"""Bundles of other sites become drafts, with a report of what was not taken."""

import html
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from leaderboard.extras.moving.conversion import convert_bundle
from leaderboard.extras.moving.models import ImportReport
from leaderboard.organize.menu import MENU
from leaderboard.sandbox.program_environment import Inventory
from leaderboard.submissions.models import Submission
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.formats.bundle import unpack
from scoring.source import Source
from tests.extras.moving.bundles import (
    CALM_GOLD,
    CODALAB,
    EVALAI,
    bundle,
    codabench,
    codabench_files,
    codabench_table,
    codalab,
    codalab_files,
    evalai,
    evalai_files,
    program,
    zipped,
)
from tests.leaderboard.small import inline
from tests.loops import loop_over

pytestmark = pytest.mark.django_db
SEA = "sea-state-from-harbour-notes"


@pytest.fixture(autouse=True)
def in_this_process() -> Iterator[None]:
    with inline:
        yield


@pytest.fixture(autouse=True)
def programs_run(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


@pytest.fixture
def ada_s(ada: User, client: Client) -> Client:
    client.force_login(ada)
    return client


def send(client: Client, data: bytes) -> Any:
    file = SimpleUploadedFile("bundle.zip", data)
    return client.post(reverse("new-task"), {"bundle": file})


def imported(data: bytes, folder: Path) -> tuple[Task, str]:
    """The bundle that the command makes of a zip, and its output."""
    path, out = folder / "bundle.zip", io.StringIO()
    path.write_bytes(data)
    call_command("import_task", str(path), organizer="ada@example.org", stdout=out)
    return Task.objects.latest("pk"), out.getvalue()


def refused(data: bytes) -> list[str]:
    with pytest.raises(SetupError) as caught:
        convert_bundle(unpack(Source.of_bytes("bundle.zip", data), ("",)))
    return list(map(str, caught.value.problems))


def phases(task: Task) -> list[Phase]:
    return list(task.phases.order_by("position"))


def test_a_bundle_of_codabench_becomes_a_draft(ada: User, tmp_path: Path) -> None:
    task, said = imported(codabench(), tmp_path)
    assert (task.slug, task.draft, task.entry) == (SEA, True, "approval")
    assert task.summary == "Is the sea calm or rough?"
    assert task.scorer_name == "program" and task.headline == "accuracy"
    assert task.shown_measures == ["accuracy", "errors"]
    accuracy, errors = task.measures
    assert (accuracy.title, accuracy.decimals) == ("Accuracy", 3)
    assert not errors.higher_is_better
    dev, final = phases(task)
    assert (dev.title, dev.daily_limit, dev.total_limit) == ("Development Phase", 5, 50)
    assert dev.opens == datetime(2029, 12, 12, 13, 30, tzinfo=UTC)
    assert dev.closes == datetime(2030, 2, 1, tzinfo=UTC)
    assert (final.closes, final.total_limit, final.counts) == (None, 3, "last")
    assert [t.title for t in dev.test_sets.all()] == ["Calm days"]
    assert [t.title for t in final.test_sets.all()] == ["Stormy days"]
    (board,) = task.boards()
    assert (board.title, board.headline) == ("Errors only", "errors")
    lexicon, track = task.fact_sheet()
    assert (lexicon.kind, lexicon.public) == ("yes_no", True)
    assert (track.kind, track.choices, track.required) == (
        "choice",
        ["open", "closed"],
        True,
    )
    assert "Not imported as it was:" in said


def test_its_pages_are_parts_of_the_description(ada: User, tmp_path: Path) -> None:
    task, _said = imported(codabench(), tmp_path)
    for text in (
        "## Overview",
        "Notes of *harbour masters*.",
        "### How\n\nBy **accuracy**.",
        "A barometer",
        "### Development Phase\n\nTry things.",
    ):
        assert text in task.description
    assert "alert" not in task.description
    assert task.terms == "Be fair."
    assert task.contact == "harbour@example.org"


def test_its_program_reference_and_kit_are_there(ada: User, tmp_path: Path) -> None:
    task, _said = imported(codabench(), tmp_path)
    (program,) = task.options["program"]
    assert program["file"] == "program.zip"
    calm, storm = task.test_sets.all()
    kit = unpack(Source.of_bytes("kit.zip", calm.blind().single()))
    assert set(kit) == {"starting_kit/README.md", "public_data/notes.txt"}
    gold = {file.test_set: file.source() for file in storm.gold_files.all()}
    assert gold[storm].files == {"gold.txt": b"rough\nrough\ncalm\nrough\n"}


def test_the_report_names_what_was_not_taken(ada: User, tmp_path: Path) -> None:
    _task, said = imported(codabench(), tmp_path)
    for words in (
        "container image example/scorer:1",
        "Calm days: The ingestion program ingestion.zip",
        "Calm days: The input data input",
        "Development Phase: The time limit of 1200 s",
        "Final Phase: Submissions do not move",
        "picture logo.png",
        "Detailed results",
        "column Mean is computed",
        "hidden column Seconds",
        "Pictures and frames of the page “Evaluation”",
    ):
        assert words in said


def test_solutions_are_sent_as_baselines(ada: User, tmp_path: Path) -> None:
    task, said = imported(codabench(), tmp_path)
    (sent,) = Submission.objects.filter(phase__task=task)
    assert sent.baseline and sent.system == "solution" and sent.sender == ada
    assert sent.phase.title == "Development Phase"
    (file,) = sent.files.all()
    assert file.source().files == {"answer.txt": CALM_GOLD}
    assert "Solutions, sent as baselines: solution" in said


def test_a_solution_that_is_no_baseline_is_said_and_stops_nothing(
    ada: User, tmp_path: Path
) -> None:
    files = {
        "model.zip": zipped({"model.py": b"class Model: pass\n"}),
        "broken.zip": b"PK\x03\x04 no zip",
        "empty.zip": zipped({"answer.txt": b""}),
    }
    names = ("model.zip", "broken.zip", "empty.zip", "lost.zip", "solution.zip")
    table = [{"path": name, "tasks": [0]} for name in names]
    table += [{"path": "solution.zip", "tasks": [7]}, {"key": "2f7c", "tasks": [0]}]
    task, said = imported(codabench(files, solutions=table), tmp_path)
    sent = Submission.objects.filter(phase__task=task)
    assert [one.system for one in sent] == ["solution"]
    for words in (
        "The solution model was not taken: it is code",
        "The solution broken.zip could not be sent as a baseline: ",
        "The solution lost.zip was not taken: its files are not in the bundle",
        "The solution 2f7c was not taken: its files are not in the bundle",
        "The solution solution was not taken: nothing that it answers",
        "The solution empty was not taken: nothing",
    ):
        assert words in said


def test_a_solution_that_the_scorer_refuses_is_said_with_its_reason(
    ada: User, tmp_path: Path
) -> None:
    labels = b"id,label\n1,calm\n2,rough\n"
    files = {
        "scoring_program.zip": zipped(BASH),
        "reference_calm.zip": zipped({"gold.csv": labels}),
        "solution.zip": zipped({"answer.csv": b"id,label\n9,calm\n"}),
    }
    task, said = imported(codabench(files), tmp_path)
    assert task.scorer_name == "classes"
    assert "The solution solution could not be sent as a baseline: " in said
    assert not Submission.objects.exists()


@loop_over(
    "page",
    [
        "<html><body><h1>How</h1><p>{}</p></body></html>",
        "<!DOCTYPE html>\n<html lang='en'>\n<head><title>x</title></head><p>{}</p>",
        "\ufeff<!-- written by an editor -->\n<html><p>{}</p></html>",
        "<body>\r\n<p>{}</p>\r\n</body>",
    ],
)
def test_a_page_that_is_a_whole_document_of_html_is_read(page: str) -> None:
    text = page.format("By accuracy alone.").encode()
    data = codabench({"pages/evaluation.html": text})
    found = convert_bundle(unpack(Source.of_bytes("bundle.zip", data), ("",)))
    assert b"By accuracy alone." in b"".join(found.source.files.values())


def test_samples_of_a_starting_kit_are_sent_as_baselines(
    ada: User, tmp_path: Path
) -> None:
    kit = {
        "README.md": b"x",
        "sample_code_submission/model.py": b"pass\n",
        "sample_result_submission/answer.txt": CALM_GOLD,
    }
    _task, said = imported(codalab(files={"kit.zip": zipped(kit)}), tmp_path)
    (sent,) = Submission.objects.all()
    assert (sent.system, sent.phase.title) == ("sample_result_submission", "Practice")
    assert "sent as baselines: sample_result_submission" in said


def test_without_an_organizer_nobody_sends_baselines(db: None, tmp_path: Path) -> None:
    path, out = tmp_path / "bundle.zip", io.StringIO()
    path.write_bytes(codabench())
    call_command("import_task", str(path), stdout=out)
    assert "solution was not sent as a baseline: no organizer is named" in (
        out.getvalue()
    )


def test_the_program_stays_in_the_draft_where_it_may_not_run(
    ada: User, tmp_path: Path, settings: Any
) -> None:
    settings.PROGRAMS = "granted"
    task, said = imported(codabench(), tmp_path)
    assert task.scorer_name == "program"
    assert "does not run programs for your account. Ask the operator" in said
    assert "look like those of the scorer “classes”" in said


def test_the_form_leads_to_the_report_until_it_is_put_away(ada_s: Client) -> None:
    answer = send(ada_s, codabench())
    report = reverse("organize-import-report", args=[SEA])
    assert answer.status_code == 302 and answer.url == report
    page = ada_s.get(report).content.decode()
    assert "example/scorer:1" in page and "Measures: Accuracy, Errors" in page
    start = reverse("organize", args=[SEA])
    assert report in ada_s.get(start).content.decode()
    assert ada_s.post(report).url == start
    assert not ImportReport.objects.exists()
    assert report not in ada_s.get(start).content.decode()
    assert ada_s.get(report).status_code == 404


def test_the_api_answers_with_the_report(ada_s: Client) -> None:
    file = SimpleUploadedFile("bundle.zip", codabench())
    answer = ada_s.post("/api/v1/tasks/", {"bundle": file})
    assert answer.status_code == 201, answer.content
    assert any("ingestion.zip" in line for line in answer.json()["report"])


def test_a_title_that_another_task_has_gets_a_number(ada: User, tmp_path: Path) -> None:
    imported(codabench(), tmp_path)
    task, _said = imported(codabench(), tmp_path)
    assert task.slug == f"{SEA}-2"


def test_a_bundle_of_another_site_changes_no_task(task: Task, ada_s: Client) -> None:
    file = SimpleUploadedFile("bundle.zip", codabench())
    answer = ada_s.post("/tasks/otters/organize/bundle/", {"bundle": file})
    assert answer.status_code == 422
    assert "bundle of another site" in answer.content.decode()


def test_a_folder_around_everything_and_traces_of_desktops_do_no_harm(
    ada: User, tmp_path: Path
) -> None:
    files = unpack(Source.of_bytes("x.zip", codabench()), ("",))
    around = {f"sea/{name}": data for name, data in files.items()}
    around["__MACOSX/sea/._competition.yaml"] = b"\0\1"
    task, _said = imported(zipped(around), tmp_path)
    assert task.test_sets.count() == 2


def test_places_may_stand_between_quotes_and_orders_in_full(
    ada: User, tmp_path: Path
) -> None:
    table = codabench_table()
    for entry in (*table["phases"], *table["leaderboards"][0]["columns"]):
        entry["index"] = str(entry["index"])
    table["leaderboards"][0]["columns"][0]["sorting"] = "Ascending"
    data = bundle(table, codabench_files(), "competition.yaml")
    task, _said = imported(data, tmp_path)
    assert [phase.title for phase in phases(task)] == [
        "Development Phase",
        "Final Phase",
    ]
    assert [measure.name for measure in task.measures] == ["accuracy", "errors"]
    assert not task.measures[1].higher_is_better


def test_a_folder_on_disk_is_taken_too(ada: User, tmp_path: Path) -> None:
    for name, data in unpack(Source.of_bytes("x.zip", codabench()), ("",)).items():
        path = tmp_path / "sea" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    call_command("import_task", str(tmp_path / "sea"), organizer="ada@example.org")
    assert Task.objects.get().test_sets.count() == 2


def test_a_bundle_of_codalab_becomes_a_draft(ada: User, tmp_path: Path) -> None:
    task, said = imported(codalab(), tmp_path)
    assert (task.slug, task.entry) == ("wind-force-from-diaries", "open")
    accuracy, errors = task.measures
    assert (accuracy.title, accuracy.decimals) == ("Right answers", 4)
    assert not errors.higher_is_better and task.headline == "accuracy"
    practice, last = phases(task)
    # A phase ends where the next begins, the last with the competition.
    assert practice.closes == last.opens == datetime(2030, 8, 30, 12, tzinfo=UTC)
    assert last.closes == datetime(2030, 9, 30, tzinfo=UTC)
    assert (last.daily_limit, last.total_limit, last.counts) == (2, 10, "last")
    assert task.test_sets.count() == 2
    for words in ("first, second", "Mean rank is computed", "lead into the old site"):
        assert words in said
    assert "Ask" in task.description and "/forums/1" not in task.description


def test_a_challenge_of_evalai_becomes_a_draft(ada: User, tmp_path: Path) -> None:
    task, said = imported(evalai(), tmp_path)
    assert task.mail_domains == ["example.org"]
    accuracy, errors = task.measures
    assert (accuracy.name, accuracy.title) == ("Accuracy_all", "Accuracy (all)")
    assert not errors.higher_is_better and task.headline == "Accuracy_all"
    dev, test = phases(task)
    assert (dev.daily_limit, dev.total_limit, dev.policy) == (5, 60, "open")
    assert (test.policy, test.who) == ("blind", "organizers")
    assert [q.kind for q in task.fact_sheet()] == ["text", "choice", "text"]
    assert "Practise." in task.description
    for words in ("50 submissions a month", "only test_split is shown", "was hidden"):
        assert words in said


def without(*keys: str) -> bytes:
    """A bundle of Codabench without some keys, which are no null either."""
    table = {k: v for k, v in codabench_table().items() if k not in keys}
    return bundle(table, codabench_files(), "competition.yaml")


def test_every_problem_is_said_at_once_with_its_line_and_a_remedy() -> None:
    table = codabench_table()
    table["phases"][0]["start"] = "soon"
    table["phases"][1]["tasks"] = [7]
    table["phases"][1]["max_submissions"] = "many"
    table["tasks"][0]["reference_data"] = "nowhere.zip"
    table["leaderboards"][0]["columns"][0]["sorting"] = "up"
    table["fact_sheet"]["Track"]["type"] = "essay"
    table["pages"][0]["file"] = "pages/lost.md"
    said = refused(codabench(**table))
    for words in (
        "phases 1: 'start': expected a time, as in 2026-05-01 12:00:00",
        "phases 2: 'tasks': there is no task 7; there are 0, 1",
        "phases 2: 'max_submissions': expected a whole number",
        "there is no file 'nowhere.zip' in the bundle. Write the path",
        "columns 1: 'sorting': expected asc or desc",
        "'type': expected one of checkbox, text, select",
    ):
        (line,) = [one for one in said if words in one]
        assert line.startswith("competition.yaml:")
    assert len(said) == 6


def unpacked_in(files: dict[str, bytes], *names: str) -> dict[str, bytes]:
    """The files with the folder of which each named zip was made in its place."""
    found = {name: data for name, data in files.items() if name not in names}
    for name in names:
        inside = unpack(Source.of_bytes(name, files[name]), ("",))
        folder = name.removesuffix(".zip")
        found |= {f"{folder}/{member}": data for member, data in inside.items()}
    return found


def report_of(data: bytes) -> list[str]:
    found = convert_bundle(unpack(Source.of_bytes("bundle.zip", data), ("",)))
    return [str(one) for one in found.remarks]


def test_a_folder_is_taken_for_the_archive_that_a_script_makes_of_it() -> None:
    files = codabench_files()
    zips = ["scoring_program.zip", "reference_calm.zip", "solution.zip", "kit.zip"]
    cases = [
        bundle(codabench_table(), unpacked_in(files, *zips), "competition.yaml"),
        zipped({"challenge_config.yaml": EVALAI.encode()} | evalai_folder()),
        zipped(
            {"competition.yaml": CODALAB.encode()}
            | unpacked_in(codalab_files(), "program_1.zip", "reference_2.zip")
        ),
    ]
    named = ["scoring_program.zip", "evaluation_script.zip", "program_1.zip"]
    for data, name in zip(cases, named, strict=True):
        folder = name.removesuffix(".zip")
        said = report_of(data)
        assert any(
            f"{name} is not there: {folder} was taken in its place" in one
            for one in said
        ), said
    by_hand = convert_bundle(
        unpack(Source.of_bytes("a.zip", codabench()), ("",))
    ).source
    assert (
        convert_bundle(unpack(Source.of_bytes("a.zip", cases[0]), ("",))).source
        == by_hand
    )


def evalai_folder() -> dict[str, bytes]:
    files = evalai_files()
    return unpacked_in(files, "evaluation_script.zip")


def test_tar_archives_and_other_letters_are_found_too() -> None:
    for named, there in (
        ("reference_calm.tar.gz", "reference_calm/gold.txt"),
        ("reference_calm.TGZ", "reference_calm/gold.txt"),
        ("Reference_Calm.zip", "reference_calm/gold.txt"),
        ("data/reference_calm", "Data/Reference_calm/gold.txt"),
    ):
        table = codabench_table()
        table["tasks"][0]["reference_data"] = named
        files = codabench_files()
        del files["reference_calm.zip"]
        data = bundle(table, files | {there: CALM_GOLD}, "competition.yaml")
        folder = there.removesuffix("/gold.txt")
        assert any(
            f"{named} is not there: {folder} was" in one for one in report_of(data)
        )


def test_a_page_that_is_not_there_and_a_repeated_key_are_said_and_stop_nothing() -> (
    None
):
    page = "The page “Overview” was not taken: there is no file"
    table = codabench_table()
    table["pages"][0]["file"] = "pages/lost.md"
    lost = codalab_files()
    del lost["overview.html"]
    for data in (
        codabench(**table),
        zipped({"competition.yaml": CODALAB.encode(), **lost}),
        codalab(CODALAB.replace("overview: over", "overview: pages/over", 1)),
    ):
        assert any(page in one for one in report_of(data))
    for text, key in (
        (f"{CODALAB}title: Wind Force again\n", "title"),
        (CODALAB.replace("max_submissions: 10\n", TWICE), "max_submissions"),
        (
            CODALAB.replace("    rank: 2\n", "    rank: 3\n            rank: 2\n"),
            "rank",
        ),
    ):
        assert any(
            f"'{key}' is there twice: line" in o for o in report_of(codalab(text))
        )
    # The last one counts, as for most readers of YAML.
    whole = convert_bundle(
        {
            "competition.yaml": f"{CODALAB}title: Wind again\n".encode(),
            **codalab_files(),
        }
    ).source
    assert b"Wind again" in whole.files["task.yaml"]


TWICE = "max_submissions: 10\n        max_submissions: 20\n"


def test_a_bundle_that_runs_code_alone_is_refused_once_with_all_in_its_way(
    ada_s: Client,
) -> None:
    table = codabench_table()
    for task in table["tasks"]:
        task["ingestion_program"] = "ingestion.zip"
    table["phases"][1]["start"] = "1-1-2030"  # as Codabench writes dates: no problem
    table["terms"] = "pages/lost.md"
    score = b"import harbour_masters\n" + program()["score.py"]
    files = {"scoring_program.zip": zipped({**program(), "score.py": score})}
    page = send(ada_s, codabench(files, **table))
    said = html.unescape(page.content.decode())
    assert page.status_code == 422
    for words in (
        "tasks 1: 'ingestion_program': it runs the systems of participants",
        "tasks 2: 'ingestion_program': it runs the systems of participants",
        "If participants can send what it writes",
        "there is no file 'pages/lost.md' in the bundle",
        "Line 1 imports harbour_masters, which programs do not have here",
        "Ask the operator for the package harbour_masters",
    ):
        assert words in said
    assert "expected a time" not in said
    # With that mended nothing else comes up.
    for task in table["tasks"]:
        del task["ingestion_program"]
    assert send(ada_s, codabench(**table | {"terms": None})).status_code == 302


def test_old_programs_and_shells_are_named_beside_other_problems() -> None:
    data = codabench({"scoring_program.zip": zipped(BASH)}, terms="pages/lost.md")
    lost, shell = refused(data)
    assert "pages/lost.md" in lost and "only Python programs are run" in shell
    assert "Port it to Python, ask the operator for a plug-in, or score" in shell
    old = zipped({**program(), "score.py": b"print 'calm'\n"})
    data = codabench({"scoring_program.zip": old}, terms="pages/lost.md")
    files = unpack(Source.of_bytes("bundle.zip", data), ("",))
    with pytest.raises(SetupError, match="Line 1 is Python 2"):
        convert_bundle(files, Inventory("3.11", modules=frozenset({"sys"})))


def test_an_ingestion_program_that_never_ran_refuses_nothing(
    ada: User, tmp_path: Path
) -> None:
    table = codabench_table()
    for part in table["tasks"]:
        part["ingestion_program"] = "ingestion.zip"
    for phase in table["phases"]:
        phase["accepts_only_result_submissions"] = True
    task, said = imported(codabench(**table), tmp_path)
    assert task.test_sets.count() == 2
    assert "Stormy days: The ingestion program ingestion.zip was not taken" in said


@pytest.mark.parametrize(("results_alone", "is_refused"), [(True, False), (None, True)])
def test_phases_of_codalab_that_run_code_alone_are_refused(
    results_alone: bool | None, is_refused: bool, ada: User, tmp_path: Path
) -> None:
    lines = "        ingestion_program: program_1.zip\n"
    if results_alone:
        lines += "        is_scoring_only: True\n"
    text = CODALAB.replace("        is_scoring_only: True\n", "")
    for number in "12":
        line = f"        scoring_program: program_{number}.zip\n"
        text = text.replace(line, line + lines)
    if is_refused:
        said = refused(codalab(text))
        assert len(said) == 2
        assert all("'ingestion_program': it runs the systems" in one for one in said)
    else:
        task, _said = imported(codalab(text), tmp_path)
        assert task.test_sets.count() == 2


def test_phases_that_are_over_are_said(ada: User, tmp_path: Path) -> None:
    table = codabench_table()
    table["phases"][1] |= {"start": "2018-08-01", "end": "2018-09-01"}
    _task, said = imported(codabench(**table), tmp_path)
    assert "The phase Development Phase is over: it ended 2018-09-01" in said
    assert "The phase Final Phase is over" not in said


@pytest.mark.parametrize("key", ["title", "phases", "tasks", "leaderboards"])
def test_what_has_to_be_there_is_named(key: str) -> None:
    said = refused(without(key))
    assert any(f"'{key}': it has to be there" in line for line in said)


@loop_over(
    ("old", "new", "words"),
    [
        (
            "phases:\n    1:",
            "phases: none\nother:\n    1:",
            "'phases': expected a list",
        ),
        ("start_date: 2030-07-30", "start_date: July", "'start_date': expected a time"),
        (
            "2030-09-30",
            "2030-01-30",
            "'end_date': expected a time after the last phase",
        ),
        ("sort: asc", "sort: low", "'sort': expected asc or desc"),
        ("reference_1.zip", "reference_9.zip", "there is no file 'reference_9.zip'"),
        ("title: Wind", "title: [Wind\nx: ", "not readable as YAML"),
        ("html:\n", "html: &again\n    self: *again\n", "not readable as YAML"),
        (
            "has_registration: False",
            "has_registration: maybe",
            "expected True or False",
        ),
        ("    columns:\n", "    tables:\n", "'columns': it has to be there"),
    ],
)
def test_mistakes_in_a_bundle_of_codalab(old: str, new: str, words: str) -> None:
    assert old in CODALAB
    said = refused(codalab(CODALAB.replace(old, new, 1)))
    assert any(words in line for line in said), said


@loop_over(
    ("old", "new", "words"),
    [
        (
            'by: "Accuracy (all)"',
            "by: F1",
            "expected one of",
        ),
        (
            "split_id: 2, visibility: 3",
            "split_id: 9",
            "no dataset split 9",
        ),
        ("annotations/dev.json", "dev.json", "there is no file 'dev.json'"),
        ("type: radio", "type: wheel", "'type': expected one of text, radio"),
        ("labels: ", "names: ", "'labels': it has to be there"),
        ("challenge_phases:", "phases:", "'challenge_phases': it has to be there"),
    ],
)
def test_mistakes_in_a_challenge_are_named(old: str, new: str, words: str) -> None:
    assert old in EVALAI
    said = refused(evalai(EVALAI.replace(old, new, 1)))
    assert any(words in line for line in said), said


def test_problems_are_listed_by_form_command_and_api_alike(
    ada_s: Client, tmp_path: Path
) -> None:
    data = codabench(terms="pages/lost.md")
    words = "there is no file 'pages/lost.md' in the bundle"
    with pytest.raises(CommandError, match=words):
        imported(data, tmp_path)
    page = send(ada_s, data)
    assert page.status_code == 422
    assert "pages/lost.md" in page.content.decode()
    file = SimpleUploadedFile("bundle.zip", data)
    answer = ada_s.post("/api/v1/tasks/", {"bundle": file})
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert words in problem["message"] and problem["line"] == 5
    assert not Task.objects.exists()


BASH = {"metadata": b"command: bash score.sh $input $output\n", "score.sh": b"true\n"}


def test_a_program_that_cannot_run_here_leaves_a_draft_with_a_scorer_of_ours(
    ada: User, tmp_path: Path
) -> None:
    data = codabench({"scoring_program.zip": zipped(BASH)})
    task, said = imported(data, tmp_path)
    assert task.scorer_name == "classes" and not task.test_sets.exists()
    assert "only Python programs are run; this command begins with 'bash'" in said
    assert "The reference data of Calm days were not taken: classes cannot" in said
    assert [phase.title for phase in phases(task)] == [
        "Development Phase",
        "Final Phase",
    ]


def test_reference_data_that_the_scorer_can_read_become_its_gold(
    ada: User, tmp_path: Path
) -> None:
    labels = b"id,label\n1,calm\n2,rough\n3,calm\n"
    data = codabench(
        {
            "scoring_program.zip": zipped(BASH),
            "reference_calm.zip": zipped({"gold.csv": labels}),
        }
    )
    task, said = imported(data, tmp_path)
    (calm,) = task.test_sets.all()
    assert (calm.title, calm.gold_files.get().units) == ("Calm days", 3)
    assert b"calm" not in calm.blind().single()
    # The other phase has nothing to be scored; its dates stand in the report.
    assert [phase.title for phase in phases(task)] == ["Development Phase"]
    assert "The phase Final Phase (2030-02-02T00:00:00Z – ) was left out" in said


def test_columns_that_no_scorer_has_are_said(ada: User, tmp_path: Path) -> None:
    board = {
        "title": "Results",
        "columns": [{"key": "wetness", "title": "Wetness", "index": 0}],
    }
    data = codabench({"scoring_program.zip": zipped(BASH)}, leaderboards=[board])
    _task, said = imported(data, tmp_path)
    assert "No scorer of ours has columns like Wetness" in said


COLUMNS = ("Forward AUC", "Forward-AUC", "Mean Error (%)", "2nd", "Précision", "f1")


def test_columns_with_spaces_and_signs_are_kept_under_other_names(
    ada: User, tmp_path: Path
) -> None:
    columns = [
        {"key": key, "title": f"The {key}", "index": i} for i, key in enumerate(COLUMNS)
    ]
    board = {"title": "Results", "columns": columns, "primary_index": 2}
    task, said = imported(codabench(leaderboards=[board]), tmp_path)
    assert task.scorer_name == "program" and task.headline == "Mean_Error"
    assert [(m.name, m.title) for m in task.measures] == [
        ("Forward_AUC", "The Forward AUC"),
        ("Forward-AUC", "The Forward-AUC"),
        ("Mean_Error", "The Mean Error (%)"),
        ("score_2nd", "The 2nd"),
        ("Precision", "The Précision"),
        ("f1", "The f1"),
    ]
    assert task.options["measure"][2] == (
        "Mean_Error; title The Mean Error (%); key Mean Error (%); optional"
    )
    assert "The column “Forward AUC” is the measure Forward_AUC here" in said
    assert "was left out: its key" not in said


def test_names_made_of_columns_differ_from_each_other_and_from_those_that_are(
    ada: User, tmp_path: Path
) -> None:
    keys = ("a b", "a_b", "a (b)", "°", "±", "a;b")
    columns = [{"key": key, "title": key, "index": i} for i, key in enumerate(keys)]
    board = {"title": "Results", "columns": columns}
    task, said = imported(codabench(leaderboards=[board]), tmp_path)
    names = [measure.name for measure in task.measures]
    assert names == ["a_b_2", "a_b", "a_b_3", "score", "score_2"]
    assert "The column a;b was left out" in said


def test_a_leaderboard_without_any_column_left_is_said_in_words(
    ada: User, tmp_path: Path
) -> None:
    board = {"title": "Results", "columns": [{"key": "a;b", "title": "A;B"}]}
    _task, said = imported(codabench(leaderboards=[board]), tmp_path)
    assert "No column of the leaderboards was taken; the draft has" in said
    assert "columns like ;" not in said


def test_measures_are_optional_where_one_program_scores_several_test_sets(
    ada: User, tmp_path: Path
) -> None:
    task, said = imported(codabench(), tmp_path)
    assert all(line.endswith("; optional") for line in task.options["measure"])
    assert "Measures are optional, for one program scores 2 test sets" in said
    table = codabench_table()
    table["phases"][1]["tasks"] = [1]
    del table["tasks"][0]
    task, said = imported(codabench(**table), tmp_path)
    assert not any("optional" in line for line in task.options["measure"])
    assert "Measures are optional" not in said


def test_no_page_of_a_draft_without_test_sets_breaks(
    ada_s: Client, settings: Any
) -> None:
    send(ada_s, codabench({"scoring_program.zip": zipped(BASH)}))
    task = Task.objects.get()
    for line in (line for _group, _title, lines in MENU for line in lines):
        page = ada_s.get(reverse(line[0], args=[task.slug]))
        assert page.status_code in (200, 302), line
    for name in ("board", "submit", "kit", "organize-phase"):
        page = ada_s.get(reverse(name, args=[task.slug, "final-phase"]))
        assert page.status_code in (200, 302, 404), name
    publish = ada_s.post(reverse("organize-publish", args=[task.slug]))
    assert publish.status_code == 422
    assert Task.objects.get().draft


def test_programs_of_different_phases_are_joined(ada: User, tmp_path: Path) -> None:
    other = zipped({**program(), "score.py": b"open('/app/program/x')\n"})
    task, said = imported(codalab(files={"program_1.zip": other}), tmp_path)
    assert [phase.title for phase in phases(task)] == ["Practice", "Evaluation"]
    assert "2 programs, joined: each scores its own test sets" in said
    (stored,) = task.options["program"]
    files = unpack(Source.of_bytes("program.zip", blobs.read(stored["sha256"])))
    assert files["parts/0/score.py"] == b"open('/app/program/parts/0/x')\n"
    assert files["parts/1/score.py"] == program()["score.py"]


def test_programs_that_cannot_be_joined_leave_phases_out(
    ada: User, tmp_path: Path
) -> None:
    module = {"metadata": b"command: python -m score\n", "score.py": b"1\n"}
    task, said = imported(codalab(files={"program_1.zip": zipped(module)}), tmp_path)
    assert [phase.title for phase in phases(task)] == ["Evaluation"]
    assert "Practice is scored by another program than the rest" in said


def test_phases_of_the_same_reference_data_share_a_test_set(
    ada: User, tmp_path: Path
) -> None:
    text = CODALAB.replace("reference_2.zip", "reference_1.zip")
    task, _said = imported(codalab(text), tmp_path)
    assert task.test_sets.count() == 1
    assert all(phase.test_sets.count() == 1 for phase in phases(task))


def test_several_tasks_of_a_phase_are_several_test_sets(
    ada: User, tmp_path: Path
) -> None:
    table = codabench_table()
    table["phases"][1]["tasks"] = [0, 1]
    task, said = imported(codabench(**table), tmp_path)
    assert phases(task)[0].test_sets.count() == 2
    assert "Development Phase: One file was scored on every task there" in said


def test_a_hidden_leaderboard_makes_phases_blind_until_they_close(
    ada: User, tmp_path: Path
) -> None:
    table = codabench_table()
    table["leaderboards"][0]["hidden"] = True
    task, said = imported(codabench(**table), tmp_path)
    assert [phase.policy for phase in phases(task)] == ["blind", "open"]
    assert "Results: The leaderboard was hidden" in said


def test_a_program_that_was_public_stays_so(ada: User, tmp_path: Path) -> None:
    task, said = imported(codabench(make_programs_available=True), tmp_path)
    assert task.options["publish_program"] == ["true"]
    assert "The program is handed out" in said


def test_a_program_may_bring_packages(ada: User, tmp_path: Path) -> None:
    wheel = zipped({"tides/__init__.py": b"", "tides-1.dist-info/METADATA": b""})
    files = {**program(), "tides-1-py3-none-any.whl": wheel}
    data = codabench({"scoring_program.zip": zipped(files)})
    task, _said = imported(data, tmp_path)
    assert task.scorer_name == "program"


def test_a_zip_inside_a_kit_is_left_out(ada: User, tmp_path: Path) -> None:
    kit = zipped({"README.md": b"x", "sample.zip": zipped({"answer.txt": b"calm"})})
    task, said = imported(codabench({"kit.zip": kit}), tmp_path)
    assert "kit.zip/sample.zip was not taken: it is a zip inside a zip" in said
    assert task.test_sets.count() == 2


def test_phases_of_codalab_that_begin_together_end_together(
    ada: User, tmp_path: Path
) -> None:
    text = CODALAB.replace("2030-08-30 12:00:00", "2030-07-30")
    task, said = imported(codalab(text), tmp_path)
    ends = {phase.closes for phase in phases(task)}
    assert ends == {datetime(2030, 9, 30, tzinfo=UTC)}
    assert "Some phases run at the same time" in said


def test_a_phase_of_codalab_may_never_end(ada: User, tmp_path: Path) -> None:
    text = CODALAB.replace("auto_migration: True", "phase_never_ends: True")
    task, _said = imported(codalab(text), tmp_path)
    assert phases(task)[-1].closes is None


def test_columns_of_groups_are_told_apart(ada: User, tmp_path: Path) -> None:
    groups = "leaderboard:\n    column_groups:\n        Span: &SPAN {label: Spans}\n"
    text = CODALAB.replace("leaderboard:\n", groups, 1)
    text = text.replace(
        "label: Errors\n", "label: F1\n            column_group: *SPAN\n"
    )
    task, said = imported(codalab(text), tmp_path)
    assert [measure.title for measure in task.measures] == [
        "Right answers",
        "Spans: F1",
    ]
    assert "Groups of columns stand before the titles" in said


def test_copies_that_codalab_made_are_read(ada: User, tmp_path: Path) -> None:
    """It wrote its texts as those of Python 2."""
    text = CODALAB.replace("program_1.zip", "!!python/unicode 'program_1.zip'")
    task, _said = imported(codalab(text), tmp_path)
    assert task.test_sets.count() == 2


def test_files_that_stay_on_the_other_site_are_named(ada: User, tmp_path: Path) -> None:
    key = "c4819120-18a2-4466-9c82-f51cbbe8b667"
    text = CODALAB.replace("reference_1.zip", key)
    task, said = imported(codalab(text), tmp_path)
    assert [phase.title for phase in phases(task)] == ["Evaluation"]
    assert f"({key}) is only named: its files are on the old site" in said


def test_terms_that_are_a_page_as_well_stand_there_once(
    ada: User, tmp_path: Path
) -> None:
    table = codabench_table()
    table["pages"].append({"title": "Rules", "file": "pages/terms.md"})
    task, _said = imported(codabench(**table), tmp_path)
    assert task.description.count("Be fair.") == 1
