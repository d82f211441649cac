"""Versions: of the engine, part of every signature, and of the release it is in."""

# Changed with every number that the engine gives.
VERSION = "0.5.0"
# Changed by `make release` alone; both distributions take theirs from here.
RELEASE = "0.7.0.dev0"
