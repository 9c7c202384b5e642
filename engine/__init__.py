"""One player behind a port: sessions, server, bridge, terminal play."""
