"""Make and take the files of a room: for the broker, the hub, the cards of the clocks."""
