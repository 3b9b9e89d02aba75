"""The way from the clocks to the hub over a broker (MQTT 5): topics, delivery, connection."""
