"""Task bundles: what is created, and how every mistake is named."""

import html
import io
import zipfile
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.files import (
    Manifest,
    YamlTable,
    bundle_of,
    manifest_of,
    unzip,
)
from leaderboard.tasks.bundle.load import declared_plan, load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.source import Source
from tests.leaderboard.small import bundle, manifest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandbox_inline")]


def written(folder: Path, source: Source) -> Path:
    for name, data in source.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def zipped(source: Source, prefix: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in source.files.items():
            archive.writestr(prefix + name, data)
    return buffer.getvalue()


def refusal(source: Source) -> str:
    with pytest.raises(SetupError) as caught:
        create_task(source, None)
    return str(caught.value)


def test_a_bundle_becomes_a_task_with_test_sets_gold_and_phases(ada: User) -> None:
    task = create_task(bundle(), ada)
    assert task.is_organized_by(ada)
    assert [t.name for t in task.test_sets.all()] == ["north", "south"]
    assert [p.test_sets.count() for p in task.phases.all()] == [2]
    gold = task.gold_revisions.get().files.all()
    assert [file.units for file in gold] == [2, 2]


def test_folder_zip_and_wrapped_zip_give_the_same_task(tmp_path: Path) -> None:
    source = bundle()
    folder = bundle_of(written(tmp_path, source))
    assert dict(folder.files) == dict(source.files)
    flat = unzip("a.zip", io.BytesIO(zipped(source)))
    assert dict(flat.files) == dict(source.files)
    wrapped = unzip("a.zip", io.BytesIO(zipped(source, "otters/")))
    assert create_task(wrapped, None).slug == "otters"


def test_the_blind_file_is_made_without_the_answers(task: Task) -> None:
    blind = task.test_sets.get(name="north").blind().single().decode()
    words = [line.split("\t") for line in blind.split("\n") if "\t" in line]
    assert {tuple(word[6:8]) for word in words} == {("_", "_")}
    assert [word[1] for word in words][:2] == ["the", "otter"]


def test_a_taken_slug_is_refused_and_changes_nothing(task: Task) -> None:
    assert "otters" in refusal(bundle())
    assert Task.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"plumbline": 2}, "'plumbline'"),
        ({"title": ""}, "'title'"),
        ({"scorer": {"name": "nobody"}}, "attachment"),
        ({"scorer": {"name": "attachment", "headline": "bleu"}}, "bleu"),
        ({"scorer": {"name": "attachment", "options": {"labels": "x"}}}, "coarse"),
        ({"scorer": {"name": "attachment", "unit": "page"}}, "sentence"),
        ({"test_sets": [{"name": "a", "gold": "nowhere"}]}, "nowhere"),
        ({"phases": [{"name": "a", "opens": "2026-01-01"}]}, "zone"),
        ({"slug": "Not a slug"}, "slug"),
        ({"titel": "Otters"}, "Did you mean 'title'?"),
        ({"test-sets": []}, "Did you mean 'test_sets'?"),
        ({"colour": "red"}, "expected one of"),
    ],
)
def test_a_wrong_value_is_named(changes: dict[str, object], named: str) -> None:
    assert named in refusal(bundle(**changes))
    assert not Task.objects.exists()


def test_a_phase_that_ends_before_it_begins_is_refused() -> None:
    phase = manifest()["phases"][0] | {"closes": "2020-01-01T00:00:00Z"}
    assert "'closes'" in refusal(bundle(phases=[phase]))


def test_a_file_that_is_no_zip_is_told_so() -> None:
    with pytest.raises(SetupError) as caught:
        load(Source.of_bytes("notes.txt", b"Dear all"))
    (problem,) = caught.value.problems
    assert problem.file == "notes.txt"
    assert "this is no zip" in problem.message


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"Rar!\x1a\x07\x01\0", "RAR"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"\x1f\x8b\x08", "gzip"),
    ],
)
def test_another_archive_is_called_by_its_name(data: bytes, kind: str) -> None:
    with pytest.raises(SetupError, match=f"its top; this is a {kind} archive"):
        load(Source.of_bytes("bundle", data))


def test_broken_yaml_is_named_with_its_line() -> None:
    files = {**bundle().files, "task.yaml": b"slug: otters\ntitle: [\n"}
    with pytest.raises(SetupError) as caught:
        create_task(Source("x", files), None)
    assert caught.value.problems[0].line == 3


def labelled(labels: str, gold: str, opens: str = "2026-11-01T00:00:00Z") -> Source:
    """A bundle whose options list these labels, as YAML has them."""
    lines = (
        "plumbline: 1",
        "slug: quoted",
        "title: Quoted",
        f"scorer: {{name: classes, options: {{labels: {labels}}}}}",
        "test_sets: [{name: a, gold: gold.csv}]",
        f"phases: [{{name: p, title: P, opens: {opens}, test_sets: [a]}}]",
    )
    made = {"task.yaml": "\n".join(lines).encode(), "gold.csv": gold.encode()}
    return Source("bundle", made)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "label", ["012", "1_000", "0x1F", "12:30", "1.50", "+5", "1.0", "2026-11-01"]
)
def test_a_label_that_yaml_takes_for_a_number_stays_as_it_is_written(
    label: str,
) -> None:
    gold = f"id,label\na,{label}\nb,x\n"
    task = create_task(labelled(f"[{label}, x]", gold), None)
    assert task.options["labels"] == [label, "x"]


@pytest.mark.parametrize("words", ["[~, a]", "[null, a]", "[a, Null]"])
def test_a_label_that_yaml_takes_for_nothing_is_told_to_be_quoted(words: str) -> None:
    told = refusal(labelled(words, "id,label\na,a\n"))
    assert "task.yaml:4: " in told
    assert "between quotes" in told


@pytest.mark.parametrize("moment", ["5", "1793491200", "12:30", "2026.5", "yes"])
def test_what_is_no_day_and_no_time_is_refused_at_its_line(moment: str) -> None:
    told = refusal(labelled("[a]", "id,label\na,a\n", moment))
    assert "task.yaml:6: " in told
    assert "'opens': expected a time, as in 2026-05-01T12:00:00Z" in told
    assert moment == "yes" or f"not '{moment}'" in told


@pytest.mark.parametrize("moment", ["2026-13-01", "2026-02-30", "2026-11-01T25:00:00Z"])
def test_a_day_that_no_calendar_has_is_named_with_its_line(moment: str) -> None:
    told = refusal(labelled("[a]", "id,label\na,a\n", moment))
    assert told.startswith("task.yaml:6: ")
    assert f"there is no such day, time or number: '{moment}'" in told


@pytest.mark.parametrize(
    "moment", ["2026-13-01", "2026-02-30", "2026-11-01T25:00:00Z", "tomorrow", "1.5."]
)
def test_a_day_between_quotes_that_no_calendar_has_is_quoted(moment: str) -> None:
    told = refusal(labelled("[a]", "id,label\na,a\n", f"'{moment}'"))
    assert "task.yaml:6: " in told
    assert f"not '{moment}'" in told


@pytest.mark.parametrize(
    ("changes", "quoted"),
    [
        ({"bootstrap": {"resamples": "many"}}, "a whole number; not 'many'."),
        ({"bootstrap": {"level": 2}}, "a number below 1; not '2'."),
        ({"phases": "test"}, "a list; not 'test'."),
        ({"scorer": "attachment"}, "a table; not 'attachment'."),
        ({"unlisted": "perhaps"}, "true or false; not 'perhaps'."),
        ({"test_sets": ["north"]}, "a table as number 1."),
    ],
)
def test_a_value_of_another_kind_is_quoted(
    changes: dict[str, object], quoted: str
) -> None:
    told = refusal(bundle(**changes))
    assert quoted in told
    assert "names out of ." not in told


@pytest.mark.parametrize("words", ["[yes, no]", "[maybe, no]", "[on, off]", "no"])
def test_words_that_yaml_takes_for_true_and_false_are_told_to_be_quoted(
    words: str,
) -> None:
    told = refusal(labelled(words, "id,label\na,no\n"))
    assert "task.yaml:4: " in told
    assert "put yes, no, on and off between quotes" in told


@pytest.mark.parametrize(
    "line", ["title: yes", "title: 1.5", "title: 2026-12-20", "summary: off"]
)
def test_texts_that_yaml_takes_for_other_values_are_told_to_be_quoted(
    line: str,
) -> None:
    key = line.partition(":")[0]
    lines = (
        "plumbline: 1",
        "slug: quoted",
        line,
        *(["title: Quoted"] if key != "title" else []),
        "scorer: {name: classes}",
        "test_sets: [{name: a, gold: gold.csv}]",
        "phases: [{name: p, title: P, opens: 2026-11-01T00:00:00Z, test_sets: [a]}]",
    )
    made = {"task.yaml": "\n".join(lines).encode(), "gold.csv": b"id,label\na,no\n"}
    told = refusal(Source("bundle", made))
    assert f"task.yaml:3: '{key}': expected some text: put words" in told
    quoted = line.replace(": ", ": '") + "'"
    made["task.yaml"] = made["task.yaml"].replace(line.encode(), quoted.encode())
    assert load(Source("bundle", made))


def test_a_mistake_in_the_gold_is_found_when_the_task_is_made() -> None:
    broken = bundle().files["gold/north.conllu"].replace(b"\t2\tdet", b"\t9\tdet")
    text = refusal(Source("x", {**bundle().files, "gold/north.conllu": broken}))
    assert "north.conllu:2" in text


def test_a_file_that_is_no_zip_is_refused() -> None:
    with pytest.raises(SetupError, match="zip"):
        unzip("a.zip", io.BytesIO(b"hello"))


def test_the_command_imports_a_folder(tmp_path: Path, ada: User) -> None:
    folder = written(tmp_path, bundle())
    call_command("import_task", str(folder), organizer=ada.email)
    assert Task.objects.get().is_organized_by(ada)
    with pytest.raises(CommandError, match="otters"):
        call_command("import_task", str(folder))


@pytest.mark.parametrize("said", [False, True, None])
def test_what_is_uploaded_begins_as_a_draft(
    said: bool | None, ada: User, client: Client
) -> None:
    """Whatever the bundle says, on the page and in the API, and both say so."""
    client.force_login(ada)
    ways = ("/tasks/new/", "/api/v1/tasks/")
    for slug, address in zip(("beavers", "minks"), ways, strict=True):
        source = bundle(slug=slug, draft=said)
        if said is None:
            source = without_draft(source)
        file = io.BytesIO(zipped(source))
        file.name = "t.zip"
        answer = client.post(address, {"bundle": file}, follow=True)
        assert Task.objects.get(slug=slug).draft, address
        text = answer.content.decode()
        assert "as a draft that only its organizers see" in text
        assert ("does not publish it" in text) == (said is False)
        assert Client().get(f"/tasks/{slug}/").status_code == 404
    assert answer.status_code == 201
    assert answer.json()["draft"] is True


def without_draft(source: Source) -> Source:
    table = yaml.safe_load(source.files["task.yaml"])
    del table["draft"]
    return Source("x", {**source.files, "task.yaml": yaml.safe_dump(table).encode()})


@pytest.mark.parametrize(
    ("said", "draft", "words"),
    [
        (False, False, "It is public, without a check"),
        (True, True, "It is a draft"),
        (None, True, "It is a draft"),
    ],
)
def test_the_command_publishes_only_what_says_so(
    said: bool | None, draft: bool, words: str, ada: User, tmp_path: Path
) -> None:
    source = bundle(draft=said) if said is not None else without_draft(bundle())
    folder = written(tmp_path, source)
    out = io.StringIO()
    call_command("import_task", str(folder), organizer=ada.email, stdout=out)
    assert Task.objects.get().draft is draft
    assert words in out.getvalue()


def test_a_bundle_without_draft_leaves_the_task_what_it_is(
    ada: User, client: Client
) -> None:
    client.force_login(ada)
    for public in (True, False):
        task = create_task(bundle(slug=f"task-{public:d}", draft=not public), ada)
        changed = without_draft(bundle(slug=task.slug, title="Another title"))
        file = io.BytesIO(zipped(changed))
        file.name = "t.zip"
        address = f"/api/v1/tasks/{task.slug}/bundle/"
        answer = client.post(address, {"bundle": file}, headers={"If-Match": "*"})
        assert answer.status_code == 200, answer.content
        found = Task.objects.get(pk=task.pk)
        assert (found.title, found.draft) == ("Another title", not public)


def test_a_refused_bundle_speaks_of_no_attempts(ada: User, client: Client) -> None:
    client.force_login(ada)
    file = io.BytesIO(b"Dear all")
    file.name = "notes.txt"
    answer = client.post("/tasks/new/", {"bundle": file})
    assert answer.status_code == 422
    assert "this is no zip" in answer.text
    assert "Nothing was changed" in answer.text
    assert "attempt" not in answer.text


def test_an_organizer_uploads_a_bundle_in_the_browser(
    ada: User, client: Client
) -> None:
    client.force_login(ada)
    file = io.BytesIO(zipped(bundle()))
    file.name = "otters.zip"
    answer = client.post("/tasks/new/", {"bundle": file})
    assert answer.status_code == 302
    assert Task.objects.get().is_organized_by(ada)


STRAYS = {"gold/old.conllu": b"1\n", "terms.md": b"Be kind.", "notes/x.txt": b"x"}
BESIDE = {
    "README.md": b"# A",
    "LICENSE": b"CC0",
    ".git/x": b"",
    "a/.DS_Store": b"",
}


def test_files_that_nothing_names_are_told_wherever_a_bundle_is_read(
    tmp_path: Path, ada: User, client: Client
) -> None:
    told = (
        "3 files are not part of the task, as nothing in task.yaml names them: "
        "'gold/old.conllu', 'notes/x.txt', 'terms.md'."
    )
    whole = bundle()
    strewn = Source("otters", {**whole.files, **STRAYS, **BESIDE})
    out = io.StringIO()
    folder = written(tmp_path, strewn)
    call_command("import_task", str(folder), organizer=ada.email, stdout=out)
    assert told in out.getvalue()
    client.force_login(ada)

    def sent(address: str, source: Source) -> str:
        file = io.BytesIO(zipped(source))
        file.name = "otters.zip"
        answer = client.post(address, {"bundle": file}, follow=True)
        assert answer.status_code == 200
        return html.unescape(answer.text)

    page = "/tasks/otters/organize/bundle/"
    assert told in sent(page, strewn)
    assert "not part of the task" not in sent(page, whole)
    other = bundle(slug="voles").files | STRAYS
    assert told in sent("/tasks/new/", Source("voles", other))


def test_a_readme_beside_a_bundle_is_no_matter() -> None:
    strewn = Source("otters", {**bundle().files, **BESIDE})
    assert declared_plan(strewn).strays == []


def test_a_wrong_bundle_is_answered_with_its_problems(
    ada: User, client: Client
) -> None:
    client.force_login(ada)
    file = io.BytesIO(zipped(bundle(title="")))
    file.name = "otters.zip"
    answer = client.post("/tasks/new/", {"bundle": file})
    assert answer.status_code == 422
    assert "title" in answer.content.decode()


def test_a_unit_that_the_gold_does_not_name_is_refused() -> None:
    scorer = {"name": "attachment", "unit": "document"}
    assert "no unit 'document'" in refusal(bundle(scorer=scorer))


def test_files_of_the_options_can_be_fetched_and_nothing_else(client: Client) -> None:
    files = {**bundle().files, "weights.csv": b"relation,weight\ndet,0.2\n"}
    scorer = {"name": "attachment", "options": {"weights": "weights.csv"}}
    files["task.yaml"] = bundle(scorer=scorer).files["task.yaml"]
    create_task(Source("x", files), None)
    fetched = client.get("/tasks/otters/options/weights.csv")
    assert fetched.content == files["weights.csv"]
    assert fetched["Content-Disposition"].startswith("attachment")
    assert client.get("/tasks/otters/options/north.conllu").status_code == 404


@pytest.mark.parametrize(
    "written", ["Gold.CSV", "answers\\gold.csv", "/home/me/gold.csv", "data/gold.cvs"]
)
def test_a_file_of_nearly_that_name_is_named(written: str) -> None:
    files = {"task.yaml": b"", "data/gold.csv": b"", "gold-b.tsv": b""}
    manifest = Manifest(YamlTable(1), files)
    assert manifest.file(written) is None
    assert manifest.nearest(written) == "data/gold.csv"
    assert manifest.nearest("q.tsv") == ""


@pytest.mark.parametrize(
    "names", [["task.yml"], ["Task.yaml"], ["a/task.yaml", "b/task.yaml"]]
)
def test_a_manifest_of_another_name_or_place_is_named(names: list[str]) -> None:
    files = dict.fromkeys([*names, "gold.csv"], b"plumbline: 1\n")
    with pytest.raises(SetupError, match="at the top of the bundle, but there is") as e:
        manifest_of(Source("b", files))
    assert all(f"'{name}'" in e.value.problems[0].message for name in names)
