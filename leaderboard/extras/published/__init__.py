"""Published scores: tables of a campaign, imported as a task with boards."""
