"""Run the whole site on one machine: find, start and watch its servers."""
