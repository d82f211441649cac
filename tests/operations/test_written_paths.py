"""Commands that write where nothing can be written end in one sentence, which names
the path that was asked for."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from leaderboard.tasks.models import Task
from plumbline.exits import unreadable
from scoring.__main__ import main
from tests.loops import loop_over

pytestmark = pytest.mark.django_db
COMMANDS = {
    "export_task to a zip": ("export_task", "otters", "{path}.zip"),
    "export_task to a folder": ("export_task", "otters", "{path}"),
    "build_docs": ("build_docs", "{path}"),
}


@loop_over("command", COMMANDS)
def test_the_command_names_the_path_and_leaves_nothing(
    command: str, task: Task, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    for path in (file / "made", Path("/proc/made")):
        words = [word.format(path=path) for word in COMMANDS[command]]
        with pytest.raises(CommandError) as caught:
            call_command(*words)
        said = str(caught.value)
        assert str(path) in said and "/." not in said and "Errno" not in said
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_the_client_and_the_engine_name_what_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\na,x\nb,y\n")
    place = tmp_path / "nowhere" / "receipt.json"
    words = ["score", "classes", "--gold", str(gold), "--system", str(gold)]
    assert main([*words, "--receipt", str(place)])
    said = capsys.readouterr().err
    assert str(place) in said and "cannot read" not in said
    with pytest.raises(FileNotFoundError) as caught:
        place.write_text("")
    assert str(unreadable(caught.value)) == f"there is no folder {place.parent}"
    with pytest.raises(FileNotFoundError) as caught:
        (tmp_path / "b.csv").read_text()
    assert str(unreadable(caught.value)) == f"there is no file {tmp_path / 'b.csv'}"
