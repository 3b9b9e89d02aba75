"""The installation on Debian Trixie, with Python 3.13, as on Raspberry Pi OS Trixie."""

from tests.emulated.installation import Installation


class TestTrixie(Installation):
    """The story on Trixie."""

    suite = "trixie"
