"""A backup is put back: it is checked whole first, then come files, then the
database."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from leaderboard.extension import blobs
from leaderboard.extension.upkeep import put_back_after_restoration
from leaderboard.extras.backup import archive
from leaderboard.extras.backup.creation import VERSION, database
from leaderboard.extras.backup.references import faults, is_unharmed

BLOBS = "blobs/"
# A site whose tables of these have no row has nothing to lose.
TELLING = ("teams_user", "tasks_task", "submissions_submission")


class RestoreRefused(Exception):
    """The backup cannot be put here; nothing was changed."""


class Unsound(Exception):
    """The restored data do not hold together; those before are there again."""


def restore(path: Path, replace: bool) -> dict[str, Any]:
    """Put the backup at `path` in the place of this site's data; its manifest.

    Raises Damaged, RestoreRefused, NoProgram, Unsound, OSError. Files that were stored
    before stay: they are never changed, and the collector knows which nobody needs.
    """
    manifest = looked_at(path)
    if not replace and not is_empty():
        raise RestoreRefused(
            "this site has data; --replace puts the backup in their place"
        )
    with tempfile.TemporaryDirectory(dir=settings.DATA, prefix="restore-") as place:
        copy = Path(place, "database")
        with archive.open_backup(path) as tar:
            with copy.open("xb") as file:
                shutil.copyfileobj(archive.content(tar, database().MEMBER), file)
            missing = set(manifest["missing"])
            for member in tar:
                digest = Path(member.name).name
                if member.name.startswith(BLOBS) and digest not in missing:
                    _keep(tar, member, digest)
        with database().replace_database(copy):
            _take_over(missing)
    return manifest


def looked_at(path: Path) -> dict[str, Any]:
    """The manifest, if every hash is right and this version can read the backup.

    Raises Damaged, RestoreRefused.
    """
    manifest = archive.verify_backup(path)
    if manifest.get("plumbline_backup") != VERSION:
        raise RestoreRefused("it was made by a newer version of the site")
    if manifest["database"] != connection.vendor:
        raise RestoreRefused(
            f"it is of a {manifest['database']} database, and DATABASE_URL names "
            f"{connection.vendor}"
        )
    migrations = MigrationLoader(None).disk_migrations
    names = {f"{app}.{name}" for app, name in migrations}
    # What was squashed away since is named by its replacement.
    for migration in migrations.values():
        names.update(f"{app}.{name}" for app, name in migration.replaces)
    # Those of removed extras stay in the table of migrations.
    unknown = sorted(
        name
        for name in set(manifest["migrations"]) - names
        if name.partition(".")[0] not in settings.REMOVED_EXTRAS
    )
    if unknown:
        raise RestoreRefused(
            f"it was made by a newer version of the site ({unknown[0]}): install that"
        )
    return manifest


def is_empty() -> bool:
    tables = set(connection.introspection.table_names()).intersection(TELLING)
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1')
            if cursor.fetchone():
                return False
    return True


def _keep(tar: Any, member: Any, digest: str) -> None:
    if not is_unharmed(digest):
        blobs.keep(archive.content(tar, member))


def _take_over(missing: set[str]) -> None:
    """Bring the tables to this version, free what ran, and look at it all."""
    call_command("migrate", interactive=False, verbosity=0)
    put_back_after_restoration()
    if problems := list(faults(missing)):
        raise Unsound("\n".join(problems))
