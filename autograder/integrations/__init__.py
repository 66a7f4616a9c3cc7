"""Other systems: CI, nbgrader, notebooks, and the formats that they read."""
