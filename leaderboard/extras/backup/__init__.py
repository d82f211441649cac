"""Backups: the database as of one moment, the files its rows name, in one archive."""
