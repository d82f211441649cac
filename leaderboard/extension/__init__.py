"""The names that an extra may import of the site, by subject.

docs/developers/extras.md lists them. From 1.0 a name stays, with its type and what its
docstring promises, for the releases that share a first number; what stands elsewhere in
the site may change with any.
"""
