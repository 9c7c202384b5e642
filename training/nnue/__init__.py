"""NNUE: searches teach the network that evaluates for them."""
