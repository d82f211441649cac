"""The place where code of a team failed, told without a word of what it said.

Its output may hold the hidden input. So a team is told no more than a file of its own,
a line that this file has, and the name of an error that Python itself knows.
"""

import builtins
import re
from collections.abc import Mapping

from scoring.errors import Problem
from scoring.messages import Messages, _

FAILED = "code_failed"  # a code of problems
MESSAGES = Messages(
    at=_("your code failed at line %(line)s of %(file)s: %(kind)s"),
    somewhere=_("your code failed: %(kind)s"),
    other=_("an error or exit code of its own"),
    hint=_(
        "What it said is not shown, for it could hold the hidden input. Run it at "
        "home on input of the same form."
    ),
)
FRAME = re.compile(
    r'^ *File "/app/(program|ingested_program)/([^"\n]+)", line (\d{1,7})\b',
    re.MULTILINE,
)
KIND = re.compile(r"^(\w+)(?=:|$)", re.MULTILINE)


def problem_of(
    files: Mapping[str, bytes], output: str, folder: str = "program"
) -> Problem:
    """The problem of code with these files, in the folder that it was run from, that
    ended badly and said `output`."""
    kinds = [name for name in KIND.findall(output) if _is_known(name)]
    kind = kinds[-1] if kinds else MESSAGES("other")
    hint = MESSAGES("hint")
    for place, file, digits in reversed(FRAME.findall(output)):
        if place != folder:
            continue
        if 0 < int(digits) <= files.get(file, b"").count(b"\n") + 1 and file in files:
            message = MESSAGES("at", line=int(digits), file=file, kind=kind)
            return Problem(FAILED, message, hint=hint)
    return Problem(FAILED, MESSAGES("somewhere", kind=kind), hint=hint)


def _is_known(name: str) -> bool:
    value = getattr(builtins, name, None)
    return isinstance(value, type) and issubclass(value, Exception)
