"""Treebanks, as several scorers read them: CoNLL-U as columns, trees, relations."""
