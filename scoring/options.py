"""Options of a scorer: declared once, read by command line, task form and pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scoring.errors import Problem, UsageError
from scoring.messages import Messages, _
from scoring.picks import likely
from scoring.source import Source

MESSAGES = Messages(
    none=_("none"),
    unknown=_("unknown option '%(option)s'; this scorer knows: %(options)s"),
    did_you_mean=_("Did you mean '%(option)s'?"),
    file=_("option '%(option)s' takes a file"),
    choice=_("option '%(option)s' is '%(text)s'; expected one of: %(choices)s"),
    flag=_("option '%(option)s' is '%(text)s'; expected true or false"),
    word=_("option '%(option)s' takes a word, not a file"),
)

# Defaults of options that name none, by kind; None for all other kinds.
UNSET: Mapping[str, Any] = {"flag": False, "list": (), "lines": ()}
Options = Mapping[str, Any]
Raw = Mapping[str, Sequence[str | Source]]
TRUE, FALSE = {"true", "yes", "1", "on"}, {"false", "no", "0", "off"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a scorer; `kind` decides the type of its value.

    choice and text: str; flag: bool; list: tuple of str (comma-separated, repeatable,
    each word once); lines: tuple of str (repeatable, never split); file: Source or
    None. A `private` file stays with the organizers: no kit and no page gives it to
    others.
    """

    name: str
    help: str
    kind: Literal["choice", "flag", "list", "lines", "file", "text"]
    default: Any = None
    choices: tuple[str, ...] = ()
    private: bool = False

    def __post_init__(self) -> None:
        if self.default is None:
            object.__setattr__(self, "default", UNSET.get(self.kind))


def parse(declared: Sequence[Option], raw: Raw) -> Options:
    """Values for every declared option, defaults filled in. Raises UsageError naming an
    unknown option or a value that does not fit."""
    options = {option.name: option for option in declared}
    for name in raw:
        if name not in options:
            allowed = ", ".join(options) or MESSAGES("none")
            near = likely(name, list(options))
            hint = MESSAGES("did_you_mean", option=near) if near else ""
            message = MESSAGES("unknown", option=name, options=allowed)
            raise UsageError(Problem("option", message, hint=hint))
    return {
        name: _value(option, raw[name]) if raw.get(name) else option.default
        for name, option in options.items()
    }


def _value(option: Option, given: Sequence[str | Source]) -> Any:
    if option.kind == "file":
        if isinstance(given[-1], Source):
            return given[-1]
        raise _usage(MESSAGES("file", option=option.name))
    if option.kind in ("list", "lines"):
        texts = [_text(option, value) for value in given]
        if option.kind == "lines":
            return tuple(texts)
        parts = (part.strip() for text in texts for part in text.split(","))
        return tuple(dict.fromkeys(filter(None, parts)))
    text = _text(option, given[-1])
    if option.kind == "flag":
        return _flag(option, text)
    if option.kind == "choice" and text not in option.choices:
        choices = ", ".join(option.choices)
        raise _usage(MESSAGES("choice", option=option.name, text=text, choices=choices))
    return text


def _flag(option: Option, text: str) -> bool:
    if text.lower() in TRUE | FALSE:
        return text.lower() in TRUE
    raise _usage(MESSAGES("flag", option=option.name, text=text))


def _text(option: Option, value: str | Source) -> str:
    if isinstance(value, str):
        return value
    raise _usage(MESSAGES("word", option=option.name))


def _usage(message: str) -> UsageError:
    return UsageError(Problem("option", message))
