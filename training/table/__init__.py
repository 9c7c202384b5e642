"""MCTS whose trees are kept between games: a learner for each side."""
