"""Tasks and past submissions are imported from other sites."""
