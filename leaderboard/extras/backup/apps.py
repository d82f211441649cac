"""The extra that makes backups and restores them, by commands."""

from leaderboard.web import extras


class Backup(extras.Extra):
    name = "leaderboard.extras.backup"
