"""Numbers as they are written in files: which texts are any, and what is wrong else."""

import re

from scoring.messages import Messages, _
from scoring.source import brief

MESSAGES = Messages(
    {
        "too_large": _("'%(text)s' is larger than %(most)s."),
        "scale": _("Write values of a scale that people use."),
        "no_number": _("'%(text)s' is no number."),
        "nothing": _("there is no number: the cell is empty."),
        "point": _("Write decimals with a point, as in 0.5."),
        "finite": _("Every item needs a finite number; for want of one, give a mean."),
        "number": _("Write a number as in 3, -0.25 or 1.5e-3."),
    }
)

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|#?n/?a|none|null)", re.IGNORECASE)
LARGEST = 1e100


def is_number(text: str) -> bool:
    """Whether a text without white space around it is a number that can be used."""
    return bool(NUMBER.fullmatch(text)) and abs(float(text)) <= LARGEST


def what_is_wrong(text: str) -> tuple[str, str]:
    """The problem with a text that is no such number, and what helps."""
    if NUMBER.fullmatch(text):
        message = MESSAGES("too_large", text=brief(text), most=f"{LARGEST:.0e}")
        return message, MESSAGES("scale")
    if not text:
        return MESSAGES("nothing"), MESSAGES("number")
    message = MESSAGES("no_number", text=brief(text))
    if COMMA.fullmatch(text):
        return message, MESSAGES("point")
    if NOT_FINITE.fullmatch(text):
        return message, MESSAGES("finite")
    return message, MESSAGES("number")
