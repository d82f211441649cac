"""Remarks on a file that can be scored and looks wrong."""

from collections.abc import Iterator

from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import Problem, Refused
from scoring.formats.forms import recognised, remarks_on_form
from scoring.options import Options
from scoring.outlines import outline_of
from scoring.scorer import Scorer
from scoring.source import Source, brief


def remarks(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> list[Problem]:
    """Remarks on a file that can be scored and looks wrong: units that may be left out
    and are, columns that nobody reads, and another form than the task's."""
    form = remarks_on_form(system, options)
    blind, system = (recognised(one, options, Refused) for one in (blind, system))
    return [
        *(Problem("read_as", text, system.name) for text in form),
        *_coverage(scorer, blind, system, options),
        *_unused_columns(scorer, blind, system, options),
    ]


def _coverage(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> Iterator[Problem]:
    first = outline_of(scorer.outline, _first_lines(blind), options)
    if first is None or first.whole:
        return
    first = outline_of(scorer.outline, blind, options)
    second = outline_of(scorer.outline, system, options)
    if not first or not second or second.kind != first.kind:
        return
    keys = set(second.keys)
    found = sum(key in keys for key in first.keys)
    if found < len(first):
        units = MESSAGES(f"{first.kind}s")
        text = MESSAGES("few_answered", found=found, all=len(first), units=units)
        hint = MESSAGES("see_which")
        yield Problem("few_answered", text, system.name, hint=hint)


def _unused_columns(
    scorer: Scorer, blind: Source, system: Source, options: Options
) -> Iterator[Problem]:
    sides = (
        outline_of(scorer.outline, _first_lines(s), options) for s in (blind, system)
    )
    first, second = sides
    if first is None or second is None or not second.columns:
        return
    read = {name.lower() for name in (*second.columns, *first.header)}
    unused = [name for name in second.header if name and name.lower() not in read]
    if unused:
        shown = ", ".join(f"'{brief(name, 30)}'" for name in unused[:6])
        text, hint = MESSAGES("unused", columns=shown), MESSAGES("only_these")
        yield Problem("unused_columns", text, system.name, 1, hint=hint)


def _first_lines(source: Source) -> Source:
    """The header with the line below it."""
    data = next(iter(source.files.values()), b"")
    end = data.find(b"\n", data.find(b"\n") + 1)
    return Source.of_bytes(source.name, data[: end + 1 or len(data)])
