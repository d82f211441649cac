"""Addresses in what somebody pasted or in a CSV file, each with its line."""

import re
from dataclasses import dataclass, field
from email.utils import parseaddr

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

CELLS = re.compile(r"[,;\t]")
SHOWN = 60


@dataclass
class AddressList:
    """Addresses in small letters with their lines, and sentences on other lines.

    `bad` are lines without an address, `repeated` those with one that came before.
    """

    lines: dict[str, int] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)


def addresses_in(text: str) -> AddressList:
    """One address or more a line, alone, as `Name <address>` or in a cell of a table.

    Empty lines and comments behind "#" are passed over, and so is a head.
    """
    addresses = AddressList()
    first = True
    for number, raw in enumerate(text.replace("\0", "").splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        cells = [cell.strip().strip("\"'") for cell in CELLS.split(line)]
        given = [cell for cell in cells if "@" in cell]
        if not given and not (first and _is_head(cells)):
            words = _("Line %(line)s: there is no address in “%(text)s”.")
            addresses.bad.append(words % {"line": number, "text": line[:SHOWN]})
        for cell in given:
            _take(addresses, cell, number)
        first = False
    return addresses


def _is_head(cells: list[str]) -> bool:
    words = {word for cell in cells for word in re.split(r"[\W_]+", cell.casefold())}
    return bool(words & {"email", "mail", "address", "adresse", "почта"})


def _take(addresses: AddressList, cell: str, number: int) -> None:
    address = parseaddr(cell)[1].lower() or cell.lower()
    try:
        validate_email(address)
    except ValidationError:
        words = _("Line %(line)s: “%(text)s” is no mail address.")
        addresses.bad.append(words % {"line": number, "text": cell[:SHOWN]})
        return
    before = addresses.lines.setdefault(address, number)
    if before != number:
        words = _("Line %(line)s: %(address)s stands in line %(before)s already.")
        values = {"line": number, "address": address, "before": before}
        addresses.repeated.append(words % values)
