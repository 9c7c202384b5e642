"""MQTT: brokers, connections, and the topics of engines."""
