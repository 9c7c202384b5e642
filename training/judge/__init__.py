"""The strength of models: matches, references, exact play."""
