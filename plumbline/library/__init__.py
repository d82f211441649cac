"""The library: the engine's scores for values in memory. It needs no site."""
