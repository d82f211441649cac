"""Formats of a board: `FORMATS` of the modules of this package, and of extras."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.exports.table import ExportTable
from leaderboard.web.extras import BoardFormats, joined, modules_in


class FormatGroup(models.TextChoices):
    """The purpose of a format; the menu has a heading for each."""

    DATA = "data", _("Data")
    PAPER = "paper", _("For a paper")
    PAGE = "page", _("For another page")


@dataclass(frozen=True)
class ExportFormat:
    """One way to write a table; `name` is the end of its address.

    `position` is its place in its `group`. `attached`: it is saved, not shown.
    """

    name: str
    title: str | Promise
    content_type: str
    write: Callable[[ExportTable], str | bytes]
    position: int = 50
    attached: bool = True
    group: FormatGroup = FormatGroup.DATA

    def data(self, table: ExportTable) -> bytes:
        """The file: text in UTF-8, or what has bytes of its own."""
        written = self.write(table)
        return written.encode() if isinstance(written, str) else written


@cache
def all_formats() -> Mapping[str, ExportFormat]:
    """Formats by name, in the order of the menu."""
    formats: list[ExportFormat] = []
    packages = [__name__, *(more.package for more in joined(BoardFormats))]
    for name in (name for package in packages for name in modules_in(package)):
        formats += import_module(name).FORMATS
    ordered = sorted(formats, key=lambda form: (form.position, form.name))
    return {form.name: form for form in ordered}
