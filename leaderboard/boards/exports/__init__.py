"""Boards and snapshots as files, pictures, a frame for other pages, and feeds."""
