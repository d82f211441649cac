"""Version of the engine: part of every signature, changed with every number."""

VERSION = "0.2.0"
