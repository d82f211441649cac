"""Simulated parsers that take part in the demonstration."""

from __future__ import annotations

from benchmarks.ostrel.baseline import NearestWord
from benchmarks.ostrel.systems import System

BASELINE = NearestWord(
    "nearest-word",
    "Rules: every word hangs from the nearest word of a likely class. No training.",
)

WORDY = (("letter", 1.35),)
BOOKISH = (("letter", 1.7), ("tale", 1.1))
CHATTY = (("record", 1.45), ("letter", 0.9))

GREEDY = "Simulated greedy transition parser; loses its way in long sentences."
GRAPH = "Simulated graph parser; sees the whole sentence, distance costs it little."
CHART = "Simulated chart parser without function word features."
NEIGHBOUR = "Simulated parser that trusts short arcs too much."
LABELS = "Simulated parser with good arcs and a weak labeller."
ENSEMBLE = "Simulated vote of several parsers."

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("gate-1", GRAPH, 11, 0.21, 0.11, length_slope=0.015),
        System("gate-2", GRAPH, 12, 0.15, 0.08, length_slope=0.01),
        System("gate-3", ENSEMBLE, 13, 0.1, 0.055, length_slope=0.01),
        System("marsh-1", GREEDY, 21, 0.27, 0.14, length_slope=0.04),
        System("marsh-2", GREEDY, 22, 0.19, 0.1, length_slope=0.03),
        System("marsh-3", GRAPH, 23, 0.15, 0.085),
        System("lantern-a", LABELS, 31, 0.3, 0.26, genres=WORDY),
        System("lantern-b", LABELS, 32, 0.26, 0.2, genres=WORDY),
        System("lantern-c", LABELS, 49, 0.215, 0.135, genres=WORDY),
        System("kite-0.1", GREEDY, 41, 0.42, 0.2, length_slope=0.04),
        System("kite-0.2", GREEDY, 42, 0.31, 0.16, length_slope=0.035),
        System("kite-1.0", GRAPH, 152, 0.215, 0.135, genres=WORDY),
        System("gravel-2", NEIGHBOUR, 51, 0.4, 0.2, distance_slope=0.25),
        System("gravel-3", NEIGHBOUR, 52, 0.3, 0.16, distance_slope=0.2),
        System("harbour-x", CHART, 61, 0.6, 0.3, function_ease=0.6),
        System("harbour-y", CHART, 62, 0.42, 0.22, function_ease=0.55),
        System("orchard-early", GRAPH, 71, 0.22, 0.12, genres=CHATTY),
        System("orchard-late", GRAPH, 72, 0.16, 0.085, genres=CHATTY),
        System("mile-1", CHART, 81, 0.5, 0.25, function_ease=0.5, genres=BOOKISH),
        System("mile-4", CHART, 82, 0.36, 0.18, function_ease=0.45, genres=BOOKISH),
        # Steps on the way, for the development phase.
        System("gate-1.5", GRAPH, 14, 0.19, 0.1, length_slope=0.012),
        System("gate-2.5", GRAPH, 15, 0.13, 0.07, length_slope=0.01),
        System("marsh-1.5", GREEDY, 24, 0.24, 0.125, length_slope=0.035),
        System("marsh-1.9", GREEDY, 25, 0.21, 0.11, length_slope=0.03),
        System("lantern-a2", LABELS, 33, 0.32, 0.28, genres=WORDY),
        System("lantern-b2", LABELS, 34, 0.25, 0.19, genres=WORDY),
        System("lantern-b3", LABELS, 35, 0.235, 0.165, genres=WORDY),
        System("kite-0.1b", GREEDY, 43, 0.39, 0.19, length_slope=0.04),
        System("kite-0.3", GREEDY, 44, 0.28, 0.15, length_slope=0.03),
        System("kite-0.9", GRAPH, 45, 0.24, 0.14, genres=WORDY),
        System("gravel-2.1", NEIGHBOUR, 53, 0.38, 0.19, distance_slope=0.24),
        System("gravel-2.5", NEIGHBOUR, 54, 0.34, 0.175, distance_slope=0.22),
        System("harbour-v", CHART, 63, 0.7, 0.34, function_ease=0.65),
        System("harbour-w", CHART, 64, 0.65, 0.32, function_ease=0.6),
        System("mile-2", CHART, 83, 0.46, 0.23, function_ease=0.5, genres=BOOKISH),
        System("mile-3", CHART, 84, 0.41, 0.2, function_ease=0.45, genres=BOOKISH),
    )
}
