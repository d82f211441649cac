"""The places where a submission loses most: a part of the units, a kind of error, a
confusion."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from leaderboard.extras.errors import titles
from leaderboard.extras.errors.panels import score
from leaderboard.extras.errors.slice_chart import Plain, choice
from scoring.measures import Measure


class Loss(NamedTuple):
    """A sentence, and the choice of the error browser that lists these units."""

    text: str
    chosen: str


def largest(overview: Plain, measure: Measure) -> list[Loss]:
    """The largest loss of each sort that is known, from what `Look.overview` gives.

    A part of the units counts only where its interval leaves the whole score out.
    """
    losses = (
        _part(overview["slices"][0], measure),
        _kind(overview["listing"]["errors"]),
        _confusion(overview["matrices"]),
    )
    return [loss for loss in losses if loss is not None]


def _part(parts: list[Plain], measure: Measure) -> Loss | None:
    """The part without which the score would rise most."""
    whole, sign = parts[0]["value"], 1 if measure.higher_is_better else -1
    if whole is None:
        return None

    def gain(part: Plain) -> float:
        end = part["high"] if measure.higher_is_better else part["low"]
        if end is None or part["rest"] is None or sign * (end - whole) >= 0:
            return 0.0
        return float(sign * (part["rest"] - whole))

    worst = max(parts[1:], key=gain, default=parts[0])
    if worst is parts[0] or gain(worst) <= 0:
        return None
    values = {
        "measure": measure.title,
        "value": score(worst["value"], measure),
        "group": worst["group"],
        "label": worst["label"],
        "n": worst["units"],
        "all": parts[0]["units"],
        "rest": score(worst["rest"], measure),
    }
    text = _(
        "%(measure)s is %(value)s on %(group)s %(label)s, %(n)s of %(all)s units, and "
        "%(rest)s on all others."
    )
    slice, shortest, longest = choice(worst)
    chosen = {"slice": slice, "shortest": shortest, "longest": longest}
    return Loss(text % values, _address(chosen))


def _kind(errors: Mapping[str, int]) -> Loss | None:
    """The most frequent kind of error, where there are several."""
    if len(errors) < 2:
        return None
    kind = max(errors, key=errors.__getitem__)
    values = {
        "kind": titles.of(titles.KINDS, kind),
        "n": errors[kind],
        "all": sum(errors.values()),
    }
    text = _("The most frequent kind of error is “%(kind)s”: %(n)s of %(all)s.")
    return Loss(text % values, _address({"kind": kind}))


def _confusion(matrices: list[Plain]) -> Loss | None:
    """The pair of labels that is confused most often."""
    frequent = max(_confusions(matrices), default=None)
    if frequent is None:
        return None
    number, layer, right, given = frequent
    text = _("The most frequent confusion is %(right)s taken for %(given)s: %(n)s.")
    values = {"right": right, "given": given, "n": number}
    labels = {"gold": f"{layer}:{right}", "system": f"{layer}:{given}"}
    return Loss(text % values, _address(labels))


def _confusions(matrices: list[Plain]) -> Iterator[tuple[int, str, str, str]]:
    """Cells beside the diagonal that say something, with both labels."""
    for matrix in matrices:
        names = matrix["labels"]
        for right, numbers in zip(names, matrix["cells"], strict=True):
            for given, number in zip(names, numbers, strict=True):
                if number and right and given and right != given:
                    yield number, matrix["layer"], right, given


def _address(chosen: Mapping[str, object]) -> str:
    return urlencode({name: value for name, value in chosen.items() if value})
