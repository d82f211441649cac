"""People judge answers on the site; their votes become judgements like others."""
