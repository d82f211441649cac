"""The lowest floor of the site: what every page needs, whatever it is about."""
