"""The learning of value networks from states: the table of recipes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from fiedler.training.recipe.recipe import Count, Large, RecipeTable

Rate = Annotated[float, Meta(ge=0, le=1)]


class StateLearning(RecipeTable, frozen=True, kw_only=True):
    """The table `[learning]`: the learning of a value network from states."""

    samples: Large
    """New states before the network learns again (one iteration)."""
    capacity: Large
    """The number of kept states, the newest ones, from which batches are drawn."""
    passes: Annotated[float, Meta(ge=0.01, le=1000)]
    """The mean number of times that a state is drawn for learning."""
    batch: Count
    """States a step."""
    rate: Rate
    """Highest learning rate of AdamW, reached after `warmup` iterations."""
    final_rate: Rate
    """Learning rate of the last iteration; in between it falls along half a cosine."""
    warmup: Annotated[int, Meta(ge=0, le=10**6)] = 1
    """Iterations over which the rate rises."""
    weight_decay: Annotated[float, Meta(ge=0, le=10)] = 1e-4
    """The weight decay of AdamW."""
    threads: Annotated[int, Meta(ge=1, le=1024)] = 1
    """Threads of the learner; another number gives another network."""
