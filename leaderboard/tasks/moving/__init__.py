"""Competition bundles of other sites, turned into bundles of this one."""
