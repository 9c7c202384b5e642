"""A strength test of two versions of an engine: from its options to a run, and from the run to a verdict."""
