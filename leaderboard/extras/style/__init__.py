"""The parts of all pages on one page, for those who change them."""
