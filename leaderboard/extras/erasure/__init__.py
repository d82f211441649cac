"""A person's own data: a copy of them, and their end."""
