"""Libraries that only some scorers need, imported where they are first used."""

import os
import tempfile
from importlib import import_module
from typing import Any

from scoring.errors import Problem, UsageError
from scoring.messages import Messages, _

MESSAGES = Messages(
    package=_("the scorer '%(scorer)s' needs the package %(package)s."),
    install=_("Install it: python -m pip install %(package)s"),
)


def import_library(scorer: str, module: str) -> Any:
    """A module of a library. Raises UsageError, with how to install it, where there is
    none."""
    package = module.partition(".")[0]
    # Some ask for the directory of temporary files while they are imported, and fail in
    # the sandbox, which has none. Nothing is written to this one.
    before, tempfile.tempdir = tempfile.tempdir, tempfile.tempdir or os.curdir
    try:
        return import_module(module)
    except ImportError:
        message = MESSAGES("package", scorer=scorer, package=package)
        hint = MESSAGES("install", package=package)
        raise UsageError(Problem("package", message, hint=hint)) from None
    finally:
        tempfile.tempdir = before
