"""What a schedule file says, and the pairs and openings that it names."""
