"""Mergers: two teams of a task that become one."""
