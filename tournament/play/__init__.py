"""One game: two sessions, one referee, two clocks."""
