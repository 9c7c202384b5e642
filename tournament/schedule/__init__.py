"""A schedule file, and its pairs and openings."""
