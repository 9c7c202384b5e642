"""A Q-network for Connect 4: batches of games, learnt for several epochs with fresh targets."""
