"""Files that commands write for a person, under the path that the person named."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Raises CommandError, which names the path, where it cannot be written."""
    try:
        yield
    except FileExistsError:
        raise CommandError(f"{path} is there already") from None
    except OSError as error:
        why = error.strerror or error
        raise CommandError(f"{path} cannot be written: {why}") from error
