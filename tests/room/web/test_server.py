"""The web server's messages."""

import logging

from room.web.server import OncePerSecond


def test_a_message_of_a_kind_is_said_once_a_second() -> None:
    once, said = OncePerSecond(), []
    for at_s in (100.0, 100.1, 100.9, 101.1):
        record = logging.makeLogRecord({"msg": f"full\n{at_s}", "created": at_s})
        if once.filter(record):
            said.append(record.getMessage())
    assert said == ["full\n100.0", "full\n101.1 (2 more of these were left out)"]
