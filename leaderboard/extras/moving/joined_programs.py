"""Several scoring programs of a competition as one program, as a task here has.

Each is a part with the files it had. A mark beside the reference data says which part
scores them; `parts_adapter.py` runs that part without showing it the mark.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from leaderboard.extras.moving.competition import Files
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from scoring.scorers.program.conventions import program_of

ADAPTER = Path(__file__).parent / "parts_adapter.py"
MAIN, TABLE, MARK = "plumbline_parts.py", "plumbline_parts.json", "plumbline_part.txt"
HERE = b"/app/program"


def command_of(program: Files) -> list[str]:
    """The script of a program with its arguments; empty where it runs none."""
    try:
        words = list(program_of(zip_files("program.zip", program)).words)
    except SetupError:
        return []
    while words and words[0].startswith("-"):
        if words[0] in ("-m", "-c"):
            return []
        del words[0]
    return words


def join_programs(programs: Sequence[Files]) -> dict[str, bytes]:
    """One program that holds all; code that names its folder names that of its part."""
    table = {str(i): command_of(program) for i, program in enumerate(programs)}
    files = {
        "metadata": f"command: python $program/{MAIN} $input $output\n".encode(),
        MAIN: ADAPTER.read_bytes(),
        TABLE: json.dumps(table).encode(),
    }
    for i, program in enumerate(programs):
        place = f"parts/{i}"
        for name, data in program.items():
            if name.endswith(".py"):
                data = data.replace(HERE, HERE + f"/{place}".encode())
            files[f"{place}/{name}"] = data
    return files
