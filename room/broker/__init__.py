"""The way from the clocks to the hub over a broker (MQTT 5): topics, delivery, connection.

`link` sends the logs of a clock, `source` follows the clocks for a hub.
"""
