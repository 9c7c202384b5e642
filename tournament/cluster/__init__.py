"""Tables on other machines, placed there by Ray. Nothing outside this room imports it but the command that asks for it.

`cluster.Cluster` is the connection, `node.Node` runs on each machine, and `venue.ClusterVenue` gives their tables to a
manager.
"""
