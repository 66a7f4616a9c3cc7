"""Pure functions of expectation and observation: find the difference, name the mistake, say it to a reader."""
