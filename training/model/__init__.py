"""Models: the parts of learning that systems share, and the files of models."""
