"""Formats of a board, registered by existing: every module of `formats`."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from django.utils.functional import Promise

from leaderboard.boards.exports import formats
from leaderboard.boards.exports.table import Table


@dataclass(frozen=True)
class Format:
    """One way to write a table; `name` is the end of its address.

    `position` is its place in the menu. `attached`: it is saved, not shown.
    """

    name: str
    title: str | Promise
    content_type: str
    write: Callable[[Table], str]
    position: int = 50
    attached: bool = True


@cache
def all_formats() -> Mapping[str, Format]:
    """By name, in the order of the menu."""
    found: list[Format] = []
    for module in pkgutil.iter_modules(formats.__path__):
        loaded = import_module(f"{formats.__name__}.{module.name}")
        found += loaded.FORMATS
    ordered = sorted(found, key=lambda one: (one.position, one.name))
    return {one.name: one for one in ordered}
