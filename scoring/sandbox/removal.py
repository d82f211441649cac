"""Removal of a folder that a stranger's program has filled, whatever it put there."""

import logging
import os
import time
from itertools import count
from secrets import token_hex

log = logging.getLogger(__name__)
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(path: str) -> bool:
    """Remove a folder with all that is in it; whether that succeeded.

    Never raises: who cleans up has other work to finish. `remove_old` tries to remove
    what stays, later. Nothing here depends on how deep folders are or how long their
    paths: those inside a folder are moved up beside it before it is removed.
    """
    try:
        top = os.open(path, FOLDER)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(path)
    except Exception:  # what a program left must not end its worker
        log.exception("the folder of a run could not be removed: %s", path)
        return False
    return True


def _empty(top: int) -> None:
    moved = (f"{token_hex(8)}-{number}" for number in count())
    while entries := _entries(top):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.name, dir_fd=top)
                continue
            inner = _open_folder(entry.name, top)
            try:
                for each in _entries(inner):
                    if each.is_dir(follow_symlinks=False):
                        os.close(_open_folder(each.name, inner))
                        new = next(moved)
                        os.rename(each.name, new, src_dir_fd=inner, dst_dir_fd=top)
                    else:
                        os.unlink(each.name, dir_fd=inner)
            finally:
                os.close(inner)
            os.rmdir(entry.name, dir_fd=top)


def _entries(folder: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def _open_folder(name: str, parent: int) -> int:
    """A descriptor of the folder, to which we have all rights from now on."""
    os.chmod(name, 0o700, dir_fd=parent)
    return os.open(name, FOLDER, dir_fd=parent)


def remove_old(folder: str, prefix: str, seconds: float) -> int:
    """Remove the folders in `folder` that were made longer ago than `seconds`, left by
    processes that were killed. How many went; never raises."""
    try:
        with os.scandir(folder) as entries:
            runs = [entry for entry in entries if entry.name.startswith(prefix)]
    except OSError:
        return 0  # no program has run here yet
    before = time.time() - seconds
    return sum(_is_older(run, before) and remove(run.path) for run in runs)


def _is_older(entry: os.DirEntry[str], moment: float) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_mtime < moment
    except OSError:  # it went meanwhile
        return False
