"""The extra that makes backups and restores them, by commands."""

from leaderboard.extension.points import Extra


class Backup(Extra):
    name = "leaderboard.extras.backup"
