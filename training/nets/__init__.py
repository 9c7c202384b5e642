"""Policy-value networks, which several systems share: their kinds, their learning, their export."""
