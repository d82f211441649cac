"""A stand-in for a runner of containers: a real process that runs the code as another.

`python stand_in_runner.py HOW WORDS` runs python WORDS. It keeps nothing from anything
but time and memory; HOW names what it does wrong, and is "well" for nothing.
"""

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"


def held() -> None:
    seconds = int(os.environ["RUN_CPU_SECONDS"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))


def ended(words: list[str]) -> str:
    """How the code ended, in the words of the result."""
    code = subprocess.Popen(
        [PYTHON, *words], cwd=os.environ["RUN_START"], preexec_fn=held
    )
    try:
        number = code.wait(float(os.environ["RUN_WALL_SECONDS"]))
    except subprocess.TimeoutExpired:
        code.kill()
        return "wall"
    return str(number if number >= 0 else 128 - number)


def main(how: str, *words: str) -> int:
    if how == "hangs":
        threading.Event().wait(600)
    said = ended(list(words))
    if how == "says its environment":
        print(sorted(os.environ))
    if how != "is silent":
        text = "all is well" if how == "chatters" else said
        Path(os.environ["RUN_RESULT"]).write_text(text)
    if how == "is killed":
        os.kill(os.getpid(), 9)
    return 3 if how == "fails" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
