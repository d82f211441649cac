"""What names a person, found in any text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

GAPS = re.compile(r"[\s._\-]+")


@dataclass(frozen=True)
class Words:
    """Mail addresses and names, and what stands in their place.

    A name is found as whole words, however they are joined: as "Mira Tollen" and in
    "mira_tollen.conllu".
    """

    mails: frozenset[str]
    names: frozenset[str]
    place: str

    @cached_property
    def needles(self) -> frozenset[str]:
        """A text without any of these names nobody."""
        words = filter(None, map(parts, self.names))
        return self.mails | {max(name, key=len) for name in words}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = sorted(filter(None, map(parts, self.names)), key=len, reverse=True)
        found = [
            rf"(?<![\w.+\-]){re.escape(mail)}(?![\w\-])" for mail in self.mails
        ] + [
            "(?<![^\\W_])" + GAPS.pattern.join(map(re.escape, name)) + "(?![^\\W_])"
            for name in names
        ]
        return re.compile("|".join(found), re.IGNORECASE)

    def without(self, value: Any) -> Any:
        """A text, or what JSON holds, with the place in place of the person."""
        if isinstance(value, str):
            return self._pattern.sub(self.place, value) if self.needles else value
        if isinstance(value, list):
            return [self.without(one) for one in value]
        if isinstance(value, dict):
            return {self.without(key): self.without(one) for key, one in value.items()}
        return value


def parts(name: str) -> list[str]:
    return [word for word in GAPS.split(name) if word]


def unmistakable(names: Iterable[str]) -> Iterator[str]:
    """Names of two words and more; one word may be anybody, or no name at all."""
    return (name for name in names if len(parts(name)) > 1)
