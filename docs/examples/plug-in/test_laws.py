"""The laws of all scorers hold for this one: `python -m pytest`, or `python -m scoring
laws headings`, which needs no pytest."""

import pytest
from harbour_headings import SCORER

from scoring.laws import LAWS, Case, findings, own_example


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_holds(law):
    assert findings(law, Case(SCORER, own_example(SCORER))) == []
