"""How far the gold of a task overlaps with texts that its organizers name."""
