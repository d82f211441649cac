"""Numbers as they are written in files: which texts are any, and what is wrong else."""

import re
from collections import Counter
from collections.abc import Sequence

from scoring.messages import Messages, _
from scoring.source import brief

MESSAGES = Messages(
    too_large=_("'%(text)s' is larger than %(most)s."),
    scale=_("Write values of a scale that people use."),
    no_number=_("'%(text)s' is no number."),
    code=_(
        "%(count)s of %(all)s values are %(code)s, far from all others: it counts "
        "as a value, also where it stands for a missing one."
    ),
    zero=_(
        "%(count)s of %(all)s values are %(code)s, and hardly any other stands twice: "
        "it counts as a value, also where it stands for a missing one."
    ),
    below=_(
        "%(count)s of %(all)s values are %(code)s, and no other is below 0: it counts "
        "as a value, also where it stands for a missing one."
    ),
    nothing=_("there is no number: the cell is empty."),
    point=_("Write decimals with a point, as in 0.5."),
    finite=_("Every item needs a finite number; for want of one, give a mean."),
    number=_("Write a number as in 3, -0.25 or 1.5e-3."),
)

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|#?n/?a|none|null)", re.IGNORECASE)
LARGEST = 1e100
LEAST_OTHERS = 5  # numbers beside one that is no usual sign of a missing one
LEAST_SAME = 4  # times that 0 stands among numbers of which each stands once
CODES_OF_NONE = (-9999.0, -999.0, -100.0, -99.0, -9.0, -1.0, 99.0, 999.0, 9999.0)


def stands_for_none(values: Sequence[float]) -> tuple[str, float, int] | None:
    """The number that programs write for a missing one, what is odd about it, and how
    many are it: one far from all others, or several times the only one below 0. None
    where there is none."""
    times = Counter(values)
    [(most, count)] = times.most_common(1) or [(0.0, 0)]
    edge = len(times) > LEAST_OTHERS and most in (min(times), max(times))
    often = [most] * (edge and LEAST_SAME <= count <= len(values) / 2)
    for code in (*CODES_OF_NONE, *often):
        others = [value for value in times if value != code]
        if code in times and len(others) > 1:
            low, high = min(others), max(others)
            if not low - 2 * (high - low) <= code <= high + 2 * (high - low):
                return "code", code, times[code]
            if code < 0 <= low and times[code] > 1 and code in CODES_OF_NONE:
                return "below", code, times[code]
    # What lies between others, or far from them, is hardly a limit of a scale.
    apart = min((abs(value - most) for value in times if value != most), default=0)
    limit = edge and LEAST_OTHERS * apart < max(times) - min(times)
    inside = count >= len(values) / 10 and len(times) > LEAST_OTHERS and not edge
    others_again = len(values) - count - (len(times) - 1)
    once = 2 * len(times) > len(values) and 10 * others_again <= len(times)
    if count >= LEAST_SAME and (most == 0 or inside) and once and not limit:
        return "zero", most, count
    return None


def remark_on_codes(values: Sequence[float]) -> str:
    """A remark on numbers that stand for missing ones; empty for others."""
    if odd := stands_for_none(values):
        name, code, count = odd
        return MESSAGES(name, code=f"{code:g}", count=count, all=len(values))
    return ""


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
