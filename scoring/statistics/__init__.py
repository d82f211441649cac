"""Statistics of counts: resampling, intervals, tests of pairs, ranks, power."""
