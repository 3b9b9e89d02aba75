"""The installation on Debian Bookworm, with Python 3.11, as on Raspberry Pi OS Bookworm."""

from tests.emulated.installation import Installation


class TestBookworm(Installation):
    """The story on Bookworm."""

    suite = "bookworm"
