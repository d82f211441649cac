"""Runs the part of a program that belongs to the reference data of this run.

Part of a scoring program that was joined of several: it runs in the sandbox and imports
nothing of the site.
"""

import json
import os
import re
import runpy
import sys
from pathlib import Path

MARK = "plumbline_part.txt"
PLACE = re.compile(r"\$\{?(program|input|output)\}?|/app/(program|input|output)")


def main(given: str, output: str) -> None:
    here = Path(__file__).resolve().parent
    part = Path(given, "ref", MARK).read_text(encoding="utf-8").strip()
    words = json.loads((here / "plumbline_parts.json").read_text("utf-8"))[part]
    own = _without_mark(Path(given), Path(output, "plumbline_input"))
    folder = here / "parts" / part
    places = {"program": str(folder), "input": str(own), "output": output}
    script, *arguments = [
        PLACE.sub(lambda match: places[match[1] or match[2]], word) for word in words
    ]
    path = folder / script
    os.chdir(folder)
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="__main__")


def _without_mark(given: Path, own: Path) -> Path:
    """A copy of the input, in the only folder where a program may write.

    Programs take every file that they find for data. Copied byte by byte: a sandbox
    lets nobody set the modes and times of files.
    """
    for folder, _folders, names in os.walk(given):
        place = own / Path(folder).relative_to(given)
        place.mkdir(parents=True)
        for name in names:
            if name != MARK:
                (place / name).write_bytes(Path(folder, name).read_bytes())
    return own


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
