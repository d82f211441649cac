"""Bundles of other sites, made into ones of this site."""
