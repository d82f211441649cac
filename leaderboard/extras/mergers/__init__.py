"""Mergers: organizers make two teams of a task one."""
