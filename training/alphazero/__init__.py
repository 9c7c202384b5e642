"""AlphaZero: self-play by a search over a policy-value network, which learns the results of the search."""
