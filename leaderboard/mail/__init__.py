"""All mail of the site: one table, one outbox, one sender."""
