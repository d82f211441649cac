"""Programs: what organizers wrote to score a task, run in the sandbox."""
