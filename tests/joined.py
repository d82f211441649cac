"""Parts that tests of extras add to tests of the whole site.

An extra's tests may have a module `joins`; a test of the core asks for what all of them
call by one name, and imports no extra.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.urls import reverse


def joined(name: str) -> Iterator[Any]:
    """The values of that name, one of each extra of this site whose tests have one."""
    for extra in settings.EXTRAS:
        module = f"tests.extras.{extra}.joins"
        if find_spec(module) and hasattr(found := import_module(module), name):
            yield getattr(found, name)


def leave_extras_out(changed: Any) -> None:
    """Let a site go on without extras, by a test's own settings. Addresses stay those
    that it was started with."""
    reverse("home")  # they are made when they are first asked for
    changed.EXTRAS = []
