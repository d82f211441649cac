"""The effective label of a span: aliases, then classes, then the task's tags."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.errors import Problem, UsageError
from scoring.formats.spans import Kind
from scoring.options import Options

ALIAS = re.compile(r"([^=\[\]]+)=([^=\[\]]+)(?:\[(.+)\])?")


@dataclass(frozen=True)
class Alias:
    """`name` stands for `label` where it bears all of `attributes`."""

    name: str
    label: str
    attributes: frozenset[tuple[str, str]]

    def fits(self, kind: Kind) -> bool:
        return self.label == kind[0] and self.attributes <= kind[1]


@dataclass(frozen=True)
class Naming:
    """How the task names spans.

    `classes` maps labels to the name of their equivalence class; `tags` are the only
    labels scored, in the order given, all of them where it is empty.
    """

    aliases: tuple[Alias, ...]
    classes: dict[str, str]
    tags: tuple[str, ...]

    @property
    def attributes(self) -> frozenset[str]:
        """Names of the attributes that aliases look at."""
        pairs = (pair for alias in self.aliases for pair in alias.attributes)
        return frozenset(name for name, _ in pairs)

    def label(self, kind: Kind) -> str | None:
        """The effective label; None where it is not scored. The first alias wins."""
        fitting = (alias.name for alias in self.aliases if alias.fits(kind))
        name = next(fitting, kind[0])
        name = self.classes.get(name, name)
        return name if not self.tags or name in self.tags else None


def naming(options: Options) -> Naming:
    """Read the options `alias`, `equivalence` and `tags`.

    Raises UsageError naming an option that has not the form SCORING.md gives it.
    """
    classes: dict[str, str] = {}
    for text in options["equivalence"]:
        name, labels = _class(text)
        for label in labels:
            if classes.setdefault(label, name) != name:
                raise _usage("equivalence", f"'{label}' is in two classes", text)
    aliases = tuple(_alias(text) for text in options["alias"])
    return Naming(aliases, classes, tuple(dict.fromkeys(options["tags"])))


def _alias(text: str) -> Alias:
    found = ALIAS.fullmatch(text.strip())
    if not found:
        expected = "expected NAME=LABEL or NAME=LABEL[attribute=value]"
        raise _usage("alias", expected, text)
    name, label, conditions = (part and part.strip() for part in found.groups())
    pairs = [part.partition("=") for part in (conditions or "").split(",") if part]
    if any(not equals or not key.strip() for key, equals, _ in pairs):
        raise _usage("alias", "expected conditions of the form attribute=value", text)
    attributes = frozenset((key.strip(), value.strip()) for key, _, value in pairs)
    return Alias(name, label, attributes)


def _class(text: str) -> tuple[str, Sequence[str]]:
    name, equals, members = text.partition("=")
    labels = [label.strip() for label in members.split(",") if label.strip()]
    if not equals or not name.strip() or not labels:
        raise _usage("equivalence", "expected CLASS=LABEL,LABEL", text)
    return name.strip(), labels


def _usage(option: str, message: str, text: str) -> UsageError:
    return UsageError(Problem("option", f"option '{option}' is '{text}'; {message}"))
