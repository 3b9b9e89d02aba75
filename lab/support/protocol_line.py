"""A port of pyserial's, `line://HOST:PORT`: a connection from which nothing is dropped.

`socket://` drops at its opening what has arrived until then.
"""

from serial.urlhandler import protocol_socket


class Serial(protocol_socket.Serial):
    """See `serial.SerialBase`."""

    def from_url(self, url: str) -> tuple[str, int]:
        """Return host and port."""
        host, _, port = url.removeprefix("line://").partition(":")
        return host, int(port)

    def reset_input_buffer(self) -> None:
        """Drop nothing."""
