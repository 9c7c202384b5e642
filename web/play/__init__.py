"""Games of a person in the browser: the players offered, the games under way, the ratings of people."""
