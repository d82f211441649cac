"""The kit for an overview paper says what the board says, to whom the board says it."""

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.cache import caches
from django.test import Client

from leaderboard.extras.paper import contents
from leaderboard.extras.publishing.formats import latex as publishing
from leaderboard.extras.publishing.formats.latex import _fitting
from leaderboard.submissions.models import Submission, SubmittedFile
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from tests.exports.conftest import NASTY, renamed, two_sent
from tests.extras.publishing.reading import bibtex, latex, said
from tests.organize.disclosing import revealed, salted, unrevealed

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=two_sent),
    pytest.mark.usefixtures("sandbox_inline"),
]
Sent = list[Submission]
Login = Callable[[User], Client]
HERE = "/tasks/otters/test"
KIT, API = f"{HERE}/paper-kit.zip", f"/api/v1{HERE}"
ENGINES = ("tectonic", "pdflatex", "lualatex", "xelatex")
TABLES = ("board", "test-sets", "significance", "teams")


def unpacked(client: Client | None = None, **choices: str) -> dict[str, bytes]:
    answer = (client or Client()).get(KIT, choices)
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        return {n.partition("/")[2]: packed.read(n) for n in packed.namelist()}


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def forgotten() -> None:
    for cache in caches.all():
        cache.clear()


def test_the_kit_has_what_a_paper_needs_and_a_list_of_it(
    sent: Sent, settings: Any
) -> None:
    settings.BOARD_SECONDS = 4
    files = unpacked()
    told = files["README.txt"].decode()
    assert all(name in told for name in files)
    for name in (*(f"tables/{one}.tex" for one in TABLES), "systems.bib", "paper.tex"):
        assert name in files
    assert [n for n in files if n.startswith("figures/scores")] == [
        "figures/scores-las.svg",
        "figures/scores-las.pdf",
    ]
    for name, data in files.items():
        single = Client().get(f"{HERE}/paper-kit/{name}")
        assert single.content == data, name
        if name.endswith(".svg"):
            assert "otters" in "".join(ElementTree.fromstring(data).itertext()).lower()
    assert Client().get(f"{HERE}/paper-kit/../../secret").status_code == 404
    assert Client().get("/tasks/otters/paper-kit.zip").url == KIT


def test_pairs_are_those_of_the_comparison(sent: Sent) -> None:
    files, chosen = unpacked(), [str(one.pk) for one in sent]
    (pair,) = Client().get(f"{API}/pairs/").json()["pairs"]
    (compared,) = Client().get(f"{API}/compare/", {"system": chosen}).json()
    for name in ("first", "second", "difference", "p_value", "adjusted"):
        assert pair[name] == pytest.approx(compared[name]), name
    (line,) = table(files["tables/pairs.csv"])
    assert float(line["adjusted"]) == pair["adjusted"]
    assert line["significant"] == ("yes" if pair["significant"] else "no")
    first, second = table(files["tables/significance.csv"])
    assert float(first[pair["second"]]) == float(second[pair["first"]])
    assert float(first[pair["second"]]) == pair["adjusted"]
    assert first[pair["first"]] == ""


def test_systems_by_test_sets_are_the_boards_of_each(sent: Sent) -> None:
    lines = table(unpacked()["tables/test-sets.csv"])
    for name in ("north", "south", ""):
        asked = {"test_set": name} if name else {}
        for row in Client().get(f"{API}/board/", asked).json()["rows"]:
            (line,) = (
                one
                for one in lines
                if one["submission"] == row["submission"]
                and (one["test_set"], one["measure"]) == (name or "all", "las")
            )
            assert float(line["value"]) == row["scores"]["las"]["value"]


def test_latex_of_hostile_names_is_only_text(sent: Sent, tmp_path: Path) -> None:
    """It is compiled where the machine has LaTeX, and read by its rules everywhere."""
    for name in NASTY:
        renamed(sent[0], name)
        forgotten()
        files = unpacked()
        for one in TABLES:
            text = files[f"tables/{one}.tex"].decode()
            # Rows of one table fit its columns; sizes and citations are no text.
            text = text.replace(r"\setlength{\tabcolsep}{2pt}", "")
            text = re.sub(r"\\cite\{[\w-]+\}", "cited", text)
            text = re.sub(r"\\textbf\{(\$<\$)?([.\d]+)\}", r"\2", text)
            text = re.sub(r"\$<\$", "", text)
            rows = latex(text).rows
            assert len(rows) == 3, one
            cells = said(" ".join(cell for row in rows for cell in row))
            cells = cells.replace(r"\allowbreak{}", "")
            assert " ".join(name.split()) in cells, (one, name)
        entries = files["systems.bib"].decode().split("\n\n")
        assert len(entries) == 4
        for entry in entries:
            bibtex(entry.rstrip("\n") + "\n")
    compiled(unpacked(), tmp_path)


def test_names_in_any_script_leave_a_document_that_compiles(
    sent: Sent, tmp_path: Path
) -> None:
    renamed(sent[0], "\u0646\u0645\u0648, \u041c\u0438\u0440, \u6c5f, \u03b1")
    forgotten()
    compiled(unpacked(), tmp_path)


def compiled(files: dict[str, bytes], folder: Path) -> None:
    """The document of the kit, wherever a program is there that compiles it."""
    document = files["paper.tex"].decode()
    assert document.count("{") == document.count("}")
    wanted = re.findall(r"\\input\{([^}]+)\}", document)
    assert sorted(wanted) == sorted(f"tables/{one}" for one in TABLES)
    figures = set(re.findall(r"\\IfFileExists\{([^}]+)\.pdf\}", document))
    drawn = {f"{one}.{ending}" for one in figures for ending in ("svg", "pdf")}
    assert drawn == {n for n in files if "figures/" in n}
    engine = next(filter(shutil.which, ENGINES), None)
    if engine is None:
        return
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_bytes(data)
    more = (
        [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    )
    subprocess.run([engine, *more, "paper.tex"], cwd=folder, check=True)
    assert (folder / "paper.pdf").stat().st_size


def test_captions_explain_ranges_and_lines(sent: Sent) -> None:
    files = unpacked()
    for one in ("board", "test-sets"):
        caption = latex(files[f"tables/{one}.tex"].decode()).caption
        for words in ("confidence range", "Lines separate groups", "95"):
            assert words in said(caption), (one, words)
    told = files["tables/significance.tex"].decode()
    assert "corrected for the 1 pairs (Holm)" in told and "at 0.05" in told


def test_a_blind_phase_has_a_kit_for_organizers_alone(
    phase: Phase, sent: Sent, ada: User, ben: User, as_user: Login
) -> None:
    unrevealed(phase, "blind")
    for client in (Client(), as_user(ben)):
        for address in (KIT, f"{HERE}/paper-kit/README.txt"):
            assert client.get(address).status_code == 404
        assert client.get("/tasks/otters/paper-kit.zip").status_code == 404
        assert client.get(f"{API}/pairs/").json()["pairs"] == []
        assert "paper-kit" not in client.get("/tasks/otters/results/").content.decode()
    assert "tables/pairs.csv" in unpacked(as_user(ada))
    listed = as_user(ada).get("/tasks/otters/organize/paper/").content.decode()
    assert "tables/pairs.csv" in listed
    assert as_user(ada).get(f"{KIT}?as=public").status_code == 404
    revealed(phase)
    assert "paper-kit" in Client().get("/tasks/otters/results/").content.decode()


def test_organizers_have_the_files_of_the_ranked_entries(
    sent: Sent, ada: User, ben: User, as_user: Login
) -> None:
    address = "/tasks/otters/organize/entries.zip"
    for client in (Client(), as_user(ben)):
        assert client.get(address).status_code in (302, 403, 404)
    answer = as_user(ada).get(address, {"phase": "test"})
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as packed:
        files = {n.partition("/")[2]: packed.read(n) for n in packed.namelist()}
        # None says when it was packed: of the same board the same bytes.
        assert {one.date_time for one in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    listed = table(files.pop("list.csv"))
    assert [row["file"] for row in listed] == list(files)
    board = as_user(ada).get(f"{API}/board/").json()["rows"]
    ranked = {row["submission"]: row["rank"] for row in board if row["rank"]}
    assert {row["submission"]: int(row["rank"]) for row in listed} == ranked
    assert len(listed) == 2 * len(ranked)  # test sets
    for row in listed:
        sent_file = SubmittedFile.objects.get(
            submission=row["submission"], test_set__name=row["test_set"]
        )
        assert sha256(files[row["file"]]).hexdigest() == sent_file.sha256


def test_best_scores_come_without_tests_of_pairs(phase: Phase, sent: Sent) -> None:
    unrevealed(phase, "best")
    files = unpacked()
    assert not [name for name in files if "pairs" in name or "significance" in name]
    assert not [name for name in files if "slices" in name]
    assert Client().get(f"{API}/pairs/").json()["pairs"] == []


def test_before_the_reveal_the_kit_has_the_public_part_alone(
    phase: Phase, sent: Sent
) -> None:
    salted(phase)
    unrevealed(phase)
    files = unpacked()
    assert not [name for name, data in files.items() if b"0.9375" in data]
    for part in ("private", "all"):
        assert Client().get(KIT, {"part": part}).status_code == 404


def test_hidden_names_are_in_no_file(
    phase: Phase, entry: Participation, sent: Sent
) -> None:
    team = entry.team.name
    Participation.objects.filter(pk=entry.pk).update(anonymous=True, alias=7)
    forgotten()
    files = unpacked()
    assert not [name for name, data in files.items() if team.encode() in data]


def test_affiliations_stand_beside_teams_that_show_their_names(
    phase: Phase, sent: Sent
) -> None:
    first, second = (one.participation for one in sent)
    names = [first.team.name, second.team.name]
    Team.objects.filter(name__in=names).update(affiliations="Tidal Labs & Co")
    unrevealed(phase)
    Participation.objects.filter(pk=second.pk).update(anonymous=True, alias=7)
    files = unpacked()
    told = {
        row["team"]: row["affiliations"] for row in table(files["tables/teams.csv"])
    }
    assert told == {names[0]: "Tidal Labs & Co", "Anonymous 7": ""}
    assert str(files["tables/teams.tex"]).count(r"Tidal Labs") == 1


def measures_of(*titles: str) -> Any:
    """A table of an export with these measures, and one row."""
    cells = [SimpleNamespace(value="87.29", interval="[85.1, 89.0]") for _ in titles]
    return SimpleNamespace(
        measures=[{"title": title} for title in titles],
        lines=[SimpleNamespace(cells=cells)],
    )


def test_the_main_table_has_the_first_measure_and_five_at_most() -> None:
    """22 measures of a coreference task were 734 pt too wide: no table may be."""
    short = measures_of(*(f"M{number}" for number in range(22)))
    found = list(_fitting(short))
    assert [len(one) for one in found] == [6, 6, 6, 4]
    assert [place for one in found for place in one] == list(range(22))
    assert list(_fitting(measures_of("LAS", "UAS"))) == [[0, 1]]
    assert list(_fitting(measures_of("LAS"))) == [[0]]
    long = measures_of("CoNLL F1", *["Mention-overlap precision"] * 7)
    found = list(_fitting(long))
    # 15 letters of the longest word and 2 between: 2 of them beside an interval.
    assert found == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_measures_that_the_main_table_lacks_are_in_a_second(
    sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = unpacked()
    assert "tables/board-more.tex" not in before
    monkeypatch.setattr(publishing, "MOST_BESIDE", 0)
    forgotten()
    files = unpacked()
    main, more = (
        latex(files[f"tables/{n}.tex"].decode()) for n in ("board", "board-more")
    )
    whole = latex(before["tables/board.tex"].decode())
    (heads, *rows), (others, *more_rows) = main.rows, more.rows
    assert [*heads, *others[3:]] == whole.rows[0]
    for row, beside, both in zip(rows, more_rows, whole.rows[1:], strict=True):
        assert [*row, *beside[3:]] == both and row[:3] == beside[:3]
    assert r"\input{tables/board-more}" in files["paper.tex"].decode()


def test_the_kit_is_made_once_for_the_board_as_it_stands(
    sent: Sent, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.BOARD_SECONDS, settings.ANONYMOUS_SECONDS = 4, 0
    drawn: list[str] = []
    monkeypatch.setattr(contents, "page_of", lambda svg: drawn.append(svg) or b"%PDF")
    first = unpacked()
    made = len(drawn)
    assert made
    caches["at-hand"].clear()  # as another process that was never asked
    assert (unpacked(), len(drawn)) == (first, made)
    assert Client().get(f"{HERE}/paper-kit/paper.tex").content == first["paper.tex"]
    assert len(drawn) == made
    # A name is in no version of a board, and yet another kit.
    renamed(sent[0], "Minks")
    assert b"Minks" in unpacked()["tables/board.csv"]
    assert len(drawn) == 2 * made
    assert unpacked(measure="uas") != first
