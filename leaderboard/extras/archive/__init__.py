"""The archive of a task: one zip that outlives the server."""
