"""UNL in both directions: graphs out of text, text out of graphs (seed 004)."""

from scoring.scorers.unl.graphs import GRAPH
from scoring.scorers.unl.texts import TEXT

SCORERS = (GRAPH, TEXT)
