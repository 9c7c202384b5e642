"""The players on offer: one, or several by name or by game; their memory and threads; their choice."""
